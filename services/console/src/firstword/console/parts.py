"""What the console starts: the speech server and the agent, told of each other by environment."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from firstword.console.child import Part
from firstword.console.ports import claim
from firstword.console.settings import Settings
from firstword.console.wire import SageMakerWire

TTS = "speech server"
AGENT = "agent"

TTS_PROGRAM = (sys.executable, "-m", "firstword.tts")
AGENT_PROGRAM = (sys.executable, "-m", "firstword.agent")
BENCH_PROGRAM = (sys.executable, "-m", "firstword.bench")
INFRA_PROGRAM = (sys.executable, "-m", "firstword.infra")


@dataclass(frozen=True, slots=True)
class Script:
    """A text for the scripted model to say instead of thinking, and at which rate."""

    file: Path
    tokens_per_second: float | None = None


def local_parts(
    settings: Settings,
    *,
    tts_port: int,
    agent_port: int,
    script: Script | None = None,
    wire: SageMakerWire | None = None,
) -> tuple[Part, ...]:
    """Both servers on 127.0.0.1, and what ``wire`` puts between them; port 0 picks a free one.

    Raises PortError.
    """
    tts_port = claim(tts_port, "--tts-port")
    agent_port = claim(agent_port, "--agent-port")
    common = {**settings.environ, "PYTHONUNBUFFERED": "1"}
    tts = {"FIRSTWORD_TTS_HOST": "127.0.0.1", "FIRSTWORD_TTS_PORT": str(tts_port)}
    agent = {
        "FIRSTWORD_AGENT_HOST": "127.0.0.1",
        "FIRSTWORD_AGENT_PORT": str(agent_port),
        "FIRSTWORD_WIRE": "websocket",
        "FIRSTWORD_TTS_URL": f"ws://127.0.0.1:{tts_port}",
        **_script(script),
    }
    deadline_s = settings.start_timeout_s
    speech = Part(TTS, (*TTS_PROGRAM, "serve"), {**common, **tts}, deadline_s)
    agent_argv = (*AGENT_PROGRAM, "serve")
    if wire is None:
        return speech, Part(AGENT, agent_argv, {**common, **agent}, deadline_s)
    runtime = wire.part(f"http://127.0.0.1:{tts_port}", common, deadline_s)
    return speech, runtime, Part(AGENT, agent_argv, wire.agent({**common, **agent}), deadline_s)


def _script(script: Script | None) -> Mapping[str, str]:
    if script is None:
        return {}
    env = {"FIRSTWORD_LLM": "scripted", "FIRSTWORD_SCRIPT_FILE": str(script.file.resolve())}
    if script.tokens_per_second is not None:
        env["FIRSTWORD_SCRIPT_TOKENS_PER_SECOND"] = str(script.tokens_per_second)
    return env
