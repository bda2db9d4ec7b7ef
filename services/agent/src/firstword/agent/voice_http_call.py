"""One call of InvokeEndpointWithResponseStream: boto3 in a thread, frames in the event loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from typing import Any

from botocore.exceptions import (  # type: ignore[import-untyped]
    ClientError,
    NoCredentialsError,
    PartialCredentialsError,
    ReadTimeoutError,
)

from firstword.agent.buffer import BufferClosed, ByteBuffer
from firstword.agent.voice_faults import Answer, Fault, Faults
from firstword.protocol import Frame, RemoteProtocolError, SseParser, Synthesize, from_dict

BUFFER_BYTES = 256 * 1024


class Call:
    """One call, in a thread; it ends soon after ``stop``, at the latest with boto3's deadlines."""

    def __init__(
        self, request: Synthesize, invoke: Callable[[Synthesize], Any], faults: Faults
    ) -> None:
        self.name = request.request_id or ""
        self._request = request
        self._invoke = invoke
        self._faults = faults
        self._fault: Fault | None = None
        self._loop = asyncio.get_running_loop()
        self._chunks: ByteBuffer[bytes] = ByteBuffer(BUFFER_BYTES)
        threading.Thread(target=self._run, name="speech http call", daemon=True).start()

    def stop(self) -> None:
        """Nothing more of it is wanted."""
        self._chunks.clear()
        self._chunks.close()

    async def frames(self) -> AsyncIterator[Any]:
        """The answer's frames, audio as AudioChunk. Ends early after ``stop``.

        Raises:
            ConnectionLostError, VoiceError: the call failed.
            RemoteProtocolError: the answer is not the speech wire's.
        """
        parser = SseParser()
        while True:
            try:
                chunk = await self._chunks.get()
            except BufferClosed:
                if self._fault is not None:
                    raise self._fault from None
                return
            for event in parser.feed(chunk):
                yield _frame(event)

    def _run(self) -> None:
        fault: Fault | None = None
        try:
            parts = self._invoke(self._request)
            try:
                self._hand_over(parts)
            finally:
                parts.close()
        except Exception as error:  # noqa: BLE001 - the thread's door: all that boto3 may raise
            fault = self._fault_of(error)
            fault.__cause__ = error
        try:
            self._loop.call_soon_threadsafe(self._finish, fault)
        except RuntimeError:
            """The loop is closed: nobody waits any more."""

    def _hand_over(self, parts: Any) -> None:
        for event in parts:
            data = event.get("PayloadPart", {}).get("Bytes", b"")
            putting = asyncio.run_coroutine_threadsafe(
                self._chunks.put(data, len(data)), self._loop
            )
            try:
                putting.result()
            except BufferClosed:
                return

    def _finish(self, fault: Fault | None) -> None:
        self._fault = fault
        self._chunks.close()

    def _fault_of(self, error: Exception) -> Fault:
        match error:
            case NoCredentialsError() | PartialCredentialsError():
                return self._faults.no_credentials()
            case ClientError():
                return self._faults.of(_answer(error.response))
            case ReadTimeoutError():
                return self._faults.silent()
            case _:
                return self._faults.unreachable()


def _frame(event: dict[str, Any]) -> Frame:
    frame = from_dict(event, absent="")
    if not hasattr(frame, "request_id"):
        raise RemoteProtocolError("unexpected_frame", f"{type(frame).__name__} is no answer")
    return frame


def _answer(response: dict[str, Any]) -> Answer:
    error = response.get("Error", {})
    metadata = response.get("ResponseMetadata", {})
    after = metadata.get("HTTPHeaders", {}).get("retry-after", "")
    return Answer(
        name=str(error.get("Code", "")),
        status=metadata.get("HTTPStatusCode"),
        message=str(error.get("Message", "")),
        retry_after_s=float(after) if after.isdigit() else 0.0,
        model_status=response.get("OriginalStatusCode"),
        model_message=str(response.get("OriginalMessage", "")),
    )
