"""Room 7 without a network: a socket made of lists, a scheduler driven by hand."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import pytest
from firstword.protocol import (
    MAX_AUDIO_FRAME_BYTES,
    Cancel,
    Error,
    Flush,
    Frame,
    SynthesisCancelled,
    SynthesisComplete,
    SynthesisStart,
    Synthesize,
)
from firstword.protocol import Close as CloseFrame
from firstword.protocol import Session as Wire
from firstword.tts.app import create_service
from firstword.tts.connection import Ending, SlowReaderError
from firstword.tts.request import LastFrame
from firstword.tts.service import Service
from firstword.tts.session import SpeechSession

from tests.tts.serving.conftest import PATIENCE_S, Kit


class Lists:
    """Both ends of a connection. ``full`` keeps the server's next message waiting."""

    def __init__(self) -> None:
        self.inbox: asyncio.Queue[str | None] = asyncio.Queue()
        self.sent: list[Frame] = []
        self.audio_frames = 0
        self.wire = Wire("client")
        self.open = asyncio.Event()
        self.open.set()

    async def receive(self) -> str | None:
        return await self.inbox.get()

    async def send(self, message: str | bytes) -> None:
        await self.open.wait()
        self.audio_frames += isinstance(message, bytes)
        self.sent += self.wire.receive(message, binary=isinstance(message, bytes))

    def ask(self, frame: Frame) -> None:
        message = self.wire.send(frame)
        assert isinstance(message, str)
        self.inbox.put_nowait(message)

    def last_frames(self) -> list[LastFrame]:
        ends = SynthesisComplete | SynthesisCancelled | Error
        return [frame for frame in self.sent if isinstance(frame, ends)]


class Stage:
    """A session on ``Lists``, and the scheduler's steps in our hands."""

    def __init__(self, kit: Kit) -> None:
        self.kit = kit
        self.service: Service = create_service(kit.settings)
        self.lists = Lists()
        self.running: asyncio.Task[Ending] | None = None

    async def begin(self) -> None:
        await self.service.load(lambda: self.kit.parts)
        session = SpeechSession(self.lists, self.service)
        self.running = asyncio.create_task(session.run())

    async def turn(self, times: int = 20) -> None:
        """Let the session do all that it can do by itself."""
        for _ in range(times):
            await asyncio.sleep(0)

    async def work(self, steps: int = 1000) -> None:
        """The scheduler's steps, and the session's answers to them."""
        await self.turn()
        while steps and self.service.scheduler.step():
            steps -= 1
            await self.turn()

    async def ended(self) -> Ending:
        assert self.running is not None
        async with asyncio.timeout(PATIENCE_S):
            while not self.running.done():
                await self.work()
        return self.running.result()


@asynccontextmanager
async def staged(kit: Kit) -> AsyncIterator[Stage]:
    stage = Stage(kit)
    await stage.begin()
    try:
        yield stage
    finally:
        stage.lists.inbox.put_nowait(None)
        stage.lists.open.set()
        with suppress(SlowReaderError):
            await stage.ended()
        await stage.work()
        assert stage.service.scheduler.depth == 0, "no job is left"
        assert stage.kit.engine.open == 0, "no iterator is left open"
        await asyncio.wait_for(stage.service.idle(), PATIENCE_S)


@pytest.fixture
async def stage(kit: Kit) -> AsyncIterator[Stage]:
    async with staged(kit) as one:
        yield one


def text(name: str, **fields: Any) -> Synthesize:
    return Synthesize(text=f"This is {name}.", request_id=name, **fields)


async def test_the_next_request_is_made_while_the_one_before_is_being_sent(stage: Stage) -> None:
    stage.lists.open.clear()
    for name in ("one", "two", "three"):
        stage.lists.ask(text(name))
    await stage.work()
    assert stage.kit.engine.begun == ["this is one.", "this is two."], "one ahead, not two"
    assert stage.lists.sent == []
    stage.lists.open.set()
    await stage.work()
    assert [frame.request_id for frame in stage.lists.last_frames()] == ["one", "two", "three"]


async def test_auto_is_exact_for_what_is_heard_after_something_else(stage: Stage) -> None:
    first = Synthesize(
        text="A sentence of such a length that it takes more than four seconds to say."
    )
    stage.lists.ask(first)
    stage.lists.ask(text("second"))
    stage.lists.ask(text("third", quality="fast"))
    await stage.work()
    starts = [frame for frame in stage.lists.sent if isinstance(frame, SynthesisStart)]
    assert [start.quality for start in starts] == ["fast", "exact", "fast"]


async def test_after_a_cancel_of_all_nothing_of_before_is_counted_as_still_heard(
    stage: Stage,
) -> None:
    stage.lists.ask(
        Synthesize(text="A sentence of such a length that it takes more than four seconds to say.")
    )
    await stage.work()
    stage.lists.ask(Cancel())
    stage.lists.ask(text("second"))
    await stage.work()
    starts = [frame for frame in stage.lists.sent if isinstance(frame, SynthesisStart)]
    assert [start.quality for start in starts] == ["fast", "fast"]


async def test_a_short_request_before_gives_no_time_for_the_exact_one(stage: Stage) -> None:
    stage.lists.ask(Synthesize(text="Yes."))
    stage.lists.ask(text("second"))
    await stage.work()
    starts = [frame for frame in stage.lists.sent if isinstance(frame, SynthesisStart)]
    assert [start.quality for start in starts] == ["fast", "fast"]


async def test_both_requests_in_work_together_stay_within_the_sessions_bytes(kit: Kit) -> None:
    kit.limit(session_bytes=128 * 1024)
    kit.engine.blocks = 100
    async with staged(kit) as stage:
        stage.lists.open.clear()
        stage.lists.ask(text("one"))
        stage.lists.ask(text("two"))
        await stage.work()
        jobs = list(stage.service.scheduler._jobs.values())
        assert [job.parked for job in jobs] == [True, True]
        block = round(kit.engine.block_s * 48_000)
        assert sum(job.ahead for job in jobs) <= 128 * 1024 + 2 * block


async def test_a_cancel_drops_the_rest_of_the_block_that_is_being_sent(kit: Kit) -> None:
    kit.engine.block_s = 4.0
    async with staged(kit) as stage:
        stage.lists.ask(text("one"))
        await stage.turn()
        stage.lists.open.clear()
        await stage.work()
        stage.lists.ask(Cancel(request_id="one"))
        await stage.turn()
        stage.lists.open.set()
        await stage.work()
        assert stage.lists.audio_frames <= 1, "of twelve a block"
        (last,) = stage.lists.last_frames()
        assert last == SynthesisCancelled(
            request_id="one", samples=stage.lists.audio_frames * MAX_AUDIO_FRAME_BYTES // 2
        )


async def test_a_cancelled_request_that_waits_is_answered_before_the_next_starts(
    stage: Stage,
) -> None:
    for name in ("one", "two", "three"):
        stage.lists.ask(text(name))
    await stage.turn()
    stage.lists.ask(Cancel(request_id="two"))
    await stage.work()
    order = [
        (type(frame), frame.request_id)
        for frame in stage.lists.sent
        if isinstance(frame, SynthesisStart | SynthesisCancelled)
    ]
    assert order.index((SynthesisCancelled, "two")) < order.index((SynthesisStart, "three"))


async def test_a_reader_that_takes_nothing_is_given_up(kit: Kit) -> None:
    kit.limit(send_s=0.05)
    async with staged(kit) as stage:
        stage.lists.open.clear()
        stage.lists.ask(text("one"))
        with pytest.raises(SlowReaderError, match=r"0\.05 s"):
            await stage.ended()


async def test_when_the_peer_is_gone_all_work_ends(stage: Stage) -> None:
    for name in ("one", "two", "three"):
        stage.lists.ask(text(name))
    await stage.work(1)
    stage.lists.inbox.put_nowait(None)
    assert await stage.ended() == Ending(None)
    await stage.work()
    assert stage.kit.engine.made <= 2


async def test_close_ends_texts_that_still_wait_for_more(stage: Stage) -> None:
    stage.lists.ask(Synthesize(text="No end to", request_id="r", more=True))
    await stage.work()
    stage.lists.ask(CloseFrame())
    assert await stage.ended() == Ending(1000)
    assert stage.kit.engine.begun == ["no end to"]


async def test_a_draining_server_ends_the_session_when_its_work_is_done(stage: Stage) -> None:
    stage.lists.ask(text("one"))
    await stage.turn()
    stage.service.drain()
    stage.lists.ask(text("two"))
    assert await stage.ended() == Ending(1001, "draining")
    ends = {frame.request_id: type(frame) for frame in stage.lists.last_frames()}
    assert ends == {"one": SynthesisComplete, "two": Error}


async def test_late_text_wakes_the_request_and_only_sentences_are_made(stage: Stage) -> None:
    stage.lists.ask(Synthesize(text="Half a", request_id="r", more=True))
    await stage.work()
    assert stage.kit.engine.begun == []
    assert stage.service.scheduler.backlog_s() == 0, "it owes nothing while it waits"
    stage.lists.ask(Synthesize(text=" sentence. And", request_id="r", more=True))
    await stage.work()
    assert stage.kit.engine.begun == ["half a sentence."]
    stage.lists.ask(Flush(request_id="r"))
    await stage.work()
    assert stage.kit.engine.begun == ["half a sentence.", "and"]


async def test_code_between_sentences_is_not_spoken(stage: Stage) -> None:
    words = "Look here.\n\n```\nrm -rf /\n```\n\nDone now."
    stage.lists.ask(Synthesize(text=words, request_id="r", more=True))
    stage.lists.ask(Flush(request_id="r"))
    await stage.work()
    assert stage.kit.engine.begun == ["look here.", "done now."]


@pytest.mark.parametrize("seed", range(40))
async def test_whatever_a_client_does_it_gets_a_legal_conversation(kit: Kit, seed: int) -> None:
    """Each request one last frame, in the wire's legal order as a client checks it."""
    chance = random.Random(seed)
    async with staged(kit) as stage:
        asked: list[str] = []
        growing: list[str] = []
        for number in range(60):
            name = f"r{number}"
            match chance.randrange(8):
                case 0 | 1:
                    stage.lists.ask(text(name))
                    asked.append(name)
                case 2:
                    stage.lists.ask(text(name, more=True))
                    asked.append(name)
                    growing.append(name)
                case 3 if growing:
                    name = growing.pop(chance.randrange(len(growing)))
                    if stage.lists.wire.open_requests and name in stage.lists.wire.open_requests:
                        stage.lists.ask(Flush(request_id=name))
                case 4 if asked:
                    stage.lists.ask(Cancel(request_id=chance.choice(asked)))
                    growing.clear()
                case 5 if chance.random() < 0.3:
                    stage.lists.ask(Cancel())
                    growing.clear()
                case 6:
                    stage.lists.inbox.put_nowait(json.dumps({"type": "synthesize"}))
                case _:
                    stage.lists.open.set() if chance.random() < 0.7 else stage.lists.open.clear()
            if chance.random() < 0.5:
                await stage.work(chance.randrange(4))
        stage.lists.open.set()
        stage.lists.ask(CloseFrame())
        assert await stage.ended() == Ending(1000)
        assert stage.lists.wire.open_requests == ()
        named = [frame.request_id for frame in stage.lists.last_frames() if frame.request_id]
        assert len(named) == len(set(named))
        assert set(named) <= set(asked)
