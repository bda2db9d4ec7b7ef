"""How many threads a container is given."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from firstword.tts.engines.threads import cpu_threads


@pytest.fixture(autouse=True)
def eight_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)), raising=False)


def machine(tmp_path: Path, own: str, quotas: dict[str, str]) -> tuple[Path, Path]:
    (tmp_path / "own").write_text(own)
    for name, text in quotas.items():
        (tmp_path / "root" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "root" / name).write_text(text)
    return tmp_path / "root", tmp_path / "own"


@pytest.mark.parametrize(
    ("own", "quotas", "expected"),
    [
        ("0::/\n", {"cpu.max": "max 100000\n"}, 8),
        ("0::/\n", {"cpu.max": "200000 100000\n"}, 2),
        ("0::/\n", {"cpu.max": "250000 100000\n"}, 2),
        ("0::/\n", {"cpu.max": "50000 100000\n"}, 1),
        ("0::/\n", {"cpu.max": "6400000 100000\n"}, 8),
        ("0::/pod/box\n", {"pod/cpu.max": "300000 100000", "pod/box/cpu.max": "max 100000"}, 3),
        ("0::/pod/box\n", {"pod/cpu.max": "max 100000", "pod/box/cpu.max": "400000 100000"}, 4),
        ("0::/\n", {"cpu.max": "garbage"}, 8),
        ("", {}, 8),
    ],
)
def test_the_quota_of_version_2_counts(
    tmp_path: Path, own: str, quotas: dict[str, str], expected: int
) -> None:
    assert cpu_threads(*machine(tmp_path, own, quotas)) == expected


def test_the_quota_of_version_1_counts(tmp_path: Path) -> None:
    root, own = machine(
        tmp_path,
        "3:cpuset:/x\n2:cpu,cpuacct:/box\n",
        {"cpu/box/cpu.cfs_quota_us": "300000", "cpu/box/cpu.cfs_period_us": "100000"},
    )
    assert cpu_threads(root, own) == 3
    (root / "cpu/box/cpu.cfs_quota_us").write_text("-1")
    assert cpu_threads(root, own) == 8


def test_this_machine_gives_at_least_one_and_at_most_its_cores() -> None:
    assert 1 <= cpu_threads() <= max(8, os.cpu_count() or 1)
