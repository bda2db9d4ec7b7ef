from __future__ import annotations

from collections.abc import Callable

import pytest

SAID = [
    ("snake_case_name", "snake case name"),
    ("__init__", "init"),
    ("SCREAMING_SNAKE", "screaming snake"),
    ("camelCase", "camelCase"),
    ("kebab-case", "kebab-case"),
    ("B2B", "B two B"),
    ("H2O", "H two O"),
    ("MP3s", "M P threes"),
    ("GPT-4", "GPT four"),
    ("COVID-19", "COVID nineteen"),
    ("iPhone15", "I phone fifteen"),
    ("PM2.5", "P M two point five"),
    ("x86_64", "X eighty-six sixty-four"),
    ("i7-12700K", "I seven one two seven zero zero K"),
    ("A320neo", "A three twenty neo"),
    ("MP3's end", "M P three's end"),
    ("JSON's", "jason's"),
    ("221B Baker", "two twenty-one B Baker"),
    ("T5", "T five"),
]


@pytest.mark.parametrize(("written", "spoken"), SAID)
def test_mixed_names_are_taken_apart(written: str, spoken: str, said: Callable[..., str]) -> None:
    assert said(written) == spoken
