"""The way of the answer's body to the caller, and what goes wrong on it."""

from __future__ import annotations

import asyncio

from firstword.emulator.sagemaker.events import Part
from firstword.emulator.sagemaker.exchange import Exchange
from firstword.emulator.sagemaker.fault_script import CallFaults
from firstword.emulator.sagemaker.faults import Fault, Kind


class StruckError(Exception):
    """A fault that ends the call."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.kind)
        self.fault = fault


class Outlet:
    """Sends encoded parts, one after the other."""

    def __init__(self, exchange: Exchange, faults: CallFaults) -> None:
        self._exchange = exchange
        self._faults = faults
        self._slow: Fault | None = None
        self._silent = False
        self._held: Part | None = None

    async def opened(self) -> None:
        """The answer's head is out.

        Raises:
            StruckError: a fault ends the call here.
        """
        await self._look()

    async def part(self, part: Part) -> None:
        """Send a part, in whatever shape the script wants it.

        Raises:
            StruckError: a fault ends the call here.
            PeerGoneError: the caller has left.
        """
        for piece in self._shaped(part):
            await self._bytes(piece.encode())
            self._faults.count(parts=1)
            await self._look()

    async def strike(self, fault: Fault) -> None:
        """Let a fault happen.

        Raises:
            StruckError: it ends the call.
        """
        match fault.kind:
            case Kind.SILENCE:
                self._silent = True
            case Kind.SLOW:
                self._slow = fault
            case Kind.DRAIN:
                await self._exchange.go_away(stay=True)
            case _:
                raise StruckError(fault)

    async def _look(self) -> None:
        while (fault := self._faults.now()) is not None:
            await self.strike(fault)

    async def _bytes(self, data: bytes) -> None:
        while data:
            if self._silent:
                await asyncio.Event().wait()
            size = self._faults.before(len(data))
            await self._paced(data[:size])
            data = data[size:]
            self._faults.count(size=size)
            if data:
                await self._look()

    async def _paced(self, data: bytes) -> None:
        if self._slow is None:
            await self._exchange.send(data)
            return
        step = self._slow.piece
        for start in range(0, len(data), step):
            await self._exchange.send(data[start : start + step])
            await asyncio.sleep(self._slow.pause)

    def _shaped(self, part: Part) -> list[Part]:
        if self._held is not None:
            held, self._held = self._held, None
            return [Part(held.data + part.data, held.text, held.complete)]
        fault = self._faults.reshaping() if part.text and part.complete else None
        if fault is None:
            return [part]
        if fault.kind is Kind.JOIN:
            self._held = part
            return []
        middle = len(part.data) // 2
        return [
            Part(part.data[:middle], part.text, complete=False),
            Part(part.data[middle:], part.text, complete=True),
        ]
