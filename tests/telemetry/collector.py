"""An OTLP/HTTP collector on loopback that keeps the spans it is sent."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest


@dataclass(frozen=True)
class Span:
    """A span as it came over the wire, ids in hex."""

    service: str
    scope: str
    name: str
    trace_id: str
    span_id: str
    parent_id: str
    attributes: dict[str, object]
    start_ns: int
    end_ns: int
    failed: bool


@dataclass
class Collector:
    """``raw`` are all bodies, for whoever looks for what must not be in them."""

    url: str
    spans: list[Span] = field(default_factory=list)
    raw: bytearray = field(default_factory=bytearray)

    def take(self, body: bytes) -> None:
        self.raw += body
        request = ExportTraceServiceRequest.FromString(body)
        for resource in request.resource_spans:
            told = {pair.key: pair.value.string_value for pair in resource.resource.attributes}
            for scoped in resource.scope_spans:
                for span in scoped.spans:
                    attributes = {
                        pair.key: getattr(pair.value, str(pair.value.WhichOneof("value")))
                        for pair in span.attributes
                    }
                    self.spans.append(
                        Span(
                            told["service.name"],
                            scoped.scope.name,
                            span.name,
                            span.trace_id.hex(),
                            span.span_id.hex(),
                            span.parent_span_id.hex(),
                            attributes,
                            span.start_time_unix_nano,
                            span.end_time_unix_nano,
                            span.status.code == 2,
                        )
                    )

    def named(self, name: str, service: str = "") -> list[Span]:
        found = [span for span in self.spans if span.name == name]
        found = [span for span in found if service in span.service]
        return sorted(found, key=lambda span: span.start_ns)


@contextmanager
def collecting() -> Iterator[Collector]:
    class Door(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            collector.take(self.rfile.read(int(self.headers["content-length"])))
            self.send_response(200)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *arguments: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Door) as server:
        collector = Collector(f"http://127.0.0.1:{server.server_address[1]}")
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield collector
        finally:
            server.shutdown()
            thread.join()
