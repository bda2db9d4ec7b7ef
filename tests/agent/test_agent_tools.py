"""The example tools."""

from __future__ import annotations

import contextlib
from datetime import UTC, datetime

import pytest
from firstword.agent.tools import Timers, conversation_tools, describe_time, evaluate
from hypothesis import given
from hypothesis import strategies as st


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("2 + 3 * 4", 14),
        ("(2 + 3) * 4", 20),
        ("-2 ** 2", -4),
        ("7 // 2 + 7 % 2", 4),
        ("sqrt(2) * sqrt(2)", 2.0000000000000004),
        ("round(2.6) + abs(-1) + floor(1.9) + ceil(1.1)", 7),
        ("2 ** 10", 1024),
        ("1e3 / 8", 125.0),
    ],
)
def test_arithmetic_is_worked_out(expression: str, value: float) -> None:
    assert evaluate(expression) == value


@pytest.mark.parametrize(
    "expression",
    [
        "__import__('os').system('true')",
        "(1).__class__",
        "open('/etc/passwd')",
        "[1 for _ in range(9)]",
        "lambda: 1",
        "x",
        "'a' * 9",
        "True + 1",
        "abs(-1, 2)",
        "round(1, ndigits=2)",
        "1 if 1 else 2",
        "1 < 2",
        "f'{1}'",
        "2 +",
        "",
        "9" * 201,
        "(" * 150 + "1" + ")" * 40,
    ],
)
def test_anything_else_is_refused(expression: str) -> None:
    with pytest.raises(ValueError, match="expression"):
        evaluate(expression)


@pytest.mark.parametrize(
    "expression",
    ["9 ** 9 ** 9", "2 ** 65", "10 ** 60", "1 / 0", "5 % 0", "(-8) ** 0.5", "1e308 * 10", "1e999"],
)
def test_what_has_no_usable_value_is_refused_at_once(expression: str) -> None:
    with pytest.raises(ValueError, match=r"result|exponent|division"):
        evaluate(expression)


@given(st.text(alphabet="0123456789.+-*/%() esqrtab", max_size=60))
def test_no_input_raises_anything_but_value_error(expression: str) -> None:
    with contextlib.suppress(ValueError):
        assert abs(evaluate(expression)) <= 1e15


def test_timers_can_be_asked_for_and_end() -> None:
    now = 100.0
    timers = Timers(clock=lambda: now)
    assert timers.read() == "No timer is running."
    timers.start("eggs", 60)
    timers.start("tea", 10)
    now = 130.0
    assert timers.read() == "The timer eggs has 30 seconds left. The timer tea is over."
    assert timers.read() == "The timer eggs has 30 seconds left."


def test_timers_are_bounded() -> None:
    timers = Timers(clock=lambda: 0.0)
    assert "between" in timers.start("x", float("nan"))
    assert "between" in timers.start("x", -1)
    for number in range(20):
        timers.start(str(number), 5)
    assert "already" in timers.start("one more", 5)
    assert "runs" in timers.start("7", 9)


def test_time_is_told_in_a_named_zone() -> None:
    noon = datetime(2026, 7, 1, 12, 0, tzinfo=UTC)
    told = describe_time(noon, "Europe/Berlin")
    assert told == "Wednesday, 01 July 2026, 14:00 in Europe/Berlin"
    assert "no time zone" in describe_time(noon, "Moon/Base")
    assert "no time zone" in describe_time(noon, "../../etc/passwd")


def test_every_conversation_has_tools_of_its_own() -> None:
    first, second = conversation_tools(), conversation_tools()
    names = ["current_time", "calculate", "start_timer", "read_timers"]
    assert [tool.tool_name for tool in first] == names
    assert first[2] is not second[2]
