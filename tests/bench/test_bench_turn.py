from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from firstword.bench import turn as turns
from firstword.bench.environments import peer, ready
from firstword.bench.texts import ANSWER
from firstword.bench.turn import MOMENTS, TurnError, first_piece, turn
from firstword.protocol import sse

TIMINGS = {moment: 100.0 * n for n, moment in enumerate(MOMENTS, start=1)}
STATUSES = {"bidi": "complete", "batch": "failed"}


class Agent(BaseHTTPRequestHandler):
    """Answers ``bidi`` to the end; ``batch`` fails."""

    def do_POST(self) -> None:
        asked = self.rfile.read(int(self.headers["content-length"]))
        status = STATUSES["batch" if b"batch" in asked else "bidi"]
        self.send_response(200)
        self.end_headers()
        self.wfile.write(sse({"type": "agent_start", "request_id": "r"}))
        end = {"type": "agent_end", "request_id": "r", "timings": TIMINGS, "status": status}
        self.wfile.write(sse(end))

    def log_message(self, *arguments: object) -> None:
        """Nobody reads it."""


@pytest.fixture
def agent() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Agent) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join(10)


def test_a_turn_is_what_the_agent_tells_at_its_end(agent: str) -> None:
    assert turn(agent, "bidi") == TIMINGS


def test_a_turn_that_failed_is_no_measurement(agent: str) -> None:
    with pytest.raises(TurnError, match="failed"):
        turn(agent, "batch")


class AfterTokens:
    """A chunker that gives its first piece when it has so many tokens."""

    name = "the chunker"

    def __init__(self, tokens: int) -> None:
        self._wanted = tokens
        self.told: deque[Any] = deque()

    def say(self, message: Mapping[str, Any]) -> None:
        self.told.append(message["token"])

    def heard(self, within_s: float) -> dict[str, Any] | None:
        return {"sentence": "".join(self.told)} if len(self.told) >= self._wanted else None


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "TOKENS_PER_SECOND", 1e6)


@pytest.mark.usefixtures("at_once")
def test_no_more_tokens_are_fed_than_the_first_piece_needs() -> None:
    chunker = AfterTokens(5)
    assert first_piece(chunker, 0.0) == ANSWER[: sum(map(len, chunker.told))]
    assert len(chunker.told) == 5


@pytest.mark.usefixtures("at_once")
def test_a_chunker_that_never_gives_a_piece_fails() -> None:
    with pytest.raises(TurnError, match="the chunker"):
        first_piece(AfterTokens(100_000), 0.0)


def test_our_chunkers_script_gives_sentences_and_an_end() -> None:
    with peer("ours", "chunker_firstword.py", own=True) as chunker:
        ready(chunker)
        for _ in range(2):
            for token in ("Hello", " there", ".", " How"):
                chunker.say({"token": token})
            assert chunker.hear(30.0) == {"sentence": "Hello there."}
            chunker.say({"token": None})
            assert chunker.hear(30.0) == {"sentence": "How"}
            assert chunker.hear(30.0) == {"sentence": None}
