"""Room 8 by hand: no threads, no sleeping, a clock that the test turns."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from firstword.tts.engines import Ticket
from firstword.tts.job import Job, JobFailedError, SchedulerStoppedError
from firstword.tts.listener import Listener
from firstword.tts.policy import SaturatedError, edf, fifo, one_lock
from firstword.tts.scheduler import STALL_S, Scheduler


@dataclass(frozen=True)
class Made:
    name: str
    size: int = 10
    duration_s: float = 1.0
    waits: Ticket | None = None


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


class Bench:
    """A scheduler, its clock, and the order in which pieces were made."""

    def __init__(self, **settings: object) -> None:
        self.clock = Clock()
        self.scheduler = Scheduler(clock=self.clock, **settings)  # type: ignore[arg-type]
        self.made: list[str] = []
        self.closed: list[str] = []

    def work(self, name: str, pieces: int, takes_s: float, duration_s: float) -> Iterator[Made]:
        try:
            for number in range(pieces):
                self.clock.now += takes_s
                self.made.append(name)
                yield Made(f"{name}{number}", duration_s=duration_s)
        finally:
            self.closed.append(name)

    def submit(
        self,
        name: str,
        *,
        pieces: int = 3,
        takes_s: float = 0.1,
        duration_s: float = 1.0,
        listener: Listener | None = None,
        ahead_bytes: int = 10_000,
        expected_s: float = 3.0,
    ) -> Job[Made]:
        return self.scheduler.submit(
            self.work(name, pieces, takes_s, duration_s),
            listener or Listener(0.5),
            ahead_bytes=ahead_bytes,
            expected_s=expected_s,
        )

    async def take(self, job: Job[Made]) -> Made:
        """The next piece, with the worker's steps between the asking and the answer."""
        waiting = asyncio.ensure_future(anext(job))
        await asyncio.sleep(0)
        self.run()
        return await waiting

    def run(self, steps: int = 1000) -> str:
        for _ in range(steps):
            if not self.scheduler.step():
                break
        return "".join(self.made)


async def test_the_listener_who_would_run_dry_first_is_served_first() -> None:
    bench = Bench()
    bench.submit("a", pieces=4, duration_s=5.0)
    bench.run(1)
    bench.submit("b", pieces=4, duration_s=0.2)
    assert bench.run() == "a" + "bbbb" + "aaa"


async def test_a_newcomer_does_not_wait_behind_a_long_job() -> None:
    bench = Bench()
    bench.submit("l", pieces=50, duration_s=2.0)
    bench.run(5)
    bench.submit("n", pieces=1)
    assert bench.run(1) == "lllll" + "n"


async def test_among_newcomers_the_first_come_is_first() -> None:
    bench = Bench()
    for name in "abc":
        bench.submit(name, pieces=1)
    assert bench.run() == "abc"


async def test_a_session_that_asks_again_while_it_still_plays_has_slack() -> None:
    bench = Bench()
    talking = Listener(0.5)
    bench.submit("a", pieces=1, duration_s=30.0, listener=talking)
    bench.run()
    bench.submit("a", pieces=1, listener=talking)
    bench.submit("b", pieces=1)
    assert bench.run() == "aba"


async def test_overdue_sessions_take_turns() -> None:
    bench = Bench()
    for name in "abc":
        bench.submit(name, pieces=3, takes_s=4.0, duration_s=1.0)
    assert bench.run() == "abcabcabc"


async def test_first_come_first_served_is_a_policy_too() -> None:
    bench = Bench(policy=fifo)
    bench.submit("a", pieces=3, duration_s=50.0)
    bench.submit("b", pieces=3)
    assert bench.run() == "aaabbb"


async def test_one_lock_lets_nobody_in_while_its_job_waits_for_a_reader() -> None:
    bench = Bench(policy=one_lock)
    first = bench.submit("a", pieces=3, ahead_bytes=10)
    bench.submit("b", pieces=1)
    assert bench.run() == "a"
    for _ in range(2):
        await bench.take(first)
    assert bench.run() == "aa"
    await bench.take(first)
    with pytest.raises(StopAsyncIteration):
        await bench.take(first)
    assert bench.run() == "aaab"


async def test_deadlines_bring_everyone_the_first_sound_early_where_a_lock_does_not() -> None:
    """Three callers at once, each with 20 s to say, at 0.3 s of work for a second of audio."""
    first_heard: dict[str, list[float]] = {}
    underruns: dict[str, float] = {}
    for name, policy in (("edf", edf), ("one-lock", one_lock)):
        bench = Bench(policy=policy)
        listeners = [Listener(0.5) for _ in "abc"]
        for caller, listener in zip("abc", listeners, strict=True):
            bench.submit(caller, pieces=20, takes_s=0.3, listener=listener, expected_s=20.0)
        began = bench.clock.now
        first: dict[str, float] = {}
        while bench.scheduler.step():
            first.setdefault(bench.made[-1], bench.clock.now - began)
        first_heard[name] = [first[caller] for caller in "abc"]
        underruns[name] = sum(listener.underrun_s for listener in listeners)
    assert first_heard["edf"] == pytest.approx([0.3, 0.6, 0.9])
    assert first_heard["one-lock"] == pytest.approx([0.3, 6.3, 12.3])
    assert underruns["edf"] == 0


async def test_a_job_is_parked_when_it_leads_its_reader_by_enough() -> None:
    bench = Bench()
    job = bench.submit("a", pieces=9, ahead_bytes=20)
    bench.submit("b", pieces=2)
    assert sorted(bench.run()) == sorted("aabb")
    assert (await anext(job)).name == "a0"
    bench.run()
    assert bench.made.count("a") == 2, "a piece is given back when the next is asked for"
    assert (await anext(job)).name == "a1"
    bench.run()
    assert bench.made.count("a") == 3


async def test_waiting_for_a_slow_reader_is_no_underrun() -> None:
    bench = Bench()
    listener = Listener(0.5)
    job = bench.submit("a", pieces=2, ahead_bytes=10, listener=listener)
    bench.run()
    bench.clock.now += 60
    await anext(job)
    assert job.parked
    bench.scheduler.release(job, 10)
    bench.run()
    assert listener.underrun_s == 0


async def test_late_audio_counts_as_underrun_and_moves_the_clock() -> None:
    bench = Bench()
    listener = Listener(0.5)
    bench.submit("a", pieces=3, takes_s=1.5, duration_s=1.0, listener=listener)
    bench.run()
    assert listener.underrun_s == pytest.approx(1.0)
    assert listener.due == pytest.approx(bench.clock.now + 1.0)


async def test_all_that_was_made_is_read_in_order_and_then_the_end() -> None:
    bench = Bench()
    job = bench.submit("a", pieces=3)
    bench.run()
    assert [piece.name async for piece in job] == ["a0", "a1", "a2"]
    assert bench.scheduler.depth == 0


async def test_an_error_reaches_the_consumer_after_what_was_made_before_it() -> None:
    def broken() -> Iterator[Made]:
        yield Made("a")
        raise ValueError("no such phoneme")

    bench = Bench()
    job = bench.scheduler.submit(broken(), Listener(0.5), ahead_bytes=99, expected_s=1)
    bench.run()
    assert (await anext(job)).name == "a"
    with pytest.raises(JobFailedError) as failure:
        await anext(job)
    assert str(failure.value.__cause__) == "no such phoneme"
    assert bench.scheduler.depth == 0


async def test_cancel_closes_the_iterator_in_the_worker_and_drops_what_waits() -> None:
    bench = Bench()
    job = bench.submit("a", pieces=9)
    bench.run(3)
    job.cancel()
    assert bench.closed == [], "not on the loop's thread"
    assert [piece async for piece in job] == []
    assert bench.run() == "aaa"
    assert bench.closed == ["a"]
    assert bench.scheduler.depth == 0


async def test_a_job_cancelled_before_its_first_step_does_nothing() -> None:
    bench = Bench()
    bench.submit("a").cancel()
    assert bench.run() == ""
    assert bench.scheduler.depth == 0


async def test_cancelling_a_job_that_is_done_is_harmless() -> None:
    bench = Bench()
    job = bench.submit("a", pieces=1)
    bench.run()
    job.cancel()
    job.cancel()
    assert not bench.scheduler.step()


async def test_a_starved_job_costs_nothing_until_woken() -> None:
    texts: list[str] = []

    def fed() -> Iterator[Made | None]:
        while not (texts and texts[-1] == "end"):
            yield Made(texts.pop(0)) if texts else None

    bench = Bench()
    job = bench.scheduler.submit(fed(), Listener(0.5), ahead_bytes=99, expected_s=1)
    bench.run()
    assert not bench.scheduler.step()
    assert bench.scheduler.backlog_s() == 0
    texts.append("one")
    job.wake()
    bench.run()
    assert (await anext(job)).name == "one"
    texts.append("end")
    job.wake()
    bench.run()
    assert [piece async for piece in job] == []


async def test_a_wake_that_comes_during_the_step_is_not_lost() -> None:
    bench = Bench()
    seen: list[int] = []

    def fed() -> Iterator[Made | None]:
        for number in range(2):
            seen.append(number)
            job.wake()
            yield None

    job = bench.scheduler.submit(fed(), Listener(0.5), ahead_bytes=99, expected_s=1)
    bench.run()
    assert seen == [0, 1]
    assert bench.scheduler.depth == 0


async def test_a_wake_from_before_the_last_look_is_not_lost() -> None:
    """What an iterator looked at several steps ago may be older than the wake."""
    bench = Bench()
    ended: list[bool] = []

    def fed() -> Iterator[Made | None]:
        while True:
            seen = bool(ended)
            yield Made("between the look and the wait")
            if seen:
                return
            yield None

    job = bench.scheduler.submit(fed(), Listener(0.5), ahead_bytes=999, expected_s=1)
    bench.run(1)
    ended.append(True)
    job.wake()
    bench.run()
    assert bench.scheduler.depth == 0


async def test_text_that_comes_late_is_no_underrun() -> None:
    bench = Bench()
    listener = Listener(0.5)

    def fed() -> Iterator[Made | None]:
        yield Made("a")
        yield None
        yield Made("b")

    job = bench.scheduler.submit(fed(), listener, ahead_bytes=99, expected_s=1)
    bench.run()
    bench.clock.now += 30
    job.wake()
    bench.run()
    assert listener.underrun_s == 0


async def test_no_more_jobs_than_the_bound_are_admitted() -> None:
    bench = Bench(max_jobs=2)
    bench.submit("a")
    bench.scheduler.admit()
    bench.submit("b")
    with pytest.raises(SaturatedError, match="2 syntheses are waiting"):
        bench.scheduler.admit()
    bench.run()
    bench.scheduler.admit()


async def test_more_work_than_can_be_done_in_time_is_refused_with_when_to_come_back() -> None:
    bench = Bench(max_wait_s=10.0)
    bench.submit("a", expected_s=60.0)
    bench.submit("b", expected_s=60.0)
    bench.scheduler.admit()
    bench.submit("c", expected_s=16.0)
    with pytest.raises(SaturatedError) as refusal:
        bench.scheduler.admit()
    assert 1 <= refusal.value.retry_after_s <= 10


async def test_what_a_listener_has_ahead_is_not_owed() -> None:
    bench = Bench(max_wait_s=10.0)
    bench.submit("a", pieces=1, duration_s=8.0, expected_s=60.0, ahead_bytes=99)
    fresh = bench.scheduler.backlog_s()
    bench.run(1)
    assert bench.scheduler.backlog_s() < fresh / 2


async def test_a_job_submitted_after_the_end_fails_at_once() -> None:
    bench = Bench()
    bench.scheduler.stop(1.0)
    job = bench.submit("a")
    with pytest.raises(SchedulerStoppedError):
        await anext(job)


async def test_threads_serve_and_end_with_nothing_left() -> None:
    scheduler = Scheduler(workers=3)
    scheduler.start(asyncio.get_running_loop().call_soon_threadsafe)
    names = [f"job{number}" for number in range(4)]

    def work(name: str) -> Iterator[Made]:
        for number in range(500):
            yield Made(f"{name} {number}")

    async def read(name: str) -> None:
        job = scheduler.submit(work(name), Listener(0.5), ahead_bytes=3000, expected_s=1)
        pieces = [piece.name async for piece in job]
        assert pieces == [f"{name} {number}" for number in range(500)], "all, in order"

    async with asyncio.timeout(20):
        await asyncio.gather(*map(read, names))
        assert scheduler.alive
        assert await asyncio.to_thread(scheduler.stop, 10.0)
    assert scheduler.depth == 0
    assert not scheduler.alive


async def test_stopping_ends_jobs_that_still_wait_with_an_error() -> None:
    entered, leave = threading.Event(), threading.Event()
    closed = threading.Event()

    def stuck() -> Iterator[Made]:
        try:
            entered.set()
            leave.wait(20)
            yield Made("late")
            yield Made("never")
        finally:
            closed.set()

    scheduler = Scheduler()
    scheduler.start(asyncio.get_running_loop().call_soon_threadsafe)
    job = scheduler.submit(stuck(), Listener(0.5), ahead_bytes=99, expected_s=1)
    await asyncio.to_thread(entered.wait, 20)
    assert not await asyncio.to_thread(scheduler.stop, 0.01), "it is in a step"
    leave.set()
    assert await asyncio.to_thread(scheduler.stop, 20)
    assert closed.is_set()
    async with asyncio.timeout(20):
        assert (await anext(job)).name == "late"
        with pytest.raises(SchedulerStoppedError):
            await anext(job)
    assert scheduler.depth == 0


async def test_a_worker_that_hangs_is_not_alive() -> None:
    clock = Clock()
    entered, leave = threading.Event(), threading.Event()

    def hung() -> Iterator[Made]:
        entered.set()
        leave.wait(20)
        yield Made("late")

    scheduler = Scheduler(clock=clock)
    scheduler.start(asyncio.get_running_loop().call_soon_threadsafe)
    job = scheduler.submit(hung(), Listener(0.5), ahead_bytes=99, expected_s=1)
    await asyncio.to_thread(entered.wait, 20)
    assert scheduler.alive
    clock.now += STALL_S + 1
    assert not scheduler.alive
    leave.set()
    assert (await anext(job)).name == "late"
    await asyncio.to_thread(scheduler.stop, 20)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
async def test_a_worker_that_dies_takes_no_consumer_down_silently() -> None:
    def fatal() -> Iterator[Made]:
        raise SystemExit(3)
        yield Made("never")

    scheduler = Scheduler()
    nothing: list[Made | None] = [None]
    waiting = scheduler.submit(iter(nothing), Listener(0.5), ahead_bytes=9, expected_s=1)
    job = scheduler.submit(fatal(), Listener(0.5), ahead_bytes=9, expected_s=1)
    scheduler.start(asyncio.get_running_loop().call_soon_threadsafe)
    async with asyncio.timeout(20):
        with pytest.raises(SchedulerStoppedError):
            await anext(job)
        with pytest.raises(SchedulerStoppedError):
            await anext(waiting)
        await asyncio.to_thread(scheduler.stop, 20)
        assert not scheduler.alive
        late = scheduler.submit(iter(nothing), Listener(0.5), ahead_bytes=9, expected_s=1)
        with pytest.raises(SchedulerStoppedError):
            await anext(late)
