"""What the environment can say about the speech server. Read once, then handed down."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from typing import Literal, get_args

from firstword.telemetry import TelemetrySettings, TelemetrySettingsError
from firstword.tts.models import cache_dir, model_dir

type EngineName = Literal["auto", "onnx", "torch"]
type QualityName = Literal["auto", "fast", "exact"]
type PolicyName = Literal["edf", "fifo", "one-lock"]
type DeviceName = Literal["auto", "cpu", "cuda"]
type Precision = Literal["fp32", "fp16"]
type LogLevel = Literal["debug", "info", "warning", "error"]


class SettingsError(ValueError):
    """A setting that cannot be used. The text names it, what it holds and what it may hold."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one caller, and all of them together, may ask of the server."""

    text_chars: int = 50_000
    """Characters of one request's text; of one that comes in pieces, of all of them."""

    message_bytes: int = 1024 * 1024
    """Bytes of one HTTP body or one WebSocket message."""

    requests: int = 32
    """Requests that may be open in one WebSocket session."""

    sessions: int = 256
    """WebSocket sessions at once."""

    jobs: int = 64
    """Syntheses that may be in work or wait for it, over all callers."""

    wait_s: float = 300.0
    """Seconds of work that may be owed to those being served before newcomers are refused."""

    request_age_s: float = 56.0
    """Seconds since its ``request_timestamp`` after which nobody waits for a request any more."""

    session_bytes: int = 4 * 1024 * 1024
    """Bytes of audio that wait for one slow reader before its synthesis pauses."""

    whole_bytes: int = 64 * 1024 * 1024
    """Bytes of an answer that is not streamed."""

    send_s: float = 60.0
    """Seconds in which a caller must take what is sent to it, or send the rest of a body."""

    drain_s: float = 25.0
    """Seconds that what is being spoken may take to end after SIGTERM."""


@dataclass(frozen=True, slots=True)
class TorchSettings:
    """What only the torch engine looks at."""

    device: DeviceName = "auto"
    """``auto``: the graphics card where there is one."""

    precision: Precision = "fp32"
    """Of the generator's convolutions; everything else is float32."""

    weights: Path | None = None
    """The published ``kokoro-v1_0.pth``; None: the weights of the int8 graph."""


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings of the speech server."""

    model_dir: Path
    cache_dir: Path
    """Where code compiled for this processor is kept."""

    host: str = "127.0.0.1"
    port: int = 8080
    engine: EngineName = "auto"
    quality: QualityName = "auto"
    log_level: LogLevel = "info"
    workers: int = 1
    """Threads that run the model; each run may use several cores by itself."""

    threads: int | None = None
    """Cores that the model may use; None: all that the process may use."""

    policy: PolicyName = "edf"
    torch: TorchSettings = field(default_factory=TorchSettings)
    telemetry: TelemetrySettings = field(default_factory=TelemetrySettings)
    limits: Limits = field(default_factory=Limits)

    @classmethod
    def from_env(cls, environ: Mapping[str, str]) -> Settings:
        """The settings of an environment.

        Raises:
            SettingsError: a variable holds what it cannot.
        """
        read = _Reader(environ)
        defaults, bounds = cls(model_dir=Path(), cache_dir=Path()), Limits()
        return cls(
            model_dir=model_dir(environ),
            cache_dir=cache_dir(environ),
            host=environ.get("FIRSTWORD_TTS_HOST") or defaults.host,
            port=read.integer("FIRSTWORD_TTS_PORT", defaults.port, 0, 65_535),
            engine=read.word("FIRSTWORD_ENGINE", defaults.engine, EngineName),
            quality=read.word("FIRSTWORD_QUALITY", defaults.quality, QualityName),
            log_level=read.word("FIRSTWORD_LOG_LEVEL", defaults.log_level, LogLevel),
            workers=read.integer("FIRSTWORD_TTS_WORKERS", defaults.workers, 1, 64),
            threads=read.integer("FIRSTWORD_TTS_THREADS", 0, 0, 1024) or None,
            policy=read.word("FIRSTWORD_TTS_POLICY", defaults.policy, PolicyName),
            torch=TorchSettings(
                device=read.word("FIRSTWORD_TTS_DEVICE", "auto", DeviceName),
                precision=read.word("FIRSTWORD_TTS_PRECISION", "fp32", Precision),
                weights=read.path("FIRSTWORD_TTS_WEIGHTS"),
            ),
            telemetry=_telemetry(environ),
            limits=Limits(
                text_chars=read.integer("FIRSTWORD_TTS_MAX_TEXT_CHARS", bounds.text_chars, 1),
                message_bytes=read.integer(
                    "FIRSTWORD_TTS_MAX_MESSAGE_BYTES", bounds.message_bytes, 1024
                ),
                requests=read.integer("FIRSTWORD_TTS_MAX_REQUESTS", bounds.requests, 1, 1000),
                sessions=read.integer("FIRSTWORD_TTS_MAX_SESSIONS", bounds.sessions, 1),
                jobs=read.integer("FIRSTWORD_TTS_MAX_JOBS", bounds.jobs, 1),
                wait_s=read.number("FIRSTWORD_TTS_MAX_WAIT_S", bounds.wait_s),
                request_age_s=read.number("FIRSTWORD_TTS_MAX_REQUEST_AGE_S", bounds.request_age_s),
                session_bytes=read.integer(
                    "FIRSTWORD_TTS_MAX_SESSION_BYTES", bounds.session_bytes, 64 * 1024
                ),
                whole_bytes=read.integer(
                    "FIRSTWORD_TTS_MAX_WHOLE_BYTES", bounds.whole_bytes, 64 * 1024
                ),
                send_s=read.number("FIRSTWORD_TTS_SEND_TIMEOUT_S", bounds.send_s),
                drain_s=read.number("FIRSTWORD_TTS_DRAIN_S", bounds.drain_s),
            ),
        )

    @property
    def loopback(self) -> bool:
        """Only callers on this machine can reach the server."""
        try:
            return ip_address(self.host.strip("[]")).is_loopback
        except ValueError:
            return self.host == "localhost"


def _telemetry(environ: Mapping[str, str]) -> TelemetrySettings:
    try:
        return TelemetrySettings.from_env(environ)
    except TelemetrySettingsError as error:
        raise SettingsError(str(error)) from None


class _Reader:
    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ

    def word[T: str](self, name: str, default: T, words: object) -> T:
        allowed: tuple[T, ...] = get_args(getattr(words, "__value__", words))
        value = self._environ.get(name, "").lower()
        for word in allowed:
            if value == word:
                return word
        if value:
            raise SettingsError(f"{name} must be one of {', '.join(allowed)}, got {value!r}")
        return default

    def integer(self, name: str, default: int, least: int, most: int | None = None) -> int:
        value = self._parsed(name, int, "an integer")
        if value is None:
            return default
        if value < least or (most is not None and value > most):
            upper = "" if most is None else f" and {most} at most"
            raise SettingsError(f"{name} must be {least} or more{upper}, got {value}")
        return value

    def path(self, name: str) -> Path | None:
        value = self._environ.get(name, "").strip()
        return Path(value).expanduser() if value else None

    def number(self, name: str, default: float) -> float:
        value = self._parsed(name, float, "a number of seconds")
        if value is None:
            return default
        if not 0 < value < float("inf"):
            raise SettingsError(f"{name} must be above 0, got {value:g}")
        return value

    def _parsed[T](self, name: str, parse: Callable[[str], T], kind: str) -> T | None:
        text = self._environ.get(name, "").strip()
        if not text:
            return None
        try:
            return parse(text)
        except ValueError:
            raise SettingsError(f"{name} must be {kind}, got {text!r}") from None
