"""Trace context is read strictly, and a trace without a recorder still has one id."""

from __future__ import annotations

import pytest
from firstword.telemetry import NoSpans, TraceContext
from hypothesis import given
from hypothesis import strategies as st

TRACE, SPAN = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"


def test_a_traceparent_is_read_and_written_as_it_was() -> None:
    told = f"00-{TRACE}-{SPAN}-01"
    context = TraceContext.parse(told)
    assert context == TraceContext(TRACE, SPAN, 1)
    assert context is not None
    assert context.traceparent == told


@pytest.mark.parametrize("flags", ["00", "02", "fe"])
def test_a_caller_who_does_not_sample_is_heard(flags: str) -> None:
    context = TraceContext.parse(f"00-{TRACE}-{SPAN}-{flags}")
    assert context is not None
    assert context.flags == 0


def test_a_later_version_may_say_more() -> None:
    assert TraceContext.parse(f"cc-{TRACE}-{SPAN}-01-what-the-future-holds") is not None


@pytest.mark.parametrize(
    "told",
    [
        None,
        "",
        "hello",
        f"00-{TRACE}-{SPAN}",
        f"00-{TRACE}-{SPAN}-01-more",
        f"ff-{TRACE}-{SPAN}-01",
        f"00-{TRACE.upper()}-{SPAN}-01",
        f"00-{'0' * 32}-{SPAN}-01",
        f"00-{TRACE}-{'0' * 16}-01",
        f"00-{TRACE}-{SPAN}-1",
        f"00-{TRACE}-{SPAN}-01\n",
        f" 00-{TRACE}-{SPAN}-01",
    ],
)
def test_what_is_no_traceparent_is_passed_over(told: str | None) -> None:
    assert TraceContext.parse(told) is None


@given(st.text())
def test_nothing_breaks_the_reader(told: str) -> None:
    context = TraceContext.parse(told)
    assert context is None or TraceContext.parse(context.traceparent) == context


def test_without_a_recorder_the_parent_is_passed_on_as_it_is() -> None:
    parent = TraceContext(TRACE, SPAN, 0)
    below = NoSpans().start("sentence", NoSpans().start("turn", parent).context)
    assert below.context is parent


def test_without_a_parent_a_trace_begins_and_each_has_its_own() -> None:
    one, two = (NoSpans().start("turn", None).context for _ in range(2))
    assert TraceContext.parse(one.traceparent) == one
    assert one.trace_id != two.trace_id
