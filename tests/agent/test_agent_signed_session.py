"""Spans for AWS's collector are signed as AWS checks it; without credentials none are sent."""

from __future__ import annotations

import datetime
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import entry_points
from typing import Any

import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from firstword.agent.signed_session import SignedForXRay, signed_session
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SpanExportResult

KEY, SECRET, TOKEN = "AKIDEXAMPLE", "wJalrXUtnFEMI", "a-session-token"


@pytest.fixture(autouse=True)
def own_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", KEY)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    monkeypatch.setenv("AWS_SESSION_TOKEN", TOKEN)
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-west-1")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")


@contextmanager
def collecting() -> Iterator[tuple[str, list[tuple[dict[str, str], bytes]]]]:
    came: list[tuple[dict[str, str], bytes]] = []

    class Door(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            came.append(({name.lower(): value for name, value in self.headers.items()}, body))
            self.send_response(200)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *arguments: Any) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Door) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/v1/traces", came
        finally:
            server.shutdown()
            thread.join()


def export(url: str) -> SpanExportResult:
    span = TracerProvider().get_tracer("t").start_span("turn")
    span.end()
    exporter = OTLPSpanExporter(endpoint=url, session=signed_session(), timeout=5)
    try:
        return exporter.export([span])  # type: ignore[list-item]
    finally:
        exporter.shutdown()


def test_the_exporter_finds_it_by_its_name() -> None:
    [found] = entry_points(group="opentelemetry_otlp_credential_provider", name="firstword_sigv4")
    assert found.load() is signed_session


def test_a_request_carries_the_signature_that_aws_computes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with collecting() as (url, came):
        assert export(url) is SpanExportResult.SUCCESS
    [(headers, body)] = came
    sent_at = datetime.datetime.strptime(headers["x-amz-date"], "%Y%m%dT%H%M%SZ")
    monkeypatch.setattr("botocore.auth.get_current_datetime", lambda **_: sent_at)
    again = AWSRequest("POST", url, {"content-type": headers["content-type"]}, body)
    SigV4Auth(Credentials(KEY, SECRET, TOKEN), "xray", "eu-west-1").add_auth(again)
    assert headers["authorization"] == again.headers["Authorization"]
    assert headers["x-amz-security-token"] == TOKEN


def test_the_region_is_that_of_the_endpoint() -> None:
    from botocore.session import Session

    signer = SignedForXRay(Session())
    assert signer._region("https://xray.us-east-2.amazonaws.com/v1/traces") == "us-east-2"
    assert signer._region("http://127.0.0.1:4318/v1/traces") == "eu-west-1"


def test_without_credentials_nothing_is_sent_and_nothing_breaks(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"):
        monkeypatch.delenv(name)
    for name in ("AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE"):
        monkeypatch.setenv(name, str(tmp_path / "none"))
    with collecting() as (url, came):
        assert export(url) is SpanExportResult.FAILURE
    assert came == []
