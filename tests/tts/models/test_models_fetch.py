"""Fetching: whole or not at all, and never twice."""

from __future__ import annotations

import fcntl
import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from firstword.tts.models import DiskError, ModelFiles, ModelsMissingError, SourceUnavailableError
from firstword.tts.models.derive import Step
from firstword.tts.models.fetch import fetch
from firstword.tts.models.manifest import Manifest, problems, read_manifest
from firstword.tts.models.pins import GRAPH, Pins


def get(folder: Path, quiet: Any, pins: Pins, step: Step, *asked: Any) -> Manifest:
    return fetch(folder, quiet, asked=asked, wanted=pins, steps=(step,))


def test_an_empty_folder_becomes_a_whole_one(
    tmp_path: Path, pins: Pins, good: Any, quiet: Any, step: Step, graph_bytes: bytes
) -> None:
    get(tmp_path, quiet, pins, step, good)

    files = ModelFiles.open(tmp_path)
    assert files.path(GRAPH).read_bytes() == graph_bytes
    assert files.path("reversed").read_bytes() == graph_bytes[::-1]
    assert problems(tmp_path, pins) == []
    assert not (tmp_path / ".staging").exists()


def test_what_is_there_is_not_asked_for_again(
    tmp_path: Path, pins: Pins, good: Any, quiet: Any, step: Step
) -> None:
    get(tmp_path, quiet, pins, step, good)
    manifest = (tmp_path / "manifest.json").stat().st_mtime_ns
    good.asked.clear()

    get(tmp_path, quiet, pins, step, good)

    assert good.asked == []
    assert (tmp_path / "manifest.json").stat().st_mtime_ns == manifest


def test_only_the_broken_file_is_fetched_again(
    tmp_path: Path, pins: Pins, good: Any, quiet: Any, step: Step
) -> None:
    get(tmp_path, quiet, pins, step, good)
    good.asked.clear()
    (tmp_path / "voices" / "bf_two.bin").write_bytes(b"3" * 64)
    assert problems(tmp_path, pins) == ["voices/bf_two.bin: corrupt"]

    get(tmp_path, quiet, pins, step, good)

    assert good.asked == ["bf_two"]
    assert problems(tmp_path, pins) == []


def test_the_next_source_is_asked_when_one_has_nothing(
    tmp_path: Path, pins: Pins, good: Any, quiet: Any, step: Step, empty: Callable[[str], Any]
) -> None:
    get(tmp_path, quiet, pins, step, empty("not installed"), good)
    assert good.asked == ["graph", "af_one", "bf_two"]


def test_each_source_says_why_it_had_nothing(
    tmp_path: Path, pins: Pins, quiet: Any, step: Step, empty: Callable[[str], Any]
) -> None:
    with pytest.raises(SourceUnavailableError) as failed:
        get(tmp_path, quiet, pins, step, empty("not installed"), empty("no network"))
    assert "not installed" in str(failed.value)
    assert "no network" in str(failed.value)
    assert read_manifest(tmp_path) is None


def test_a_source_that_gives_other_bytes_is_not_believed(
    tmp_path: Path, pins: Pins, good: Any, quiet: Any, step: Step
) -> None:
    other = replace(pins, graph=replace(pins.graph, sha256="0" * 64))
    with pytest.raises(SourceUnavailableError, match="expected 0000"):
        get(tmp_path, quiet, other, step, good)
    assert not (tmp_path / "graph.onnx").exists()
    assert [path.name for path in tmp_path.iterdir() if path.name != ".lock"] == []


def test_a_folder_without_a_manifest_is_no_model_folder(tmp_path: Path) -> None:
    with pytest.raises(ModelsMissingError, match="firstword models fetch"):
        ModelFiles.open(tmp_path)


def test_the_manifest_is_written_last(tmp_path: Path, pins: Pins, good: Any, quiet: Any) -> None:
    def fails(files: Mapping[str, Path], destination: Path) -> None:
        assert not (tmp_path / "manifest.json").exists()
        raise SourceUnavailableError("no")

    with pytest.raises(SourceUnavailableError):
        get(tmp_path, quiet, pins, Step("fails", 1, ".bin", fails), good)
    assert not (tmp_path / "manifest.json").exists()
    assert list((tmp_path / "derived").iterdir()) == []


def test_a_new_revision_of_a_recipe_replaces_its_file(
    tmp_path: Path, pins: Pins, good: Any, quiet: Any, step: Step
) -> None:
    get(tmp_path, quiet, pins, step, good)
    before = ModelFiles.open(tmp_path)

    get(tmp_path, quiet, pins, replace(step, revision=2), good)

    after = ModelFiles.open(tmp_path)
    assert after.path("reversed") != before.path("reversed")
    assert after.identity("reversed") != before.identity("reversed")
    assert not before.path("reversed").exists()


def test_a_derived_file_that_broke_is_made_again(
    tmp_path: Path, pins: Pins, good: Any, quiet: Any, step: Step, graph_bytes: bytes
) -> None:
    get(tmp_path, quiet, pins, step, good)
    ModelFiles.open(tmp_path).path("reversed").write_bytes(b"short")
    with pytest.raises(ModelsMissingError, match="incomplete"):
        ModelFiles.open(tmp_path)

    get(tmp_path, quiet, pins, step, good)

    assert ModelFiles.open(tmp_path).path("reversed").read_bytes() == graph_bytes[::-1]


def test_a_full_disk_is_said_before_anything_is_fetched(
    tmp_path: Path,
    pins: Pins,
    good: Any,
    quiet: Any,
    step: Step,
) -> None:
    huge = replace(pins, graph=replace(pins.graph, size=1 << 60))
    with pytest.raises(DiskError, match="free"):
        get(tmp_path, quiet, huge, step, good)
    assert good.asked == []


def test_a_folder_that_cannot_be_made_is_said(
    tmp_path: Path, pins: Pins, good: Any, quiet: Any, step: Step
) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(DiskError, match="FIRSTWORD_MODEL_DIR"):
        get(tmp_path / "file" / "models", quiet, pins, step, good)


def test_a_second_fetch_waits_for_the_first(
    tmp_path: Path, pins: Pins, good: Any, quiet: Any, step: Step
) -> None:
    waiting = threading.Event()

    class Watched:
        def say(self, line: str) -> None:
            if "waiting" in line:
                waiting.set()

        def advance(self, count: int) -> None: ...

    done: list[Manifest] = []
    second = threading.Thread(
        target=lambda: done.append(get(tmp_path, Watched(), pins, step, good))
    )
    with (tmp_path / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        second.start()
        assert waiting.wait(10)
        assert good.asked == []
    second.join(10)
    assert len(done) == 1


@pytest.mark.parametrize("text", ["", "{", "[]", '{"format": 1}', '{"format": 1, "files": [{}]}'])
def test_a_manifest_that_cannot_be_read_is_a_problem_and_is_mended(
    tmp_path: Path, pins: Pins, good: Any, quiet: Any, step: Step, text: str
) -> None:
    (tmp_path / "manifest.json").write_text(text)
    assert "no manifest" in problems(tmp_path, pins)[0]
    get(tmp_path, quiet, pins, step, good)
    assert problems(tmp_path, pins) == []


def test_a_manifest_of_another_model_is_a_problem(
    tmp_path: Path, pins: Pins, good: Any, quiet: Any, step: Step
) -> None:
    get(tmp_path, quiet, pins, step, good)
    newer = replace(pins, graph=replace(pins.graph, sha256="f" * 64))
    assert problems(tmp_path, newer) == [
        "graph.onnx: the manifest names another sha256 than this version"
    ]
