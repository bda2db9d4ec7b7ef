from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from firstword.bench.machine import cpu_model, versions
from firstword.bench.room import of_chunks
from firstword.tts.speech import Chunk


def chunks(*sizes: int) -> Iterator[Chunk]:
    return (Chunk(np.zeros(size, np.float32)) for size in sizes)


def test_the_first_audio_is_the_first_chunk_with_samples() -> None:
    sample = of_chunks(chunks(0, 2400, 2400), time.perf_counter())
    assert 0 < sample["first_audio_ms"] <= sample["total_ms"]
    assert sample["audio_s"] == pytest.approx(0.2)
    assert sample["rtf"] == pytest.approx(sample["total_ms"] / 200, rel=1e-6)


def test_silence_has_no_real_time_factor() -> None:
    assert of_chunks(chunks(), time.perf_counter())["rtf"] == 0.0


def test_the_cpu_is_named_as_its_maker_does(tmp_path: Path) -> None:
    info = tmp_path / "cpuinfo"
    info.write_text("processor\t: 0\nmodel name\t: AMD EPYC 7R13\ncache size\t: 512 KB\n")
    assert cpu_model(info) == "AMD EPYC 7R13"
    assert cpu_model(tmp_path / "absent")


def test_packages_that_are_not_there_have_no_version() -> None:
    assert versions(["numpy", "no-such-package-at-all"]) == {"numpy": np.__version__}
