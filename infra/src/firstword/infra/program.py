"""The whole cloud, stack by stack: a table of contents. Each room is a module of its name."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, assert_never

import pulumi

from firstword.infra.agent_runtime import AgentRuntime, AgentRuntimeArgs
from firstword.infra.alarms import Alarms, AlarmsArgs
from firstword.infra.capacity import CAPACITY_FILE, plan_fleet, read_capacity
from firstword.infra.endpoint import SpeechEndpoint, SpeechEndpointArgs
from firstword.infra.errors import InfraError
from firstword.infra.foundation import Foundation, FoundationArgs
from firstword.infra.hold import hold, offered, watched
from firstword.infra.images import AGENT_IMAGE, SPEECH_IMAGE, ServiceImage, ServiceImageArgs
from firstword.infra.local import LocalHost, LocalHostArgs
from firstword.infra.model_cache import Store, store_weights, stored_in
from firstword.infra.reading import read_settings
from firstword.infra.scaling import Scaling, ScalingArgs
from firstword.infra.settings import (
    AgentSettings,
    EndpointSettings,
    FoundationSettings,
    LocalSettings,
    Settings,
)
from firstword.infra.surroundings import (
    config_values,
    names_of,
    reference,
    text_of,
    texts_of,
    zones_of,
)
from firstword.infra.tagging import provider_of
from firstword.infra.weights import model_folder, read_weights


@dataclass(frozen=True, slots=True, kw_only=True)
class Workshop:
    """What the machine that deploys has: tree, model folder, a clock, a way to the bucket."""

    root: Path
    models: Path
    store: Store = store_weights
    now: Callable[[], datetime] = lambda: datetime.now(UTC)


def main() -> None:
    """What `pulumi` and the Automation API run for the selected stack."""
    workshop = Workshop(root=Path(__file__).resolve().parents[4], models=model_folder(os.environ))
    try:
        declare(read_settings(pulumi.get_stack(), config_values()), workshop)
    except InfraError as error:
        raise pulumi.RunError(str(error)) from error


def declare(settings: Settings, workshop: Workshop) -> None:
    """Declare all resources of a stack and export what others need.

    Raises:
        InfraError: settings, capacity file or weights cannot be used; nothing was declared.
    """
    match settings:
        case FoundationSettings():
            foundation_stack(settings)
        case EndpointSettings():
            endpoint_stack(settings, workshop)
        case AgentSettings():
            agent_stack(settings, workshop)
        case LocalSettings():
            local_stack(settings, workshop)
        case _:
            assert_never(settings)


def foundation_stack(settings: FoundationSettings) -> None:
    """What the others stand on, and what stays when they go."""
    everything = watched()
    aws = provider_of(settings.place, "foundation")
    names = names_of(settings.place, aws)
    foundation = Foundation(
        "foundation",
        FoundationArgs(settings=settings, names=names, zones=zones_of(settings, aws)),
        opts=pulumi.ResourceOptions(provider=aws),
    )
    held = offered(names, "foundation", everything, aws)
    _export({**foundation.outputs, "holdPolicyArn": held})


def endpoint_stack(settings: EndpointSettings, workshop: Workshop) -> None:
    """The voice: weights in the bucket, image, alarms, endpoint, scaling."""
    fleet = plan_fleet(settings.fleet, read_capacity(workshop.root / CAPACITY_FILE))
    weights = read_weights(workshop.models, settings.weights_sha256)

    everything = watched()
    aws = provider_of(settings.place, "endpoint")
    names = names_of(settings.place, aws)
    foundation = reference(settings.place, "foundation")
    holds = hold(
        "foundation",
        text_of(foundation, "holdPolicyArn"),
        text_of(foundation, "sagemakerRoleName"),
        aws,
    )
    inside = pulumi.ResourceOptions(provider=aws, depends_on=[holds])

    image = ServiceImage(
        "tts",
        ServiceImageArgs(
            recipe=SPEECH_IMAGE,
            root=workshop.root,
            repository_url=text_of(foundation, "ttsRepositoryUrl"),
            digest_ref=settings.image,
            now=workshop.now,
        ),
        opts=inside,
    )
    model_uri = stored_in(text_of(foundation, "modelBucket"), weights, names.region, workshop.store)
    alarms = Alarms(
        "alarms", AlarmsArgs(names=names, fleet=fleet, email=settings.alarm_email), opts=inside
    )
    speech = SpeechEndpoint(
        names.endpoint,
        SpeechEndpointArgs(
            settings=settings,
            names=names,
            fleet=fleet,
            role_arn=text_of(foundation, "sagemakerRoleArn"),
            image_uri=image.uri,
            model_uri=model_uri,
            subnet_ids=texts_of(foundation, "subnetIds"),
            security_group_ids=texts_of(foundation, "securityGroupIds"),
            rollback_alarms=alarms.rollback_names,
        ),
        opts=inside,
    )
    Scaling(
        "scaling",
        ScalingArgs(names=names, fleet=fleet, hours=settings.fleet.hours, endpoint=speech.endpoint),
        opts=inside,
    )
    held = offered(names, "endpoint", everything, aws)
    _export(
        {
            "holdPolicyArn": held,
            "endpointName": speech.endpoint.name,
            "endpointArn": speech.endpoint.arn,
            "imageUri": image.uri,
            "modelUri": model_uri,
            "alarmTopicArn": alarms.topic_arn,
            "fleet": pulumi.Output.from_input({"least": fleet.least, "most": fleet.most}),
        }
    )


def agent_stack(settings: AgentSettings, workshop: Workshop) -> None:
    """The mind: image, runtime, its rights, its address, its logs."""
    aws = provider_of(settings.place, "agent")
    names = names_of(settings.place, aws)
    foundation = reference(settings.place, "foundation")
    endpoint = reference(settings.place, "endpoint")
    agent_role = text_of(foundation, "agentRoleName")
    holds = [
        hold(part, text_of(stack, "holdPolicyArn"), agent_role, aws)
        for part, stack in (("foundation", foundation), ("endpoint", endpoint))
    ]
    inside = pulumi.ResourceOptions(provider=aws, depends_on=holds)

    image = ServiceImage(
        "agent",
        ServiceImageArgs(
            recipe=AGENT_IMAGE,
            root=workshop.root,
            repository_url=text_of(foundation, "agentRepositoryUrl"),
            digest_ref=settings.image,
            now=workshop.now,
        ),
        opts=inside,
    )
    agent = AgentRuntime(
        f"{names.prefix}-agent",
        AgentRuntimeArgs(
            settings=settings,
            names=names,
            image_uri=image.uri,
            role_arn=text_of(foundation, "agentRoleArn"),
            role_name=agent_role,
            caller_role_name=text_of(foundation, "callerRoleName"),
            endpoint_name=text_of(endpoint, "endpointName"),
            endpoint_arn=text_of(endpoint, "endpointArn"),
            log_group_arn=text_of(foundation, "runtimeLogGroupArn"),
            subnet_ids=texts_of(foundation, "subnetIds"),
            security_group_ids=texts_of(foundation, "securityGroupIds"),
        ),
        opts=inside,
    )
    _export(
        {
            "runtimeArn": agent.runtime.agent_runtime_arn,
            "runtimeId": agent.runtime.agent_runtime_id,
            "runtimeEndpointArn": agent.runtime_endpoint.agent_runtime_endpoint_arn,
            "runtimeEndpointName": agent.runtime_endpoint.name,
            "callerRoleArn": text_of(foundation, "callerRoleArn"),
            "imageUri": image.uri,
        }
    )


def local_stack(settings: LocalSettings, workshop: Workshop) -> None:
    """All of it on one Docker host, without AWS."""
    host = LocalHost("local", LocalHostArgs(settings=settings, root=workshop.root))
    _export({"pageUrl": host.page_url})


def _export(outputs: Mapping[str, pulumi.Output[Any]]) -> None:
    for name, value in outputs.items():
        pulumi.export(name, value)
