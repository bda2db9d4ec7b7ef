"""Whether a listener understands: the whole pipeline with the real weights, written down again."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from firstword.tts.assembly import Assembly, assemble
from firstword.tts.engines import SAMPLE_RATE
from firstword.tts.settings import Settings
from firstword.tts.speech import Chunk, SpeechJob

pytestmark = [
    pytest.mark.model,
    # misaki opens its dictionaries the old way.
    pytest.mark.filterwarnings("ignore:open_text is deprecated:DeprecationWarning"),
]

SENTENCES = (
    "The harbour was quiet in the early morning.",
    "Two fishing boats came home with the tide.",
    "Every window in the street was still dark.",
    "She closed the door and walked down to the water.",
    "By noon the market had sold all of its bread.",
    "Nobody remembered who had painted the old bridge.",
    "The train to the coast leaves from the second platform.",
    "He folded the letter and never sent it.",
)


@pytest.fixture(scope="module")
def parts(model_folder: Path) -> Assembly:
    settings = Settings.from_env(os.environ)
    return assemble(replace(settings, model_dir=model_folder))


def speak(parts: Assembly, text: str, voice: str = "af_heart", speed: float = 1.0) -> list[Chunk]:
    return list(parts.whole.speak(SpeechJob(text, voice, speed, "exact")))


def samples(chunks: list[Chunk]) -> np.ndarray:
    return np.concatenate([chunk.samples for chunk in chunks])


@pytest.mark.parametrize("voice", ["af_heart", "bm_george"])
def test_what_is_spoken_is_understood(
    parts: Assembly,
    transcribe: Callable[..., str],
    wer: Callable[[str, str], float],
    voice: str,
) -> None:
    text = " ".join(SENTENCES)
    heard = transcribe(samples(speak(parts, text, voice)))
    assert wer(text, heard) <= 0.05, heard


@pytest.mark.parametrize(
    "text", ["En route, Ann opened an old oven.", "Every hour, a harp echoed.", "Yes."]
)
def test_no_first_word_is_clipped(
    parts: Assembly,
    transcribe: Callable[..., str],
    wer: Callable[[str, str], float],
    text: str,
) -> None:
    audio = samples(speak(parts, text))
    quiet = np.zeros(SAMPLE_RATE // 2, np.float32)
    heard = transcribe(np.concatenate([quiet, audio, quiet]))
    assert heard.lower().split()[0].strip(",.") == text.lower().split()[0].strip(",.")


@pytest.mark.parametrize("text", ['"The paw!"', "Read it back to me. Word for word.", "Hi."])
def test_short_sentences_end_where_their_last_word_does(parts: Assembly, text: str) -> None:
    chunks = speak(parts, text)
    audio = samples(chunks)
    words = [word for chunk in chunks for word in chunk.words]
    after = audio[round((words[-1].end_s + 0.12) * SAMPLE_RATE) :]
    assert np.max(np.abs(after), initial=0) < 0.01
    assert audio.size / SAMPLE_RATE - words[-1].end_s < 1.0


def test_the_same_job_gives_the_same_samples(parts: Assembly) -> None:
    first, again = speak(parts, SENTENCES[0]), speak(parts, SENTENCES[0])
    assert np.array_equal(samples(first), samples(again))
    assert [chunk.words for chunk in first] == [chunk.words for chunk in again]


def test_every_word_is_timed_in_order_and_lies_in_the_text(parts: Assembly) -> None:
    text = "Dr. Smith paid $29.50 for it. Then he left."
    chunks = speak(parts, text)
    words = [word for chunk in chunks for word in chunk.words]
    assert all(word.text == text[word.start : word.end] for word in words)
    assert [word.text.strip(".,") for word in words][-3:] == ["Then", "he", "left"]
    starts = [word.start_s for word in words]
    assert starts == sorted(starts)
    assert words[-1].end_s <= samples(chunks).size / SAMPLE_RATE


@pytest.mark.parametrize("text", [".", "😊", "   ", "…", "***"])
def test_text_of_which_nothing_can_be_spoken_is_silence(parts: Assembly, text: str) -> None:
    assert sum(chunk.samples.size for chunk in speak(parts, text)) <= SAMPLE_RATE // 10


def test_a_blend_is_spoken(parts: Assembly) -> None:
    blend = samples(speak(parts, "Hello.", "af_bella(2)+af_sky(1)"))
    assert not np.array_equal(blend, samples(speak(parts, "Hello.", "af_bella")))
    assert np.max(np.abs(blend)) > 0.1
