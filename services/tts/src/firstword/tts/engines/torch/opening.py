"""From settings to a torch engine: which weights, on which device."""

from __future__ import annotations

import logging
from pathlib import Path

import torch

from firstword.tts.engines.threads import cpu_threads
from firstword.tts.models import EngineUnavailableError, ModelFiles
from firstword.tts.models.files import sha256_of
from firstword.tts.models.pins import GRAPH
from firstword.tts.settings import TorchSettings

from .device import Device
from .engine import Origin, TorchEngine
from .forwards import Forwards
from .model import Kokoro
from .replay import CudaRecorder, Runner
from .shapes import EXACT, ROUNDED
from .weights import from_graph, from_published

_log = logging.getLogger(__name__)

NOISE = 1.0
"""The source's noise as the model was trained with it; the packaged export has none."""


def open_engine(
    files: ModelFiles, cache: Path, settings: TorchSettings, threads: int | None = None
) -> TorchEngine:
    """The engine over a folder of model files.

    Raises:
        EngineUnavailableError: a graphics card is asked for and cannot be used.
        ModelsMissingError: the folder lacks the graph.
        ModelsCorruptError: the weights are not complete.
    """
    device = Device(_place(settings))
    if not device.graphic:
        torch.set_num_threads(threads or cpu_threads())
    # Products in float32 are float32: half of its digits would be gone otherwise.
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    model, weights = _model(files, settings)
    if settings.precision == "fp16":
        model.generator.in_half()
    recorder = CudaRecorder() if device.graphic else None
    shapes = ROUNDED if device.graphic else EXACT
    forwards = Forwards(model, device, shapes, Runner(recorder))
    return TorchEngine(forwards, Origin(weights, settings.precision, NOISE, cache))


def _place(settings: TorchSettings) -> str:
    usable = settings.device != "cpu" and torch.cuda.is_available()
    if settings.device == "cuda" and not usable:
        raise EngineUnavailableError(
            "FIRSTWORD_TTS_DEVICE=cuda: torch cannot use a graphics card here; look at its driver, "
            "or set cpu"
        )
    if settings.device == "auto" and not usable:
        _log.warning("device=<cpu> | torch runs without a graphics card")
    return "cuda" if usable else "cpu"


def _model(files: ModelFiles, settings: TorchSettings) -> tuple[Kokoro, str]:
    """The model and what its weights are known by."""
    if settings.weights is not None:
        if not settings.weights.is_file():
            raise EngineUnavailableError(
                f"FIRSTWORD_TTS_WEIGHTS: there is no file {settings.weights}"
            )
        return from_published(settings.weights, NOISE), sha256_of(settings.weights)[:12]
    return from_graph(files.path(GRAPH), NOISE), files.identity(GRAPH)
