"""Forwards of fixed shape recorded once and replayed: a launch instead of a thousand.

All recordings share one pool of memory, so what a replay gives is copied before the next one.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, Protocol

import torch
from torch import Tensor

_log = logging.getLogger(__name__)

type Tensors = tuple[Tensor, ...]
type Work = Callable[..., Tensors]

_WARMING = 2
"""Runs before a recording: libraries choose their algorithms in the first."""


class Recorder(Protocol):
    """Records ``work`` of ``inputs`` and gives what repeats it on whatever they hold then."""

    def record(self, work: Work, inputs: Sequence[Tensor]) -> Callable[[], Tensors]: ...


class CudaRecorder:
    """CUDA graphs on one memory pool."""

    def __init__(self) -> None:
        self._pool: Any = torch.cuda.graph_pool_handle()

    def record(self, work: Work, inputs: Sequence[Tensor]) -> Callable[[], Tensors]:
        stream: Any = torch.cuda.Stream()  # type: ignore[no-untyped-call, unused-ignore]
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(_WARMING):
                work(*inputs)
        torch.cuda.current_stream().wait_stream(stream)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, pool=self._pool):
            made = work(*inputs)

        def replay() -> Tensors:
            graph.replay()
            return made

        return replay


class _Kept(NamedTuple):
    inputs: Tensors
    replay: Callable[[], Tensors]


class Runner:
    """Runs work by its recording where there is one, else as it is. Not safe from two threads.

    Without a ``recorder`` nothing is ever recorded.
    """

    def __init__(self, recorder: Recorder | None = None) -> None:
        self._recorder = recorder
        self._recording = False
        self._kept: dict[Hashable, _Kept | None] = {}
        self.replayed = self.plain = 0

    @property
    def recorded(self) -> int:
        """Shapes that are replayed."""
        return sum(kept is not None for kept in self._kept.values())

    @contextmanager
    def recording(self) -> Iterator[None]:
        """In this block every new shape is recorded; one that cannot be runs as it is for good."""
        self._recording = self._recorder is not None
        try:
            yield
        finally:
            self._recording = False

    def run(self, name: Hashable, work: Work, *inputs: Tensor) -> Tensors:
        """``work(*inputs)``; ``name`` tells apart what the shapes do not."""
        key = (name, *(tuple(tensor.shape) for tensor in inputs))
        if self._recording and key not in self._kept:
            self._kept[key] = self._record(key, work, inputs)
        kept = self._kept.get(key)
        if kept is None:
            self.plain += 1
            return work(*inputs)
        self.replayed += 1
        for static, tensor in zip(kept.inputs, inputs, strict=True):
            static.copy_(tensor)
        return tuple(made.clone() for made in kept.replay())

    def _record(self, key: Hashable, work: Work, inputs: Tensors) -> _Kept | None:
        assert self._recorder is not None
        static = tuple(tensor.clone() for tensor in inputs)
        try:
            return _Kept(static, self._recorder.record(work, static))
        except RuntimeError as error:
            _log.warning("shape=<%s>, error=<%s> | not recorded", key, type(error).__name__)
            return None
