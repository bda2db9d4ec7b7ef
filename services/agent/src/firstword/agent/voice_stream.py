"""A Voice over any connection that carries the speech wire, kept across a conversation's turns.

One task keeps the connection. It reads, and when the connection is lost while something is being
said, it opens another and asks for the rest, from the sample that is missing. Synthesis is a
function of text, voice, speed, quality and engine, so the parts join without a seam; where the
engine has changed they would not, and the sentence ends in an error.
"""

from __future__ import annotations

import asyncio
import logging
import random
from contextlib import suppress

from firstword.agent.errors import VoiceError
from firstword.agent.settings import VoiceSettings
from firstword.agent.voice import Ask
from firstword.agent.voice_link import Connect, ConnectionLostError, Link
from firstword.agent.voice_speech import StreamSpeech
from firstword.protocol import (
    Audio,
    Cancel,
    Close,
    Error,
    Frame,
    ProtocolError,
    SynthesisComplete,
    SynthesisStart,
    Words,
)

logger = logging.getLogger(__name__)

FIRST_PAUSE_S = 0.1
"""Between the first two attempts to connect; doubled every time, with jitter."""


class StreamVoice:
    """See ``firstword.agent.voice.Voice``."""

    def __init__(self, connect: Connect, settings: VoiceSettings) -> None:
        self._connect = connect
        self._settings = settings
        self._asked: list[StreamSpeech] = []
        self._link: Link | None = None
        self._keeper: asyncio.Task[None] | None = None
        self._ready = asyncio.Event()
        self._failure: VoiceError | None = None
        self._sending = asyncio.Lock()

    async def open(self) -> None:
        if self._keeper is None or self._keeper.done():
            self._ready.clear()
            self._failure = None
            self._keeper = asyncio.create_task(self._stand_by(), name="speech connection")
        await self._ready.wait()
        if self._failure is not None:
            raise self._failure

    async def ask(self, ask: Ask) -> StreamSpeech:
        await self.open()
        speech = StreamSpeech(ask, self._settings, self._give_up)
        self._asked.append(speech)
        async with self._sending:
            # Where the connection was lost meanwhile, its keeper asks for all that is open.
            link = self._link
            if link is not None and ask.request_id not in link.session.open_requests:
                await link.send(speech.request())
        return speech

    async def cancel(self) -> None:
        for speech in self._asked:
            speech.drop()
        self._asked.clear()
        link = self._link
        if link is not None and link.session.open_requests:
            stale = frozenset(link.session.open_requests)
            await link.send(Cancel())
            loop = asyncio.get_running_loop()
            loop.call_later(self._settings.cancel_s, _drop_if_still_speaking, link, stale)

    async def close(self) -> None:
        await self.cancel()
        keeper, link = self._keeper, self._link
        if keeper is None:
            return
        if link is not None:
            await link.send(Close())
            await asyncio.wait({keeper}, timeout=self._settings.close_s)
        keeper.cancel()
        await asyncio.wait({keeper})

    async def _stand_by(self) -> None:
        try:
            await self._keep()
        except VoiceError as error:
            self._failure = error
        except Exception:
            logger.exception("speech connection broke down")
            self._failure = VoiceError("speech_failed", "The speech connection failed.")
        if self._failure is not None:
            self._fail_all(self._failure)
        self._ready.set()

    async def _keep(self) -> None:
        """Hold a connection until it is lost while nothing is asked for."""
        while True:
            link = await self._dial()
            try:
                await self._use(link)
            except (ConnectionLostError, ProtocolError) as error:
                logger.info(
                    "error=<%s>, open=<%d> | speech connection ended",
                    type(error).__name__,
                    len(self._asked),
                )
            finally:
                self._link = None
                await self._leave(link)
            if not self._asked:
                return
            self._count_loss()

    async def _dial(self) -> Link:
        pause = FIRST_PAUSE_S
        for attempt in range(1, self._settings.attempts + 1):
            try:
                async with asyncio.timeout(self._settings.open_s):
                    connection = await self._connect()
            except (ConnectionLostError, TimeoutError) as error:
                kind = type(error.__cause__ or error).__name__
                logger.warning("attempt=<%d>, error=<%s> | speech connection failed", attempt, kind)
            else:
                return Link(connection, self._settings.send_s)
            if attempt < self._settings.attempts:
                await asyncio.sleep(pause * random.uniform(0.5, 1.0))  # noqa: S311
                pause *= 2
        raise VoiceError("speech_unavailable", "The speech service cannot be reached.")

    async def _use(self, link: Link) -> None:
        async with self._sending:
            self._link = link
            for speech in list(self._asked):
                await link.send(speech.request())
        self._ready.set()
        while True:
            payload, binary = await link.connection.receive()
            for frame in link.session.receive(payload, binary=binary):
                await self._take(link, frame)

    async def _leave(self, link: Link) -> None:
        with suppress(ConnectionLostError, TimeoutError):
            async with asyncio.timeout(self._settings.close_s):
                await link.connection.close()

    async def _take(self, link: Link, frame: Frame) -> None:
        match frame:
            case Audio():
                speech = self._find(link.session.speaking)
            case SynthesisStart() | Words() | SynthesisComplete():
                speech = self._find(frame.request_id)
            case Error(request_id=None):
                self._fail_all(_remote_error(frame))
                return
            case Error():
                speech = self._find(frame.request_id)
                if speech is not None:
                    self._end(speech, _remote_error(frame))
                return
            case _:
                return
        if speech is None:
            return
        try:
            await speech.take(frame)
        except VoiceError as error:
            self._end(speech, error)
            await link.send(Cancel(request_id=speech.ask.request_id))
        if isinstance(frame, SynthesisComplete) and speech in self._asked:
            self._asked.remove(speech)

    def _find(self, request_id: str | None) -> StreamSpeech | None:
        return next((s for s in self._asked if s.ask.request_id == request_id), None)

    def _end(self, speech: StreamSpeech, error: VoiceError) -> None:
        if speech in self._asked:
            self._asked.remove(speech)
        speech.fail(error)

    def _fail_all(self, error: VoiceError) -> None:
        for speech in list(self._asked):
            self._end(speech, error)

    def _count_loss(self) -> None:
        """A sentence that loses its connection again and again is given up."""
        head = self._asked[0]
        head.resumed += 1
        if head.resumed > self._settings.attempts:
            message = "The connection to the speech service was lost too often."
            self._end(head, VoiceError("speech_lost", message))

    def _give_up(self, speech: StreamSpeech) -> None:
        """The service is silent: drop the connection, so that it stops, and ask for the rest."""
        if speech in self._asked:
            self._asked.remove(speech)
        if self._link is not None:
            self._link.connection.abort()


def _drop_if_still_speaking(link: Link, stale: frozenset[str]) -> None:
    if stale.intersection(link.session.open_requests):
        logger.warning("open=<%d> | speech service did not stop in time", len(stale))
        link.connection.abort()


def _remote_error(frame: Error) -> VoiceError:
    """The service's own code and sentence, which are meant to be shown; bounded all the same."""
    return VoiceError(frame.code[:64], " ".join(frame.message.split())[:300])
