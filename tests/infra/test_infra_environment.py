"""The names between the cloud and the services: each that is given is read, and the other way."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from firstword.agent.settings import Settings as AgentProgram
from firstword.infra.environment import (
    LEFT_TO_THE_SERVICE,
    agent_environment,
    endpoint_environment,
)
from firstword.infra.reading import read_settings
from firstword.infra.settings import AgentSettings, EndpointSettings
from firstword.tts.settings import Settings as SpeechProgram

ROOT = Path(__file__).parents[2]
STACK = {"kind": "prod", "region": "eu-west-1"}
NAME = re.compile(
    r"(FIRSTWORD|AWS(?!_ERROR)|OTEL)_[A-Z0-9_]+[A-Z0-9]|XDG_CACHE_HOME|SSL_CERT_FILE|OPENAI_API_KEY"
)


def written_in(*folders: str) -> set[str]:
    """Names of environment variables that stand in the code of these folders."""
    found: set[str] = set()
    for folder in folders:
        for path in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    name = NAME.fullmatch(node.value)
                    found |= {name.group()} if name else set()
    return found


class Watched(dict[str, str]):
    """An environment that remembers what was asked of it."""

    def __init__(self, values: Mapping[str, str]) -> None:
        super().__init__(values)
        self.asked: set[str] = set()

    def get(self, key: str, default: object = None) -> object:  # type: ignore[override]
        self.asked.add(key)
        return super().get(key, default)

    def __getitem__(self, key: str) -> str:
        self.asked.add(key)
        return super().__getitem__(key)

    def __contains__(self, key: object) -> bool:
        self.asked.add(str(key))
        return super().__contains__(key)


def speech() -> dict[str, str]:
    settings = read_settings("prod-endpoint", STACK | {"quality": "exact", "logLevel": "debug"})
    assert isinstance(settings, EndpointSettings)
    return endpoint_environment(settings)


def agent() -> dict[str, str]:
    settings = read_settings("prod-agent", STACK | {"voice": "bf_emma", "logLevel": "debug"})
    assert isinstance(settings, AgentSettings)
    return agent_environment(settings, "firstword-prod-tts")


def test_everything_given_to_the_speech_server_is_read_by_it() -> None:
    watched = Watched(speech())
    SpeechProgram.from_env(watched)
    assert set(speech()) <= watched.asked


def test_everything_given_to_the_agent_is_read_by_it() -> None:
    watched = Watched(agent())
    AgentProgram.from_env(watched)
    assert set(agent()) <= watched.asked


@pytest.mark.parametrize("part", ["tts", "agent"])
def test_everything_that_a_service_reads_is_given_or_left_with_a_reason(part: str) -> None:
    given = {"tts": speech, "agent": agent}[part]()
    program = {"tts": SpeechProgram, "agent": AgentProgram}[part]
    watched = Watched(given)
    program.from_env(watched)
    read = written_in(f"services/{part}/src", "libs/telemetry/src") | watched.asked
    assert read - set(given) - set(LEFT_TO_THE_SERVICE) == set()


def test_nothing_is_left_to_a_service_that_no_service_reads() -> None:
    watched = Watched(speech() | agent())
    SpeechProgram.from_env(watched)
    AgentProgram.from_env(watched)
    folders = ("services/tts/src", "services/agent/src", "libs/telemetry/src")
    assert set(LEFT_TO_THE_SERVICE) <= written_in(*folders) | watched.asked
    assert not set(LEFT_TO_THE_SERVICE) & (set(speech()) & set(agent()))
    assert all(LEFT_TO_THE_SERVICE.values())


def test_the_speech_server_does_what_the_stack_says() -> None:
    program = SpeechProgram.from_env(speech())
    assert (program.host, program.port) == ("0.0.0.0", 8080)
    assert (program.engine, program.quality) == ("torch", "exact")
    assert program.limits.wait_s == 2
    assert str(program.model_dir) == "/opt/ml/model"
    assert program.log_level == "debug"


def test_the_agent_does_what_the_stack_says() -> None:
    program = AgentProgram.from_env(agent())
    assert (program.server.host, program.server.port) == ("0.0.0.0", 8080)
    assert program.model.llm == "bedrock"
    assert program.model.region == "eu-west-1"
    assert program.voice.voice == "bf_emma"
