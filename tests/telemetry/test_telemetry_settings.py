"""What the environment may say about telemetry."""

from __future__ import annotations

import subprocess
import sys

import pytest
from firstword.telemetry import TelemetrySettings, TelemetrySettingsError, open_telemetry
from firstword.telemetry.spans import NoSpans

ENDPOINT = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"}


def test_by_default_nothing_leaves_the_process() -> None:
    settings = TelemetrySettings.from_env({"FIRSTWORD_EMF": "", "FIRSTWORD_LOG_FORMAT": " "})
    assert settings == TelemetrySettings()
    assert not settings.emf
    assert not settings.otlp


def test_everything_can_be_set() -> None:
    settings = TelemetrySettings.from_env(
        {
            "FIRSTWORD_LOG_FORMAT": "JSON",
            "FIRSTWORD_EMF": "on",
            "FIRSTWORD_EMF_NAMESPACE": "Firstword/prod",
            "FIRSTWORD_EMF_INTERVAL_S": "30",
            **ENDPOINT,
        }
    )
    assert settings == TelemetrySettings(
        log_format="json", emf=True, emf_namespace="Firstword/prod", emf_interval_s=30.0, otlp=True
    )


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("FIRSTWORD_LOG_FORMAT", "xml"),
        ("FIRSTWORD_EMF", "maybe"),
        ("FIRSTWORD_EMF_NAMESPACE", "AWS/Mine"),
        ("FIRSTWORD_EMF_NAMESPACE", "a b"),
        ("FIRSTWORD_EMF_INTERVAL_S", "0"),
        ("FIRSTWORD_EMF_INTERVAL_S", "soon"),
        ("FIRSTWORD_EMF_INTERVAL_S", "nan"),
    ],
)
def test_a_bad_value_is_named(name: str, value: str) -> None:
    with pytest.raises(TelemetrySettingsError, match=name) as refusal:
        TelemetrySettings.from_env({name: value})
    assert value in str(refusal.value)


@pytest.mark.parametrize(
    "more",
    [{"OTEL_SDK_DISABLED": "true"}, {"OTEL_TRACES_EXPORTER": "none"}],
    ids=["disabled", "no exporter"],
)
def test_tracing_can_be_turned_off_in_opentelemetrys_own_way(more: dict[str, str]) -> None:
    assert not TelemetrySettings.from_env({**ENDPOINT, **more}).otlp


def test_a_traces_endpoint_alone_is_enough() -> None:
    name = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
    assert TelemetrySettings.from_env({name: "http://127.0.0.1:4318/v1/traces"}).otlp


def test_without_a_collector_no_span_is_recorded() -> None:
    with open_telemetry(TelemetrySettings(), "firstword-tts") as telemetry:
        assert isinstance(telemetry.spans, NoSpans)
        assert telemetry.emf is None


def test_a_protocol_that_is_not_spoken_is_told_and_stops_no_service(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")
    with open_telemetry(TelemetrySettings(otlp=True), "firstword-tts") as telemetry:
        assert isinstance(telemetry.spans, NoSpans)
    assert "variable=<OTEL_EXPORTER_OTLP_PROTOCOL>" in caplog.text
    assert "http/protobuf" in caplog.text


def test_an_exporter_that_is_not_installed_is_told_and_stops_no_service(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.exporter.otlp.proto.http.trace_exporter", None)
    with open_telemetry(TelemetrySettings(otlp=True), "firstword-tts") as telemetry:
        assert isinstance(telemetry.spans, NoSpans)
    assert "the extra `otlp` brings it" in caplog.text


def test_the_speech_server_loads_no_opentelemetry_before_it_is_told_to() -> None:
    code = (
        "import sys, firstword.tts.app, firstword.tts.record;"
        "print([name for name in sys.modules if name.startswith('opentelemetry')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
