"""What holds for any text, any cut and any options."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from firstword.chunker import Sentence, SentenceChunker, split
from hypothesis import given, settings
from hypothesis import strategies as st

ATOMS = str.split(
    """
    . ! ? ... … 。 ， 「 」 ( ) [ ] ]( " ' “ ” « » „ * ** _ ` `` ``` ~~~ | |---| --- < <b> </b>
    <br/> <!-- --> &amp; \\ : ; , — -- :) 😀 👩‍💻 🇪🇸 ❤️ Dr Mr U.S e.g etc No a.m Inc St J I He The
    the cat ran Bob iPhone 42 3.14 1,000 9:30 foo.bar http://a.b/c?d=e a@b.co 你好 こん مرحبا नमस्ते ́
    [1] [^1] Yahoo 5 ft Mai am ¿ ¡ # ## > - 1. 2) = & % $
    """
)
SPACES = [
    "",
    "",
    "",
    " ",
    " ",
    " ",
    "  ",
    "\n",
    "\n\n",
    "\r\n",
    "\r",
    "\t",
    "\u00a0",
    "\u2029",
    " " * 260,
]
MARKED = st.lists(st.tuples(st.sampled_from(ATOMS), st.sampled_from(SPACES)), max_size=40).map(
    lambda pairs: "".join(atom + space for atom, space in pairs)
)
ANY = st.text(max_size=60)
TEXTS = MARKED | ANY | st.tuples(MARKED, ANY).map("".join)

OPTIONS = st.fixed_dictionaries(
    {
        "max_chars": st.sampled_from([None, 400, 80, 30, 10, 3, 1]),
        "first_clause_words": st.sampled_from([None, None, 1, 3]),
        "spoken": st.booleans(),
    }
)
WORD = st.text(alphabet="abcdefghijklmnoprstuvw", min_size=2, max_size=8)


def cut(text: str, places: list[int]) -> list[str]:
    marks = sorted({0, len(text), *(place % (len(text) + 1) for place in places)})
    return [text[begin:end] for begin, end in pairwise(marks)]


def let_go(text: str, pieces: list[str], options: dict[str, Any]) -> list[tuple[Sentence, int]]:
    """Each sentence with the number of characters that had come when it was let go."""
    chunker = SentenceChunker(**options)
    found, came = [], 0
    for piece in pieces:
        came += len(piece)
        found += [(sentence, came) for sentence in chunker.feed(piece)]
    found += [(sentence, came + 1) for sentence in chunker.flush()]
    assert chunker.flush() == []
    assert came == len(text)
    return found


@settings(deadline=None, max_examples=200)
@given(text=TEXTS, places=st.lists(st.integers(0, 400), max_size=30), options=OPTIONS)
def test_the_cut_changes_neither_sentences_nor_when_they_go(
    text: str, places: list[int], options: dict[str, Any]
) -> None:
    """At each piece's end, exactly the sentences that one character at a time would have given."""
    single = let_go(text, list(text), options)
    pieces = cut(text, places)
    several = let_go(text, pieces, options)
    assert [s for s, _ in several] == [s for s, _ in single]
    assert [s for s, _ in let_go(text, [text], options)] == [s for s, _ in single]
    ends, came = [], 0
    for piece in pieces:
        came += len(piece)
        ends.append(came)
    for (_, late), (_, early) in zip(several, single, strict=True):
        assert late == min([end for end in ends if end >= early], default=len(text) + 1)


@settings(deadline=None, max_examples=200)
@given(text=TEXTS, options=OPTIONS)
def test_nothing_is_lost_and_spans_are_in_order(text: str, options: dict[str, Any]) -> None:
    end = 0
    for sentence in split(text, **options):
        assert sentence.text == text[sentence.start : sentence.end] == sentence.text.strip()
        assert sentence.text
        assert not text[end : sentence.start].strip()
        end = sentence.end
    assert not text[end:].strip()


@settings(deadline=None, max_examples=100)
@given(text=TEXTS, pauses=st.sets(st.integers(0, 100)), options=OPTIONS)
def test_a_pause_anywhere_loses_nothing(
    text: str, pauses: set[int], options: dict[str, Any]
) -> None:
    chunker = SentenceChunker(**options)
    sentences = []
    for index, char in enumerate(text):
        sentences += chunker.feed(char)
        if index in pauses:
            sentences += chunker.release()
    sentences += chunker.flush()
    end = 0
    for sentence in sentences:
        assert sentence.text == text[sentence.start : sentence.end]
        assert not text[end : sentence.start].strip()
        end = sentence.end
    assert not text[end:].strip()


@settings(deadline=None, max_examples=200)
@given(
    words=st.lists(WORD | st.just("3,141.59") | st.just("so,"), min_size=1), cap=st.integers(1, 60)
)
def test_the_maximum_holds_and_no_word_is_cut(words: list[str], cap: int) -> None:
    sentences = split(" ".join(words), max_chars=cap)
    assert " ".join(s.text for s in sentences).split(" ") == words
    assert all(len(s.text) <= cap or " " not in s.text for s in sentences)


@settings(deadline=None, max_examples=200)
@given(text=TEXTS, least=st.integers(0, 30))
def test_a_minimum_only_joins_sentences(text: str, least: int) -> None:
    ends = {s.end for s in split(text, max_chars=None)}
    assert {s.end for s in split(text, max_chars=None, min_chars=least)} <= ends


EMPHASIS = st.sampled_from(["*", "**", "***", "_", "__", "~~", "`"])


@settings(deadline=None, max_examples=200)
@given(
    marked=st.lists(
        st.tuples(EMPHASIS | st.none(), st.lists(WORD, min_size=1, max_size=4)), min_size=1
    ),
    cap=st.sampled_from([None, 400, 40]),
)
def test_emphasis_is_never_spoken(
    marked: list[tuple[str | None, list[str]]], cap: int | None
) -> None:
    """Marks are spoken by nobody, also where a sentence or a cut ends inside of them."""
    source = [f"{mark or ''}{' '.join(words)}{mark or ''}" for mark, words in marked]
    plain = [" ".join(words) for _, words in marked]
    has_code = any(mark == "`" for mark, _ in marked)
    spoken = " ".join(
        s.spoken for s in split(" ".join(source), max_chars=None if has_code else cap)
    )
    assert spoken.split() == " ".join(plain).split()


@settings(deadline=None, max_examples=100)
@given(text=TEXTS)
def test_without_markdown_the_text_itself_is_spoken(text: str) -> None:
    assert all(s.spoken == s.text for s in split(text, spoken=False))
