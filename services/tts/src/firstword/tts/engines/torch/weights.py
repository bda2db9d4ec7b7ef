"""The model's weights, complete or refused: from the int8 graph or the published file."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

from firstword.tts.models.errors import ModelsCorruptError

from .model import Kokoro
from .recover import recover

_log = logging.getLogger(__name__)

_NAMES = (
    (r"^(bert|bert_encoder|text_encoder)\.", r"reader.\1."),
    (r"^predictor\.text_encoder\.", r"reader.encoder."),
    (r"^predictor\.duration_proj\.linear_layer\.", r"reader.duration_proj."),
    (r"^predictor\.lstm\.", r"reader.lstm."),
    (r"^predictor\.shared\.", r"prosody.shared."),
    (r"^predictor\.F0\.", r"prosody.pitch.blocks."),
    (r"^predictor\.F0_proj\.", r"prosody.pitch.proj."),
    (r"^predictor\.N\.", r"prosody.energy.blocks."),
    (r"^predictor\.N_proj\.", r"prosody.energy.proj."),
    (r"^decoder\.generator\.m_source\.", r"source."),
    (r"^decoder\.generator\.", r"generator."),
    (r"_l0_reverse$", "_l0"),
)
"""Published name to ours."""

_CELL = re.compile(r"\.(weight|bias)_(ih|hh)_l0(_reverse)?$")
_UNUSED = re.compile(r"(^bert\.pooler\.|position_ids$)")
_PLAIN_NORM = re.compile(r"\.norm\.(weight|bias)$")
"""A scale of 1 and a shift of 0 before the style's own, where they are there at all."""


def from_graph(graph: Path, noise: float = 1.0) -> Kokoro:
    """The model with the weights of the int8 graph at ``graph``.

    Raises:
        ModelsCorruptError: some of them are not there.
        UnknownGraphError: the graph is not built as this code knows it.
    """
    found = {name: torch.from_numpy(values) for name, values in recover(graph).items()}
    return filled(found, graph.name, noise)


def from_published(path: Path, noise: float = 1.0) -> Kokoro:
    """The model with the weights of ``kokoro-v1_0.pth``: tensors by module and name.

    Raises:
        ModelsCorruptError: it is not such a file, or some weights are not there.
    """
    try:
        modules = torch.load(path, map_location="cpu", weights_only=True)
        named = {
            f"{module}.{name.removeprefix('module.')}": tensor
            for module, tensors in modules.items()
            for name, tensor in tensors.items()
        }
    except (OSError, RuntimeError, UnpicklingError, AttributeError, EOFError) as error:
        raise ModelsCorruptError(f"{path} is no file of weights: {type(error).__name__}") from error
    return filled(folded(named), path.name, noise)


def folded(published: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The same weights with weight normalisation multiplied out: g · v / ‖v‖.

    Raises:
        ModelsCorruptError: a direction without its length, or a norm with a scale of its own.
    """
    plain: dict[str, Tensor] = {}
    for name, tensor in published.items():
        if _PLAIN_NORM.search(name):
            if not torch.all(tensor == (1.0 if name.endswith("weight") else 0.0)):
                raise ModelsCorruptError(f"{name} is not the identity that this model expects")
        elif name.endswith(".weight_v"):
            length = published.get(name.removesuffix("_v") + "_g")
            if length is None:
                raise ModelsCorruptError(f"{name} is there without its length")
            norm = torch.linalg.vector_norm(tensor, dim=(1, 2), keepdim=True)
            plain[name.removesuffix("_v")] = tensor * (length / norm)
        elif not name.endswith(".weight_g"):
            plain[name] = tensor
    return plain


def filled(named: Mapping[str, Tensor], origin: str, noise: float) -> Kokoro:
    """A model, ready for inference, with these weights under their published names.

    Raises:
        ModelsCorruptError: a weight is absent, of another shape or not finite.
    """
    weights = {_ours(name): each for name, each in named.items() if not _UNUSED.search(name)}
    with torch.device("meta"), _Unfilled():
        model = Kokoro(noise)
    expected = model.state_dict()
    for name, wanted in expected.items():
        tensor = weights.get(name)
        if tensor is None:
            raise ModelsCorruptError(f"{origin} lacks the weight {name}")
        if tensor.shape != wanted.shape:
            shapes = f"{tuple(tensor.shape)}, expected {tuple(wanted.shape)}"
            raise ModelsCorruptError(f"{origin} has {name} as {shapes}")
        if not torch.all(torch.isfinite(tensor)):
            raise ModelsCorruptError(f"{origin} has {name} with values that are no numbers")
    if spare := weights.keys() - expected.keys():
        _log.warning("origin=<%s>, spare=<%d> | weights that nothing uses", origin, len(spare))
    model.load_state_dict({name: weights[name].float() for name in expected}, assign=True)
    return model.requires_grad_(False).eval()


class _Unfilled(TorchFunctionMode):
    """Layers are made without the random weights that they would begin with."""

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Sequence[type],
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        if getattr(func, "__name__", "") in ("uniform_", "normal_", "kaiming_uniform_"):
            return args[0] if args else None
        return func(*args, **(kwargs or {}))


def _ours(name: str) -> str:
    cell = _CELL.search(name)
    if cell:
        way = "back" if cell[3] else "ahead"
        name = f"{name[: cell.start()]}.{way}{cell[0]}"
    for pattern, ours in _NAMES:
        name = re.sub(pattern, ours, name)
    return name
