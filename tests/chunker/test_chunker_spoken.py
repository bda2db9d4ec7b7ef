"""Markdown to what a voice says."""

from __future__ import annotations

import pytest
from firstword.chunker import SentenceChunker, split


def spoken(text: str) -> list[str]:
    return [s.spoken for s in split(text) if s.spoken]


@pytest.mark.parametrize(
    ("marked", "said"),
    [
        ("# Setup", "Setup"),
        ("**Bold** and `code`.", "Bold and code."),
        ("Some *soft*, __loud__ and ***both***.", "Some soft, loud and both."),
        ("Not ~~this~~ that, about ~5.", "Not this that, about ~5."),
        ("See [the docs](http://a.b/c_d_e) now.", "See the docs now."),
        ("See [*the* `docs`](http://a.b 'Title') now.", "See the docs now."),
        ("See [wiki](https://x.org/a_(b)) now.", "See wiki now."),
        ("See [the docs][1] and [2][3].", "See the docs and [2][3]."),
        ("![A cat](cat.png) sleeps.", "A cat sleeps."),
        ("A fact[^1] is [4].", "A fact is [4]."),
        ("Keep snake_case, _private and 2*3*4.", "Keep snake_case, private and 2*3*4."),
        ("Keep 2 * 3, 2**8 and a ** b.", "Keep 2 * 3, 2**8 and a ** b."),
        ("Files *.py and A* search.", "Files *.py and A* search."),
        ("这是**重点**内容。", "这是重点内容。"),
        (r"Say \*this\* and 1\. that.", "Say *this* and 1. that."),
        ("AT&amp;T &copy; 5 &lt; 6.", "AT&T © 5 < 6."),
        ("Go to <https://a.b/c> or <x@y.z>.", "Go to https://a.b/c or x@y.z."),
        ("Go to https://a.b/c_d_e now.", "Go to https://a.b/c_d_e now."),
        ("<b>Loud</b> H<sub>2</sub>O<br>next.", "Loud H2O next."),
        ('Wait <break time="1s"/> here.', "Wait here."),
        ("If a<b then vector<T> and 3 < 4 > 2.", "If a<b then vector<T> and 3 < 4 > 2."),
        ("A <!-- not. This --> word.", "A word."),
        ("I love it 😍. Thanks 🙏!", "I love it. Thanks!"),
        ("Flags 🇪🇸🇫🇷 and 👩🏽‍💻 gone.", "Flags and gone."),
        ("We win :) now ;-).", "We win now."),
        ("``a ` b`` is code.", "a ` b is code."),
        ("A lone ` tick.", "A lone tick."),
        ("Call `foo_bar(*a, **k)` now.", "Call foo_bar(*a, **k) now."),
        ("- [x] Ship it", "Ship it"),
        ("1. Open it", "1. Open it"),
        ("> > Deep *quote*", "Deep quote"),
        ("> - Item in a quote", "Item in a quote"),
        ("## Closed ##", "Closed"),
        ("| A | **B** | `a|b` |", "A, B, a, b"),
        ("| A \\| B | C |", "A | B, C"),
        ("**Note:** a lone * star", "Note: a lone * star"),
        ("I’m sure it’s fine.", "I’m sure it’s fine."),
    ],
)
def test_marks_are_not_said(marked: str, said: str) -> None:
    assert " ".join(spoken(marked)) == said


@pytest.mark.parametrize(
    "silent",
    [
        "```\nx = 1\n```", "~~~py\nx\n~~~", "---", "* * *", "|---|:-:|", "?!", "😊\"", "🎉🎉",
        "[1]: http://a.b", "<div>",
    ],
)  # fmt: skip
def test_what_is_only_shown_is_not_said(silent: str) -> None:
    sentences = split(f"Before.\n\n{silent}\n\nAfter.")
    assert [s.text for s in sentences] == ["Before.", silent, "After."]
    assert [s.spoken for s in sentences] == ["Before.", "", "After."]


def test_emphasis_spans_sentences_of_a_block() -> None:
    text = "**One is bold. Two is too.** Three is *not. Four\n\nFive* is."
    assert spoken(text) == ["One is bold.", "Two is too.", "Three is not.", "Four", "Five is."]


def test_emphasis_is_known_although_its_end_has_not_come() -> None:
    chunker = SentenceChunker()
    assert [s.spoken for s in chunker.feed("It is *very good. ")] == ["It is very good."]
    chunker.feed("And* so on")
    assert [s.spoken for s in chunker.flush()] == ["And so on"]


def test_a_link_over_two_sentences_is_not_spelled() -> None:
    assert spoken("[Read this. Then that](http://a.b/c) now.") == ["[Read this.", "Then that now."]


def test_a_fence_in_the_middle_of_a_line_begins_code() -> None:
    assert spoken("Use ```\na. B.\n```\nNow.") == ["Use", "Now."]


def test_a_fence_that_is_never_closed_is_code_to_the_end() -> None:
    assert spoken("Look:\n```py\nx = 1. Y\n\nz = 2") == ["Look:"]


def test_a_longer_fence_holds_a_shorter_one() -> None:
    assert spoken("````\n```\nin. Here\n```\n````\nOut.") == ["Out."]


def test_a_table_ends_with_a_blank_line() -> None:
    text = "a | b\n---|---\n1 | 2\n3 | 4\n\nText | more. And more."
    assert spoken(text)[1:] == ["1, 2", "3, 4", "Text | more.", "And more."]


def test_without_spoken_text_the_marks_stay() -> None:
    assert [s.spoken for s in split("**Go.** Now.", spoken=False)] == ["**Go.**", "Now."]
