"""The images, built once from this tree by the machine's Docker engine."""

from __future__ import annotations

import pytest
from images.docker_engine import Engine, EngineError


@pytest.fixture(scope="session")
def engine() -> Engine:
    """The engine; the test fails where none answers."""
    try:
        return Engine.found()
    except EngineError as error:
        pytest.fail(f'{error} (here: tools/docker/install; eval "$(tools/docker/up)")')


@pytest.fixture(scope="session")
def tts_image(engine: Engine) -> str:
    """The speech server for a CPU."""
    return engine.build("tts", "firstword-tts:cpu", "--target", "cpu")


@pytest.fixture(scope="session")
def agent_image(engine: Engine) -> str:
    """The agent."""
    return engine.build("agent", "firstword-agent:agent", "--target", "agent")


@pytest.fixture(scope="session")
def console_image(engine: Engine) -> str:
    """The page."""
    return engine.build("console", "firstword-console:console", "--target", "console")
