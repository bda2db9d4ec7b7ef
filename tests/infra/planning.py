"""A stack's program run against a recording monitor: what it declares, in which order of need."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from firstword.infra.names import PROJECT
from firstword.infra.program import Workshop, declare
from firstword.infra.reading import read_settings
from firstword.infra.weights import Weights
from pulumi.runtime import mocks, rpc, settings
from pulumi.runtime.stack import run_in_stack

ACCOUNT = "123456789012"
ROOT = Path(__file__).parents[2]
DIGEST = "sha256:" + "5" * 64
NOW = datetime(2026, 11, 30, 1, 2, 3, tzinfo=UTC)


@dataclass(frozen=True)
class Declared:
    """One resource as the engine would get it. Input names are AWS's provider's own."""

    type: str
    name: str
    urn: str
    inputs: Mapping[str, Any]
    secrets: frozenset[str]
    parent: str
    needs: frozenset[str]
    """URNs of what must exist before it."""
    ignored_changes: tuple[str, ...]
    retained: bool
    provider: str
    custom: bool


@dataclass
class Plan:
    """What a stack declares and exports, and which weights it stored where."""

    resources: list[Declared] = field(default_factory=list)
    exports: dict[str, Any] = field(default_factory=dict)
    uploads: list[tuple[str, str]] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)

    def all(self, type_: str) -> list[Declared]:
        return [r for r in self.resources if r.type == type_]

    def one(self, type_: str, name: str | None = None) -> Declared:
        found = [r for r in self.all(type_) if name is None or r.name == name]
        assert len(found) == 1, f"{len(found)} of {type_} {name or ''}"
        return found[0]

    def needs(self, resource: Declared) -> set[str]:
        """Types of all that must exist before ``resource``, directly or by way of others."""
        by_urn = {r.urn: r for r in self.resources}
        seen: set[str] = set()
        todo = [*resource.needs, resource.parent]
        while todo:
            urn = todo.pop()
            if urn in seen or urn not in by_urn:
                continue
            seen.add(urn)
            todo += [*by_urn[urn].needs, by_urn[urn].parent]
            todo += [r.urn for r in self.resources if r.parent == urn and urn in resource.needs]
        return {by_urn[urn].name for urn in seen}

    @property
    def cloud(self) -> list[Declared]:
        """All that costs a call to a provider."""
        return [r for r in self.resources if r.custom and not r.type.startswith("pulumi:")]


class Cloud(mocks.Mocks):
    """Answers like a provider that has just made what it was asked for."""

    def __init__(self, plan: Plan, stacks: Mapping[str, Mapping[str, Any]]) -> None:
        self.plan, self.stacks = plan, stacks

    def new_resource(self, args: mocks.MockResourceArgs) -> tuple[str, dict[str, Any]]:
        if args.typ == "pulumi:pulumi:StackReference":
            name = args.inputs["name"].split("/")[-1]
            return args.name, {"name": args.inputs["name"], "outputs": dict(self.stacks[name])}
        name = args.inputs.get("name") or args.inputs.get("bucket") or f"{args.name}-1a2b3c4"
        made = {
            "name": name,
            "arn": f"arn:aws:made:us-west-2:{ACCOUNT}:{args.name}",
            "repositoryUrl": f"{ACCOUNT}.dkr.ecr.us-west-2.amazonaws.com/{name}",
            "digest": DIGEST,
            "prefixListId": "pl-1",
            "agentRuntimeId": "firstword_dev_agent-AbCdEf",
            "agentRuntimeArn": f"arn:aws:bedrock-agentcore:us-west-2:{ACCOUNT}:runtime/x-AbCdEf",
            "agentRuntimeVersion": "1",
            "agentRuntimeEndpointArn": "arn:aws:bedrock-agentcore:endpoint",
        }
        return f"{args.name}-id", {**made, **args.inputs}

    def call(self, args: mocks.MockCallArgs) -> dict[str, Any]:
        assert args.provider, f"{args.token} is asked of no stated provider"
        self.plan.calls.append(args.token)
        return {
            "aws:index/getCallerIdentity:getCallerIdentity": {"accountId": ACCOUNT},
            "aws:index/getAvailabilityZones:getAvailabilityZones": {
                "names": [f"us-west-2{letter}" for letter in "abcd"]
            },
            "aws:ecr/getAuthorizationToken:getAuthorizationToken": {
                "userName": "AWS",
                "password": "secret-token",
                "proxyEndpoint": f"https://{ACCOUNT}.dkr.ecr.us-west-2.amazonaws.com",
            },
        }[args.token]


class Recorder(mocks.MockMonitor):
    """A monitor that keeps what the engine would be told."""

    def __init__(self, cloud: Cloud, plan: Plan) -> None:
        super().__init__(cloud)
        self.plan = plan

    def RegisterResource(self, request: Any) -> Any:  # noqa: N802 - gRPC's name
        if request.type != "pulumi:pulumi:Stack":
            inputs = rpc.deserialize_properties(request.object)
            self.plan.resources.append(
                Declared(
                    type=request.type,
                    name=request.name,
                    urn=self.make_urn(request.parent, request.type, request.name),
                    inputs={k: rpc.unwrap_rpc_secret(v) for k, v in inputs.items()},
                    secrets=frozenset(k for k, v in inputs.items() if rpc.is_rpc_secret(v)),
                    parent=request.parent,
                    needs=frozenset(request.dependencies),
                    ignored_changes=tuple(request.ignoreChanges),
                    retained=request.retainOnDelete,
                    provider=request.provider,
                    custom=request.custom,
                )
            )
        return super().RegisterResource(request)

    def RegisterResourceOutputs(self, request: Any) -> Any:  # noqa: N802 - gRPC's name
        if "::pulumi:pulumi:Stack::" in request.urn:
            self.plan.exports.update(rpc.deserialize_properties(request.outputs))
        return super().RegisterResourceOutputs(request)


def plan_stack(
    stack: str,
    values: Mapping[str, object],
    *,
    models: Path,
    stacks: Mapping[str, Mapping[str, Any]] | None = None,
    preview: bool = False,
    root: Path = ROOT,
) -> Plan:
    """Run the program of ``stack`` with these settings; ``stacks`` are the others' outputs."""
    plan = Plan()
    cloud = Cloud(plan, stacks or {})

    def store(weights: Weights, bucket: str, region: str, say: Any) -> None:
        say("weights: on their way")
        plan.uploads.append((f"s3://{bucket}/{weights.prefix}", region))

    workshop = Workshop(root=root, models=models, store=store, now=lambda: NOW)

    def program() -> None:
        declare(read_settings(stack, values), workshop)

    async def run() -> None:
        # One thread, whose own event loop the monitor makes and nobody else would close.
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(1))
        mocks.set_mocks(
            cloud,
            project=PROJECT,
            stack=stack,
            preview=preview,
            monitor=Recorder(cloud, plan),
            organization="organization",
        )
        settings.set_root_resource(None)  # the mocks' own; the program's run makes another
        try:
            await run_in_stack(program)
        finally:
            await asyncio.to_thread(close_loop)

    asyncio.run(run())
    return plan


def close_loop() -> None:
    """Close the event loop of this thread, where it has one."""
    with contextlib.suppress(RuntimeError):
        asyncio.get_event_loop().close()


def policy_documents(plan: Plan) -> list[tuple[str, dict[str, Any]]]:
    """Every policy in a plan, with the name of the resource that has it."""
    found = []
    for resource in plan.cloud:
        for field_name in ("policy", "assumeRolePolicy"):
            text = resource.inputs.get(field_name)
            if isinstance(text, str) and "Statement" in text:
                found.append((f"{resource.name}.{field_name}", json.loads(text)))
    return found
