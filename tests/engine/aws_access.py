"""IAM: roles, their policies, and policies of their own."""

from __future__ import annotations

from typing import Any

from engine.aws_calls import Calls
from engine.aws_world import Account, gone
from engine.provider import Answer, Properties, RefusedError


def answers(account: Account) -> dict[str, Answer]:
    """Token to Answer."""
    return {
        "aws:iam/role:Role": _role(account),
        "aws:iam/policy:Policy": _policy(account),
        "aws:iam/rolePolicy:RolePolicy": _inline(account),
        "aws:iam/rolePolicyAttachment:RolePolicyAttachment": _attachment(account),
    }


def _role(account: Account) -> Answer:
    iam = account.client("iam")

    def made(inputs: Properties, answer: dict[str, Any]) -> Properties:
        role = answer["Role"]
        return {"arn": role["Arn"], "uniqueId": role["RoleId"]}

    def change(ident: str, old: Properties, new: Properties) -> None:
        iam.update_assume_role_policy(RoleName=ident, PolicyDocument=new["assumeRolePolicy"])

    return Calls(
        account,
        "iam",
        "create_role",
        "delete_role",
        ident=lambda inputs, answer: str(inputs["name"]),
        key=lambda ident, state: {"RoleName": ident},
        describe_call="get_role",
        change=change,
        made=made,
        names={"name": "roleName", "assumeRolePolicy": "assumeRolePolicyDocument"},
        updatable=frozenset({"assumeRolePolicy", "description", "maxSessionDuration", "tags"}),
        autoname="name",
        ours=frozenset({"forceDetachPolicies"}),
    )


def _policy(account: Account) -> Answer:
    iam = account.client("iam")

    def free(ident: str, state: Properties) -> None:
        try:
            attached = iam.get_policy(PolicyArn=ident)["Policy"]["AttachmentCount"]
        except Exception as error:
            if gone(error):
                return
            raise
        if attached:
            raise RefusedError(
                f"DeleteConflict: Cannot delete a policy attached to entities ({ident} is "
                f"attached to {attached})."
            )

    def change(ident: str, old: Properties, new: Properties) -> None:
        versions = iam.list_policy_versions(PolicyArn=ident)["Versions"]
        for version in versions:
            if not version["IsDefaultVersion"]:
                iam.delete_policy_version(PolicyArn=ident, VersionId=version["VersionId"])
        iam.create_policy_version(PolicyArn=ident, PolicyDocument=new["policy"], SetAsDefault=True)

    def delete_key(ident: str, state: Properties) -> dict[str, Any]:
        for version in iam.list_policy_versions(PolicyArn=ident)["Versions"]:
            if not version["IsDefaultVersion"]:
                iam.delete_policy_version(PolicyArn=ident, VersionId=version["VersionId"])
        return {"PolicyArn": ident}

    return Calls(
        account,
        "iam",
        "create_policy",
        "delete_policy",
        ident=lambda inputs, answer: str(answer["Policy"]["Arn"]),
        key=delete_key,
        change=change,
        made=lambda inputs, answer: {"arn": answer["Policy"]["Arn"]},
        names={"name": "policyName", "policy": "policyDocument"},
        free=free,
        updatable=frozenset({"policy", "tags"}),
        autoname="name",
    )


def _inline(account: Account) -> Answer:
    def key(ident: str, state: Properties) -> dict[str, Any]:
        role, _, name = ident.partition(":")
        return {"RoleName": role, "PolicyName": name}

    return Calls(
        account,
        "iam",
        "put_role_policy",
        "delete_role_policy",
        ident=lambda inputs, answer: f"{inputs['role']}:{inputs['name']}",
        key=key,
        describe_call="get_role_policy",
        names={"role": "roleName", "name": "policyName", "policy": "policyDocument"},
        updatable=frozenset({"policy"}),
        autoname="name",
    )


def _attachment(account: Account) -> Answer:
    def key(ident: str, state: Properties) -> dict[str, Any]:
        role, _, policy = ident.partition("|")
        return {"RoleName": role, "PolicyArn": policy}

    return Calls(
        account,
        "iam",
        "attach_role_policy",
        "detach_role_policy",
        ident=lambda inputs, answer: f"{inputs['role']}|{inputs['policyArn']}",
        key=key,
        names={"role": "roleName"},
    )
