"""A plan written as Terraform, the language that static checkers of clouds read.

The resources are the same: pulumi-aws is made from Terraform's provider, with other spelling.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from infra.planning import Declared, Plan

WITHOUT_SERVICE = ("ec2",)
"""Pulumi's folders that Terraform's names leave out."""

SERVICES = {"bedrock": "bedrockagentcore", "cloudwatch": "cloudwatch"}
NAMES = {"vpc/securityGroup": "vpc_security_group", "bedrock/agentcore": "bedrockagentcore_"}

SINGULAR = {
    "rules": "rule",
    "encryption_configurations": "encryption_configuration",
    "routing_configs": "routing_config",
    "s3_data_sources": "s3_data_source",
    "lifecycle_configurations": "lifecycle_configuration",
    "step_adjustments": "step_adjustment",
}
"""Lists that Terraform writes as repeated blocks of one name."""

MAPS = frozenset({"tags", "dimensions", "environment", "environment_variables"})
"""What stays a map of names that are data."""


def snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", name).lower()


def type_of(resource: Declared) -> str:
    _, place, _ = resource.type.split(":")
    service, name = place.split("/")
    words = snake(name).removeprefix("agentcore_")
    if service == "ec2":
        return f"aws_{words}"
    return f"aws_{SERVICES.get(service, service)}_{words}"


def address_of(resource: Declared) -> str:
    return f"{type_of(resource)}.{snake(resource.name).replace('-', '_')}"


class Terraform:
    """One text with all of a plan's AWS resources, which refer to each other."""

    def __init__(self, plan: Plan, tags: Mapping[str, str]) -> None:
        self.resources = [r for r in plan.cloud if r.type.startswith("aws:")]
        self.tags = tags
        self.references: dict[str, str] = {}
        for resource in self.resources:
            address = address_of(resource)
            self.references[f"{resource.name}-id"] = f"{address}.id"
            if resource.type == "aws:s3/bucket:Bucket":
                self.references[resource.inputs["bucket"]] = f"{address}.id"

    def text(self) -> str:
        return "\n".join(self._resource(resource) for resource in self.resources)

    def _resource(self, resource: Declared) -> str:
        kind, name = address_of(resource).split(".")
        inputs = dict(resource.inputs)
        if kind == "aws_s3_bucket":
            own = inputs.pop("bucket")
            body = [f"  bucket = {json.dumps(own)}", *self._lines(inputs, 1)]
        else:
            body = self._lines(inputs, 1)
        body.append(f"  tags = {json.dumps(dict(self.tags) | inputs.get('tags', {}))}")
        return "\n".join([f'resource "{kind}" "{name}" {{', *body, "}"])

    def _lines(self, inputs: Mapping[str, Any], depth: int) -> list[str]:
        lines: list[str] = []
        for key, value in inputs.items():
            name = SINGULAR.get(snake(key), snake(key))
            if depth == 1 and name == "tags":
                continue
            lines += self._entry(name, value, depth)
        return lines

    def _entry(self, name: str, value: Any, depth: int) -> list[str]:
        indent = "  " * depth
        blocks = value if isinstance(value, list) else [value]
        if name not in MAPS and blocks and all(isinstance(b, dict) for b in blocks):
            lines = []
            for block in blocks:
                lines += [f"{indent}{name} {{", *self._lines(block, depth + 1), f"{indent}}}"]
            return lines
        return [f"{indent}{name} = {self._value(value)}"]

    def _value(self, value: Any) -> str:
        if isinstance(value, list):
            return f"[{', '.join(self._value(item) for item in value)}]"
        if isinstance(value, str) and value in self.references:
            return self.references[value]
        if isinstance(value, float) and value.is_integer():
            return str(int(value))
        # Terraform would take what stands in ${} for an expression.
        return json.dumps(value).replace("${", "$${")
