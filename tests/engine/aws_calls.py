"""One resource type as calls of one AWS service, and what AWS looks at before it agrees."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from engine.aws_world import Account, gone
from engine.provider import Properties, RefusedError

type Key = Callable[[str, Properties], dict[str, Any]]


@dataclass(frozen=True)
class Calls:
    """An Answer made of ``service``'s create, describe, update and delete calls.

    ``shaped`` turns properties into those of the call, ``names`` renames what is called otherwise.
    ``ident`` gives the id, ``made`` further outputs, both from (inputs, the create call's answer).
    ``key`` gives the parameters that name the thing in all later calls. ``allowed`` refuses what
    AWS would not create, ``free`` what AWS would not delete. Where there is no ``change``, an
    update is a second create (the ``put_`` calls).
    """

    account: Account
    service: str
    create_call: str
    delete_call: str
    ident: Callable[[Properties, dict[str, Any]], str]
    key: Key
    describe_call: str | None = None
    change: Callable[[str, Properties, Properties], object] | None = None
    made: Callable[[Properties, dict[str, Any]], Properties] = lambda inputs, answer: {}
    shaped: Callable[[Properties], Mapping[str, Any]] = lambda inputs: inputs
    names: Mapping[str, str] = field(default_factory=dict)
    allowed: Callable[[Properties], None] = lambda inputs: None
    free: Callable[[str, Properties], None] = lambda ident, state: None
    updatable: frozenset[str] = frozenset()
    autoname: str | None = None
    ours: frozenset[str] = frozenset({"forceDestroy", "forceDelete", "region", "timeouts"})

    def create(self, inputs: Properties) -> tuple[str, Properties]:
        self.allowed(inputs)
        answer = self._put(inputs)
        ident = self.ident(inputs, answer)
        return ident, {**inputs, **self.made(inputs, answer)}

    def update(self, ident: str, old: Properties, new: Properties) -> Properties:
        self.allowed(new)
        if self.change is None:
            self._put(new)
        else:
            self.change(ident, old, new)
        return {**old, **new}

    def exists(self, ident: str, state: Properties) -> bool:
        if self.describe_call is None:
            return True
        try:
            self._on(self.describe_call, ident, state)
        except Exception as error:
            if gone(error):
                return False
            raise
        return True

    def delete(self, ident: str, state: Properties) -> None:
        self.free(ident, state)
        try:
            self._on(self.delete_call, ident, state)
        except Exception as error:
            if not gone(error):
                raise

    def _put(self, inputs: Properties) -> dict[str, Any]:
        theirs = {name: value for name, value in inputs.items() if name not in self.ours}
        return self.account.call(self.service, self.create_call, self.shaped(theirs), self.names)

    def _on(self, call: str, ident: str, state: Properties) -> object:
        return getattr(self.account.client(self.service), call)(**self.key(ident, state))


_IMAGE = re.compile(
    r"(?P<account>\d{12})\.dkr\.ecr\.(?P<region>[a-z0-9-]+)\.amazonaws\.com(\.cn)?"
    r"/(?P<repository>[a-z0-9/._-]+)@(?P<digest>sha256:[0-9a-f]{64})"
)


def image_is_there(account: Account, image: str) -> str:
    """Refused unless the image is one of this account by digest; gives its repository's ARN."""
    found = _IMAGE.fullmatch(image)
    if found is None:
        raise RefusedError(
            f"{image!r} is no image of ECR by digest (ACCOUNT.dkr.ecr....@sha256:...)"
        )
    try:
        account.client("ecr", found["region"]).describe_images(
            registryId=found["account"],
            repositoryName=found["repository"],
            imageIds=[{"imageDigest": found["digest"]}],
        )
    except Exception as error:
        if gone(error):
            raise RefusedError(f"the image {image} does not exist") from error
        raise
    return f"arn:aws:ecr:{found['region']}:{found['account']}:repository/{found['repository']}"


def role_may(account: Account, role_arn: str, principal: str, needs: Mapping[str, str]) -> None:
    """Refused unless ``principal`` can take the role and the role grants each action of ``needs``.

    ``needs`` maps an action to the resource. Conditions are not looked at.
    """
    iam = account.client("iam")
    name = role_arn.split("/")[-1]
    try:
        role = iam.get_role(RoleName=name)["Role"]
    except iam.exceptions.NoSuchEntityException:
        raise RefusedError(f"the role {role_arn} does not exist") from None
    trust = list(_statements(role["AssumeRolePolicyDocument"]))
    if not any(principal in _listed(s.get("Principal", {}).get("Service", [])) for s in trust):
        raise RefusedError(f"{role_arn} does not trust {principal}")
    granted = [s for document in _documents(iam, name) for s in _statements(document)]
    for action, resource in needs.items():
        if not any(_grants(statement, action, resource) for statement in granted):
            raise RefusedError(f"AccessDenied: {role_arn} may not {action} on {resource}")


def _documents(iam: Any, role: str) -> Iterator[Any]:
    for name in iam.list_role_policies(RoleName=role)["PolicyNames"]:
        yield iam.get_role_policy(RoleName=role, PolicyName=name)["PolicyDocument"]
    for attached in iam.list_attached_role_policies(RoleName=role)["AttachedPolicies"]:
        policy = iam.get_policy(PolicyArn=attached["PolicyArn"])["Policy"]
        version = iam.get_policy_version(
            PolicyArn=attached["PolicyArn"], VersionId=policy["DefaultVersionId"]
        )
        yield version["PolicyVersion"]["Document"]


def _statements(document: Any) -> Iterator[dict[str, Any]]:
    parsed = json.loads(document) if isinstance(document, str) else document
    yield from _listed(parsed["Statement"])


def _grants(statement: dict[str, Any], action: str, resource: str) -> bool:
    return (
        statement["Effect"] == "Allow"
        and any(fnmatchcase(action, pattern) for pattern in _listed(statement["Action"]))
        and any(fnmatchcase(resource, pattern) for pattern in _listed(statement["Resource"]))
    )


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
