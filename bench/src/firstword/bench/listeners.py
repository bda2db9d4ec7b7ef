"""Simulated listeners: each asks for replies over a socket of its own and plays in real time.

A listener does as an agent's browser does: it asks for a sentence ahead of the one that is being
said, takes audio as it comes, and plays it at its pace. Where it runs dry the playback stands
still, and that is counted. After a reply it thinks for a while and asks for the next.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import cycle, islice

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

from firstword.bench.wire import PATH, SAMPLE_RATE
from firstword.chunker import split
from firstword.protocol import Audio, Error, Session, SynthesisComplete, Synthesize, duration_s

AHEAD = 2
"""Sentences asked for at once: the one that is being said and the next."""

THINKING_S = 1.5
"""Between the end of a reply's playback and the next question."""

PATIENCE_S = 3.0
"""A reply of which nothing has come for so long when the step ends counts as unanswered; one that
was asked for later does not count at all."""

CONNECT_S = 10.0


@dataclass(slots=True)
class Playback:
    """One reply as it is played; times are seconds of one clock."""

    asked: float
    first_audio: float | None = None
    made_s: float = 0.0
    stalled_s: float = 0.0

    def takes(self, seconds: float, now: float) -> None:
        """Audio came."""
        if self.first_audio is None:
            self.first_audio = now
        else:
            self.stalled_s += max(0.0, now - self.ends)
        self.made_s += seconds

    @property
    def ends(self) -> float:
        """When what is made so far has been played."""
        start = self.asked if self.first_audio is None else self.first_audio
        return start + self.made_s + self.stalled_s

    def stands_still(self, now: float) -> float:
        """Seconds for which it has waited for more by ``now``, while more is to come."""
        return 0.0 if self.first_audio is None else max(0.0, now - self.ends)


@dataclass(slots=True)
class Heard:
    """What all listeners of a step heard."""

    listeners: int
    first_audio_s: list[float] = field(default_factory=list)
    played_s: float = 0.0
    stalled_s: float = 0.0
    unanswered: int = 0
    """Replies of which nothing had come when the step ended, long after they were asked for."""
    failures: list[str] = field(default_factory=list)

    @property
    def underruns(self) -> float:
        """The share of playback that stood still."""
        total = self.played_s + self.stalled_s
        return self.stalled_s / total if total else 0.0

    def count(self, reply: Playback, now: float, *, complete: bool) -> None:
        """A reply ended, or the step did in the middle of it."""
        if reply.first_audio is None:
            if now - reply.asked >= PATIENCE_S:
                self.first_audio_s.append(now - reply.asked)
                self.unanswered += 1
            return
        self.first_audio_s.append(reply.first_audio - reply.asked)
        self.stalled_s += reply.stalled_s + (0.0 if complete else reply.stands_still(now))
        played = min(reply.made_s, max(0.0, now - reply.first_audio - reply.stalled_s))
        self.played_s += reply.made_s if complete else played


async def listen(url: str, listeners: int, seconds: float, replies: Sequence[str]) -> Heard:
    """``listeners`` at once for ``seconds``. They begin one after another, as people would."""
    heard = Heard(listeners)
    until = asyncio.get_running_loop().time() + seconds
    async with asyncio.TaskGroup() as group:
        for number in range(listeners):
            delay_s = number * (THINKING_S + 1.0) / listeners
            told = islice(cycle(replies), number, None)
            group.create_task(_listener(url, delay_s, until, told, heard))
    return heard


async def _listener(
    url: str, delay_s: float, until: float, replies: Iterator[str], heard: Heard
) -> None:
    clock = asyncio.get_running_loop().time
    await asyncio.sleep(delay_s)
    try:
        async with connect(
            url.replace("http://", "ws://") + PATH,
            max_size=None,
            compression=None,
            proxy=None,
            open_timeout=CONNECT_S,
            close_timeout=1.0,
        ) as socket:
            while clock() < until:
                reply = Playback(clock())
                complete = await _reply(socket, next(replies), reply, until)
                heard.count(reply, clock(), complete=complete)
                if complete:
                    pause_s = max(0.0, reply.ends - clock()) + THINKING_S
                    await asyncio.sleep(min(pause_s, max(0.0, until - clock())))
    except (OSError, TimeoutError, WebSocketException) as error:
        heard.failures.append(type(error).__name__)


async def _reply(socket: ClientConnection, text: str, reply: Playback, until: float) -> bool:
    """Ask for a reply's sentences and take their audio; False when the time is over first."""
    clock = asyncio.get_running_loop().time
    wire = Session("client")
    waiting = [one.spoken for one in split(text)]
    open_requests = 0
    try:
        async with asyncio.timeout_at(until):
            while waiting or open_requests:
                while waiting and open_requests < AHEAD:
                    await socket.send(wire.send(Synthesize(text=waiting.pop(0))))
                    open_requests += 1
                payload = await socket.recv()
                for frame in wire.receive(payload, binary=isinstance(payload, bytes)):
                    match frame:
                        case Audio(data=data):
                            reply.takes(duration_s(len(data) // 2, SAMPLE_RATE), clock())
                        case SynthesisComplete():
                            open_requests -= 1
                        case Error(code=code):
                            raise OSError(code)
    except TimeoutError:
        return False
    return True


type Step = Callable[[int], Heard]


def climb(step: Step, most: int, bound: float, seen: Callable[[Heard], None]) -> int:
    """How many listeners can be held: the most for which at most ``bound`` of playback stalls.

    Doubles until a step fails, then halves the gap. ``seen`` gets every step.
    """
    held, failed = 0, most + 1
    number = 1
    while held + 1 < failed:
        heard = step(number)
        seen(heard)
        if heard.underruns <= bound and not heard.failures and not heard.unanswered:
            held = number
        else:
            failed = number
        number = min(2 * held or 1, most) if failed > most else (held + failed) // 2
    return held
