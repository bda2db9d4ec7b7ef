"""What a Docker build sees of a folder, and one hash of all of it.

The patterns are those of ``.dockerignore``: relative to the folder, ``*`` and ``?`` within a name,
``**`` across folders, a leading ``!`` takes back; the last that matches a file or a folder above it
decides.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Pattern:
    """One line of an ignore file."""

    expression: re.Pattern[str]
    literal: str
    """What a matching path begins with, up to the first wildcard."""
    takes_back: bool


def read_patterns(text: str) -> list[Pattern]:
    """The lines of an ignore file."""
    patterns = []
    for line in map(str.strip, text.splitlines()):
        if not line or line.startswith("#"):
            continue
        takes_back = line.startswith("!")
        cleaned = os.path.normpath(line.lstrip("!").strip()).lstrip("/")
        if cleaned != ".":
            literal = re.split(r"[*?\[]", cleaned, maxsplit=1)[0]
            patterns.append(Pattern(re.compile(_expression(cleaned)), literal, takes_back))
    return patterns


def _expression(pattern: str) -> str:
    pieces = re.split(r"(\*\*/|\*\*|\*|\?)", pattern)
    translated = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return "".join(translated.get(piece, re.escape(piece)) for piece in pieces)


def is_ignored(path: str, patterns: Sequence[Pattern]) -> bool:
    """Whether a build does not see the file or folder at ``path``, which has forward slashes."""
    parts = path.split("/")
    whole = ["/".join(parts[:end]) for end in range(1, len(parts) + 1)]
    ignored = False
    for pattern in patterns:
        if any(pattern.expression.fullmatch(each) for each in whole):
            ignored = not pattern.takes_back
    return ignored


def ignore_file(dockerfile: Path, folder: Path) -> Path | None:
    """The file with the patterns: beside the Dockerfile with its name, else in the folder."""
    for path in (dockerfile.with_name(f"{dockerfile.name}.dockerignore"), folder / ".dockerignore"):
        if path.is_file():
            return path
    return None


def context_files(folder: Path, patterns: Sequence[Pattern]) -> Iterator[str]:
    """Paths of all files that a build sees, sorted, relative to ``folder``."""
    found = []
    for root, folders, files in os.walk(folder):
        here = Path(root).relative_to(folder).as_posix()
        inside = "" if here == "." else f"{here}/"
        folders[:] = [name for name in folders if _worth_a_look(inside + name, patterns)]
        found += [inside + name for name in files if not is_ignored(inside + name, patterns)]
    yield from sorted(found)


def _worth_a_look(path: str, patterns: Sequence[Pattern]) -> bool:
    if not is_ignored(path, patterns):
        return True
    below = f"{path}/"
    return any(
        p.takes_back and (p.literal.startswith(below) or below.startswith(p.literal))
        for p in patterns
    )


def hash_context(folder: Path, dockerfile: Path) -> str:
    """One sha256 of all that a build of ``dockerfile`` in ``folder`` can depend on."""
    ignored = ignore_file(dockerfile, folder)
    patterns = read_patterns(ignored.read_text(encoding="utf-8")) if ignored else []
    digest = hashlib.sha256()
    _add(digest, "Dockerfile", dockerfile)
    for path in context_files(folder, patterns):
        _add(digest, path, folder / path)
    return digest.hexdigest()


def _add(digest: hashlib._Hash, name: str, path: Path) -> None:
    if path.is_symlink():
        digest.update(f"link {name}\0{path.readlink()}\0".encode())
        return
    with path.open("rb") as file:
        contents = hashlib.file_digest(file, "sha256").hexdigest()
    digest.update(f"file {name}\0{path.stat().st_mode & 0o777:o}\0{contents}\0".encode())
