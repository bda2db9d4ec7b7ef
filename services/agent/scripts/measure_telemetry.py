"""What telemetry costs a turn: microseconds of the event loop, with and without exporters.

``python services/agent/scripts/measure_telemetry.py [TURNS]``. A turn here is what the agent
records of one: the prompt, thinking, three sentences, 120 frames of audio, the end. Log lines are
formatted and thrown away. The exporter sends to a port of this process that answers nothing but
200, from its own thread.
"""

from __future__ import annotations

import asyncio
import logging
import os
import statistics
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from firstword.agent.metrics import Metrics
from firstword.agent.record import Recorder
from firstword.protocol import Prompt
from firstword.telemetry import Emf, Telemetry, TelemetrySettings, open_telemetry
from firstword.telemetry.logs import TextLines

TIMINGS = {"first_text_ms": 40.0, "first_audio_ms": 300.0, "end_ms": 2000.0, "audio_s": 7.5}


async def think() -> None:
    """Nothing, as fast as possible."""


async def turn(recorder: Recorder) -> None:
    prompt = Prompt(prompt="Hello.", request_id="r-1", session_id="s-1")
    record = recorder.begin(prompt, "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
    with record.running():
        await record.thinking(think())
        for seq in range(3):
            sentence = record.sentence(seq, 40)
            for _ in range(40):
                record.audio(0.0625)
            sentence.end(2.5, "said")
        record.end("complete", TIMINGS)


def measured(recorder: Recorder, turns: int) -> float:
    """The median of a turn, in microseconds."""

    async def run() -> list[float]:
        took = []
        for _ in range(turns):
            began = time.perf_counter()
            await turn(recorder)
            took.append(1e6 * (time.perf_counter() - began))
        return took

    return statistics.median(asyncio.run(run())[turns // 5 :])


@contextmanager
def collector() -> Iterator[str]:
    class Door(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            self.send_response(200)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *arguments: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Door) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def main() -> None:
    turns = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        handler = logging.StreamHandler(nowhere)
        handler.setFormatter(TextLines())
        logging.basicConfig(level="INFO", handlers=[handler])
        emf = Emf(
            TelemetrySettings(emf=True), "firstword-agent", lambda line: print(line, file=nowhere)
        )
        rows = {
            "counters and log line": measured(Recorder(Metrics()), turns),
            "and EMF": measured(Recorder(Metrics(), Telemetry(emf=emf)), turns),
        }
        with collector() as url:
            os.environ["OTEL_EXPORTER_OTLP_ENDPOINT"] = url
            settings = TelemetrySettings.from_env(os.environ)
            with open_telemetry(settings, "firstword-agent") as telemetry:
                rows["and spans, exported"] = measured(Recorder(Metrics(), telemetry), turns)
    for name, microseconds in rows.items():
        sys.stdout.write(f"{name:24} {microseconds:8.0f} us a turn\n")


if __name__ == "__main__":
    main()
