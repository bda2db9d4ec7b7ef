"""Programs that play sound, and a player that feeds one of them while a reply is still coming."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from firstword.console.pacing import SentenceGate
from firstword.protocol import BYTES_PER_SAMPLE

_DRAIN_SLACK_S = 10.0
"""How much longer than the audio itself a player may take to finish."""

_AHEAD_BYTES = 16 * 1024 * 1024
"""Audio that may wait for the player (almost 6 minutes) before the agent has to wait as well."""


@dataclass(frozen=True, slots=True)
class Program:
    """A player that takes raw s16le mono samples on its standard input."""

    path: str
    arguments: tuple[str, ...]

    def argv(self, sample_rate: int) -> list[str]:
        """The command line for that rate, in Hz."""
        return [self.path, *(a.format(rate=sample_rate) for a in self.arguments)]


PROGRAMS: Mapping[str, tuple[str, ...]] = {
    "pw-cat": ("--playback", "--raw", "--format=s16", "--rate={rate}", "--channels=1", "-"),
    "paplay": ("--raw", "--format=s16le", "--rate={rate}", "--channels=1"),
    "aplay": ("-q", "-t", "raw", "-f", "S16_LE", "-r", "{rate}", "-c", "1", "-"),
    "play": ("-q", "-t", "raw", "-e", "signed", "-b", "16", "-r", "{rate}", "-c", "1", "-"),
    "ffplay": (
        *("-nodisp", "-autoexit", "-loglevel", "error"),
        *("-f", "s16le", "-ar", "{rate}", "-ch_layout", "mono", "-i", "-"),
    ),
}
"""Command to its arguments, the best first: PipeWire, PulseAudio, ALSA, SoX, FFmpeg."""

_SERVER_OF = {"pw-cat": "pipewire-0", "paplay": "pulse/native"}
"""Players that need a sound server, and its socket in the user's run-time folder."""


def find_player(environ: Mapping[str, str], devices: Path = Path("/dev/snd")) -> Program | None:
    """The first player that is installed and has something to play on, or None."""
    for name, arguments in PROGRAMS.items():
        path = shutil.which(name, path=environ.get("PATH"))
        if path is not None and _can_be_heard(name, environ, devices):
            return Program(path, arguments)
    return None


def _can_be_heard(name: str, environ: Mapping[str, str], devices: Path) -> bool:
    if sys.platform == "darwin":
        return True
    runtime = environ.get("XDG_RUNTIME_DIR")
    if name == "paplay" and environ.get("PULSE_SERVER"):
        return True
    if name in _SERVER_OF:
        return runtime is not None and (Path(runtime) / _SERVER_OF[name]).exists()
    return any(devices.glob("pcm*p"))


class Player:
    """Plays the sentences of one reply. One that cannot keep up waits between sentences."""

    def __init__(self, program: Program, speed: float = 1.0) -> None:
        self._program = program
        self._speed = speed
        self._rate = 24_000
        self._process: asyncio.subprocess.Process | None = None
        self._gate = SentenceGate(0)
        self._held: list[bytes] = []
        self._open = False
        self._ends_s = 0.0

    async def begin(self, sample_rate: int) -> None:
        """Start the program for audio of that rate, in Hz. Raises OSError."""
        self._rate = sample_rate
        self._process = await asyncio.create_subprocess_exec(
            *self._program.argv(sample_rate),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )
        assert self._process.stdin is not None
        self._process.stdin.transport.set_write_buffer_limits(high=_AHEAD_BYTES)

    async def sentence(self, text: str) -> None:
        """The audio that follows says ``text``; what is held of the one before is played."""
        await self.sentence_end()
        self._gate = SentenceGate(len(text), self._speed)
        self._open = False

    async def write(self, samples: bytes) -> None:
        """More of the sentence, s16le."""
        now_s = time.monotonic()
        self._gate.push(len(samples) / BYTES_PER_SAMPLE / self._rate, now_s)
        self._held.append(samples)
        self._open = self._open or self._gate.may_start(max(self._ends_s - now_s, 0.0))
        if self._open:
            await self._release()

    async def sentence_end(self) -> None:
        """The sentence is whole."""
        self._gate.close()
        await self._release()

    async def finish(self) -> None:
        """Play what is left, and come back when it was heard."""
        await self.sentence_end()
        if self._process is None or self._process.stdin is None:
            return
        self._process.stdin.close()
        left_s = max(self._ends_s - time.monotonic(), 0.0)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._process.wait(), left_s + _DRAIN_SLACK_S)
        await self.stop()

    async def stop(self) -> None:
        """Silence at once."""
        self._held.clear()
        if self._process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()
        await self._process.wait()

    async def _release(self) -> None:
        """Hand the held audio on; a player that has gone away is no reason to fail the turn."""
        data = b"".join(self._held)
        self._held.clear()
        if not data or self._process is None or self._process.stdin is None:
            return
        audio_s = len(data) / BYTES_PER_SAMPLE / self._rate
        self._ends_s = max(self._ends_s, time.monotonic()) + audio_s
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            self._process.stdin.write(data)
            await self._process.stdin.drain()
