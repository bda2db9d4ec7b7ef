"""What runs the model: torch where there is a graphics card; on a processor our kernels, where on
this machine they are right and not slower."""

from __future__ import annotations

import importlib.util
import json
import logging
import statistics
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from firstword.tts.engines.acoustic import OnnxAcoustic
from firstword.tts.engines.front import STYLE, VOICE, Array, Front, tokens_of

if TYPE_CHECKING:
    from firstword.tts.engines.vocoder.vocoder import Utterance, Vocoder

_log = logging.getLogger(__name__)

SNR_DB = 60.0
"""Against ONNX Runtime's output on the same input; our kernels have 85 to 90."""

TRIAL = "həlˈO wˈɜɹld."
"""Phonemes of the trial utterance."""

_RUNS = 3


CARD = Path("/dev/nvidiactl")
"""There when the driver of a graphics card is."""

FORWARD_WORKERS = 3
"""Workers beside torch: one makes a forward, the others meanwhile ready what goes into the next."""


def torch_runs(engine: str, card: Path = CARD) -> bool:
    """Whether torch is to run the model; looks, but does not import it, which takes seconds."""
    if engine != "auto":
        return engine == "torch"
    return card.exists() and importlib.util.find_spec("torch") is not None


@dataclass(frozen=True, slots=True)
class Choice:
    """What the self-test chose and why; times in seconds for the same trial utterance."""

    vocoder: Literal["kernels", "onnxruntime"]
    reason: str
    snr_db: float | None = None
    kernels_s: float | None = None
    onnxruntime_s: float | None = None


def remembered(path: Path) -> Choice | None:
    """The choice for our kernels that `remember` wrote; nothing where it was another, or none."""
    try:
        choice = Choice(**json.loads(path.read_text("utf-8")))
    except (OSError, ValueError, TypeError):
        return None
    return choice if choice.vocoder == "kernels" else None


def remember(path: Path, choice: Choice) -> None:
    """Keep ``choice`` for the next start, if it is for our kernels: a busy machine, or a library
    that is missing today, is no reason to leave them for ever."""
    if choice.vocoder != "kernels":
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(asdict(choice)), "utf-8")
    except OSError as error:
        _log.warning("path=<%s>, error=<%s> | self-test is not kept", path, error)


def choose(
    load: Callable[[], Vocoder], front: Front, acoustic: OnnxAcoustic
) -> tuple[Choice, Vocoder | None]:
    """Load our vocoder and try it against ``acoustic``; None where it is not to be used."""
    try:
        vocoder = load()
        choice = _trial(vocoder, front, acoustic)
    except Exception as error:  # noqa: BLE001 - a compiler has many ways to fail; all mean the same
        _log.warning("error=<%s> | kernels do not run here", error)
        return Choice("onnxruntime", f"our kernels fail here: {type(error).__name__}"), None
    _log.info("vocoder=<%s>, snr=<%s> | self-test done", choice.vocoder, choice.snr_db)
    return choice, vocoder if choice.vocoder == "kernels" else None


def _trial(vocoder: Vocoder, front: Front, acoustic: OnnxAcoustic) -> Choice:
    row = np.random.default_rng(1).normal(0, 0.1, STYLE).astype(np.float32)
    prosody = front(tokens_of(TRIAL), row, 1.0)
    right = acoustic(prosody, row)

    def render() -> Utterance:
        ready = vocoder.prepare(prosody.text, prosody.pitch, prosody.energy, row[VOICE])
        vocoder.whole(ready)
        return ready

    ready = render()
    audio = vocoder.generator(right.features, right.harmonics, row[VOICE]).samples
    wave = vocoder.source(ready.phases, 0, ready.phases.samples)
    snr = min(
        snr_db(right.wave, wave),
        snr_db(right.features, ready.features),
        snr_db(right.samples, audio),
    )
    if not snr >= SNR_DB:
        return Choice("onnxruntime", f"our kernels are {snr:.0f} dB from right here", snr)
    ours, theirs = [], []
    for _ in range(_RUNS):
        ours.append(_seconds(render))
        theirs.append(_seconds(lambda: acoustic(prosody, row)))
    times = statistics.median(ours), statistics.median(theirs)
    if times[0] > times[1]:
        return Choice("onnxruntime", "ONNX Runtime is faster here", snr, *times)
    reason = f"right to {snr:.0f} dB and {times[1] / times[0]:.1f} times as fast as ONNX Runtime"
    return Choice("kernels", reason, snr, *times)


def snr_db(right: Array, other: Array) -> float:
    """Signal to noise of ``other`` in decibels; infinite where it is equal."""
    if right.shape != other.shape or not np.all(np.isfinite(other)):
        return float("-inf")
    noise = np.sum((right.astype(np.float64) - other) ** 2)
    signal = np.sum(right.astype(np.float64) ** 2)
    return float(10 * np.log10(signal / noise)) if noise > 0 else float("inf")


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
