"""A Voice over any connection that carries the speech wire, kept across a conversation's turns.

One task keeps the connection. It reads, and when the connection is lost while something is being
said, it opens another and asks for the rest, from the sample that is missing. Synthesis is a
function of text, voice, speed, quality and engine, so the parts join without a seam; where the
engine has changed they would not, and the sentence ends in an error. A connection that is about
to be too old is left between two sentences.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from contextvars import Context

from firstword.agent.errors import VoiceError
from firstword.agent.settings import VoiceSettings
from firstword.agent.voice import Ask
from firstword.agent.voice_link import Connect, ConnectionLostError, Link
from firstword.agent.voice_patience import Patience
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

PASSING = frozenset({"queue_saturated", "too_many_sessions", "starting", "draining"})
"""Codes of the service for a state that passes: the sentence is asked for again after a pause."""


class StreamVoice:
    """See ``firstword.agent.voice.Voice``."""

    def __init__(self, connect: Connect, settings: VoiceSettings) -> None:
        self._connect = connect
        self._settings = settings
        self._patience = Patience(settings)
        self._asked: list[StreamSpeech] = []
        self._link: Link | None = None
        self._keeper: asyncio.Task[None] | None = None
        self._ready = asyncio.Event()
        self._failure: VoiceError | None = None
        self._silent = False
        self._sending = asyncio.Lock()

    async def open(self) -> None:
        self._patience.renew()
        await self._be_open()

    async def _be_open(self) -> None:
        if self._keeper is None or self._keeper.done():
            self._ready.clear()
            self._failure = None
            # It outlives the turn that opens it, whose ids and spans are not its own.
            self._keeper = asyncio.create_task(
                self._stand_by(), name="speech connection", context=Context()
            )
        await self._ready.wait()
        if self._failure is not None:
            raise self._failure

    async def ask(self, ask: Ask) -> StreamSpeech:
        await self._be_open()
        speech = StreamSpeech(ask, self._settings, stalled=self._reconnect, given_up=self._give_up)
        self._asked.append(speech)
        async with self._sending:
            # Where the connection was lost meanwhile, its keeper asks for all that is open.
            link = self._link
            if link is not None and not link.retiring and not _is_open(link, speech):
                await link.send(speech.request())
        return speech

    async def cancel(self) -> None:
        for speech in self._asked:
            speech.drop()
        self._asked.clear()
        link = self._link
        if link is None:
            return
        # Where nothing is open it still tells the service that what was made is not heard.
        stale = frozenset(link.session.open_requests)
        await link.send(Cancel())
        if stale:
            loop = asyncio.get_running_loop()
            loop.call_later(self._settings.cancel_s, _drop_if_still_speaking, link, stale)

    async def close(self) -> None:
        if self._asked:
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
        """Hold a connection until it is lost, or old, while nothing is asked for."""
        while True:
            link = await self._dial()
            lost: ConnectionLostError | None = None
            try:
                await self._use(link)
            except ConnectionLostError as error:
                lost = error
            except ProtocolError as error:
                logger.warning("error=<%s> | speech service broke the protocol", error)
                lost = ConnectionLostError()
            finally:
                self._link = None
                await self._leave(link)
            logger.info(
                "cause=<%s>, open=<%d> | speech connection ended",
                "age" if lost is None else lost,
                len(self._asked),
            )
            silent, self._silent = self._silent, False
            if not self._asked:
                return
            if lost is not None:
                await self._count_loss(lost, lost.reason or _why(silent))

    async def _dial(self) -> Link:
        lost = ConnectionLostError()
        for attempt in range(1, self._settings.attempts + 1):
            try:
                async with asyncio.timeout(self._settings.open_s):
                    connection = await self._connect()
                return Link(connection, self._settings.send_s)
            except TimeoutError:
                lost = ConnectionLostError()
            except ConnectionLostError as error:
                lost = error
            kind = type(lost.__cause__ or lost).__name__
            logger.warning(
                "attempt=<%d>, cause=<%s>, error=<%s> | speech connection failed",
                attempt,
                lost,
                kind,
            )
            if attempt == self._settings.attempts or not self._patience.take():
                break
            await asyncio.sleep(self._patience.pause_s(attempt, lost.pause_s))
        raise lost.reason or VoiceError(
            "speech_unavailable", "The speech service cannot be reached."
        )

    async def _use(self, link: Link) -> None:
        """Returns when the connection was left for its age."""
        loop = asyncio.get_running_loop()
        renewal = loop.call_later(self._settings.renew_s, link.retire)
        try:
            async with self._sending:
                self._link = link
                for speech in list(self._asked):
                    await link.send(speech.request())
            self._ready.set()
            while not link.retiring or link.session.open_requests:
                payload, binary = await link.connection.receive()
                for frame in link.session.receive(payload, binary=binary):
                    await self._take(link, frame)
                self._check_head()
        finally:
            renewal.cancel()

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
                self._take_error(frame)
                return
            case _:
                return
        if speech is None:
            return
        try:
            await speech.take(frame)
        except VoiceError as error:
            self._end(speech, error)
            if _is_open(link, speech):
                await link.send(Cancel(request_id=speech.ask.request_id))
        if isinstance(frame, SynthesisComplete) and speech in self._asked:
            self._asked.remove(speech)

    def _take_error(self, frame: Error) -> None:
        speech = self._find(frame.request_id)
        if speech is None:
            return
        error = _remote_error(frame)
        if frame.code in PASSING:
            speech.refusal = error
        else:
            self._end(speech, error)

    def _check_head(self) -> None:
        """What was refused for now is asked for again once its turn has come: order is kept."""
        refusal = self._asked[0].refusal if self._asked else None
        if refusal is not None:
            raise ConnectionLostError(refusal)

    def _find(self, request_id: str | None) -> StreamSpeech | None:
        return next((s for s in self._asked if s.ask.request_id == request_id), None)

    def _end(self, speech: StreamSpeech, error: VoiceError) -> None:
        if speech in self._asked:
            self._asked.remove(speech)
        speech.fail(error)

    def _fail_all(self, error: VoiceError) -> None:
        for speech in list(self._asked):
            self._end(speech, error)

    async def _count_loss(self, lost: ConnectionLostError, reason: VoiceError) -> None:
        """A sentence that loses its connection again and again is given up."""
        head = self._asked[0]
        head.resumed += 1
        if head.resumed > self._settings.attempts or not self._patience.take():
            self._end(head, reason)
        elif head.resumed > 1 or lost.reason is not None:
            await asyncio.sleep(self._patience.pause_s(head.resumed, lost.pause_s))

    def _give_up(self, speech: StreamSpeech) -> None:
        """The service is silent: drop the connection, so that it stops, and ask for the rest."""
        if speech in self._asked:
            self._asked.remove(speech)
        self._reconnect(speech)

    def _reconnect(self, speech: StreamSpeech) -> None:
        if self._link is not None:
            logger.warning("received=<%d> | speech service is silent", speech.received)
            self._silent = True
            self._link.connection.abort()


def _why(silent: bool) -> VoiceError:
    """What a sentence ends with whose connections were all lost."""
    if silent:
        return VoiceError("speech_timeout", "The speech service was silent for too long.")
    message = "The connection to the speech service was lost too often."
    return VoiceError("speech_lost", message)


def _is_open(link: Link, speech: StreamSpeech) -> bool:
    return speech.ask.request_id in link.session.open_requests


def _drop_if_still_speaking(link: Link, stale: frozenset[str]) -> None:
    if stale.intersection(link.session.open_requests):
        logger.warning("open=<%d> | speech service did not stop in time", len(stale))
        link.connection.abort()


def _remote_error(frame: Error) -> VoiceError:
    """The service's own code and sentence, which are meant to be shown; bounded all the same."""
    return VoiceError(frame.code[:64], " ".join(frame.message.split())[:300])
