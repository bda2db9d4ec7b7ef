"""The device that forwards run on, and what its failures mean."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence

import torch

_log = logging.getLogger(__name__)


class DeviceLostError(RuntimeError):
    """The device has failed for good: only a new process, or machine, can go on."""


class OutOfRoomError(RuntimeError):
    """One item alone does not fit into the device's memory."""


class Device:
    """``cuda``, ``cuda:1`` or ``cpu``."""

    def __init__(self, name: str) -> None:
        self.place = torch.device(name)
        self.fault: str | None = None
        self.most: int | None = None
        """Items that fitted into the memory when it once ran out."""

    @property
    def card(self) -> str:
        """Its name, ``cpu`` for a processor."""
        return torch.cuda.get_device_name(self.place) if self.graphic else "cpu"

    @property
    def graphic(self) -> bool:
        """It is a graphics card."""
        return self.place.type == "cuda"

    def carry[I, R](self, work: Callable[[Sequence[I]], list[R]], items: Sequence[I]) -> list[R]:
        """``work`` of the items, in smaller batches where the memory is too small for all.

        Raises:
            OutOfRoomError: an item does not fit even alone.
            DeviceLostError: now or earlier the device has failed.
        """
        made: list[R] = []
        waiting = [items]
        while waiting:
            some = waiting.pop()
            done = self._tried(work, some)
            if done is not None:
                made += done
                continue
            # What failed is no longer referred to here, so that its memory can be given back.
            self.release()
            if len(some) == 1:
                raise OutOfRoomError("an utterance does not fit into the device's memory")
            half = len(some) // 2
            self.most = min(half, self.most or half)
            _log.warning("items=<%d>, most=<%d> | out of memory, smaller batches", len(some), half)
            waiting += [some[half:], some[:half]]
        return made

    def _tried[I, R](
        self, work: Callable[[Sequence[I]], list[R]], items: Sequence[I]
    ) -> list[R] | None:
        """None where the memory did not suffice."""
        if self.fault is not None:
            raise DeviceLostError(f"the device has failed: {self.fault}")
        try:
            return work(items)
        except torch.OutOfMemoryError:
            return None
        except RuntimeError as error:
            if self._answers():
                raise
            self.fault = type(error).__name__
            _log.critical("device=<%s>, fault=<%s> | device lost", self.place, self.fault)
            raise DeviceLostError(f"the device has failed: {self.fault}") from error

    def _answers(self) -> bool:
        """After a failure: can the device still do anything?"""
        try:
            self.probe()
        except RuntimeError:
            return False
        return True

    def probe(self) -> None:
        """A small sum, there and back; raises RuntimeError on a device that has failed."""
        torch.ones(8, device=self.place).sum().item()

    def release(self) -> None:
        """Give cached memory back to the device."""
        if self.graphic:
            torch.cuda.empty_cache()

    def memory_bytes(self) -> tuple[int, int]:
        """The most that tensors took so far, and what the device has; zeros on a CPU."""
        if not self.graphic:
            return 0, 0
        return (
            torch.cuda.max_memory_allocated(self.place),
            torch.cuda.get_device_properties(self.place).total_memory,
        )
