"""The speech wire over a WebSocket: the container itself, without SageMaker in between."""

from __future__ import annotations

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, WebSocketException

from firstword.agent.settings import VoiceSettings
from firstword.agent.voice_link import ConnectionLostError
from firstword.agent.voice_stream import StreamVoice
from firstword.protocol import MAX_CONTROL_BYTES

PING_S = 20.0
SILENT_PEER_S = 60.0
"""Longer than usual: a reader who pauses holds back the answers to our pings as well."""


class WebSocketConnection:
    """See ``firstword.agent.voice_link.Connection``."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket

    async def send(self, message: str | bytes) -> None:
        try:
            await self._socket.send(message)
        except ConnectionClosed as error:
            raise ConnectionLostError from error

    async def receive(self) -> tuple[str | bytes, bool]:
        try:
            message = await self._socket.recv()
        except ConnectionClosed as error:
            raise ConnectionLostError from error
        return message, isinstance(message, bytes)

    async def close(self) -> None:
        await self._socket.close()

    def abort(self) -> None:
        self._socket.transport.abort()


async def connect_websocket(url: str, settings: VoiceSettings) -> WebSocketConnection:
    """Open the speech service's WebSocket.

    Raises:
        ConnectionLostError: it cannot be opened; the cause says why.
    """
    try:
        socket = await connect(
            url,
            compression=None,
            proxy=None,
            open_timeout=settings.open_s,
            close_timeout=settings.close_s,
            ping_interval=PING_S,
            ping_timeout=SILENT_PEER_S,
            max_size=MAX_CONTROL_BYTES,
            max_queue=8,
        )
    except (OSError, WebSocketException, TimeoutError) as error:
        raise ConnectionLostError from error
    return WebSocketConnection(socket)


def websocket_voice(settings: VoiceSettings) -> StreamVoice:
    """A Voice that speaks through the WebSocket of the settings; connects when it is opened."""
    return StreamVoice(lambda: connect_websocket(settings.url, settings), settings)
