"""Where results and talk go. Results are standard output, talk about them is standard error."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TextIO

from rich.console import Console


@dataclass(frozen=True, slots=True)
class Terminal:
    """``out`` takes results verbatim. ``talk`` colours only a terminal, and heeds NO_COLOR."""

    out: TextIO
    talk: Console

    @classmethod
    def standard(cls) -> Terminal:
        """The process's own two streams."""
        return cls(sys.stdout, Console(stderr=True, highlight=False, markup=False, soft_wrap=True))

    def line(self, text: str = "") -> None:
        """One line of results."""
        self.write(f"{text}\n")

    def write(self, text: str) -> None:
        """A piece of results, seen at once."""
        self.out.write(text)
        self.out.flush()

    def murmur(self, text: str) -> None:
        """A piece of talk that is no line of its own."""
        self.talk.out(text, end="", highlight=False)

    def say(self, text: str, style: str | None = None) -> None:
        """One line of talk."""
        self.talk.print(text, style=style)

    def fail(self, text: str) -> None:
        """Why the command failed."""
        self.talk.print(f"firstword: {text}", style="bold red")


def printable(text: str) -> str:
    """Text from elsewhere without what would steer the terminal."""
    return "".join(c for c in text if c in "\n\t" or (c >= " " and not "\x7f" <= c <= "\x9f"))
