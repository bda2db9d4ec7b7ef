"""What an operator sees of a run."""

from __future__ import annotations

import io
from typing import Any

from firstword.infra.operations.progress import Lines, LiveView, Progress, viewing
from firstword.infra.operations.stacks import ENDPOINT, where_to_look
from pulumi.automation import EngineEvent
from rich.console import Console

URN = "urn:pulumi:dev-foundation::firstword::aws:s3/bucket:Bucket::models"


def step(kind: str, op: str = "create", urn: str = URN) -> EngineEvent:
    """One event of the engine, as it comes over the wire."""
    metadata: dict[str, Any] = {"op": op, "urn": urn, "type": urn.split("::")[2], "provider": ""}
    return EngineEvent.from_json({"sequence": 1, "timestamp": 1, kind: {"metadata": metadata}})


def said(severity: str, message: str) -> EngineEvent:
    event = {"severity": severity, "message": message, "color": "never"}
    return EngineEvent.from_json({"sequence": 1, "timestamp": 1, "diagnosticEvent": event})


def test_a_log_has_one_line_for_each_thing_that_is_done() -> None:
    log = io.StringIO()
    with viewing(log) as view:
        progress = Progress("dev-foundation", view)
        progress.on_event(step("resourcePreEvent"))
        progress.on_event(step("resOutputsEvent"))
        progress.on_event(step("resOutputsEvent", op="same"))
    assert progress.done == 1
    (line,) = log.getvalue().splitlines()
    assert line.startswith("dev-foundation: created s3.Bucket models, 0.")


def test_what_takes_minutes_is_named_at_its_start_too() -> None:
    log = io.StringIO()
    progress = Progress("dev-endpoint", Lines(log))
    endpoint = "urn:pulumi:dev-endpoint::firstword::aws:sagemaker/endpoint:Endpoint::firstword-dev"
    progress.on_event(step("resourcePreEvent", urn=endpoint))
    assert log.getvalue() == "dev-endpoint: creating sagemaker.Endpoint firstword-dev\n"


def test_components_and_providers_are_pulumis_own_affair() -> None:
    log = io.StringIO()
    progress = Progress("dev-foundation", Lines(log))
    for kind in ("firstword:infra:Foundation", "pulumi:providers:aws", "pulumi:pulumi:Stack"):
        urn = f"urn:pulumi:dev-foundation::firstword::{kind}::x"
        progress.on_event(step("resourcePreEvent", urn=urn))
        progress.on_event(step("resOutputsEvent", urn=urn))
    assert log.getvalue() == ""
    assert progress.done == 0


def test_a_failure_is_a_line_and_its_reason_is_kept() -> None:
    log = io.StringIO()
    progress = Progress("dev-foundation", Lines(log))
    progress.on_event(step("resourcePreEvent"))
    progress.on_event(step("resOpFailedEvent"))
    progress.on_event(said("error", "<{%fg 1%}>BucketAlreadyExists<{%reset%}>\n"))
    assert "failed s3.Bucket models" in log.getvalue()
    assert progress.faults == ["BucketAlreadyExists"]


def test_a_failed_endpoint_points_to_its_containers_log() -> None:
    progress = Progress("dev-endpoint", Lines(io.StringIO()))
    urn = f"urn:pulumi:dev-endpoint::firstword::{ENDPOINT}::firstword-dev-tts"
    progress.on_event(step("resourcePreEvent", urn=urn))
    progress.on_event(step("resOpFailedEvent", urn=urn))
    told = where_to_look("dev", progress.failed)
    assert "/aws/sagemaker/Endpoints/firstword-dev-tts" in told
    assert where_to_look("dev", ["aws:s3/bucket:Bucket"]) == ""


def test_a_terminal_shows_what_goes_on_and_for_how_long() -> None:
    screen = io.StringIO()
    console = Console(file=screen, force_terminal=True, width=80)
    view = LiveView(console)
    progress = Progress("dev-foundation", view)
    progress.on_event(step("resourcePreEvent"))
    console.print(view)
    assert "creating s3.Bucket models  0 s" in screen.getvalue()
    progress.on_event(step("resOutputsEvent"))
    screen.truncate(0)
    console.print(view)
    assert "creating" not in screen.getvalue()
