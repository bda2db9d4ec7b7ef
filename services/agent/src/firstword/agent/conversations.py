"""The conversations that are remembered: a bounded number, for a bounded time, one turn each."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from firstword.agent.errors import RefusedError
from firstword.agent.settings import ConversationSettings
from firstword.agent.thinker import Thinker
from firstword.agent.voice import Voice
from firstword.protocol import Mode

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Conversation:
    """What one caller's turns have in common. ``users`` counts turns that run or wait.

    ``batch_voice`` says replies of mode batch, where another wire carries those.
    """

    thinker: Thinker
    voice: Voice
    last_used: float
    batch_voice: Voice | None = None
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    users: int = 0

    def voice_for(self, mode: Mode) -> Voice:
        """What says a reply of this mode."""
        return self.batch_voice or self.voice if mode == "batch" else self.voice

    async def close(self) -> None:
        """Leave the speech service; the next turn comes back to it."""
        await self.voice.close()
        if self.batch_voice is not None:
            await self.batch_voice.close()


class Conversations:
    """Finds or begins conversations by id; the one unused for longest makes room for a new one.

    ``wire`` tells what carries the speech of a reply that begins now.
    """

    def __init__(
        self,
        settings: ConversationSettings,
        *,
        think: Callable[[], Thinker],
        speak: Callable[[], Voice],
        voice_idle_s: float,
        speak_batch: Callable[[], Voice | None] = lambda: None,
        wire: Callable[[Mode], str | None] = lambda mode: None,
    ) -> None:
        self._settings = settings
        self._think = think
        self._speak = speak
        self._speak_batch = speak_batch
        self.wire = wire
        self._voice_idle_s = voice_idle_s
        self._known: OrderedDict[str, Conversation] = OrderedDict()
        self._leaving: set[asyncio.Task[None]] = set()
        self._quiet = asyncio.Event()
        self._quiet.set()
        self.draining = False

    @property
    def active(self) -> int:
        """Turns that run or wait."""
        return sum(conversation.users for conversation in self._known.values())

    def __len__(self) -> int:
        return len(self._known)

    @asynccontextmanager
    async def hold(self, session_id: str) -> AsyncIterator[Conversation]:
        """The conversation, for one turn; a second turn of it waits a little for the first.

        Raises:
            RefusedError: the wait was too long, all conversations are busy, or the server is
                about to stop.
        """
        conversation = self._enter(session_id)
        try:
            try:
                async with asyncio.timeout(self._settings.turn_wait_s):
                    await conversation.turn.acquire()
            except TimeoutError:
                message = "This conversation is still answering another prompt."
                raise RefusedError("conversation_busy", message) from None
            try:
                yield conversation
            finally:
                conversation.turn.release()
        finally:
            conversation.users -= 1
            conversation.last_used = _now()
            if self.active == 0:
                self._quiet.set()

    async def drain(self, limit_s: float) -> None:
        """Refuse new turns, and wait for the running ones, for so many seconds at most."""
        self.draining = True
        try:
            async with asyncio.timeout(limit_s):
                await self._quiet.wait()
        except TimeoutError:
            logger.warning("active=<%d> | turns are cut off by the stop", self.active)

    async def keep_tidy(self) -> None:
        """For ever: forget old conversations, and let go of voices that nobody listens to."""
        while True:
            await asyncio.sleep(min(15.0, self._voice_idle_s / 4))
            self.tidy()

    def tidy(self) -> None:
        """What ``keep_tidy`` does each time."""
        now = _now()
        for session_id, conversation in list(self._known.items()):
            unused_s = now - conversation.last_used
            if conversation.users:
                continue
            if unused_s > self._settings.age_s:
                self._forget(session_id)
            elif unused_s > self._voice_idle_s:
                self._let_go(conversation)

    async def close(self) -> None:
        """Leave the speech service in all conversations, and forget them."""
        for session_id in list(self._known):
            self._forget(session_id)
        if self._leaving:
            await asyncio.wait(self._leaving)

    def _enter(self, session_id: str) -> Conversation:
        if self.draining:
            raise RefusedError("draining", "The server is about to stop. Try again in a moment.")
        conversation = self._known.get(session_id)
        if conversation is None:
            self._make_room()
            conversation = Conversation(
                self._think(), self._speak(), _now(), batch_voice=self._speak_batch()
            )
            self._known[session_id] = conversation
        self._known.move_to_end(session_id)
        conversation.users += 1
        self._quiet.clear()
        return conversation

    def _make_room(self) -> None:
        if len(self._known) < self._settings.most:
            return
        unused = next((name for name, known in self._known.items() if not known.users), None)
        if unused is None:
            message = f"All {self._settings.most} conversations are busy. Try again in a moment."
            raise RefusedError("too_many_conversations", message)
        self._forget(unused)

    def _forget(self, session_id: str) -> None:
        self._let_go(self._known.pop(session_id))

    def _let_go(self, conversation: Conversation) -> None:
        task = asyncio.create_task(_leave(conversation), name="leave the speech service")
        self._leaving.add(task)
        task.add_done_callback(self._leaving.discard)


async def _leave(conversation: Conversation) -> None:
    # A turn that begins meanwhile waits, and opens the voice anew.
    async with conversation.turn:
        await conversation.close()


def _now() -> float:
    return asyncio.get_running_loop().time()
