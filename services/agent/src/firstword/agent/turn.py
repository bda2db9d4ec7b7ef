"""Room 4: one reply from its prompt to ``agent_end``, and what the conversation keeps of it."""

from __future__ import annotations

import asyncio
import logging

from firstword.agent.conversations import Conversation, Conversations
from firstword.agent.errors import AgentError
from firstword.agent.heard import heard_text
from firstword.agent.output import Output
from firstword.agent.record import Recorder, TurnRecord
from firstword.agent.settings import Settings
from firstword.agent.speaking import Speaking
from firstword.agent.timeline import Timeline
from firstword.agent.writing import Writing
from firstword.protocol import (
    BYTES_PER_SAMPLE,
    AgentEnd,
    AgentStart,
    Prompt,
    Status,
    duration_s,
)

logger = logging.getLogger(__name__)


class Turn:
    """``run`` puts all events of the reply into ``output``; the last is always ``agent_end``.

    The prompt must carry its request's and its session's id. Whoever runs the turn either lets it
    end, or calls ``stop``, or cancels the task.
    """

    def __init__(
        self,
        prompt: Prompt,
        conversations: Conversations,
        settings: Settings,
        record: TurnRecord | None = None,
    ) -> None:
        self.request_id = prompt.request_id or ""
        self.session_id = prompt.session_id or ""
        self.output = Output(settings.turn.buffer_bytes)
        self._prompt = prompt
        self._conversations = conversations
        self._settings = settings
        self._timeline = Timeline()
        self._record = record or Recorder().begin(prompt)
        self._conversation: Conversation | None = None
        self._writing: Writing | None = None
        self._task: asyncio.Task[None] | None = None
        self._stopped = False
        self._over = False
        self._heard_s: float | None = None
        self._spoken: str | None = None

    @property
    def stopped(self) -> bool:
        """Whether the reply was cut off."""
        return self._stopped

    async def run(self) -> None:
        """Think and speak. Raises nothing but CancelledError, when it is cancelled from outside."""
        with self._record.running():
            await self._run()

    async def _run(self) -> None:
        self._task = asyncio.current_task()
        status: Status = "cancelled"
        try:
            if not self._stopped:
                status = await self._reply()
        except asyncio.CancelledError:
            if self._task is None or not self._stopped:
                raise
            self._task.uncancel()
        finally:
            self._task, self._over = None, True
            self._timeline.mark("end")
            self.output.end(self._end(status))
            self._record.end(status, self._timeline.timings())

    def stop(self, heard_s: float | None = None) -> bool:
        """Cut the reply off: from now on nothing of it comes but ``agent_end``.

        ``heard_s``: seconds of its audio that were played, where the player knows. Gives False
        where the reply was cut off before, or its last event was taken.
        """
        if self._stopped or self.output.finished:
            return False
        self._stopped = True
        self._heard_s = heard_s
        self.output.silence()
        if self._task is not None:
            self._task.cancel()
        elif self._over:
            self.output.end(self.amend(heard_s))
        return True

    def amend(self, heard_s: float | None = None) -> AgentEnd:
        """After the end: the player was stopped before it had played all. Keeps what was heard."""
        self._record.stopped_playing()
        self._heard_s = heard_s
        if self._conversation is not None and self._writing is not None:
            self._keep_heard(self._conversation, self._writing)
        return self._end("cancelled")

    async def hush(self) -> None:
        """The voice, too, is told that the audio of a reply that is over is not heard any more, so
        that what is asked of it next is urgent."""
        if self._over and self._conversation is not None:
            await self._conversation.voice_for(self._prompt.mode).cancel()

    async def _reply(self) -> Status:
        await self.output.put(
            AgentStart(
                request_id=self.request_id,
                mode=self._prompt.mode,
                session_id=self.session_id,
                wire=self._conversations.wire(self._prompt.mode),
            )
        )
        try:
            async with self._conversations.hold(self.session_id) as conversation:
                return await self._answer(conversation)
        except AgentError as error:
            await self._tell(error)
        except Exception:
            logger.exception("request_id=<%s> | turn broke down", self.request_id)
            await self._tell(AgentError("internal", "The agent failed. The log has the details."))
        return "failed"

    async def _answer(self, conversation: Conversation) -> Status:
        writing = Writing(
            self._prompt,
            self._settings.turn,
            thinker=conversation.thinker,
            output=self.output,
            timeline=self._timeline,
        )
        voice = conversation.voice_for(self._prompt.mode)
        speaking = Speaking(
            self._prompt,
            self._settings.voice.voice,
            voice=voice,
            output=self.output,
            timeline=self._timeline,
            record=self._record,
        )
        self._conversation, self._writing = conversation, writing
        try:
            async with asyncio.TaskGroup() as rooms:
                rooms.create_task(self._record.thinking(writing.think()))
                rooms.create_task(writing.cut())
                rooms.create_task(speaking.ask(writing.next_line))
                rooms.create_task(speaking.play())
            return await self._finish(conversation, writing, speaking)
        except BaseException:
            self._keep_heard(conversation, writing)
            await voice.cancel()
            raise

    async def _finish(
        self, conversation: Conversation, writing: Writing, speaking: Speaking
    ) -> Status:
        self._spoken = writing.text
        if writing.error is None:
            return "failed" if speaking.failed else "complete"
        if writing.text.strip():
            conversation.thinker.remember(writing.exchange, writing.text)
        else:
            conversation.thinker.forget(writing.exchange)
        await self._tell(writing.error)
        return "failed"

    def _keep_heard(self, conversation: Conversation, writing: Writing) -> None:
        self._spoken = heard_text(writing.text, writing.lines, self._played_s(writing))
        conversation.thinker.remember(writing.exchange, self._spoken)

    def _played_s(self, writing: Writing) -> float:
        """Seconds of the reply that were played: what the client says, else as long as it had."""
        if self.output.first_audio_at is None:
            return 0.0
        rate = writing.lines[0].sample_rate if writing.lines else 24_000
        sent_s = duration_s(self.output.audio_bytes_taken // BYTES_PER_SAMPLE, rate)
        since_s = asyncio.get_running_loop().time() - self.output.first_audio_at
        return min(sent_s, since_s if self._heard_s is None else self._heard_s)

    async def _tell(self, error: AgentError) -> None:
        self._record.error(error.code)
        await self.output.put(error.frame(self.request_id))

    def _end(self, status: Status) -> AgentEnd:
        return AgentEnd(
            request_id=self.request_id,
            timings=self._timeline.timings(),
            status=status,
            spoken=self._spoken or "",
        )
