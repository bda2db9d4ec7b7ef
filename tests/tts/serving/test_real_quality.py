"""The server with the real Kokoro: each quality is understood, and fast sounds as good as exact."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from firstword.bench.ear import EAR_RATE
from firstword.bench.mos import Mos, Opinion
from firstword.protocol import SynthesisComplete, SynthesisStart
from firstword.tts.audio import Resampler
from numpy.typing import NDArray

from tests.tts.serving.conftest import Running

pytestmark = [pytest.mark.model, pytest.mark.timeout(900)]

type Samples = NDArray[np.float32]

SENTENCES = (
    "Good morning, and thank you for calling.",
    "The meeting has been moved to three o'clock in the afternoon.",
    "It will be cloudy today, with some rain towards the evening.",
    "I have turned off the lights in the kitchen and the hall.",
    "You have two new messages, and one of them is from your sister.",
    "Turn left at the church and follow the road to the river.",
    "The museum shows pictures by young artists from all over the country.",
    "As far as I know, the last train leaves before midnight.",
    "There is no need to print this letter, a copy is enough.",
    "If you are late, somebody will wait for you at the door.",
    "We walked along the beach until the sun went down.",
    "He wrote a long letter to his friend and forgot to post it.",
)


@pytest.fixture(scope="module")
def mos() -> Mos:
    return Mos(2)


async def said(real: Running, voice: str, quality: str) -> tuple[list[str], list[Samples]]:
    """The qualities told, and each sentence's samples, all asked on one connection at once."""
    told: list[str] = []
    audio: list[Samples] = []
    async with real.session() as talk:
        for text in SENTENCES:
            await talk.say(text=text, voice=voice, quality=quality)
        for _ in SENTENCES:
            frames, data = await talk.until_last()
            assert isinstance(frames[-1], SynthesisComplete)
            told += [frame.quality for frame in frames if isinstance(frame, SynthesisStart)]
            audio.append(np.frombuffer(data, "<i2").astype(np.float32) / 32768)
    return told, audio


def opinion(mos: Mos, audio: Sequence[Samples]) -> Opinion:
    """The mean over the sentences."""
    judged = []
    for samples in audio:
        resampler = Resampler(EAR_RATE)
        judged.append(mos.judge(np.concatenate([resampler.feed(samples), resampler.flush()])))
    return Opinion(*np.mean(judged, axis=0))


@pytest.mark.parametrize("voice", ["am_michael", "bf_emma"])
async def test_fast_speech_is_understood_and_sounds_as_good_as_exact_speech(
    real: Running,
    mos: Mos,
    transcribe: Callable[..., str],
    wer: Callable[[str, str], float],
    voice: str,
) -> None:
    opinions = {}
    for quality in ("exact", "fast"):
        told, audio = await said(real, voice, quality)
        assert set(told) == {quality}
        heard = transcribe(np.concatenate(audio))
        assert wer(" ".join(SENTENCES), heard) <= 0.05, heard
        opinions[quality] = opinion(mos, audio)
    assert opinions["exact"].overall >= 3
    assert opinions["fast"].overall == pytest.approx(opinions["exact"].overall, abs=0.1)
    assert opinions["fast"].p808 == pytest.approx(opinions["exact"].p808, abs=0.1)


async def test_speech_whose_quality_follows_the_slack_is_understood(
    real: Running, transcribe: Callable[..., str], wer: Callable[[str, str], float]
) -> None:
    told, audio = await said(real, "af_heart", "auto")
    assert told[0] == "fast"
    heard = transcribe(np.concatenate(audio))
    assert wer(" ".join(SENTENCES), heard) <= 0.05, heard
