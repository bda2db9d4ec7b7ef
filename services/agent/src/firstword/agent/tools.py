"""Small tools a model may call: the time, arithmetic, and timers that can be asked for."""

from __future__ import annotations

import ast
import math
import operator
import time
from collections.abc import Callable
from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from strands import tool
from strands.types.tools import AgentTool

MAX_EXPRESSION_CHARS = 200
MAX_MAGNITUDE = 1e15
MAX_EXPONENT = 64
MAX_TIMERS = 20
MAX_TIMER_S = 24 * 3600

type Number = int | float

_BINARY: dict[type[ast.operator], Callable[[Number, Number], Number]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_FUNCTIONS: dict[str, Callable[[Number], Number]] = {
    "abs": abs,
    "round": round,
    "sqrt": math.sqrt,
    "floor": math.floor,
    "ceil": math.ceil,
}


def evaluate(expression: str) -> Number:
    """The value of an arithmetic expression: numbers, + - * / // % **, parentheses, functions.

    Nothing else is evaluated, no name is looked up, and results are bounded.

    Raises:
        ValueError: it is not such an expression, or has no usable value. Safe to show.
    """
    if len(expression) > MAX_EXPRESSION_CHARS:
        raise ValueError(f"an expression may have {MAX_EXPRESSION_CHARS} characters")
    try:
        tree = ast.parse(expression.strip(), mode="eval")
        return _value(tree.body)
    except (SyntaxError, RecursionError, MemoryError):
        raise ValueError("that is not an arithmetic expression") from None
    except ZeroDivisionError:
        raise ValueError("a division by zero has no value") from None
    except OverflowError:
        raise ValueError("the result is too large") from None


def _value(node: ast.expr) -> Number:
    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return _bounded(number)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand)
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return _value(operand)
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            return _power(_value(left), _value(right))
        case ast.BinOp(left=left, op=operation, right=right) if type(operation) in _BINARY:
            return _bounded(_BINARY[type(operation)](_value(left), _value(right)))
        case ast.Call(func=ast.Name(id=name), args=[argument], keywords=[]) if name in _FUNCTIONS:
            return _bounded(_FUNCTIONS[name](_value(argument)))
        case _:
            raise ValueError("that is not an arithmetic expression")


def _power(base: Number, exponent: Number) -> Number:
    if abs(exponent) > MAX_EXPONENT:
        raise ValueError(f"an exponent may be {MAX_EXPONENT} at most")
    result = base**exponent
    if isinstance(result, complex):
        raise ValueError("the result is not a real number")
    return _bounded(result)


def _bounded(number: Number) -> Number:
    if not abs(number) <= MAX_MAGNITUDE:
        raise ValueError("the result is too large")
    return number


class Timers:
    """The running timers of one conversation. They cannot ring; they can be asked for."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._ends: dict[str, float] = {}

    def start(self, label: str, seconds: float) -> str:
        if not 0 < seconds <= MAX_TIMER_S:
            return f"A timer runs between one second and {MAX_TIMER_S // 3600} hours."
        if label not in self._ends and len(self._ends) >= MAX_TIMERS:
            return f"There are already {MAX_TIMERS} timers."
        self._ends[label] = self._clock() + seconds
        return f"The timer {label} runs for {seconds:g} seconds. It cannot ring; ask for it."

    def read(self) -> str:
        now = self._clock()
        left = [(label, ends - now) for label, ends in sorted(self._ends.items())]
        self._ends = {label: ends for label, ends in self._ends.items() if ends > now}
        if not left:
            return "No timer is running."
        return " ".join(
            f"The timer {label} has {rest:.0f} seconds left."
            if rest > 0
            else f"The timer {label} is over."
            for label, rest in left
        )


def conversation_tools() -> list[AgentTool]:
    """New tools for one conversation; its timers are its own."""
    timers = Timers()

    @tool
    async def current_time(timezone: str = "UTC") -> str:
        """Tell the date and the time of day.

        Args:
            timezone: An IANA name such as Europe/Berlin.
        """
        return describe_time(datetime.now(UTC), timezone)

    @tool
    async def calculate(expression: str) -> str:
        """Work out an arithmetic expression, such as (3 + 4) * 12.5 or sqrt(2).

        Args:
            expression: Numbers, + - * / // % **, parentheses, abs, round, sqrt, floor, ceil.
        """
        try:
            return f"{evaluate(expression):.12g}"
        except ValueError as problem:
            return f"No result: {problem}."

    @tool
    async def start_timer(seconds: float, label: str = "timer") -> str:
        """Start a timer, or start it again. It cannot ring; it can be asked for later.

        Args:
            seconds: How long it runs.
            label: What it is for, in a word or two.
        """
        return timers.start(label.strip()[:40] or "timer", seconds)

    @tool
    async def read_timers() -> str:
        """Tell how much time the running timers have left."""
        return timers.read()

    return [current_time, calculate, start_timer, read_timers]


def describe_time(now: datetime, timezone: str) -> str:
    """``now`` (aware) as words in an IANA time zone."""
    try:
        zone: tzinfo = ZoneInfo(timezone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return f"There is no time zone called {timezone[:60]}."
    return now.astimezone(zone).strftime(f"%A, %d %B %Y, %H:%M in {timezone}")
