"""The server around the torch engine: sessions in one batch, and a device that is lost."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from firstword.protocol import Error, SynthesisComplete, decode
from firstword.tts.models.voices import Voices
from firstword.tts.parts import Parts, TwoPaces
from firstword.tts.settings import Settings
from firstword.tts.speech import Speaker

from tests.tts.serving.conftest import Kit, Letters, Running, running

PATIENCE_S = 250.0
"""A bound for machines that are busy; it takes some seconds on one that is not."""

pytestmark = [pytest.mark.gpu, pytest.mark.model, pytest.mark.timeout(600)]


@pytest.fixture
async def server(engine: Any, model_folder: Path) -> AsyncIterator[Running]:
    """The phonemes are the letters: what is said does not matter here."""
    kit = Kit(Settings(model_dir=Path(), cache_dir=Path(), port=0, engine="torch"))
    rack = Voices(model_folder)
    speaker = Speaker(Letters(), engine, rack)
    kit.parts = Parts(
        TwoPaces(speaker, speaker), rack, engine.version, healthy=lambda: engine.healthy
    )
    async with running(kit) as one:
        yield one


async def test_sessions_at_the_same_time_go_through_common_forwards(
    server: Running, engine: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    batches: list[int] = []
    draw = engine.forwards.draw
    monkeypatch.setattr(
        engine._draws, "carry", lambda items: batches.append(len(items)) or draw(items)
    )

    async def said(text: str, voice: str) -> int:
        async with server.session() as talk:
            await talk.say(text=text, voice=voice, quality="exact")
            async with asyncio.timeout(PATIENCE_S):
                async for message in talk.socket:
                    frame = None if isinstance(message, bytes) else decode(message)
                    assert not isinstance(frame, Error)
                    if isinstance(frame, SynthesisComplete):
                        return frame.samples
        raise AssertionError("the session ended early")

    voices = ("af_heart", "am_michael", "bf_emma", "bm_george")
    made = await asyncio.gather(*(said("so am i", voice) for voice in voices))
    assert all(samples > 6000 for samples in made)
    assert sum(batches) == len(voices)
    assert len(batches) < len(voices), "while the first one ran the others met"


async def test_a_lost_device_makes_ping_503_for_good(server: Running, engine: Any) -> None:
    from firstword.tts.engines.torch.device import Device

    class Gone(Device):
        def probe(self) -> None:
            raise RuntimeError("CUDA error: unspecified launch failure")

    def fails(items: Any) -> Any:
        raise RuntimeError("CUDA error: unspecified launch failure")

    kept, device = engine.forwards.device, Gone("cpu")
    draw = engine.forwards._draw
    engine.forwards.device, engine.forwards._draw = device, fails
    try:
        async with httpx.AsyncClient(base_url=server.url, timeout=PATIENCE_S) as client:
            assert (await client.get("/ping")).status_code == 200
            asked = {"text": "hi", "stream": False}
            assert (await client.post("/invocations", json=asked)).status_code >= 500
            engine.forwards._draw = draw
            ping = await client.get("/ping")
            assert ping.status_code == 503
            assert (await client.get("/ping")).status_code == 503
    finally:
        engine.forwards.device, engine.forwards._draw = kept, draw
    async with httpx.AsyncClient(base_url=server.url, timeout=PATIENCE_S) as client:
        assert (await client.get("/ping")).status_code == 200
