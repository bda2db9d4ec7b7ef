"""One engine for all tests here, on a processor, and phrases short enough for that."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

type Floats = NDArray[np.float32]


def snr_db(right: Any, other: Any) -> float:
    """Signal to noise of ``other`` in decibels; infinite where it is equal."""
    wanted, given = np.asarray(right, np.float64), np.asarray(other, np.float64)
    assert wanted.shape == given.shape
    noise = np.sum((wanted - given) ** 2)
    return float(10 * np.log10(np.sum(wanted**2) / noise)) if noise else float("inf")


@pytest.fixture(scope="session")
def snr() -> Callable[[Any, Any], float]:
    """``snr(right, other)`` in dB."""
    return snr_db


@pytest.fixture(scope="session")
def graph(model_folder: Path) -> Path:
    """The packaged int8 graph."""
    from firstword.tts.models import ModelFiles

    return ModelFiles.open(model_folder).path("graph")


@pytest.fixture(scope="session")
def engine(model_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The torch engine with the weights of the packaged graph."""
    from firstword.tts.engines.torch.opening import open_engine
    from firstword.tts.models import ModelFiles
    from firstword.tts.settings import TorchSettings

    files = ModelFiles.open(model_folder)
    cache = tmp_path_factory.mktemp("torch")
    return open_engine(files, cache, TorchSettings(device="cpu"), threads=1)


@pytest.fixture(scope="session")
def forwards(engine: Any) -> Any:
    """The engine's model in batches."""
    return engine.forwards


@pytest.fixture(scope="session")
def style(model_folder: Path) -> Callable[[str], Floats]:
    """``style(voice)``, also of a blend."""
    from firstword.tts.models.voices import Voices

    return Voices(model_folder).style


@pytest.fixture(scope="session")
def line(style: Callable[[str], Floats]) -> Callable[..., Any]:
    """``line(phonemes, voice, speed)``: an item for a forward, seeded as the engine does."""
    from firstword.tts.engines.averages import key
    from firstword.tts.engines.front import tokens_of
    from firstword.tts.engines.torch.forwards import Line
    from firstword.tts.engines.torch.noise import seed_of

    def made(phonemes: str, voice: str = "af_heart", speed: float = 1.0) -> Line:
        tokens, table = tokens_of(phonemes), style(voice)
        return Line(tokens, table[len(tokens) - 1], speed, seed_of(phonemes, key(table), speed))

    return made
