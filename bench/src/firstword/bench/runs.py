"""How things are measured: each case once to warm up, then all cases in turn, run by run.

What drifts on a machine (clock, heat, neighbours) so falls on all cases alike, and a ratio is
taken between values of the same run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from firstword.bench.figures import Sample


@dataclass(frozen=True, slots=True)
class Case:
    """Something that is measured by calling it."""

    name: str
    measure: Callable[[], Sample]


class Talk:
    """Progress for people, on standard error: a bar on a terminal, else a line a phase."""

    def __init__(self, console: Console | None = None) -> None:
        self._console = console or Console(stderr=True, highlight=False, markup=False)

    def say(self, text: str) -> None:
        """One line."""
        self._console.print(text)

    @contextmanager
    def steps(self, name: str, total: int) -> Iterator[Callable[[str], None]]:
        """Count ``total`` steps; the function given says that the one of that name begins."""
        if not self._console.is_terminal:
            self.say(f"{name}: {total} steps")
            yield lambda step: None
            return
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
        )
        with Progress(*columns, console=self._console, transient=True) as shown:
            task, begun = shown.add_task(name, total=total), count()

            def begin(step: str) -> None:
                shown.update(task, description=f"{name}: {step}", completed=next(begun))

            yield begin


def interleaved(
    cases: Sequence[Case], runs: int, talk: Talk, name: str = "measuring"
) -> dict[str, list[Sample]]:
    """The samples of each case, run by run. The order of the cases turns with the runs."""
    samples: dict[str, list[Sample]] = {case.name: [] for case in cases}
    with talk.steps(name, len(cases) * (runs + 1)) as begin:
        for case in cases:
            begin(f"{case.name} (warm-up)")
            case.measure()
        for run in range(runs):
            for case in _turned(cases, run):
                begin(case.name)
                samples[case.name].append(case.measure())
    return samples


def _turned(cases: Sequence[Case], by: int) -> list[Case]:
    by %= len(cases)
    return [*cases[by:], *cases[:by]]
