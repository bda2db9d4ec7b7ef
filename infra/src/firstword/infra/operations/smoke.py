"""``smoke ENV``: a sentence over each wire of what is deployed, and a judgement of what came."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from firstword.infra.errors import InfraError
from firstword.infra.operations.duplex import invoke_duplex
from firstword.infra.operations.hearing import Heard, complaint
from firstword.infra.operations.stacks import Stacks, opened
from firstword.infra.operations.turns import invoke_agent, invoke_local
from firstword.infra.operations.wires import WireError, invoke, invoke_stream
from firstword.infra.settings import EndpointSettings
from firstword.infra.stack_files import read_stack

SENTENCE = "The first word is spoken before the last one has been thought of."
PROMPT = "Say one short sentence about the sea."


@dataclass(frozen=True, slots=True)
class Wire:
    """A way to speak. ``text`` is what will be said; None where an agent chooses its words."""

    name: str
    call: Callable[[], Heard]
    text: str | None


def add(parser: argparse.ArgumentParser) -> None:
    """Describe the command."""
    parser.add_argument("environment", metavar="ENV")
    parser.add_argument("--json", action="store_true", help="one object a wire, for programs")
    parser.add_argument("--yes", action="store_true", help="accepted; nothing is asked")


def run(options: argparse.Namespace) -> int:
    """Try every wire, also after one has failed; 0 when all of them speak."""
    with opened(options.environment) as stacks:
        wires = wires_of(stacks)
    failures = 0
    for wire in wires:
        result = tried(wire)
        failures += not result["speech"]
        sys.stdout.write(json.dumps(result) if options.json else as_line(result))
        sys.stdout.write("\n")
        sys.stdout.flush()
    return 1 if failures else 0


def wires_of(stacks: Stacks) -> list[Wire]:
    """The wires of what is deployed. InfraError when nothing is."""
    if stacks.is_local:
        page = stacks.held(stacks.names[0]).outputs.get("pageUrl")
        wires = [Wire("agent", lambda: invoke_local(str(page), PROMPT), None)] if page else []
    else:
        wires = [*_endpoint_wires(stacks), *_agent_wires(stacks)]
    if not wires:
        raise InfraError(
            f"nothing of {stacks.environment} is deployed: firstword deploy {stacks.environment}"
        )
    return wires


def _endpoint_wires(stacks: Stacks) -> list[Wire]:
    stack = stacks.part("endpoint")
    name = stacks.held(stack).outputs.get("endpointName")
    settings = read_stack(stacks.root, stack)
    if name is None or not isinstance(settings, EndpointSettings):
        return []
    return endpoint_wires(str(name), settings.place.region)


def endpoint_wires(name: str, region: str) -> list[Wire]:
    """The three ways to call a SageMaker endpoint."""
    return [
        Wire("InvokeEndpoint", lambda: invoke(name, region, SENTENCE), SENTENCE),
        Wire(
            "InvokeEndpointWithResponseStream",
            lambda: invoke_stream(name, region, SENTENCE),
            SENTENCE,
        ),
        Wire(
            "InvokeEndpointWithBidirectionalStream",
            lambda: invoke_duplex(name, region, SENTENCE),
            SENTENCE,
        ),
    ]


def _agent_wires(stacks: Stacks) -> list[Wire]:
    outputs = stacks.held(stacks.part("agent")).outputs
    if "runtimeArn" not in outputs:
        return []
    return [agent_wire(str(outputs["runtimeArn"]), outputs.get("runtimeEndpointName"))]


def agent_wire(arn: str, qualifier: str | None) -> Wire:
    """One turn of the agent on AgentCore; its region is in the ARN."""
    region = arn.split(":")[3]
    return Wire("InvokeAgentRuntime", lambda: invoke_agent(arn, qualifier, region, PROMPT), None)


def tried(wire: Wire) -> Mapping[str, object]:
    """wire, speech (whether it is), and either the figures or the reason."""
    try:
        heard = wire.call()
        why = complaint(heard, wire.text)
    except WireError as error:
        return {"wire": wire.name, "speech": False, "reason": str(error)}
    if why is not None:
        return {"wire": wire.name, "speech": False, "reason": why}
    return {
        "wire": wire.name,
        "speech": True,
        "seconds": round(heard.seconds, 2),
        "first_ms": round(heard.first_ms),
        "all_ms": round(heard.all_ms),
    }


def as_line(result: Mapping[str, object]) -> str:
    """One result for people."""
    if not result["speech"]:
        return f"{result['wire']}: FAILED, {result['reason']}"
    return (
        f"{result['wire']}: {result['seconds']} s of speech, first after {result['first_ms']} ms, "
        f"all after {result['all_ms']} ms"
    )
