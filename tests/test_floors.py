"""No export holds a version of a package that an advisory of ``tools/floors.toml`` names."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

ROOT = Path(__file__).parent.parent
TABLE = tomllib.loads((ROOT / "tools" / "floors.toml").read_text(encoding="utf-8"))["floor"]
EXPORTS = sorted(
    path
    for folder in ("services", "tools")
    for path in (ROOT / folder).rglob("requirements*.txt")
    if not any(part.startswith(".") for part in path.relative_to(ROOT).parts)
)
_PINNED = re.compile(r"^([A-Za-z0-9._-]+)==([^ ;\\]+)", re.M)


def pinned(path: Path) -> dict[str, Version]:
    """Each package of an export and its version."""
    text = path.read_text(encoding="utf-8")
    return {
        re.sub(r"[-_.]+", "-", name).lower(): Version(version)
        for name, version in _PINNED.findall(text)
    }


def test_the_table_says_why() -> None:
    for row in TABLE:
        assert re.fullmatch(r"(PYSEC|CVE|GHSA)-[\w-]+", row["advisory"]), row
        assert Version(row["least"])


def test_there_are_exports_and_one_has_torch() -> None:
    assert len(EXPORTS) >= 5
    assert any("torch" in pinned(path) for path in EXPORTS)
    assert all(pinned(path) for path in EXPORTS)


@pytest.mark.parametrize("path", EXPORTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_export_is_below_a_floor(path: Path) -> None:
    versions = pinned(path)
    below = [
        f"{row['package']} {versions[row['package']]} < {row['least']} ({row['advisory']})"
        for row in TABLE
        if row["package"] in versions and versions[row["package"]] < Version(row["least"])
    ]
    assert not below


def test_what_is_not_exported_is_not_in_the_table() -> None:
    exported = {name for path in EXPORTS for name in pinned(path)}
    assert {row["package"] for row in TABLE} <= exported


def test_what_is_asked_for_leaves_out_what_is_below() -> None:
    """Whoever installs the extra without our exports gets no older torch either."""
    least = {row["package"]: row["least"] for row in TABLE}
    project = tomllib.loads((ROOT / "services/tts/pyproject.toml").read_text(encoding="utf-8"))
    [torch] = map(Requirement, project["project"]["optional-dependencies"]["gpu"])
    assert torch.name == "torch"
    assert least["torch"] in torch.specifier
    assert "2.9.1" not in torch.specifier
