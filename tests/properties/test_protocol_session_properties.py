"""Two sessions, messages in flight between them, and any order that is legal for each."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from firstword.protocol import (
    Audio,
    Cancel,
    Close,
    Error,
    Flush,
    Frame,
    Session,
    SynthesisCancelled,
    SynthesisComplete,
    SynthesisStart,
    Synthesize,
    Word,
    Words,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

A_WORD = Word(word="Hi", start_s=0.0, end_s=0.2, text_start=0, text_end=2)
LAST = (SynthesisComplete, SynthesisCancelled, Error)


def complete(name: str) -> SynthesisComplete:
    return SynthesisComplete(request_id=name, total_duration_s=0.1, elapsed_s=0.1, samples=1)


@dataclass
class Job:
    """What a server knows of one request."""

    name: str
    text_ended: bool
    cancelled: bool = False
    started: bool = False


@dataclass
class Server:
    """Serves by what its session tells it and by nothing else."""

    session: Session = field(default_factory=lambda: Session("server"))
    jobs: list[Job] = field(default_factory=list)

    def receive(self, payload: str | bytes) -> None:
        for event in self.session.receive(payload, binary=True):
            match event:
                case Synthesize(request_id=str(name), more=more):
                    job = next((j for j in self.jobs if j.name == name), None)
                    if job is None:
                        job = Job(name, text_ended=False)
                        self.jobs.append(job)
                    job.text_ended = not more
                case Flush(request_id=name):
                    next(j for j in self.jobs if j.name == name).text_ended = True
                case Cancel(request_id=name):
                    for job in self.jobs:
                        job.cancelled |= name in (None, job.name)

    def end(self, job: Job, frame: Frame) -> str | bytes:
        self.jobs.remove(job)
        return self.session.send(frame)


class Crossing(RuleBasedStateMachine):
    """Neither side's own legal moves ever look illegal to the other, whatever is in flight."""

    def __init__(self) -> None:
        super().__init__()
        self.client = Session("client")
        self.server = Server()
        self.to_server: list[str | bytes] = []
        self.to_client: list[str | bytes] = []
        self.unfinished: set[str] = set()
        self.asked: set[str] = set()
        self.cancelled: set[str] = set()
        self.last: set[str] = set()
        self.heard_of: str | None = None
        self.closed = False

    # The client.

    def ask(self, frame: Frame) -> None:
        self.to_server.append(self.client.send(frame))

    @precondition(lambda self: not self.closed)
    @rule(name=st.sampled_from("abcd"), more=st.booleans())
    def new_request(self, name: str, more: bool) -> None:
        if name in self.unfinished or name in self.client.open_requests:
            return
        self.asked.add(name)
        self.last.discard(name)
        self.cancelled.discard(name)
        if more:
            self.unfinished.add(name)
        self.ask(Synthesize(text="One.", request_id=name, more=more))

    @precondition(lambda self: self.unfinished and not self.closed)
    @rule(data=st.data(), how=st.sampled_from(["piece", "last piece", "flush"]))
    def more_text(self, data: st.DataObject, how: str) -> None:
        name = data.draw(st.sampled_from(sorted(self.unfinished)))
        if how != "piece":
            self.unfinished.remove(name)
        if how == "flush":
            self.ask(Flush(request_id=name))
        else:
            self.ask(Synthesize(text="Two.", request_id=name, more=how == "piece"))

    @precondition(lambda self: self.asked)
    @rule(data=st.data())
    def cancel(self, data: st.DataObject) -> None:
        name = data.draw(st.none() | st.sampled_from(sorted(self.asked)))
        named = set(self.asked if name is None else [name])
        self.cancelled |= named & set(self.client.open_requests)
        self.unfinished -= named
        self.ask(Cancel(request_id=name))

    @rule()
    def close(self) -> None:
        self.closed = True
        self.unfinished.clear()
        self.ask(Close())

    @precondition(lambda self: self.to_client)
    @rule()
    def client_receives(self) -> None:
        payload = self.to_client.pop(0)
        for event in self.client.receive(payload, binary=isinstance(payload, bytes)):
            if isinstance(event, SynthesisStart):
                self.heard_of = event.request_id
            name = self.heard_of if isinstance(event, Audio) else event.request_id  # type: ignore[union-attr]
            assert name is not None
            assert name not in self.last, "nothing after the last frame"
            if isinstance(event, LAST):
                self.last.add(name)
            else:
                assert name not in self.cancelled, "nothing stale after a cancel"

    # The server.

    @precondition(lambda self: self.to_server)
    @rule()
    def server_receives(self) -> None:
        self.server.receive(self.to_server.pop(0))

    @precondition(lambda self: self.server.jobs)
    @rule()
    def speak(self) -> None:
        job = self.server.jobs[0]
        send = self.server.session.send
        if not job.started:
            job.started = True
            self.to_client.append(send(SynthesisStart(request_id=job.name)))
        else:
            self.to_client.append(send(Words(request_id=job.name, words=(A_WORD,))))
            self.to_client.append(send(Audio(b"\0\1")))

    @precondition(lambda self: self.server.jobs)
    @rule()
    def finish(self) -> None:
        job = self.server.jobs[0]
        if job.cancelled:
            frame: Frame = SynthesisCancelled(request_id=job.name, samples=0)
            self.to_client.append(self.server.end(job, frame))
        elif job.started and job.text_ended:
            self.to_client.append(self.server.end(job, complete(job.name)))

    @precondition(lambda self: self.server.jobs)
    @rule(data=st.data())
    def fail(self, data: st.DataObject) -> None:
        job = data.draw(st.sampled_from(self.server.jobs))
        frame = Error(code="engine_failed", message="x", request_id=job.name)
        self.to_client.append(self.server.end(job, frame))

    @invariant()
    def the_server_serves_what_its_session_has_open(self) -> None:
        assert tuple(j.name for j in self.server.jobs) == self.server.session.open_requests

    def teardown(self) -> None:
        """Everything is delivered and served: each request has had exactly one last frame."""
        for name in sorted(self.unfinished):
            self.ask(Flush(request_id=name))
        while self.to_server:
            self.server_receives()
        for _ in tuple(self.server.jobs):
            self.speak()
            self.finish()
        assert self.server.jobs == []
        while self.to_client:
            self.client_receives()
        assert self.client.open_requests == ()
        assert self.client.speaking is None
        assert self.last == self.asked
        assert self.client.finished == self.server.session.finished == self.closed


TestCrossing = Crossing.TestCase
TestCrossing.settings = settings(deadline=None, max_examples=300, stateful_step_count=50)


@dataclass(frozen=True)
class Reply:
    """One request of a conversation: its text in pieces, its audio, and how it ends."""

    pieces: int
    flushed: bool
    audio: bytes
    words: bool
    end: str


REPLIES = st.lists(
    st.builds(
        Reply,
        pieces=st.integers(1, 3),
        flushed=st.booleans(),
        audio=st.binary(max_size=40).map(lambda b: b + b),
        words=st.booleans(),
        end=st.sampled_from(["complete", "error"]),
    ),
    max_size=4,
)


def requests(replies: list[Reply]) -> list[Frame]:
    frames: list[Frame] = []
    for i, reply in enumerate(replies):
        more = [True] * (reply.pieces - 1) + [reply.flushed]
        frames += [Synthesize(text=f"{n}", request_id=f"r{i}", more=m) for n, m in enumerate(more)]
        if reply.flushed:
            frames.append(Flush(request_id=f"r{i}"))
    return [*frames, Close()]


def answers(replies: list[Reply]) -> list[Frame]:
    frames: list[Frame] = []
    for i, reply in enumerate(replies):
        frames.append(SynthesisStart(request_id=f"r{i}"))
        if reply.words:
            frames.append(Words(request_id=f"r{i}", words=(A_WORD,)))
        frames.append(Audio(reply.audio))
        failed = Error(code="x", message="y", request_id=f"r{i}")
        frames.append(complete(f"r{i}") if reply.end == "complete" else failed)
    return frames


def heard(events: list[Frame]) -> list[Frame]:
    """Neighbouring audio joined, empty audio left out."""
    joined: list[Frame] = []
    for event in events:
        if isinstance(event, Audio) and joined and isinstance(joined[-1], Audio):
            joined[-1] = Audio(joined[-1].data + event.data)
        elif not isinstance(event, Audio) or event.data:
            joined.append(event)
    return joined


def pieces_of(data: bytes, cuts: list[int]) -> list[bytes]:
    edges = [0, *sorted(cut % (len(data) + 1) for cut in cuts), len(data)]
    return [data[a:b] for a, b in pairwise(edges)]


@settings(deadline=None)
@given(
    REPLIES,
    st.lists(st.integers(0, 1000), max_size=8),
    st.sampled_from([None, "told"]),
    st.sampled_from([bytes, str]),
)
def test_any_cut_of_a_legal_conversation_gives_the_same_events(
    replies: list[Reply], cuts: list[int], envelope: str | None, kind: Any
) -> None:
    client, server = Session("client"), Session("server")
    asked = requests(replies)
    taken: list[Frame] = []
    for frame in asked:
        message = client.send(frame)
        assert isinstance(message, str)
        payload = message if kind is str else message.encode()
        taken += server.receive(payload, binary=kind is bytes if envelope else None)
    assert taken == asked

    events: list[Frame] = []
    for frame in answers(replies):
        message = server.send(frame)
        if isinstance(message, bytes):
            for piece in pieces_of(message, cuts):
                events += client.receive(piece, binary=True if envelope else None)
        else:
            events += client.receive(message.encode(), binary=False if envelope else None)
    assert heard(events) == heard(answers(replies))
    assert client.finished
    assert server.finished
