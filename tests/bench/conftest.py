"""What the benches are tested with: figures that nobody measured, and a speech server of tones."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
from firstword.bench.figures import Findings
from firstword.protocol import (
    Audio,
    Cancel,
    Error,
    Session,
    SynthesisCancelled,
    SynthesisComplete,
    SynthesisStart,
    Synthesize,
)
from websockets.sync.server import ServerConnection, serve

TENTH = b"\x01\x00" * 2400
"""A tenth of a second of audio."""


@pytest.fixture
def findings() -> Findings:
    """Two cases of three runs, one bar kept and one missed."""
    found = Findings(charts=("first_audio_ms",), notes=["a note"])
    found.add("ours", [{"first_audio_ms": v, "rtf": 0.2} for v in (100.0, 120.0, 90.0)])
    found.add("theirs", [{"first_audio_ms": v, "rtf": 0.5} for v in (1000.0, 600.0, 900.0)])
    found.compare("first audio", "ours", "theirs", "first_audio_ms", bar=0.3)
    found.compare("real-time factor", "ours", "theirs", "rtf", bar=0.3)
    return found


def _speak(socket: ServerConnection) -> None:
    """Every text gets three tenths of a second; "refuse" an error, "long" never an end."""
    wire = Session("server")
    for payload in socket:
        for frame in wire.receive(payload):
            match frame:
                case Synthesize(text="refuse", request_id=name):
                    error = Error(code="queue_saturated", message="too much", request_id=name)
                    socket.send(wire.send(error))
                case Synthesize(text=text, request_id=str(name)):
                    start = SynthesisStart(
                        request_id=name,
                        sample_rate=24_000,
                        voice="af_heart",
                        engine="tone",
                        quality="fast",
                    )
                    socket.send(wire.send(start))
                    for _ in range(3):
                        for at in range(0, len(TENTH), 2400):
                            socket.send(wire.send(Audio(TENTH[at : at + 2400])))
                    if text != "long":
                        end = SynthesisComplete(
                            request_id=name, total_duration_s=0.3, elapsed_s=0.0, samples=7200
                        )
                        socket.send(wire.send(end))
                case Cancel():
                    for name in wire.open_requests:
                        socket.send(wire.send(SynthesisCancelled(request_id=name, samples=7200)))


@pytest.fixture
def tones() -> Iterator[str]:
    """The URL of a speech server that says every text with the same tone, at once."""
    with serve(_speak, "127.0.0.1", 0) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        host, port = server.socket.getsockname()[:2]
        yield f"http://{host}:{port}"
        server.shutdown()
        thread.join(10)
