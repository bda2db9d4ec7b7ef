"""From a stack's configuration to its settings."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any, assert_never, cast

from firstword.infra.errors import SettingError
from firstword.infra.keys import Key, Kind, Room
from firstword.infra.names import PROJECT, environment_complaint, split_stack_name
from firstword.infra.schema import KEYS, keys_of
from firstword.infra.settings import (
    AgentSettings,
    EndpointSettings,
    FleetSettings,
    FoundationSettings,
    HostSettings,
    Hours,
    JwtSettings,
    LocalSettings,
    Place,
    Settings,
    SpeechSettings,
)
from firstword.infra.values import wrong


def read_settings(stack: str, values: Mapping[str, object]) -> Settings:
    """The settings of a stack.

    ``values`` holds the project's own settings by name (``region``, not ``firstword:region``).

    Raises:
        SettingError: the stack's name or a setting cannot be used, or one is unknown.
    """
    environment, part = split_stack_name(stack)
    if complaint := environment_complaint(environment):
        raise SettingError(complaint)
    kind = cast(Kind, _value(_KIND, values, "dev"))
    room = _room(stack, part, kind)
    _refuse_unknown(values, room)
    read = {key.name: _value(key, values, kind) for key in keys_of(room)}
    match room:
        case "foundation":
            return _foundation(_place(environment, kind, read), read)
        case "endpoint":
            return _endpoint(_place(environment, kind, read), read)
        case "agent":
            return _agent(_place(environment, kind, read), read)
        case "local":
            return _local(environment, read)
        case _:
            assert_never(room)


_KIND = next(key for key in KEYS if key.name == "kind")


def _room(stack: str, part: Room | None, kind: Kind) -> Room:
    if kind == "local" and part is None:
        return "local"
    if kind == "local":
        raise SettingError(
            f"the stack {stack} is of kind local, which has one stack that is called like the "
            f"environment: set {PROJECT}:kind to dev or prod"
        )
    if part is None:
        raise SettingError(
            f"the stack {stack} is none of {stack}-foundation, {stack}-endpoint, {stack}-agent: "
            f"name one of these, or set {PROJECT}:kind to local"
        )
    return part


def _refuse_unknown(values: Mapping[str, object], room: Room) -> None:
    known = [key.name for key in keys_of(room)]
    for name in sorted(set(values) - set(known)):
        elsewhere = next((key.rooms for key in KEYS if key.name == name), None)
        if elsewhere:
            advice = f"it belongs to the {', '.join(elsewhere)} stack"
        else:
            close = difflib.get_close_matches(name, known, 1)
            advice = f"did you mean {close[0]}?" if close else f"there are: {', '.join(known)}"
        raise SettingError(f"{PROJECT}:{name} is no setting of this stack; {advice}")


def _value(key: Key, values: Mapping[str, object], kind: Kind) -> object:
    value = values.get(key.name)
    if value is not None and value != "":
        return key.parse(key.name, value)
    if key.required:
        raise SettingError(
            f"{PROJECT}:{key.name} is not set: it is {key.about}. Set it with "
            f"`pulumi config set {key.name} VALUE`, or let `firstword init` write the file"
        )
    return key.default_of(kind)


def _place(environment: str, kind: Kind, read: Mapping[str, Any]) -> Place:
    return Place(
        environment=environment,
        kind=kind,
        region=read["region"],
        account=read["account"],
        tags=read["tags"],
    )


def _foundation(place: Place, read: Mapping[str, Any]) -> FoundationSettings:
    if read["zones"] and not 2 <= len(read["zones"]) <= 4:
        raise wrong("zones", list(read["zones"]), "two to four zones")
    for zone in read["zones"]:
        if not zone.startswith(place.region):
            raise wrong("zones", zone, f"a zone of {place.region}")
    return FoundationSettings(
        place=place,
        log_retention_days=read["logRetentionDays"],
        old_version_days=read["oldVersionDays"],
        images_kept=read["imagesKept"],
        force_destroy=read["forceDestroy"],
        callers=read["callers"],
        vpc_only=read["vpcOnly"],
        zones=read["zones"],
    )


def _endpoint(place: Place, read: Mapping[str, Any]) -> EndpointSettings:
    least, most = read["minInstances"], read["maxInstances"]
    if most is not None and most < least:
        raise wrong("maxInstances", most, f"minInstances ({least}) or more")
    fleet = FleetSettings(
        instance_type=read["instanceType"],
        peak_sessions=read["peakSessions"],
        sessions_per_instance=read["sessionsPerInstance"],
        least=least,
        most=most,
        hours=tuple(_hours(record) for record in read["schedule"]),
    )
    host = HostSettings(
        inference_ami=read["inferenceAmi"],
        startup_timeout_s=read["startupTimeoutS"],
        download_timeout_s=read["downloadTimeoutS"],
        network_isolation=read["networkIsolation"],
    )
    return EndpointSettings(
        place=place,
        fleet=fleet,
        host=host,
        speech=_speech(read),
        image=read["ttsImage"],
        weights_sha256=read["weightsSha256"],
        alarm_email=read["alarmEmail"],
    )


def _hours(record: Mapping[str, Any]) -> Hours:
    when, least, most = record["when"], record["min"], record["max"]
    if not isinstance(when, str) or not when.startswith(("cron(", "rate(", "at(")):
        raise wrong("schedule", when, "cron(...), rate(...) or at(...)")
    if not (isinstance(least, int) and isinstance(most, int) and 1 <= least <= most):
        raise wrong("schedule", dict(record), "1 <= min <= max")
    return Hours(
        name=str(record["name"]), when=when, zone=str(record["zone"]), least=least, most=most
    )


def _speech(read: Mapping[str, Any]) -> SpeechSettings:
    return SpeechSettings(
        engine=read["engine"],
        quality=read["quality"],
        max_wait_s=read["maxWaitS"],
        log_level=read["logLevel"],
    )


def _agent(place: Place, read: Mapping[str, Any]) -> AgentSettings:
    idle, lifetime = read["idleTimeoutS"], read["maxLifetimeS"]
    if idle > lifetime:
        raise wrong("idleTimeoutS", idle, f"maxLifetimeS ({lifetime}) or less")
    return AgentSettings(
        place=place,
        image=read["agentImage"],
        llm_id=read["llmId"],
        voice=read["voice"],
        log_level=read["logLevel"],
        idle_timeout_s=idle,
        max_lifetime_s=lifetime,
        jwt=_jwt(read),
    )


def _jwt(read: Mapping[str, Any]) -> JwtSettings | None:
    url, audiences, clients = read["jwtDiscoveryUrl"], read["jwtAudiences"], read["jwtClients"]
    if url is None and not audiences and not clients:
        return None
    if url is None or not (audiences or clients):
        raise wrong(
            "jwtDiscoveryUrl", url, "set together with jwtAudiences or jwtClients, or none of them"
        )
    return JwtSettings(discovery_url=url, audiences=audiences, clients=clients)


def _local(environment: str, read: Mapping[str, Any]) -> LocalSettings:
    if (read["llm"] == "openai") != (read["llmBaseUrl"] is not None):
        raise wrong("llmBaseUrl", read["llmBaseUrl"], "set exactly when llm is openai")
    if read["pageHost"] not in ("127.0.0.1", "::1", "localhost") and read["pageToken"] is None:
        raise wrong("pageToken", None, f"set where the page listens on {read['pageHost']}")
    return LocalSettings(
        environment=environment,
        speech=_speech(read),
        voice=read["voice"],
        llm=read["llm"],
        llm_id=read["llmId"],
        llm_base_url=read["llmBaseUrl"],
        gpu=read["gpu"],
        page_host=read["pageHost"],
        page_port=read["pagePort"],
        page_token=read["pageToken"],
        model_folder=read["modelFolder"],
    )
