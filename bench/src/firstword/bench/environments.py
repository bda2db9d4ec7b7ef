"""Peers in environments of their own: scripts that name what they need, run by uv.

uv builds the environment of such a script once and keeps it in its cache.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from firstword.bench.processes import START_S, Program, ProgramError

FOLDER = Path(__file__).parents[3] / "peers"
_TOOLS_UV = FOLDER.parents[1] / "tools" / "uv"


def uv() -> str:
    """The uv program, the repository's own where none is installed.

    Raises:
        ProgramError: there is none.
    """
    found = shutil.which("uv") or (str(_TOOLS_UV) if _TOOLS_UV.is_file() else None)
    if found is None:
        raise ProgramError("peers need uv, which builds their environments: install it")
    return found


def peer(name: str, script: str, *arguments: str, own: bool = False) -> Program:
    """Start one of the scripts of ``bench/peers``, ``own`` in this program's environment.

    Raises:
        ProgramError: as ``Program`` does; the script is not there.
    """
    path = FOLDER / script
    if not path.is_file():
        raise ProgramError(f"{name}: no {path}; benches of peers run from the repository")
    runner = [sys.executable] if own else [uv(), "run", "--quiet", "--script"]
    return Program(name, [*runner, str(path), *arguments], _environ())


def module(name: str, arguments: Sequence[str]) -> Program:
    """Start a module of this package with this program's own Python."""
    return Program(name, [sys.executable, "-m", *arguments], _environ())


def ready(program: Program) -> dict[str, str]:
    """Wait until it is, which may take minutes the first time; gives its versions."""
    versions: dict[str, str] = program.hear(START_S)["versions"]
    return versions


def _environ() -> Mapping[str, str]:
    """This environment without what would lead uv to this program's own packages."""
    return {k: v for k, v in os.environ.items() if k not in ("VIRTUAL_ENV", "PYTHONPATH")}
