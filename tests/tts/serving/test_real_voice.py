"""The server with the real Kokoro: what is asked for is what is heard."""

from __future__ import annotations

import io
import json
from collections.abc import Callable

import av
import httpx
import numpy as np
import pytest
from firstword.protocol import SynthesisComplete, Words

from tests.tts.serving.conftest import Running

pytestmark = pytest.mark.model

SENTENCES = (
    "Good morning, and welcome to the station.",
    "The next train leaves from platform four.",
    "Please mind the gap between the train and the platform.",
)


async def test_three_sentences_of_the_aws_client_are_heard_word_for_word(
    real: Running, transcribe: Callable[..., str], wer: Callable[[str, str], float]
) -> None:
    heard = bytearray()
    async with real.session() as talk:
        for text in SENTENCES:
            await talk.socket.send(json.dumps({"text": text, "voice": "af_heart"}).encode())
            frames, audio = await talk.until_last()
            assert isinstance(frames[-1], SynthesisComplete)
            assert frames[-1].samples == len(audio) // 2
            heard += audio
        await talk.say(type="close")
        assert await talk.closed() == 1000
    samples = np.frombuffer(bytes(heard), "<i2").astype(np.float32) / 32768
    assert wer(" ".join(SENTENCES), transcribe(samples)) <= 0.05


async def test_text_in_pieces_sounds_and_is_timed_like_the_text(
    real: Running, transcribe: Callable[..., str], wer: Callable[[str, str], float]
) -> None:
    whole = " ".join(SENTENCES)
    async with real.session() as talk:
        for start in range(0, len(whole), 9):
            piece = whole[start : start + 9]
            asked = {"text": piece, "request_id": "r", "continue": True, "word_timestamps": True}
            await talk.say(**asked)
        await talk.say(type="flush", request_id="r")
        frames, audio = await talk.until_last()
    words = [word for frame in frames if isinstance(frame, Words) for word in frame.words]
    assert [whole[word.text_start : word.text_end] for word in words] == [w.word for w in words]
    assert len(words) == len(whole.split())
    assert [word.start_s for word in words] == sorted(word.start_s for word in words)
    assert words[-1].end_s <= len(audio) / 48_000
    samples = np.frombuffer(audio, "<i2").astype(np.float32) / 32768
    assert wer(whole, transcribe(samples)) <= 0.05


async def test_the_same_request_gives_the_same_samples_and_an_offset_its_rest(
    real: Running,
) -> None:
    async with real.session() as talk:
        asked = {"text": SENTENCES[0], "quality": "fast"}
        await talk.say(**asked)
        _, whole = await talk.until_last()
        await talk.say(**asked, offset_samples=20_000)
        _, rest = await talk.until_last()
    assert rest == whole[40_000:]


async def test_mp3_by_openais_address_is_heard(
    real: Running, transcribe: Callable[..., str], wer: Callable[[str, str], float]
) -> None:
    body = {"model": "tts-1", "voice": "coral", "input": SENTENCES[1]}
    async with httpx.AsyncClient(base_url=real.url, timeout=120) as client:
        answer = await client.post("/v1/audio/speech", json=body)
    assert answer.status_code == 200
    with av.open(io.BytesIO(answer.content)) as container:
        assert isinstance(container, av.container.InputContainer)
        stream = container.streams.audio[0]
        blocks = [frame.to_ndarray().ravel() for frame in container.decode(stream)]
        assert stream.rate == 24_000
    samples = np.concatenate(blocks).astype(np.float32)
    assert wer(SENTENCES[1], transcribe(samples)) <= 0.15
