"""Ways to cut a text into pieces, and the cases that say what its sentences are."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from firstword.chunker import Sentence, SentenceChunker

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Case:
    """A text and its sentences, or another right answer."""

    text: str
    answers: tuple[tuple[str, ...], ...]
    spoken: tuple[str, ...] | None
    fragments: tuple[str, ...] | None
    hard: bool
    name: str


def read_cases(path: Path) -> list[Case]:
    cases = []
    for index, line in enumerate(path.read_text(encoding="utf-8").split("\n")):
        if line:
            cases.append(_case(json.loads(line), f"{path.stem}-{index + 1}"))
    return cases


def _case(row: dict[str, Any], name: str) -> Case:
    spoken, fragments = row.get("spoken"), row.get("fragments")
    return Case(
        text=row["text"],
        answers=(tuple(row["sentences"]), *map(tuple, row.get("alt", []))),
        spoken=None if spoken is None else tuple(spoken),
        fragments=None if fragments is None else tuple(fragments),
        hard=row.get("hard", False),
        name=f"{name}-{row['group']}",
    )


def cut_at_random(text: str, seed: int) -> list[str]:
    """``text`` in pieces of 1 to 9 characters."""
    dice = random.Random(seed)
    pieces, at = [], 0
    while at < len(text):
        end = at + dice.randint(1, 9)
        pieces.append(text[at:end])
        at = end
    return pieces


def feed_all(pieces: Iterable[str], **options: Any) -> list[Sentence]:
    chunker = SentenceChunker(**options)
    sentences = [sentence for piece in pieces for sentence in chunker.feed(piece)]
    return sentences + chunker.flush()


CASES = read_cases(HERE / "cases.jsonl") + read_cases(HERE / "more_cases.jsonl")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "case" in metafunc.fixturenames:
        metafunc.parametrize("case", CASES, ids=[case.name for case in CASES])


@pytest.fixture(scope="session")
def feed() -> Callable[..., list[Sentence]]:
    """``feed(pieces, **options)``: the sentences of a text that comes in pieces."""
    return feed_all


@pytest.fixture(scope="session")
def at_random() -> Callable[[str, int], list[str]]:
    """``at_random(text, seed)``: the text in pieces of 1 to 9 characters."""
    return cut_at_random
