"""All settings of the local AgentCore data plane: frozen, built once and handed down."""

from __future__ import annotations

from dataclasses import dataclass, field

from firstword.emulator.sigv4 import Credentials

DEFAULT_ARN = "arn:aws:bedrock-agentcore:us-east-1:000000000000:runtime/firstword_local-0123456789"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """AgentCore's own limits, and how patient the stand-in is. Times in seconds, sizes in bytes.

    AWS gives 32 KB as a frame's limit in its quotas and 64 KB in newer text; the smaller counts
    here. Frames are counted in both directions together.
    """

    frame_bytes: int = 32 * 1024
    frames_per_second: int = 250
    session_s: float = 3600.0
    presigned_s: int = 300
    session_id_chars: tuple[int, int] = (33, 256)
    body_bytes: int = 100_000_000
    open_s: float = 10.0
    send_s: float = 30.0
    silence_s: float = 900.0
    close_s: float = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """``container`` is the agent's URL, ``runtime_arn`` the one runtime that exists."""

    container: str
    credentials: Credentials
    runtime_arn: str = DEFAULT_ARN
    limits: Limits = field(default_factory=Limits)

    @property
    def region(self) -> str:
        return self.runtime_arn.split(":")[3]
