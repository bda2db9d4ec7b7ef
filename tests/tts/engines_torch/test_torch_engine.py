"""The engine behind its protocol: tickets, windows, speech that is understood, health."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from firstword.tts.engines import SAMPLE_RATE, SpokenWord, Utterance

pytestmark = [pytest.mark.gpu, pytest.mark.model, pytest.mark.timeout(600)]

SAID = Utterance("hˈI ðˈɛɹ.", (SpokenWord("Hi", 0, 2, 0, 3), SpokenWord("there.", 3, 9, 4, 9)))
OTHER = Utterance("ɡˈʊd nˈIt.", (SpokenWord("Good", 0, 4, 0, 4),))
LONGER = Utterance(
    "ʃi hæd ʤˈʌst fˈɪnɪʃt ðə lˈɛTəɹ.",
    (SpokenWord("She", 0, 3, 0, 2), SpokenWord("letter.", 22, 29, 24, 31)),
)


def samples(blocks: list[Any]) -> np.ndarray:
    return np.concatenate([block.samples for block in blocks])


def envelope(audio: np.ndarray) -> np.ndarray:
    """How loud each 20 ms are: other statistics change the fine structure, not the speech."""
    whole = audio[: audio.size // 480 * 480].reshape(-1, 480)
    return np.sqrt(np.mean(whole**2, axis=1))


def test_driven_by_nobody_else_it_speaks_all_the_same(engine: Any, style: Any) -> None:
    blocks = list(engine.synthesize(SAID, style("af_heart"), 1.0, "exact"))
    assert [bool(block.samples.size) for block in blocks] == [False, False, True]
    assert [word.text for word in blocks[-1].words] == ["Hi", "there."]
    assert np.max(np.abs(samples(blocks))) > 0.05


def test_the_same_arguments_give_the_same_samples(engine: Any, style: Any) -> None:
    """Bit for bit on one device in one company; that is what an offset relies on."""
    first, again = (
        samples(list(engine.synthesize(SAID, style("af_heart"), 1.0, "exact"))) for _ in range(2)
    )
    assert np.array_equal(first, again)


def test_windows_tell_every_word_once_and_are_close_to_the_whole(
    engine: Any, style: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("firstword.tts.engines.torch.engine.WHOLE_FRAMES", 40)
    whole = samples(list(engine.synthesize(LONGER, style("af_heart"), 1.0, "exact")))
    blocks = list(engine.synthesize(LONGER, style("af_heart"), 1.0, "fast"))
    windows = samples(blocks)
    assert [word.text for block in blocks for word in block.words] == ["She", "letter."]
    assert sum(bool(block.samples.size) for block in blocks) >= 2
    assert windows.size <= whole.size
    assert 0.7 < np.std(windows) / np.std(whole[: windows.size]) < 1.4
    assert np.corrcoef(envelope(whole[: windows.size]), envelope(windows))[0, 1] > 0.9


def test_a_word_or_two_are_as_loud_in_a_hurry(engine: Any, style: Any) -> None:
    exact, fast = (
        samples(list(engine.synthesize(SAID, style("af_heart"), 1.0, quality)))
        for quality in ("exact", "fast")
    )
    assert np.array_equal(exact, fast)


def test_tickets_of_two_sessions_are_served_in_one_forward(
    engine: Any, style: Any, snr: Callable[..., float], monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = [
        samples(list(engine.synthesize(said, style(voice), speed, "exact")))
        for said, voice, speed in ((SAID, "af_heart", 1.0), (OTHER, "bm_george", 1.2))
    ]
    batches: list[int] = []
    draw, hear = engine.forwards.draw, engine.forwards.hear
    engine._draws.carry = lambda items: batches.append(len(items)) or draw(items)
    one = engine.synthesize(SAID, style("af_heart"), 1.0, "exact")
    two = engine.synthesize(OTHER, style("bm_george"), 1.2, "exact")
    first, second = next(one).waits, next(two).waits
    assert first.kind != second.kind, "on a processor nothing is padded: lengths differ"
    first.serve([second])
    assert first.done
    assert second.done
    assert batches == [2]
    engine._draws.carry = draw
    first, second = next(one).waits, next(two).waits
    first.desk.carry = lambda items: batches.append(len(items)) or hear(items)
    first.serve([second])
    first.desk.carry = hear
    assert batches == [2, 2]
    for right, rest in zip(alone, (one, two), strict=True):
        assert snr(right, samples(list(rest))) >= 45


def test_a_failed_forward_fails_each_that_waits(engine: Any, style: Any) -> None:
    def fails(items: Any) -> Any:
        raise RuntimeError("the forward failed")

    blocks = engine.synthesize(SAID, style("af_heart"), 1.0, "exact")
    ticket = next(blocks).waits
    ticket.desk.carry, kept = fails, ticket.desk.carry
    try:
        ticket.serve()
    finally:
        ticket.desk.carry = kept
    with pytest.raises(RuntimeError, match="the forward failed"):
        next(blocks)


def test_an_unknown_phoneme_is_refused_before_anything_is_made(engine: Any, style: Any) -> None:
    with pytest.raises(ValueError, match="no phoneme"):
        next(engine.synthesize(Utterance("a1", ()), style("af_heart"), 1.0, "exact"))


def test_a_version_names_weights_precision_and_device(engine: Any) -> None:
    assert engine.version.startswith("torch-6e742170d309-r2-torch2.")
    assert engine.version.endswith("-fp32-cpu")
    assert engine.healthy


@pytest.mark.filterwarnings("ignore:open_text is deprecated:DeprecationWarning")
@pytest.mark.parametrize("quality", ["exact", "fast"])
def test_what_is_spoken_is_understood(
    engine: Any,
    model_folder: Path,
    transcribe: Callable[..., str],
    wer: Callable[[str, str], float],
    quality: str,
) -> None:
    from firstword.tts.assembly import Reading, languages
    from firstword.tts.models.voices import Voices
    from firstword.tts.speech import Speaker, SpeechJob

    text = (
        "The harbour was quiet in the early morning. Two fishing boats came home with the tide. "
        "She closed the door and walked down to the water."
    )
    speaker = Speaker(Reading(languages(), None), engine, Voices(model_folder))
    chunks = list(speaker.speak(SpeechJob(text, "af_heart", 1.0, quality)))
    audio = samples(chunks)
    assert audio.size > 4 * SAMPLE_RATE
    assert wer(text, transcribe(audio)) <= 0.05
