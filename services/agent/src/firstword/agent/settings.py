"""All settings of the agent: frozen, read once from the environment and handed down."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, cast, get_args

from firstword.agent.environment import Environment
from firstword.agent.errors import SettingsError
from firstword.agent.voice_settings import VOICE_PATTERN, VoiceSettings, read_voice
from firstword.telemetry import TelemetrySettings, TelemetrySettingsError

__all__ = [
    "VOICE_PATTERN",
    "ConversationSettings",
    "ModelSettings",
    "ServerSettings",
    "Settings",
    "TurnSettings",
    "VoiceSettings",
]

type Llm = Literal["local", "openai", "bedrock", "scripted"]
type Tools = Literal["auto", "on", "off"]

LOOPBACK_HOSTS = frozenset({"127.0.0.1", "localhost", "::1"})
LOG_LEVELS = frozenset({"debug", "info", "warning", "error"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSettings:
    """Where the agent listens, and how long it is patient with its clients. Times in seconds.

    In any second a socket gets ``frames_per_second + frame_burst`` frames at most; AgentCore
    closes one at 250.
    """

    host: str = "127.0.0.1"
    port: int = 8080
    log_level: str = "info"
    drain_s: float = 20.0
    send_s: float = 30.0
    socket_idle_s: float = 900.0
    keep_alive_s: float = 15.0
    max_body_bytes: int = 256 * 1024
    frames_per_second: float = 200.0
    frame_burst: int = 40

    @property
    def loopback(self) -> bool:
        return self.host in LOOPBACK_HOSTS


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSettings:
    """Which language model thinks. Times in seconds.

    ``join_unanswered``: a prompt of which nothing was heard is put before the next one. A small
    model answers such a pair at random, so there the first is forgotten.
    """

    llm: Llm = "local"
    model_id: str | None = None
    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    region: str | None = None
    tools: Tools = "auto"
    max_tokens: int = 512
    temperature: float = 0.3
    first_text_s: float = 60.0
    stall_s: float = 30.0
    history_chars: int = 40_000
    join_unanswered: bool = True
    script_file: Path | None = None
    script_tokens_per_second: float = 20.0

    @property
    def with_tools(self) -> bool:
        """Whether the model is offered tools: small models call them at random."""
        if self.tools == "auto":
            return self.llm in ("openai", "bedrock")
        return self.tools == "on"


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnSettings:
    """How a reply is cut and held. ``first_clause_words`` of None waits for the whole sentence."""

    first_clause_words: int | None = 4
    idle_release_s: float = 0.7
    max_prompt_chars: int = 8_000
    max_reply_chars: int = 40_000
    buffer_bytes: int = 512 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationSettings:
    """How many conversations are remembered, for how long, and how long a second prompt waits."""

    most: int = 256
    age_s: float = 3600.0
    turn_wait_s: float = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Everything the agent is told from outside."""

    server: ServerSettings = field(default_factory=ServerSettings)
    model: ModelSettings = field(default_factory=ModelSettings)
    voice: VoiceSettings = field(default_factory=VoiceSettings)
    turn: TurnSettings = field(default_factory=TurnSettings)
    conversations: ConversationSettings = field(default_factory=ConversationSettings)
    telemetry: TelemetrySettings = field(default_factory=TelemetrySettings)

    @classmethod
    def from_env(cls, environ: Mapping[str, str]) -> Settings:
        """Read the settings from environment variables; an empty one counts as not set.

        Raises:
            SettingsError: a value cannot be used. It names the variable.
        """
        read = Environment(environ)
        clause = read.integer("FIRSTWORD_FIRST_CLAUSE_WORDS", 4, 0, 50)
        return cls(
            server=_server(read),
            model=_model(read),
            voice=read_voice(read),
            turn=TurnSettings(first_clause_words=clause or None),
            conversations=ConversationSettings(
                most=read.integer("FIRSTWORD_MAX_CONVERSATIONS", 256, 1, 100_000),
                age_s=read.number("FIRSTWORD_CONVERSATION_AGE_S", 3600.0, 1.0, 7 * 86_400.0),
            ),
            telemetry=_telemetry(environ),
        )


def _telemetry(environ: Mapping[str, str]) -> TelemetrySettings:
    try:
        return TelemetrySettings.from_env(environ)
    except TelemetrySettingsError as error:
        raise SettingsError(error.variable, error.problem) from None


def _server(read: Environment) -> ServerSettings:
    return ServerSettings(
        host=read.text("FIRSTWORD_AGENT_HOST") or "127.0.0.1",
        port=read.integer("FIRSTWORD_AGENT_PORT", 8080, 0, 65_535),
        log_level=read.choice("FIRSTWORD_LOG_LEVEL", tuple(sorted(LOG_LEVELS)), "info"),
    )


def _model(read: Environment) -> ModelSettings:
    names = (*get_args(Llm.__value__), "openai-compatible")
    llm = read.choice("FIRSTWORD_LLM", names, "local").removesuffix("-compatible")
    small = llm == "local"
    return ModelSettings(
        llm=cast(Llm, llm),
        model_id=read.text("FIRSTWORD_LLM_ID"),
        base_url=_base_url(read, llm),
        api_key=read.text("FIRSTWORD_LLM_API_KEY") or read.text("OPENAI_API_KEY"),
        region=read.text("AWS_REGION") or read.text("AWS_DEFAULT_REGION"),
        tools=cast(Tools, read.choice("FIRSTWORD_LLM_TOOLS", get_args(Tools.__value__), "auto")),
        max_tokens=read.integer("FIRSTWORD_LLM_MAX_TOKENS", 160 if small else 512, 1, 32_768),
        temperature=read.number("FIRSTWORD_LLM_TEMPERATURE", 0.3, 0.0, 2.0),
        history_chars=3_000 if small else 40_000,
        join_unanswered=not small,
        script_file=_script_file(read, llm),
        script_tokens_per_second=read.number(
            "FIRSTWORD_SCRIPT_TOKENS_PER_SECOND", 20.0, 0.01, 100_000.0
        ),
    )


def _base_url(read: Environment, llm: str) -> str | None:
    name = "FIRSTWORD_LLM_BASE_URL"
    url = read.text(name)
    if url is not None:
        read.url(name, url, ("http", "https"))
    elif llm == "openai":
        raise SettingsError(name, "is not set; FIRSTWORD_LLM=openai needs a server's base URL")
    return url


def _script_file(read: Environment, llm: str) -> Path | None:
    name = "FIRSTWORD_SCRIPT_FILE"
    text = read.text(name)
    if llm != "scripted":
        return None
    if text is None:
        raise SettingsError(name, "is not set; FIRSTWORD_LLM=scripted needs a text file to say")
    path = Path(text)
    if not path.is_file():
        raise SettingsError(name, f"is {text!r}; there is no such file")
    return path
