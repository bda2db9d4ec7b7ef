"""Real processes on loopback, with the network beyond this machine cut off."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from e2e.processes import Server, start


@pytest.fixture(scope="session")
def serve() -> Iterator[Callable[..., Server]]:
    """``serve(arguments, environment)``: a server that is stopped when the tests are over."""
    running: list[Server] = []

    def begin(arguments: list[str], environment: Mapping[str, str] | None = None) -> Server:
        server = start(arguments, environment or {})
        running.append(server)
        return server

    yield begin
    for server in reversed(running):
        if server.process.poll() is None:
            server.stop()


@pytest.fixture(scope="session")
def tts(serve: Callable[..., Server], model_folder: Path) -> Server:
    """The speech server with the real weights."""
    return serve(
        ["-m", "firstword.tts", "serve"],
        {"FIRSTWORD_TTS_PORT": "0", "FIRSTWORD_MODEL_DIR": str(model_folder)},
    )


@pytest.fixture(scope="session")
def agent(serve: Callable[..., Server], tts: Server) -> Server:
    """The agent with the real small language model, speaking through ``tts``."""
    return serve(
        ["-m", "firstword.agent", "serve"],
        {"FIRSTWORD_AGENT_PORT": "0", "FIRSTWORD_TTS_URL": tts.socket_url},
    )
