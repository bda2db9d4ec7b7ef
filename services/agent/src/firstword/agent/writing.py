"""Room 4, first half: the model's text becomes deltas for the reader and lines for the voice."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from firstword.agent.errors import ModelError
from firstword.agent.heard import Line
from firstword.agent.output import Output
from firstword.agent.settings import TurnSettings
from firstword.agent.spans import Piece
from firstword.agent.thinker import Thinker
from firstword.agent.timeline import Timeline
from firstword.chunker import Sentence, SentenceChunker
from firstword.protocol import Prompt, TextDelta

WAITING_LINES = 64
"""Lines that wait to be asked for; beyond that the text waits as well."""

_PAUSE = ""


class Writing:
    """``think`` and ``cut`` run side by side; the lines come out of ``next_line``.

    ``text`` is what the model wrote so far and ``lines`` what was made of it. A failure of the
    model ends the text and is kept in ``error``; what was written before is still cut and said.
    """

    def __init__(
        self,
        prompt: Prompt,
        settings: TurnSettings,
        *,
        thinker: Thinker,
        output: Output,
        timeline: Timeline,
    ) -> None:
        self._live = prompt.mode == "bidi"
        self._request_id = prompt.request_id or ""
        self._settings = settings
        self._thinker = thinker
        self._output = output
        self._timeline = timeline
        self.exchange = thinker.begin(prompt.prompt)
        self.text = ""
        self.lines: list[Line] = []
        self.error: ModelError | None = None
        # Bounded by max_reply_chars. Nothing but the model may hold up the task that listens to
        # it, so that a cancel always finds it there and reaches the model.
        self._written: asyncio.Queue[str | None] = asyncio.Queue()
        self._cut_out: asyncio.Queue[Line | None] = asyncio.Queue(WAITING_LINES)
        self._room = settings.max_reply_chars
        self._deltas = 0
        self._paused = False
        self._ended = False

    async def think(self) -> None:
        """Have the model answer."""
        try:
            await self._thinker.think(self.exchange, self._write)
        except ModelError as error:
            self.error = error
        self._written.put_nowait(None)

    async def cut(self) -> None:
        """Show the text, and cut it into lines: sentences, or one for all of it (batch)."""
        sentences: list[Sentence] = []
        async for sentence in self._sentences():
            self._timeline.mark("first_sentence")
            if self._live:
                await self._add([sentence])
            else:
                sentences.append(sentence)
        if sentences:
            await self._add(sentences)
        await self._cut_out.put(None)

    async def next_line(self) -> Line | None:
        """The next line; None after the last."""
        return await self._cut_out.get()

    def _write(self, text: str) -> None:
        self._room -= len(text)
        if self._room < 0:
            raise ModelError("reply_too_long", "The language model does not come to an end.")
        self._written.put_nowait(text)

    async def _sentences(self) -> AsyncIterator[Sentence]:
        chunker = SentenceChunker(
            first_clause_words=self._settings.first_clause_words if self._live else None
        )
        while (text := await self._next_text()) is not None:
            if text == _PAUSE:
                sentences = chunker.release()
            else:
                await self._show(text)
                sentences = chunker.feed(text)
            for sentence in sentences:
                yield sentence
        for sentence in chunker.flush():
            yield sentence

    async def _next_text(self) -> str | None:
        """What the model wrote since; ``_PAUSE`` once when it pauses, None at its end."""
        if self._ended:
            return None
        patience = self._settings.idle_release_s
        waiting = self._live and self.text and not self._paused
        try:
            async with asyncio.timeout(patience if waiting else None):
                text = await self._written.get()
        except TimeoutError:
            self._paused = True
            return _PAUSE
        self._paused = False
        while text is not None and not self._written.empty():
            more = self._written.get_nowait()
            if more is None:
                self._ended = True
                break
            text += more
        return text

    async def _show(self, text: str) -> None:
        self._timeline.mark("first_text")
        delta = TextDelta(request_id=self._request_id, seq=self._deltas, text=text)
        self._deltas += 1
        self.text += text
        await self._output.put(delta)

    async def _add(self, sentences: list[Sentence]) -> None:
        """Make a line of sentences that follow each other."""
        start, end = sentences[0].start, sentences[-1].end
        line = Line(
            seq=len(self.lines),
            text=self.text[start:end],
            start=start,
            end=end,
            pieces=tuple(
                Piece(sentence.spoken, sentence.text, sentence.start - start)
                for sentence in sentences
                if sentence.spoken
            ),
        )
        self.lines.append(line)
        await self._cut_out.put(line)
