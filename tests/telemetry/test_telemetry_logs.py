"""Log lines keep their pairs in both formats, carry the turn's ids, and quote no exception."""

from __future__ import annotations

import asyncio
import io
import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from firstword.telemetry import configure, identified
from firstword.telemetry.logs import JsonLines, TextLines

SECRET = "the words that were said"


class Book:
    """A logger and what it wrote."""

    def __init__(self, formatter: logging.Formatter) -> None:
        self.stream = io.StringIO()
        handler = logging.StreamHandler(self.stream)
        handler.setFormatter(formatter)
        self.logger = logging.Logger("a.module")
        self.logger.addHandler(handler)

    @property
    def text(self) -> str:
        return self.stream.getvalue()

    def objects(self) -> list[dict[str, str]]:
        return [json.loads(line) for line in self.text.splitlines()]


@pytest.fixture
def text() -> Book:
    return Book(TextLines())


@pytest.fixture
def jsonl() -> Book:
    return Book(JsonLines())


def test_pairs_become_fields(jsonl: Book) -> None:
    jsonl.logger.warning("request_id=<%s>, seq=<%d> | sentence was not said", "r-1", 3)
    [line] = jsonl.objects()
    assert line.pop("time").endswith("+00:00")
    assert line == {
        "level": "WARNING",
        "logger": "a.module",
        "message": "sentence was not said",
        "request_id": "r-1",
        "seq": "3",
    }


@pytest.mark.parametrize(
    "message",
    ["server started", "a=<1>", "a=<1>, b=<2>", "x = <y> | z", "says a=<1> | b", "", "a=<1 | b"],
)
def test_a_message_without_pairs_stays_whole(jsonl: Book, message: str) -> None:
    jsonl.logger.info(message)
    [line] = jsonl.objects()
    assert line["message"] == message
    assert set(line) == {"time", "level", "logger", "message"}


def test_odd_values_stay_in_their_fields(jsonl: Book) -> None:
    jsonl.logger.info("id=<%s>, message=<%s> | what | now?", "a>b|c\n", "<x>")
    [line] = jsonl.objects()
    assert line["id"] == "a>b|c\n"
    assert line["message_"] == "<x>"
    assert line["message"] == "what | now?"


def test_the_ids_of_the_turn_are_added_once(text: Book) -> None:
    with identified(request_id="r-1", trace_id="t-1", session_id=None):
        text.logger.info("code=<%s> | model failed", "x")
        text.logger.info("request_id=<%s> | turn broke down", "r-1")
        text.logger.info("plain")
    text.logger.info("after")
    heads = [line.split(" a.module | ")[1] for line in text.text.splitlines()]
    assert heads == [
        "request_id=<r-1>, trace_id=<t-1>, code=<x> | model failed",
        "request_id=<r-1>, trace_id=<t-1> | turn broke down",
        "request_id=<r-1>, trace_id=<t-1> | plain",
        "after",
    ]


def test_an_id_cannot_begin_a_line_of_its_own(text: Book) -> None:
    with identified(request_id="r\n2026 ERROR root | forged"):
        text.logger.info("plain")
    assert len(text.text.splitlines()) == 1


async def test_the_ids_reach_the_tasks_of_a_turn_and_no_other(jsonl: Book) -> None:
    async def speak(delay: int) -> None:
        for _ in range(delay):
            await asyncio.sleep(0)
        jsonl.logger.info("said")

    async def turn(name: str, delay: int) -> None:
        with identified(request_id=name):
            async with asyncio.TaskGroup() as rooms:
                rooms.create_task(speak(delay))

    await asyncio.gather(turn("one", 3), turn("two", 1), speak(2))
    assert [line.get("request_id") for line in jsonl.objects()] == ["two", None, "one"]


def failures() -> Iterator[Exception]:
    try:
        try:
            raise ValueError(SECRET)
        except ValueError as error:
            raise RuntimeError(SECRET) from error
    except RuntimeError as error:
        yield error
        yield ExceptionGroup(SECRET, [error])


@pytest.mark.parametrize("formatter", [TextLines(), JsonLines()])
def test_an_exception_tells_its_kind_and_place_and_not_what_it_says(
    formatter: logging.Formatter,
) -> None:
    for error in failures():
        book = Book(formatter)
        book.logger.error("it broke", exc_info=error)
        assert SECRET not in book.text
        assert "RuntimeError" in book.text
        assert "ValueError" in book.text
        assert "in failures" in book.text


def test_what_the_system_says_is_told(text: Book) -> None:
    text.logger.error("no", exc_info=OSError(98, "Address already in use", SECRET))
    assert "Address already in use" in text.text
    assert SECRET not in text.text


def test_a_chain_of_causes_that_closes_on_itself_ends(text: Book) -> None:
    one, two = ValueError(), KeyError()
    one.__cause__, two.__cause__ = two, one
    text.logger.error("round", exc_info=one)
    assert text.text.count("ValueError") <= 8


@contextmanager
def bare_root() -> Iterator[logging.Logger]:
    """The root logger without handlers or level of its own; as it was afterwards."""
    root = logging.getLogger()
    handlers, level = root.handlers, root.level
    root.handlers = []
    try:
        yield root
    finally:
        root.handlers = handlers
        root.setLevel(level)


def test_lines_come_in_our_format_where_another_was_set_up_before(
    capsys: pytest.CaptureFixture[str],
) -> None:
    exporter = logging.NullHandler()
    with bare_root() as root:
        logging.basicConfig(format="theirs %(message)s", handlers=None)
        root.addHandler(exporter)
        configure("info", "json")
        configure("info", "json")
        logging.getLogger("a.module").info("seq=<%d> | said", 1)
        assert exporter in root.handlers
    [line] = capsys.readouterr().err.splitlines()
    assert json.loads(line)["seq"] == "1"
