from __future__ import annotations

from io import StringIO

from firstword.bench.figures import Sample
from firstword.bench.runs import Case, Talk, interleaved
from rich.console import Console


def quiet() -> tuple[Talk, StringIO]:
    output = StringIO()
    return Talk(Console(file=output)), output


def test_all_cases_warm_up_and_then_take_turns() -> None:
    calls: list[str] = []

    def case(name: str) -> Case:
        def measure() -> Sample:
            calls.append(name)
            return {"first_audio_ms": len(calls)}

        return Case(name, measure)

    samples = interleaved([case("a"), case("b"), case("c")], 3, quiet()[0])
    assert calls[:3] == ["a", "b", "c"]
    assert calls[3:] == ["a", "b", "c", "b", "c", "a", "c", "a", "b"]
    assert [sample["first_audio_ms"] for sample in samples["a"]] == [4, 9, 11]


def test_the_samples_of_the_warm_up_are_not_counted() -> None:
    values = iter([99.0, 1.0, 2.0])
    samples = interleaved([Case("only", lambda: {"rtf": next(values)})], 2, quiet()[0])
    assert samples == {"only": [{"rtf": 1.0}, {"rtf": 2.0}]}


def test_no_progress_bar_is_drawn_where_nobody_watches() -> None:
    talk, output = quiet()
    interleaved([Case("only", lambda: {"rtf": 1.0})], 2, talk, "peers")
    assert output.getvalue() == "peers: 3 steps\n"
