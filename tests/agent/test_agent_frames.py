"""How a reply's events become messages that AgentCore lets through: small, and not too many."""

from __future__ import annotations

import asyncio
import json
import selectors
from collections.abc import Coroutine
from typing import Any

import pytest
from firstword.agent.framing import MAX_FRAME_BYTES, Framing, joined
from firstword.agent.output import Output
from firstword.agent.pace import FramePace
from firstword.agent.paced_socket import PacedSocket
from firstword.agent.settings import ServerSettings
from firstword.protocol import (
    AgentEnd,
    AgentStart,
    Audio,
    AudioStreamEnd,
    SentenceEnd,
    SentenceStart,
    TextDelta,
    Word,
    Words,
    decode,
)
from starlette.websockets import WebSocketState

AWS_FRAMES_A_SECOND = 250


def delta(text: str, seq: int = 0) -> TextDelta:
    return TextDelta(request_id="r", seq=seq, text=text)


def sent_by(framing: Framing, *events: Any) -> list[str | bytes]:
    return [message for event in events for message in framing.messages(event)]


def size(message: str | bytes) -> int:
    return len(message.encode() if isinstance(message, str) else message)


def most_in_a_second(times: list[float]) -> int:
    return max(sum(start <= t < start + 1.0 for t in times) for start in times)


# Size.


LONG = 'Ein schöner, langer Satz 🎉 mit "Zeichen", die JSON anders schreibt.\n' * 1000
WORDS = tuple(
    Word(word=f"wörd{n}", start_s=n / 3, end_s=n / 3 + 0.2, text_start=7 * n, text_end=7 * n + 5)
    for n in range(2000)
)


def test_a_long_text_is_cut_into_deltas_that_join_to_the_same_text() -> None:
    messages = sent_by(Framing(), delta(LONG))
    assert len(messages) > 1
    assert max(map(size, messages)) <= MAX_FRAME_BYTES
    deltas = [decode(message) for message in messages]
    assert "".join(d.text for d in deltas if isinstance(d, TextDelta)) == LONG
    assert [d.seq for d in deltas if isinstance(d, TextDelta)] == list(range(len(messages)))


def test_many_words_are_cut_into_several_events() -> None:
    messages = sent_by(Framing(), Words(request_id="r", words=WORDS))
    assert max(map(size, messages)) <= MAX_FRAME_BYTES
    found = [decode(message) for message in messages]
    assert (
        tuple(word for event in found if isinstance(event, Words) for word in event.words) == WORDS
    )


def test_a_long_sentence_keeps_its_span_and_the_beginning_of_its_text() -> None:
    event = SentenceStart(request_id="r", seq=3, text=LONG, spoken=LONG, start=7, end=7 + len(LONG))
    [message] = sent_by(Framing(), event)
    found = decode(message)
    assert isinstance(found, SentenceStart)
    assert size(message) <= MAX_FRAME_BYTES
    assert LONG.startswith(found.text)
    assert found.text
    assert (found.seq, found.start, found.end) == (3, 7, 7 + len(LONG))


def test_an_end_that_is_too_long_goes_without_what_was_spoken() -> None:
    [short] = sent_by(Framing(), AgentEnd(request_id="r", timings={}, spoken="Short."))
    [long] = sent_by(Framing(), AgentEnd(request_id="r", timings={"end_ms": 5}, spoken=LONG))
    assert json.loads(short)["spoken"] == "Short."
    assert size(long) <= MAX_FRAME_BYTES
    assert "spoken" not in json.loads(long)
    assert json.loads(long)["timings"] == {"end_ms": 5}


def test_audio_is_cut_into_whole_samples_and_counted() -> None:
    data = bytes(range(256)) * 401
    messages = sent_by(
        Framing(), Audio(data), AudioStreamEnd(request_id="r", total_chunks=99, duration_s=1.0)
    )
    *frames, end = messages
    audio = [frame for frame in frames if isinstance(frame, bytes)]
    assert b"".join(audio) == data
    assert all(len(frame) % 2 == 0 and len(frame) <= MAX_FRAME_BYTES for frame in audio)
    assert json.loads(end)["total_chunks"] == len(audio) == len(frames)


def test_each_reply_is_numbered_from_zero() -> None:
    framing = Framing()
    start = AgentStart(request_id="r", mode="bidi")
    messages = sent_by(framing, start, delta("a", 5), delta("b", 9), start, delta("c", 7))
    assert [json.loads(m)["seq"] for m in messages if "text_delta" in str(m)] == [0, 1, 0]


# Neighbours.


def test_neighbours_of_a_kind_are_joined_and_nothing_else_is() -> None:
    assert joined(delta("One "), delta("two.")) == delta("One two.")
    assert joined(Audio(b"ab"), Audio(b"cd")) == Audio(b"abcd")
    assert joined(delta("a"), Audio(b"ab")) is None
    assert joined(Audio(bytes(MAX_FRAME_BYTES)), Audio(b"ab")) is None
    assert joined(delta("x" * MAX_FRAME_BYTES), delta("y")) is None
    assert joined(delta("a"), TextDelta(request_id="other", seq=0, text="b")) is None
    end = SentenceEnd(request_id="r", seq=0, samples=1)
    assert joined(end, end) is None


async def test_what_waits_behind_an_event_is_joined_to_it_in_order() -> None:
    output = Output(1_000_000)
    for event in (delta("a"), delta("b"), Audio(b"12"), Audio(b"34"), delta("c")):
        await output.put(event)
    assert output.join(await output.get()) == delta("ab")
    assert output.join(await output.get()) == Audio(b"1234")
    assert output.audio_bytes_taken == 4
    assert output.join(await output.get()) == delta("c")


# Pace.


def test_in_no_second_more_frames_pass_than_the_bucket_and_its_flow() -> None:
    pace, now, times = FramePace(200, 40), 0.0, []
    for step in range(3000):
        # Bursts, pauses, and a client that always wants more.
        now += pace.wait_s(now) + (0.7 if step % 500 == 499 else 0.0)
        pace.spend(now)
        times.append(now)
    assert most_in_a_second(times) <= 240
    assert times[39] == 0.0, "a burst is let through at once"
    assert times[498] == pytest.approx((499 - 40) / 200), "and after it 200 a second"


class VirtualTime(asyncio.SelectorEventLoop):
    """An event loop whose clock runs only while nothing is left to be done."""

    def __init__(self) -> None:
        super().__init__(_Still())
        self.now = 0.0

    def time(self) -> float:
        return self.now

    def run(self, what: Coroutine[Any, Any, None]) -> None:
        selector: Any = self._selector  # type: ignore[attr-defined]
        selector.loop = self
        try:
            self.run_until_complete(what)
        finally:
            self.close()


class _Still(selectors.SelectSelector):
    loop: VirtualTime | None = None

    def select(self, timeout: float | None = None) -> list[Any]:
        if timeout and self.loop is not None:
            self.loop.now += timeout
        return []


class RecordingSocket:
    """Takes every message at once, and remembers when."""

    application_state = WebSocketState.CONNECTED

    def __init__(self, clock: asyncio.AbstractEventLoop) -> None:
        self._clock = clock
        self.messages: list[tuple[float, str | bytes]] = []

    async def send_text(self, text: str) -> None:
        self.messages.append((self._clock.time(), text))

    async def send_bytes(self, data: bytes) -> None:
        self.messages.append((self._clock.time(), data))


def deliver(events: list[tuple[float, Any]]) -> list[tuple[float, str | bytes]]:
    """The messages of a reply whose events come at those seconds."""
    loop = VirtualTime()
    socket: Any = RecordingSocket(loop)
    output = Output(100_000_000)
    out = PacedSocket(socket, ServerSettings())

    async def write() -> None:
        for at_s, event in events:
            await asyncio.sleep(max(0.0, at_s - loop.time()))
            await output.put(event)
        output.end(AgentEnd(request_id="r", timings={}))

    async def reply() -> None:
        writing = asyncio.create_task(write())
        while True:
            event = await output.get()
            await out.send(event, output.join)
            if isinstance(event, AgentEnd):
                break
        await writing

    loop.run(reply())
    messages: list[tuple[float, str | bytes]] = socket.messages
    return messages


def test_a_torrent_of_small_events_stays_under_the_limit_and_nothing_is_lost() -> None:
    events: list[tuple[float, Any]] = [(0.0, AgentStart(request_id="r", mode="bidi"))]
    for n in range(4000):
        events += [(n / 1000, delta(f"w{n} ")), (n / 1000, Audio(n.to_bytes(2, "little")))]
    messages = deliver(events)
    times = [at_s for at_s, _ in messages]
    assert most_in_a_second(times) < AWS_FRAMES_A_SECOND
    text = "".join(json.loads(m).get("text", "") for _, m in messages if isinstance(m, str))
    assert text == "".join(f"w{n} " for n in range(4000))
    audio = b"".join(m for _, m in messages if isinstance(m, bytes))
    assert audio == b"".join(n.to_bytes(2, "little") for n in range(4000))


def test_audio_in_tiny_pieces_is_joined_and_not_held_up() -> None:
    pieces = [Audio(n.to_bytes(2, "little") * 12) for n in range(8000)]
    messages = deliver([(n / 2000, piece) for n, piece in enumerate(pieces)])
    times = [at_s for at_s, _ in messages]
    assert most_in_a_second(times) < AWS_FRAMES_A_SECOND
    assert b"".join(m for _, m in messages if isinstance(m, bytes)) == b"".join(
        piece.data for piece in pieces
    )
    assert times[-1] - 7999 / 2000 < 0.02, "two thousand a second, and none is late"


def test_a_reply_at_a_models_pace_is_sent_at_once() -> None:
    events = [(n / 60, delta(f"{n} ")) for n in range(120)]
    messages = deliver(events)
    assert [at_s for at_s, _ in messages[:-1]] == pytest.approx([at_s for at_s, _ in events])
