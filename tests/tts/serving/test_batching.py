"""Forwards in company, by hand: no threads, a clock that the test turns."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import pytest
from firstword.tts.batching import TOGETHER_S, Pace, company
from firstword.tts.job import Job, JobFailedError
from firstword.tts.listener import Listener
from firstword.tts.policy import Policy, edf, fifo
from firstword.tts.scheduler import Scheduler

ALONE_S = 0.2
EACH_S = 0.1


@dataclass(frozen=True)
class Made:
    size: int = 10
    duration_s: float = 1.0
    waits: FakeTicket | None = None


@dataclass
class FakeTicket:
    hall: Hall
    name: str
    kind: str = "sound"
    size: int = 1
    most: int = 64
    done: bool = False

    def serve(self, others: Sequence[FakeTicket]) -> None:
        self.hall.forward([self, *others])


@dataclass
class Hall:
    """A scheduler, a clock and a model that takes longer for more."""

    policy: Policy = edf
    now: float = 100.0
    forwards: list[str] = field(default_factory=list)
    steps: list[str] = field(default_factory=list)
    closed: list[str] = field(default_factory=list)
    broken: bool = False

    def __post_init__(self) -> None:
        self.scheduler = Scheduler(clock=lambda: self.now, policy=self.policy)

    def forward(self, tickets: Sequence[FakeTicket]) -> None:
        self.now += ALONE_S + EACH_S * (len(tickets) - 1)
        self.forwards.append("".join(ticket.name for ticket in tickets))
        for ticket in tickets:
            ticket.done = True

    def work(self, name: str, windows: int, kind: str, most: int) -> Iterator[Made]:
        try:
            for _ in range(windows):
                self.steps.append(name)
                ticket = FakeTicket(self, name, kind, most=most)
                yield Made(0, 0.0, ticket)
                assert ticket.done, "advanced before its forward was made"
                if self.broken:
                    raise ValueError("the forward failed")
                yield Made()
        finally:
            self.closed.append(name)

    def submit(
        self,
        name: str,
        *,
        windows: int = 1,
        kind: str = "sound",
        most: int = 64,
        ahead_s: float = 0.0,
    ) -> Job[Made]:
        listener = Listener(0.5)
        if ahead_s:
            listener.asked(self.now)
            listener.produced(ahead_s, self.now)
        return self.scheduler.submit(
            self.work(name, windows, kind, most), listener, ahead_bytes=1000, expected_s=3.0
        )

    def run(self, steps: int = 1000) -> list[str]:
        for _ in range(steps):
            if not self.scheduler.step():
                break
        return self.forwards

    def ready(self, jobs: int) -> None:
        """Bring so many jobs to where they wait for a forward."""
        for job in list(self.scheduler._jobs.values())[:jobs]:
            job.running = job.started = True
            self.scheduler._advance(job)


async def test_those_who_wait_at_the_same_time_go_through_one_forward() -> None:
    hall = Hall()
    for name in "abc":
        hall.submit(name)
    hall.ready(3)
    assert hall.run() == ["abc"]
    assert hall.scheduler.depth == 0


async def test_nobody_waits_for_company_that_is_not_there() -> None:
    hall = Hall()
    hall.submit("a")
    assert hall.run(2) == ["a"]


async def test_a_newcomer_is_not_slowed_down_by_those_who_have_time() -> None:
    hall = Hall()
    for name in "abcdef":
        hall.submit(name, ahead_s=30.0)
    hall.ready(6)
    hall.run(1)
    assert hall.forwards == ["abcdef"], "all of them have time: together"
    for name in "ghijkl":
        hall.submit(name, ahead_s=30.0)
    hall.submit("n")
    hall.ready(13)
    hall.run(1)
    assert hall.forwards[-1][0] == "n"
    assert len(hall.forwards[-1]) < 7, "as many as end before n's half second is over"
    assert hall.now <= 100.0 + 0.7 + 0.5 + 0.01


async def test_those_due_together_go_together_even_when_all_are_late() -> None:
    hall = Hall()
    for name in "abcdefghijkl":
        hall.submit(name)
    hall.ready(12)
    assert hall.run() == ["abcdefghijkl"]


async def test_only_one_kind_goes_through_a_forward() -> None:
    hall = Hall()
    for name, kind in zip("abcd", ("long", "short", "long", "short"), strict=True):
        hall.submit(name, kind=kind)
    hall.ready(4)
    assert hall.run() == ["ac", "bd"]


async def test_no_more_go_through_than_there_is_room_for() -> None:
    hall = Hall()
    for name in "abcde":
        hall.submit(name, most=2)
    hall.ready(5)
    assert hall.run() == ["ab", "cd", "e"]


async def test_deadlines_decide_who_goes_first_and_arrival_where_that_is_the_policy() -> None:
    order = {}
    for name, policy in (("edf", edf), ("fifo", fifo)):
        hall = Hall(policy)
        hall.submit("a", ahead_s=20.0, most=1)
        hall.submit("b", ahead_s=10.0, most=1)
        hall.submit("c", most=1)
        hall.ready(3)
        order[name] = hall.run()
    assert order == {"edf": ["c", "b", "a"], "fifo": ["a", "b", "c"]}


async def test_who_is_cancelled_before_the_forward_is_not_in_it() -> None:
    hall = Hall()
    jobs = [hall.submit(name) for name in "abc"]
    hall.ready(3)
    jobs[1].cancel()
    hall.run()
    assert hall.forwards == ["ac"]
    assert hall.closed[0] == "b"
    assert hall.scheduler.depth == 0


async def test_a_forward_that_fails_ends_each_of_its_jobs_with_an_error() -> None:
    hall = Hall()
    hall.broken = True
    jobs = [hall.submit(name) for name in "ab"]
    hall.ready(2)
    hall.run()
    for job in jobs:
        with pytest.raises(JobFailedError):
            [piece async for piece in job]
    assert hall.scheduler.depth == 0


async def test_each_of_a_forwards_jobs_is_charged_its_share_of_the_time() -> None:
    hall = Hall()
    jobs = [hall.submit(name) for name in "abcd"]
    hall.ready(4)
    hall.run()
    assert [job.work_s for job in jobs] == [pytest.approx((ALONE_S + 3 * EACH_S) / 4)] * 4


async def test_while_a_forward_runs_others_are_readied_and_then_go_together() -> None:
    """Threads: the first forward is held until three newcomers wait for theirs."""
    gate, entered = threading.Event(), threading.Event()
    hall = Hall()
    plain = hall.forward

    def held(tickets: Sequence[FakeTicket]) -> None:
        entered.set()
        assert gate.wait(20)
        plain(tickets)

    hall.forward = held  # type: ignore[method-assign]

    hall.scheduler = Scheduler(workers=2)
    hall.scheduler.start(asyncio.get_running_loop().call_soon_threadsafe)
    async with asyncio.timeout(20):
        first = hall.submit("a")
        await asyncio.to_thread(entered.wait, 20)
        others = [hall.submit(name) for name in "bcd"]
        arrived = [await anext(job) for job in others]
        assert all(piece.waits is not None and not piece.waits.done for piece in arrived)
        gate.set()
        for job in (first, *others):
            assert [piece.duration_s async for piece in job][-1] == 1.0
        assert await asyncio.to_thread(hall.scheduler.stop, 10.0)
    assert hall.forwards[0] == "a"
    assert sorted(hall.forwards[1]) == ["b", "c", "d"]


def test_pace_is_learned_from_what_was_seen() -> None:
    pace = Pace()
    assert pace.expects("sound", 8) == 0
    pace.learn("sound", 1, 0.2)
    assert pace.expects("sound", 1) == pytest.approx(0.2)
    for _ in range(40):
        pace.learn("sound", 11, 1.2)
    assert pace.expects("sound", 21) == pytest.approx(2.2, rel=0.01)
    assert pace.expects("text", 21) == 0


async def test_company_is_those_within_the_margin_or_the_time() -> None:
    hall = Hall()
    near, far, leader = (hall.submit(name) for name in "nfl")
    near.listener.due, far.listener.due, leader.listener.due = 10 + TOGETHER_S / 2, 99.0, 10.0
    hall.ready(3)
    pace = Pace()
    pace.learn("sound", 1, 5.0)
    jobs = [near, far, leader]
    assert company(leader, jobs, edf, pace, now=9.0) == [leader, near]
    assert company(leader, jobs, edf, pace, now=1.0) == [leader, near, far]
