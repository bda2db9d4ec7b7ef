"""Which fault strikes now: the script of a run, and what of it concerns one call."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from firstword.emulator.sagemaker.faults import RESHAPING, Fault


@dataclass(slots=True, eq=False)
class _Left:
    """A fault, and how often it may still strike."""

    fault: Fault
    times: int


class FaultScript:
    """The faults of one run. ``struck`` lists those that did strike, in order."""

    def __init__(self, faults: Iterable[Fault | str] = ()) -> None:
        self._left: list[_Left] = []
        self.struck: list[Fault] = []
        for fault in faults:
            self.add(fault)

    def add(self, fault: Fault | str) -> None:
        """One more fault. A call that is open counts parts and bytes for it from now on."""
        whole = Fault.parse(fault) if isinstance(fault, str) else fault
        self._left.append(_Left(whole, whole.times))

    def clear(self) -> None:
        """Nothing more goes wrong; ``struck`` is forgotten too."""
        self._left.clear()
        self.struck.clear()

    def call(self, number: int) -> CallFaults:
        """What may go wrong in one call."""
        return CallFaults(self, number)

    def entries(self, call: int) -> list[_Left]:
        return [entry for entry in self._left if entry.fault.call in (None, call)]

    def spend(self, entry: _Left) -> None:
        """The fault strikes."""
        entry.times -= 1
        self.struck.append(entry.fault)
        if entry.times == 0:
            self._left.remove(entry)


@dataclass(frozen=True, slots=True)
class _Count:
    """What has gone through a call."""

    asked: int = 0
    parts: int = 0
    bytes: int = 0


class CallFaults:
    """What may still go wrong in one call, by what has gone through it."""

    def __init__(self, script: FaultScript, number: int) -> None:
        self._script = script
        self._number = number
        self._count = _Count()
        self._since = dict.fromkeys(script.entries(number), self._count)
        self._struck: set[_Left] = set()

    def count(self, *, asked: int = 0, parts: int = 0, size: int = 0) -> None:
        """So much more has gone through: messages from the caller, parts and bytes to it."""
        now = self._count
        self._count = _Count(now.asked + asked, now.parts + parts, now.bytes + size)

    def at_head(self) -> Fault | None:
        """The fault that strikes before the answer begins, if one does."""
        return self._first(lambda fault, _: fault.at_head)

    def now(self) -> Fault | None:
        """The fault whose moment has come, if there is one."""
        return self._first(_due)

    def reshaping(self) -> Fault | None:
        """The fault that changes the shape of the text message which goes next."""
        return self._first(
            lambda fault, gone: fault.kind in RESHAPING and gone.parts >= (fault.part or 0)
        )

    def at_second(self, second: float) -> Fault | None:
        return self._first(lambda fault, _: fault.second == second)

    def seconds(self) -> list[float]:
        """The moments, in seconds since the answer began, at which to ask ``at_second``."""
        return sorted({e.fault.second for e in self._open() if e.fault.second is not None})

    def before(self, size: int) -> int:
        """How many of the next ``size`` bytes go before a fault strikes."""
        marks = [
            entry.fault.byte - self._gone(entry).bytes
            for entry in self._open()
            if entry.fault.byte is not None
        ]
        return min([size, *(mark for mark in marks if mark > 0)])

    def _first(self, true: Callable[[Fault, _Count], bool]) -> Fault | None:
        for entry in self._open():
            if true(entry.fault, self._gone(entry)):
                self._struck.add(entry)
                self._script.spend(entry)
                return entry.fault
        return None

    def _open(self) -> list[_Left]:
        return [e for e in self._script.entries(self._number) if e not in self._struck]

    def _gone(self, entry: _Left) -> _Count:
        since = self._since.setdefault(entry, self._count)
        now = self._count
        return _Count(now.asked - since.asked, now.parts - since.parts, now.bytes - since.bytes)


def _due(fault: Fault, gone: _Count) -> bool:
    if fault.kind in RESHAPING or fault.at_head or fault.second is not None:
        return False
    return (
        gone.asked >= (fault.asked or 0)
        and gone.parts >= (fault.part or 0)
        and gone.bytes >= (fault.byte or 0)
    )
