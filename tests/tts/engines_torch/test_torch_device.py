"""Faults of the device, injected: memory that is too small, and a device that is gone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

pytestmark = pytest.mark.gpu


def small(room: int) -> Callable[[Sequence[int]], list[int]]:
    """Work for which more than ``room`` items do not fit."""
    import torch

    def work(items: Sequence[int]) -> list[int]:
        if len(items) > room:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return [10 * item for item in items]

    return work


def lost(items: Sequence[int]) -> list[int]:
    raise RuntimeError("CUDA error: an illegal memory access was encountered")


@pytest.fixture
def device() -> Any:
    from firstword.tts.engines.torch.device import Device

    class Faulty(Device):
        answers = True

        def probe(self) -> None:
            if not self.answers:
                raise RuntimeError("CUDA error: an illegal memory access was encountered")
            super().probe()

    return Faulty("cpu")


def test_out_of_memory_makes_smaller_batches_and_no_item_is_lost(device: Any) -> None:
    assert device.carry(small(3), list(range(10))) == [10 * n for n in range(10)]
    assert device.most is not None
    assert device.most <= 5
    assert device.fault is None


def test_what_fitted_is_remembered(device: Any) -> None:
    device.carry(small(1), [1, 2, 3, 4])
    assert device.most == 1


def test_one_item_that_does_not_fit_is_an_error_of_its_own(device: Any) -> None:
    from firstword.tts.engines.torch.device import OutOfRoomError

    with pytest.raises(OutOfRoomError):
        device.carry(small(0), [1])
    assert device.fault is None
    assert device.carry(small(1), [1]) == [10]


def test_a_device_that_no_longer_answers_is_lost_for_good(device: Any) -> None:
    from firstword.tts.engines.torch.device import DeviceLostError

    device.answers = False
    with pytest.raises(DeviceLostError):
        device.carry(lost, [1])
    device.answers = True
    with pytest.raises(DeviceLostError):
        device.carry(small(9), [1])
    assert device.fault == "RuntimeError"


def test_a_failure_of_the_work_on_a_device_that_answers_is_only_that(device: Any) -> None:
    with pytest.raises(RuntimeError, match="illegal memory"):
        device.carry(lost, [1])
    assert device.fault is None
    assert device.carry(small(1), [2]) == [20]
