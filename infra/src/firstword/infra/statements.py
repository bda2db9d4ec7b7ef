"""The grammar of AWS policies, and the table of what may name every resource."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from firstword.infra.names import Names

WITHOUT_RESOURCE_LEVEL: Mapping[str, str] = MappingProxyType(
    {
        "ecr:GetAuthorizationToken": "the token is the registry's, not a repository's",
        "xray:PutTraceSegments": "traces are no resources of IAM's",
        "xray:PutTelemetryRecords": "traces are no resources of IAM's",
        "xray:GetSamplingRules": "sampling rules are read as a whole",
        "xray:GetSamplingTargets": "sampling rules are read as a whole",
        "cloudwatch:PutMetricData": "metrics are no resources; the namespace is a condition",
        "ec2:DescribeVpcs": "reads of EC2 have no resource level",
        "ec2:DescribeDhcpOptions": "reads of EC2 have no resource level",
        "ec2:DescribeSubnets": "reads of EC2 have no resource level",
        "ec2:DescribeSecurityGroups": "reads of EC2 have no resource level",
        "ec2:DescribeNetworkInterfaces": "reads of EC2 have no resource level",
    }
)
"""Actions that may have ``Resource: "*"``, and why. No others may (a test walks all policies)."""


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement. Without ``resources`` it is one of a trust policy."""

    sid: str
    actions: Sequence[str]
    resources: Sequence[str] = ()
    conditions: Mapping[str, Mapping[str, str | Sequence[str]]] = field(default_factory=dict)
    principal: Mapping[str, str | Sequence[str]] | str | None = None
    effect: str = "Allow"

    def document(self) -> dict[str, object]:
        """As it stands in a policy."""
        parts: dict[str, object] = {"Sid": self.sid, "Effect": self.effect}
        if self.principal is not None:
            parts["Principal"] = self.principal
        parts["Action"] = list(self.actions)
        if self.resources:
            parts["Resource"] = list(self.resources)
        if self.conditions:
            parts["Condition"] = {k: dict(v) for k, v in self.conditions.items()}
        return parts


def policy(*statements: Statement) -> str:
    """A policy's JSON text."""
    return json.dumps(
        {"Version": "2012-10-17", "Statement": [s.document() for s in statements]}, indent=1
    )


def service_trust(names: Names, service: str, source: str) -> str:
    """Let a service take a role for the resources of this account that ``source`` matches.

    Without the conditions anybody's resource of that service could ask for the role.
    """
    return policy(
        Statement(
            "ServiceForThisAccount",
            ["sts:AssumeRole"],
            principal={"Service": f"{service}.amazonaws.com"},
            conditions={
                "StringEquals": {"aws:SourceAccount": names.account},
                "ArnLike": {"aws:SourceArn": source},
            },
        )
    )


def pull_image(repository_arn: str) -> tuple[Statement, ...]:
    """To pull from one repository."""
    return (
        Statement("RegistryToken", ["ecr:GetAuthorizationToken"], ["*"]),
        Statement(
            "PullImage",
            ["ecr:BatchCheckLayerAvailability", "ecr:BatchGetImage", "ecr:GetDownloadUrlForLayer"],
            [repository_arn],
        ),
    )


def put_metrics(*namespaces: str) -> Statement:
    """To write metrics in some namespaces."""
    return Statement(
        "PutMetrics",
        ["cloudwatch:PutMetricData"],
        ["*"],
        {"StringEquals": {"cloudwatch:namespace": list(namespaces)}},
    )
