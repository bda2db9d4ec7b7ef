"""The walls between the rooms, read from the code's own imports."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MEMBERS = sorted(
    p.parent
    for kind in ("libs/*", "services/*", "bench", "infra")
    for p in ROOT.glob(f"{kind}/pyproject.toml")
)
SERVICES = [m for m in MEMBERS if m.parent.name == "services"]
LIBRARIES = [m for m in MEMBERS if m.parent.name == "libs"]
BENCH = ROOT / "bench"
INFRA = ROOT / "infra"
SOURCES = sorted(p for m in MEMBERS for p in (m / "src").rglob("*.py"))


def imports(path: Path) -> Iterator[str]:
    """Absolute module names that a file imports, wherever in the file."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            if node.module == "firstword":
                yield from (f"firstword.{alias.name}" for alias in node.names)
            else:
                yield node.module


def member_imports(member: Path) -> set[str]:
    return {name for path in (member / "src").rglob("*.py") for name in imports(path)}


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def declared(member: Path) -> set[str]:
    project = tomllib.loads((member / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = list(project.get("dependencies", []))
    for extra in project.get("optional-dependencies", {}).values():
        wanted += extra
    return {normal(re.split(r"[\[<>=!~ ;]", line, maxsplit=1)[0]) for line in wanted}


def firstword_members(names: set[str]) -> set[str]:
    return {name.split(".")[1] for name in names if name.startswith("firstword.")}


def test_there_are_members_to_look_at() -> None:
    assert {m.name for m in MEMBERS} >= {
        "chunker",
        "protocol",
        "tts",
        "agent",
        "console",
        "emulator",
        "infra",
    }


@pytest.mark.parametrize("member", SERVICES, ids=lambda m: m.name)
def test_a_service_imports_no_other_service(member: Path) -> None:
    others = {m.name for m in SERVICES} - {member.name}
    assert not firstword_members(member_imports(member)) & others


@pytest.mark.parametrize("member", LIBRARIES, ids=lambda m: m.name)
def test_a_library_imports_no_other_member(member: Path) -> None:
    assert firstword_members(member_imports(member)) <= {member.name}


@pytest.mark.parametrize("member", LIBRARIES, ids=lambda m: m.name)
def test_a_library_imports_the_standard_library_but_for_the_one_that_records_spans(
    member: Path,
) -> None:
    """ADR 0019: OpenTelemetry, in one module of one library, and only as an extra."""
    outside = {
        (path.name, name.split(".")[0])
        for path in (member / "src").rglob("*.py")
        for name in imports(path)
        if name.split(".")[0] not in sys.stdlib_module_names | {"firstword"}
    }
    assert outside <= ({("otel.py", "opentelemetry")} if member.name == "telemetry" else set())


@pytest.mark.parametrize("member", SERVICES, ids=lambda m: m.name)
def test_no_service_imports_the_bench_or_the_cloud(member: Path) -> None:
    assert not firstword_members(member_imports(member)) & {"bench", "infra"}


def test_the_cloud_imports_no_other_member() -> None:
    assert firstword_members(member_imports(INFRA)) <= {"infra"}


def test_the_bench_imports_the_speech_server_and_libraries_only() -> None:
    allowed = {"bench", "tts", *(m.name for m in LIBRARIES)}
    assert firstword_members(member_imports(BENCH)) <= allowed


@pytest.mark.parametrize("member", MEMBERS, ids=lambda m: m.name)
def test_what_is_imported_is_declared(member: Path) -> None:
    distributions = packages_distributions()
    missing = set()
    for name in member_imports(member):
        top = name.split(".")[0]
        if top in sys.stdlib_module_names:
            continue
        if top == "firstword":
            owners = {f"firstword-{name.split('.')[1]}"} - {f"firstword-{member.name}"}
        else:
            owners = {normal(owner) for owner in distributions.get(top, [top])}
        if owners and not owners & declared(member):
            missing.add(name)
    assert not missing, f"{member.name} imports {sorted(missing)} without declaring it"


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(ROOT)))
def test_a_module_can_be_read_at_one_sitting(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 300
    assert path.stem not in {"utils", "helpers", "manager", "base", "common", "misc"}


def test_no_package_registry_is_named() -> None:
    hosts = re.compile(r"(pypi|pythonhosted|npmjs|debian)\.(org|com)", re.IGNORECASE)
    tracked = (
        [p for p in SOURCES if p.is_file()] + sorted(ROOT.glob("*.toml")) + [ROOT / "Makefile"]
    )
    assert not [p for p in tracked if hosts.search(p.read_text(encoding="utf-8"))]
