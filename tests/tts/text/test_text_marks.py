from __future__ import annotations

from collections.abc import Callable

import pytest
from firstword.tts.text.normalise import normalise

MARKED = [
    ('"Hello," she said.', "“Hello,” she said."),
    ("He said (quietly): no!", "He said (quietly): no!"),
    ("Wait... what?!", "Wait… what?!"),
    ("Stop!!! Now", "Stop! Now"),
    ("word—word – word -- word - word", "word — word — word — word — word"),
    ("[brackets] {braces}", "(brackets) (braces)"),
    ("It's 'quoted' and dogs' toys", "It's quoted and dogs toys"),
    ("call foo() now", "call foo now"),
    ("approx. the same, reb., and more", "approximately the same, reb, and more"),
    ("«Oui», dit-elle", "“Oui”, dit-elle"),
    ("* - > item", "item"),
    ("a, , b", "a, b"),
]


@pytest.mark.parametrize(("written", "spoken"), MARKED)
def test_marks_are_kept_that_the_model_hears(
    written: str, spoken: str, said: Callable[..., str]
) -> None:
    assert said(written) == spoken


SCRIPTS = [
    ("Привет мир", "privet mir"),
    ("Ελλάδα", "ellada"),
    ("你好世界", "ni hao shi jie"),
    ("こんにちは", "konnichiha"),
    ("안녕하세요", "an nyeong ha se yo"),
    ("Tokyo (東京) is big", "Tokyo (dong jing) is big"),
    ("café in Gdańsk", "café in Gdańsk"),
]


@pytest.mark.parametrize(("written", "spoken"), SCRIPTS)
def test_other_scripts_are_said_in_latin_letters(
    written: str, spoken: str, said: Callable[..., str]
) -> None:
    assert said(written) == spoken


@pytest.mark.parametrize(
    "text", ["", " ", "...", "😀", '😊"', "—", "🇩🇪👍🏽!", "\ud83d", "\u200b", "()"]
)
def test_where_there_is_nothing_to_say_there_are_no_words(text: str) -> None:
    assert normalise(text, "us") == []


def test_words_know_their_place_in_the_source() -> None:
    text = "“It’s $100,” she said at 9:30PM."
    words = normalise(text, "us")
    assert [(text[w.start : w.end], w.spoken) for w in words] == [
        ("It’s", "It's"),
        ("$100", "one hundred dollars"),
        ("she", "she"),
        ("said", "said"),
        ("at", "at"),
        ("9:30", "nine thirty"),
        ("PM", "P M"),
    ]


def test_each_part_of_a_date_keeps_its_own_place() -> None:
    text = "On Nov 29, 2026 we met."
    spans = [(text[w.start : w.end], w.spoken) for w in normalise(text, "us")]
    assert spans[1:4] == [
        ("Nov", "November"),
        ("29", "twenty-ninth"),
        ("2026", "twenty twenty-six"),
    ]


def test_long_words_and_long_wordings_come_in_pieces() -> None:
    words = normalise("a" * 1_000 + " " + "1" * 1_000, "us")
    assert max(len(word.spoken) for word in words) <= 80
    letters = [word for word in words if word.spoken.startswith("a")]
    assert sum(word.end - word.start for word in letters) == 1_000


FLOODS = [
    "1" * 50_000 + ".",
    "a" * 20_000,
    "1," * 10_000,
    "1." * 10_000,
    "a.b" * 6_000,
    "((((" * 4_000,
    "http://" * 2_000,
    "/a" * 10_000,
    "a@" * 10_000,
    "$1" * 10_000,
    "<a " * 6_000,
    "\"'" * 10_000,
    "你好" * 10_000,
    "a_" * 10_000,
    "A." * 10_000,
    "5'" * 10_000,
    "&amp" * 4_000,
    "a\u0301" * 10_000,
    "\u0301" * 20_000,
]


@pytest.mark.timeout(60)
@pytest.mark.parametrize("text", FLOODS, ids=lambda text: repr(text[:6]))
def test_floods_take_linear_time(text: str) -> None:
    normalise(text, "us")  # quadratic rules would take minutes
