"""Files that are made from the fetched ones, once, after fetching.

A derived file's name carries its recipe's key: the sha256 of the source graph and of the names and
revisions of all steps up to its own. A changed recipe makes a new file and never a stale one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from firstword.tts.engines.tensors import ACOUSTIC, DURATIONS, FRONT, VOCODER
from firstword.tts.models.errors import ModelsCorruptError
from firstword.tts.models.pins import GRAPH

TIMED = "timed"
"""Name of the graph with the predicted durations as a second output."""


@dataclass(frozen=True, slots=True)
class Step:
    """How one derived file is made.

    ``build(files, destination)`` writes ``destination`` from ``files``, the paths of the graph and
    of all earlier steps by name. ``revision`` goes up with every change of what it writes.
    """

    name: str
    revision: int
    suffix: str
    build: Callable[[Mapping[str, Path], Path], None]


def add_durations(files: Mapping[str, Path], destination: Path) -> None:
    """The graph with its durations as an output; the audio stays the same bit for bit."""
    import onnx

    model = onnx.load(str(files[GRAPH]))
    made = {name for node in model.graph.node for name in node.output}
    if DURATIONS not in made:
        raise ModelsCorruptError(f"{files[GRAPH].name} has no tensor {DURATIONS}")
    model.graph.output.append(
        onnx.helper.make_tensor_value_info(DURATIONS, onnx.TensorProto.FLOAT, [1, "tokens"])
    )
    onnx.save(model, str(destination))


def _front(files: Mapping[str, Path], destination: Path) -> None:
    from firstword.tts.engines.graphs import build_front

    build_front(files, destination)


def _acoustic(files: Mapping[str, Path], destination: Path) -> None:
    from firstword.tts.engines.graphs import build_acoustic

    build_acoustic(files, destination)


def _vocoder(files: Mapping[str, Path], destination: Path) -> None:
    from firstword.tts.engines.graphs import build_vocoder

    build_vocoder(files, destination)


STEPS: tuple[Step, ...] = (
    Step(TIMED, 1, ".onnx", add_durations),
    Step(FRONT, 2, ".onnx", _front),
    Step(ACOUSTIC, 2, ".onnx", _acoustic),
    Step(VOCODER, 2, ".npz", _vocoder),
)


def recipe_keys(graph_sha256: str, steps: Sequence[Step] = STEPS) -> dict[str, str]:
    """The key of each step's file."""
    digest = hashlib.sha256(graph_sha256.encode())
    keys: dict[str, str] = {}
    for step in steps:
        digest.update(f"|{step.name}:{step.revision}".encode())
        keys[step.name] = digest.hexdigest()[:12]
    return keys
