"""What ``firstword doctor`` looks at, and how a finding is told."""

from __future__ import annotations

import json
import shutil
import subprocess
import webbrowser
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from firstword.console.playback import PROGRAMS, find_player
from firstword.console.ports import PortError, claim

_EXAMINATION_S = 120.0

PORTS = (("page", 8000, "--port"), ("agent", 8080, "--agent-port"), ("speech", 8081, "--tts-port"))


@dataclass(frozen=True, slots=True)
class Check:
    """One finding. ``needed``: without it the product does not work; ``mend`` says what to do."""

    part: str
    name: str
    ok: bool
    needed: bool
    detail: str
    mend: str = ""

    @property
    def mark(self) -> str:
        """The finding in one word."""
        return "ok" if self.ok else "MISSING" if self.needed else "absent"

    def as_dict(self) -> dict[str, Any]:
        """For ``--json``."""
        return asdict(self)


def program_checks(part: str, argv: Sequence[str], optional: Collection[str] = ()) -> list[Check]:
    """What a part's own ``doctor --json`` found; one failed check where it could not be asked.

    ``optional`` names findings that the product does without, whatever the part says.
    """
    try:
        answer = subprocess.run(
            [*argv, "doctor", "--json"],
            capture_output=True,
            text=True,
            timeout=_EXAMINATION_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return [_unasked(part, f"no answer in {_EXAMINATION_S:.0f} s")]
    try:
        report = json.loads(answer.stdout)
        return [_check(part, each, optional) for each in report["checks"]]
    except (ValueError, KeyError, TypeError):
        last = answer.stderr.strip().splitlines()[-1:] or ["no output"]
        return [_unasked(part, f"it could not be asked: {last[0]}")]


def _unasked(part: str, reason: str) -> Check:
    return Check(part, "program", False, True, reason, "install again with `make setup`")


def _check(part: str, found: Mapping[str, Any], optional: Collection[str]) -> Check:
    name = str(found["name"])
    return Check(
        part,
        name,
        ok=bool(found["ok"]),
        needed=bool(found.get("needed", True)) and name not in optional,
        detail=str(found.get("detail") or ""),
        mend=str(found.get("mend") or ""),
    )


def own_checks(
    environ: Mapping[str, str], browser: Callable[[], str | None] | None = None
) -> list[Check]:
    """Sound, browser and ports of this machine. ``browser`` gives its name or None."""
    return [
        _sound(environ),
        _browser((browser or _default_browser)()),
        *(_port(name, port, option) for name, port, option in PORTS),
    ]


def _sound(environ: Mapping[str, str]) -> Check:
    player = find_player(environ)
    if player is not None:
        return Check("console", "sound", True, False, player.path)
    installed = [name for name in PROGRAMS if shutil.which(name, path=environ.get("PATH"))]
    mend = (
        "firstword talk writes a WAV file instead, and the page plays in the browser"
        if installed
        else f"install one of {', '.join(PROGRAMS)}; until then firstword talk writes a WAV file"
    )
    detail = f"{installed[0]}, but no device to play on" if installed else "no player"
    return Check("console", "sound", False, False, detail, mend)


def _browser(name: str | None) -> Check:
    if name is not None:
        return Check("console", "browser", True, False, name)
    mend = "open the address that firstword serve prints in a browser of this machine"
    return Check("console", "browser", False, False, "none found", mend)


def _default_browser() -> str | None:
    try:
        return str(getattr(webbrowser.get(), "name", "default browser"))
    except webbrowser.Error:
        found = (shutil.which(n) for n in ("chromium", "google-chrome", "firefox"))
        return next((path for path in found if path), None)


def _port(name: str, port: int, option: str) -> Check:
    try:
        claim(port, option)
    except PortError as error:
        return Check("console", f"port {port}", False, False, f"{name}: {error}")
    return Check("console", f"port {port}", True, False, f"free for the {name}")
