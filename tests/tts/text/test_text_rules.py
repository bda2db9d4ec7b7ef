from __future__ import annotations

import re
from itertools import pairwise

import pytest
from firstword.tts.text.normalise import RULES, normalise
from firstword.tts.text.numerals import Accent
from firstword.tts.text.rule import Rule
from firstword.tts.text.words import Word
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

ACCENTS: st.SearchStrategy[Accent] = st.sampled_from(["us", "gb"])


def check(text: str, words: list[Word]) -> None:
    assert all(0 <= word.start < word.end <= len(text) for word in words)
    assert all(a.start <= b.start and a.end <= b.end for a, b in pairwise(words))
    for word in words:
        assert word.spoken.strip() == word.spoken != ""
        assert not re.search(r"[0-9]", word.spoken)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_whatever_a_rule_matches_can_be_said(rule: Rule) -> None:
    @settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.from_regex(rule.pattern), ACCENTS)
    def said(text: str, accent: Accent) -> None:
        check(text, normalise(text, accent))

    said()


def test_each_rule_has_a_name_of_its_own() -> None:
    names = [rule.name for rule in RULES]
    assert len(set(names)) == len(names)


@settings(max_examples=300, deadline=None)
@given(st.text(st.characters(max_codepoint=0x2FF), max_size=80), ACCENTS)
def test_any_text_can_be_normalised(text: str, accent: Accent) -> None:
    check(text, normalise(text, accent))
