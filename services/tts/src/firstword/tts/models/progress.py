"""How far a fetch has come: a bar where someone looks on, plain lines where it goes to a log."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol, TextIO


class Progress(Protocol):
    """Where a fetch reports to."""

    def say(self, line: str) -> None:
        """What is being done now."""
        ...

    def advance(self, count: int) -> None:
        """So many more bytes are here."""
        ...


class Lines:
    """One line for each thing that is done."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def say(self, line: str) -> None:
        """Write the line."""
        self._stream.write(line + "\n")
        self._stream.flush()

    def advance(self, count: int) -> None:
        """Bytes alone are no news."""


@contextmanager
def progress(stream: TextIO, total: int) -> Iterator[Progress]:
    """Report to ``stream`` about ``total`` bytes."""
    if not stream.isatty():
        yield Lines(stream)
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        DownloadColumn(),
        TimeElapsedColumn(),
    )
    with Bar(*columns, console=Console(file=stream), transient=True) as bar:
        task = bar.add_task("looking", total=total)

        class OnBar:
            def say(self, line: str) -> None:
                bar.update(task, description=line)

            def advance(self, count: int) -> None:
                bar.advance(task, count)

        yield OnBar()
