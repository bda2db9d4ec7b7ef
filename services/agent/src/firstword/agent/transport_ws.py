"""Room 11: a conversation over one WebSocket. Events are text frames, audio is binary ones."""

from __future__ import annotations

import asyncio
import logging

from starlette.websockets import WebSocket, WebSocketDisconnect

from firstword.agent.buffer import BufferClosed
from firstword.agent.conversations import Conversations
from firstword.agent.errors import RefusedError
from firstword.agent.paced_socket import PacedSocket
from firstword.agent.record import Recorder
from firstword.agent.requests import Caller, check_prompt, log_prompt
from firstword.agent.settings import Settings
from firstword.agent.turn import Turn
from firstword.protocol import (
    Cancel,
    Close,
    Error,
    Frame,
    Prompt,
    RemoteProtocolError,
    decode,
)

logger = logging.getLogger(__name__)

MAX_MESSAGE_BYTES = 64 * 1024
MAX_FAULTS_IN_A_ROW = 20

NORMAL, POLICY = 1000, 1008


class TurnSocket:
    """Serves one socket: at most one reply at a time; a new prompt cuts the running one off.

    After a ``cancel``, or a prompt that barges in, nothing of the old reply is sent but its
    ``agent_end``. A cancel that comes after the end, while the player still plays, changes what
    the conversation keeps, and is answered with another ``agent_end``.
    """

    def __init__(
        self,
        socket: WebSocket,
        caller: Caller,
        conversations: Conversations,
        settings: Settings,
        recorder: Recorder,
    ) -> None:
        self._socket = socket
        self._caller = caller
        self._session = caller.session_id
        self._conversations = conversations
        self._settings = settings
        self._recorder = recorder
        self._out = PacedSocket(socket, settings.server)
        self._turn: Turn | None = None
        self._delivery: asyncio.Task[None] | None = None
        self._pump: asyncio.Task[None] | None = None
        self._faults = 0

    async def serve(self) -> None:
        """Accept the socket and serve it until either side closes it."""
        await self._socket.accept()
        try:
            async with asyncio.TaskGroup() as tasks:
                try:
                    await self._read(tasks)
                finally:
                    self._stop_turn()
        except* (WebSocketDisconnect, TimeoutError):
            logger.info("session_id=<%s> | client left", self._session)

    async def _read(self, tasks: asyncio.TaskGroup) -> None:
        while (message := await self._next_message()) is not None:
            try:
                frame = decode(message, absent="prompt", max_bytes=MAX_MESSAGE_BYTES)
            except RemoteProtocolError as error:
                await self._refuse(error.frame())
            else:
                if isinstance(frame, Close):
                    await self._wait_for_delivery()
                    await self._out.close(NORMAL, "")
                    return
                await self._handle(frame, tasks)
            if self._faults >= MAX_FAULTS_IN_A_ROW:
                await self._out.close(POLICY, "too many bad messages")
                return

    async def _handle(self, frame: Frame, tasks: asyncio.TaskGroup) -> None:
        match frame:
            case Prompt():
                try:
                    await self._begin(frame, tasks)
                except RefusedError as error:
                    await self._refuse(error.frame(frame.request_id))
                    return
            case Cancel():
                await self._cancel(frame)
            case _:
                message = f"{type(frame).__name__} is not a client's to send."
                await self._refuse(Error(code="unexpected_frame", message=message))
                return
        self._faults = 0

    async def _next_message(self) -> str | bytes | None:
        """The next message; None once the client has left, or has been idle for too long."""
        while True:
            try:
                async with asyncio.timeout(self._settings.server.socket_idle_s):
                    message = await self._socket.receive()
            except TimeoutError:
                if not self._answering:
                    await self._out.close(NORMAL, "idle")
                    return None
                continue
            if message["type"] == "websocket.disconnect":
                return None
            text: str | None = message.get("text")
            return text if text is not None else message.get("bytes") or b""

    async def _begin(self, prompt: Prompt, tasks: asyncio.TaskGroup) -> None:
        prompt = check_prompt(
            prompt,
            self._settings.turn,
            self._caller.session_id or prompt.session_id or self._session,
        )
        log_prompt(prompt, self._caller)
        self._stop_turn()
        await self._wait_for_delivery()
        self._session = prompt.session_id
        record = self._recorder.begin(prompt, self._caller.traceparent)
        self._turn = Turn(prompt, self._conversations, self._settings, record)
        self._delivery = tasks.create_task(self._deliver(self._turn))

    async def _cancel(self, cancel: Cancel) -> None:
        turn = self._turn
        if turn is None or cancel.request_id not in (None, turn.request_id):
            return
        if not self._stop_turn(cancel.heard_s) and not turn.stopped:
            await self._out.send(turn.amend(cancel.heard_s))
        await turn.hush()

    async def _deliver(self, turn: Turn) -> None:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(turn.run())
            self._pump = tasks.create_task(self._pump_events(turn))
            await asyncio.wait({self._pump})
            # Where the reply was cut off, its last event is still to be sent.
            await self._pump_events(turn)

    async def _pump_events(self, turn: Turn) -> None:
        while True:
            try:
                event = await turn.output.get()
            except BufferClosed:
                return
            await self._out.send(event, turn.output.join)

    def _stop_turn(self, heard_s: float | None = None) -> bool:
        """Cut the running reply off. False where there is none, or its end is on its way."""
        if self._turn is None or not self._answering or not self._turn.stop(heard_s):
            return False
        if self._pump is not None:
            # It may wait for a slow client with an event that must not come any more.
            self._pump.cancel()
        return True

    @property
    def _answering(self) -> bool:
        return self._delivery is not None and not self._delivery.done()

    async def _wait_for_delivery(self) -> None:
        if self._delivery is not None:
            await asyncio.wait({self._delivery})

    async def _refuse(self, error: Error) -> None:
        self._faults += 1
        self._recorder.error(error.code)
        await self._out.send(error)
