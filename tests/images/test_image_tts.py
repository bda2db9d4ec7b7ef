"""The speech server's container, run the way SageMaker runs it: ``serve`` and a mounted model."""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from images.docker_engine import SPEAK, Container, Engine

pytestmark = [pytest.mark.docker, pytest.mark.model, pytest.mark.timeout(1800)]

TEXT = "The quick brown fox jumps over the lazy dog."
STOP_S = 30
"""Seconds between SageMaker's SIGTERM and its SIGKILL."""

READ_ONLY = ("--read-only", "--tmpfs", "/tmp", "--cap-drop", "ALL")


def model(folder: Path) -> list[str]:
    return ["--volume", f"{folder}:/opt/ml/model:ro"]


@pytest.fixture
def served(engine: Engine, tts_image: str, model_folder: Path) -> Iterator[Container]:
    """A healthy container with its port on loopback."""
    options = [*model(model_folder), "--publish", "127.0.0.1::8080"]
    with engine.run(tts_image, *options, command=["serve"]) as container:
        container.until_healthy(f"http://{container.published(8080)}")
        yield container


@pytest.mark.parametrize("options", [(), READ_ONLY], ids=["plain", "read-only"])
def test_it_speaks_with_a_mounted_model_and_no_network(
    engine: Engine,
    tts_image: str,
    model_folder: Path,
    transcribe: Callable[..., str],
    wer: Callable[[str, str], float],
    options: tuple[str, ...],
) -> None:
    cut_off = ["--network", "none", *model(model_folder), *options]
    with engine.run(tts_image, *cut_off, command=["serve"]) as container:
        container.until_healthy()
        heard = transcribe(container.python(SPEAK, TEXT))
        assert wer(TEXT, heard) <= 0.2, heard
        assert "kernels do not run here" not in container.logs


def test_without_weights_it_ends_and_says_how_to_get_them(engine: Engine, tts_image: str) -> None:
    with engine.run(tts_image, "--network", "none", command=["serve"]) as container:
        assert engine("wait", container.name) == "1"
        assert "firstword models fetch" in container.logs


class Reader(threading.Thread):
    """Reads a streamed answer to its end, in raw PCM."""

    def __init__(self, address: str, text: str) -> None:
        super().__init__()
        self.first = threading.Event()
        self.got = 0
        self.whole = False
        self._address, self._text = address, text

    def run(self) -> None:
        connection = http.client.HTTPConnection(self._address, timeout=60)
        body = json.dumps({"text": self._text, "format": "pcm"})
        try:
            connection.request("POST", "/invocations", body, {"content-type": "application/json"})
            answer = connection.getresponse()
            while data := answer.read1(65536):
                self.got += len(data)
                self.first.set()
            self.whole = True
        except (http.client.IncompleteRead, ConnectionError):
            pass
        finally:
            self.first.set()
            connection.close()


@pytest.mark.parametrize(
    ("sentences", "finishes"), [(3, True), (400, False)], ids=["short", "long"]
)
def test_sigterm_ends_a_synthesis_or_cuts_it_in_time(
    engine: Engine, served: Container, sentences: int, finishes: bool
) -> None:
    reader = Reader(served.published(8080), " ".join([TEXT] * sentences))
    reader.start()
    assert reader.first.wait(60)
    assert reader.got > 0
    asked = time.monotonic()
    engine("kill", "--signal", "TERM", served.name)
    status = engine("wait", served.name)
    took = time.monotonic() - asked
    reader.join(10)
    assert not reader.is_alive()
    assert status == "0", served.logs
    assert took < STOP_S
    assert reader.whole is finishes
