"""Voices by name and in blends."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest
from firstword.tts.models import ModelsMissingError, UnknownVoiceError, VoiceError
from firstword.tts.models import voices as voices_module
from firstword.tts.models.voices import MAX_PARTS, Voice, Voices
from hypothesis import given
from hypothesis import strategies as st

NAMES = ("af_bella", "af_heart", "af_sky", "bf_emma", "bm_george", "jf_alpha")


@pytest.fixture(scope="session")
def rack(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("rack")
    (folder / "voices").mkdir()
    for i, name in enumerate(NAMES, 1):
        np.full((510, 256), i, "<f4").tofile(folder / "voices" / f"{name}.bin")
    (folder / "voices" / "readme.bin").write_bytes(b"not a voice")
    return folder


@pytest.fixture
def voices(rack: Path) -> Voices:
    return Voices(rack)


def test_the_list_has_what_can_be_spoken(voices: Voices) -> None:
    assert [voice.id for voice in voices.list()] == [n for n in NAMES if n != "jf_alpha"]
    assert voices.list()[0] == Voice("af_bella", "Bella", "en-us", "female", "A-")
    assert voices.list()[-1] == Voice("bm_george", "George", "en-gb", "male", "C")


def test_a_style_is_read_only_float32(voices: Voices) -> None:
    style = voices.style("af_heart")
    assert (style.shape, style.dtype) == ((510, 256), np.dtype(np.float32))
    assert float(style[0, 0]) == 2.0
    with pytest.raises(ValueError, match="read-only"):
        style[0, 0] = 1


def test_a_blend_is_the_weighted_mean(voices: Voices) -> None:
    assert float(voices.style("af_bella(2)+af_sky(1)")[0, 0]) == pytest.approx((2 * 1 + 3) / 3)
    assert float(voices.style(" af_bella + af_sky ")[7, 7]) == pytest.approx(2.0)
    assert float(voices.style("af_bella(0.5)+af_sky(1.5)")[1, 2]) == pytest.approx(2.5)


def test_only_the_proportion_of_the_weights_matters(voices: Voices) -> None:
    assert voices.style("af_bella(2)+af_sky(1)") is voices.style("af_bella(4)+af_sky(2)")
    assert voices.style("af_bella(7)") is voices.style("af_bella")


def test_the_first_name_says_the_language(voices: Voices) -> None:
    assert voices.language("bf_emma(1)+af_heart(3)") == "b"
    assert voices.language("af_heart+jf_alpha") == "a"


def test_an_unknown_voice_is_answered_with_names_near_it(voices: Voices) -> None:
    with pytest.raises(UnknownVoiceError, match="af_heart") as failed:
        voices.style("af_hart")
    assert failed.value.code == "unknown_voice"
    assert failed.value.near[0] == "af_heart"


@pytest.mark.parametrize(
    "spec", ["", "+", "nobody", "../voices/af_heart", "AF_HEART", "af_heart\0", "readme", "af_"]
)
def test_only_names_on_the_list_are_voices(voices: Voices, spec: str) -> None:
    with pytest.raises(UnknownVoiceError):
        voices.style(spec)


@pytest.mark.parametrize(
    "spec",
    [
        "af_heart(0)",
        "af_heart(-1)",
        "af_heart()",
        "af_heart(.)",
        "af_heart(1001)",
        "af_heart(1e3)",
        "af_heart(nan)",
        "af_heart(inf)",
        "af_heart(1)(2)",
        "af_heart(1)-af_sky(1)",
        "+".join(["af_heart"] * (MAX_PARTS + 1)),
        "af_heart" * 40,
    ],
)
def test_a_blend_that_makes_no_sense_is_refused(voices: Voices, spec: str) -> None:
    with pytest.raises(VoiceError) as failed:
        voices.style(spec)
    assert failed.value.code == "bad_voice"


def test_a_voice_of_a_language_that_is_not_installed_is_refused_with_the_reason(
    voices: Voices, rack: Path
) -> None:
    with pytest.raises(VoiceError, match=r"speaks ja.*spoken here: en-gb, en-us") as failed:
        voices.style("jf_alpha")
    assert failed.value.code == "unsupported_language"
    assert Voices(rack, languages=("j",)).style("jf_alpha").shape == (510, 256)


def test_blends_are_kept_but_not_all_of_them(rack: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(voices_module, "KEPT_STYLES", 4)
    voices = Voices(rack)
    first = voices.style("af_bella(3)+af_sky(1)")
    assert voices.style("af_bella(3)+af_sky(1)") is first
    for weight in range(10, 20):
        voices.style(f"af_bella({weight})+af_sky(1)")
    assert voices.style("af_bella(3)+af_sky(1)") is not first


def test_many_threads_may_ask_at_once(voices: Voices) -> None:
    results: list[float] = []
    threads = [
        threading.Thread(
            target=lambda: results.append(float(voices.style("af_bella+af_sky")[0, 0]))
        )
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert results == [2.0] * 8


def test_a_folder_without_voices_says_what_to_run(tmp_path: Path) -> None:
    with pytest.raises(ModelsMissingError, match="firstword models fetch"):
        Voices(tmp_path)


def test_half_a_voice_is_not_spoken_with(tmp_path: Path) -> None:
    (tmp_path / "voices").mkdir()
    (tmp_path / "voices" / "af_heart.bin").write_bytes(b"\0" * 4096)
    with pytest.raises(ModelsMissingError, match="incomplete"):
        Voices(tmp_path).style("af_heart")


@given(st.text(max_size=300) | st.text("af_sky(2.)+ -", max_size=40))
def test_no_text_does_more_than_be_refused(rack: Path, spec: str) -> None:
    try:
        style = Voices(rack).style(spec)
    except VoiceError:
        return
    assert np.isfinite(style).all()
