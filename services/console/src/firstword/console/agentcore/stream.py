"""One turn with a deployed agent: ``InvokeAgentRuntime`` in a thread, its events in the loop."""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing
from typing import Any
from uuid import uuid4

from firstword.console.agentcore.failure import failure_of, unreachable
from firstword.console.agentcore.runtime import CONNECT_S, SILENCE_S, Runtime
from firstword.console.turn import Question, TurnError, events_in

_PIECE_BYTES = 64 * 1024
_WAITING_PIECES = 16
_SLACK_S = 5.0


async def ask_runtime(runtime: Runtime, question: Question) -> AsyncGenerator[Mapping[str, Any]]:
    """The events of the reply as they come, ``agent_end`` last.

    Closing the iterator closes the connection, by which the agent knows to stop thinking and
    speaking. Raises TurnError.
    """
    call = _Call(runtime, json.dumps(question.payload()).encode())
    try:
        async with aclosing(events_in(call.pieces())) as events:
            async for event in events:
                yield event
    finally:
        call.close()


class _Call:
    """AWS's client blocks, so it works in a thread that hands over pieces and waits in between."""

    def __init__(self, runtime: Runtime, payload: bytes) -> None:
        self._runtime = runtime
        self._payload = payload
        self._loop = asyncio.get_running_loop()
        self._pieces: asyncio.Queue[bytes | Exception] = asyncio.Queue(_WAITING_PIECES)
        self._answer: Any = None
        self._closed = False
        # A daemon, so that a connection that hangs does not keep the command from ending.
        threading.Thread(target=self._work, name="runtime", daemon=True).start()

    async def pieces(self) -> AsyncIterator[bytes]:
        """The body as it comes. Raises TurnError."""
        while True:
            try:
                async with asyncio.timeout(CONNECT_S + SILENCE_S + _SLACK_S):
                    piece = await self._pieces.get()
            except TimeoutError:
                raise TurnError(str(unreachable(self._runtime))) from None
            if isinstance(piece, Exception):
                failure = failure_of(piece, self._runtime)
                raise TurnError(str(failure or type(piece).__name__)) from piece
            if not piece:
                return
            yield piece

    def close(self) -> None:
        """Leave the call: its connection is cut, which the thread sees and ends."""
        self._closed = True
        while not self._pieces.empty():
            self._pieces.get_nowait()
        if self._answer is not None:
            # It is no longer there where the answer has come to its end.
            with contextlib.suppress(RuntimeError, ValueError, OSError):
                self._answer.shutdown()

    def _work(self) -> None:
        try:
            client = self._runtime.client(self._runtime.session())
            with client.invoke_agent_runtime(
                agentRuntimeArn=self._runtime.arn,
                runtimeSessionId=str(uuid4()),
                contentType="application/json",
                accept="text/event-stream",
                payload=self._payload,
            )["response"] as self._answer:
                # read() would wait until a piece is full.
                while not self._closed and (piece := self._answer.read1(_PIECE_BYTES)):
                    self._hand_over(piece)
            self._hand_over(b"")
        except Exception as error:  # noqa: BLE001 (the thread's one door; the loop tells it)
            self._hand_over(error)

    def _hand_over(self, piece: bytes | Exception) -> None:
        # The loop may have ended, or may end while this waits; then nobody wants the piece.
        with contextlib.suppress(RuntimeError, asyncio.CancelledError):
            if not self._closed:
                handing = self._pieces.put(piece)
                asyncio.run_coroutine_threadsafe(handing, self._loop).result()
