"""Room 1: one conversation's thoughts. A prompt goes in, text comes out as it is written."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

from botocore.exceptions import ClientError  # type: ignore[import-untyped]
from strands import Agent, ModelRetryStrategy
from strands.agent.conversation_manager import NullConversationManager
from strands.models.model import Model
from strands.types.content import ContentBlock, Messages
from strands.types.exceptions import (
    ContextWindowOverflowException,
    MaxTokensReachedException,
    ModelThrottledException,
)

from firstword.agent.errors import ModelError
from firstword.agent.persona import SYSTEM_PROMPT, example_turns
from firstword.agent.settings import ModelSettings
from firstword.agent.tools import conversation_tools

logger = logging.getLogger(__name__)

PARAGRAPH = "\n\n"


@dataclass(slots=True)
class Exchange:
    """A prompt and what came of it, as the model will be told the next time.

    ``messages`` begins with the prompt; where nothing was said it is all there is.
    """

    prompt: list[ContentBlock]
    messages: Messages = field(default_factory=list)

    def __post_init__(self) -> None:
        self.say("")

    def say(self, text: str) -> None:
        """Make ``text`` all that the assistant said."""
        self.messages = [{"role": "user", "content": list(self.prompt)}]
        if text.strip():
            self.messages.append({"role": "assistant", "content": [{"text": text}]})

    @property
    def answered(self) -> bool:
        return len(self.messages) > 1


class Thinker:
    """A Strands agent and its memory. One answer at a time: the caller sees to that."""

    def __init__(self, model: Model, settings: ModelSettings) -> None:
        self._settings = settings
        self._past: list[Exchange] = []
        self._agent = Agent(
            model=model,
            tools=list(conversation_tools()) if settings.with_tools else [],
            system_prompt=SYSTEM_PROMPT,
            callback_handler=None,
            conversation_manager=NullConversationManager(),
            retry_strategy=ModelRetryStrategy(max_attempts=3, initial_delay=1, max_delay=4),
        )

    @property
    def history(self) -> Messages:
        """What the next answer builds on, without the system prompt and the examples."""
        return [message for exchange in self._past for message in exchange.messages]

    def begin(self, prompt: str) -> Exchange:
        """Remember a prompt. An unanswered one before it is joined to it, or forgotten."""
        blocks: list[ContentBlock] = [{"text": prompt}]
        if self._past and not self._past[-1].answered:
            unanswered = self._past.pop()
            if self._settings.join_unanswered:
                blocks = [*unanswered.prompt, *blocks]
        exchange = Exchange(blocks)
        self._past.append(exchange)
        self._forget_oldest()
        return exchange

    async def think(self, exchange: Exchange, write: Callable[[str], None]) -> None:
        """Answer the latest exchange; ``write`` is given the text as the model writes it.

        Nothing but the model is awaited, so that a cancel always reaches it, and at once.
        A model that reaches its limit of tokens has ended its answer. ``write`` may raise
        ModelError to end it.

        Raises:
            ModelError: the model failed, was silent for too long, or was ended by ``write``.
        """
        try:
            await self._ask(exchange, write)
        except _WindowFullError:
            if self._past[0] is exchange:
                raise ModelError(
                    "prompt_too_long", "The prompt is too long for the model."
                ) from None
            # The window is smaller than what is remembered: the prompt alone may fit.
            self._past = [exchange]
            await self.think(exchange, write)

    def remember(self, exchange: Exchange, text: str) -> None:
        """Keep ``text`` as all that was said in this exchange, while it is the latest one."""
        if self._past and self._past[-1] is exchange:
            exchange.say(text)

    def forget(self, exchange: Exchange) -> None:
        """Drop this exchange, while it is the latest one."""
        if self._past and self._past[-1] is exchange:
            self._past.pop()

    async def _ask(self, exchange: Exchange, write: Callable[[str], None]) -> None:
        before = [message for past in self._past[:-1] for message in past.messages]
        known = [*example_turns(), *before]
        self._agent.messages[:] = known
        try:
            await self._listen(self._agent.stream_async(exchange.prompt), write)
        except MaxTokensReachedException:
            logger.info("max_tokens=<%d> | answer reached its limit", self._settings.max_tokens)
        except Exception as error:
            raise _model_error(error) from error
        exchange.messages = self._agent.messages[len(known) :]

    async def _listen(self, stream: Any, write: Callable[[str], None]) -> None:
        """Pass on the texts of a Strands stream, with a paragraph's end between two messages."""
        clock = asyncio.get_running_loop().time
        last = ""
        refused: ModelError | None = None
        async with (
            asyncio.timeout(self._settings.first_text_s) as deadline,
            aclosing(stream) as events,
        ):
            async for event in events:
                deadline.reschedule(clock() + self._settings.stall_s)
                text = _text(event, last)
                if not text or refused is not None:
                    continue
                last = text
                try:
                    write(text)
                except ModelError as error:
                    # Strands ends the stream itself; left in its middle it would be closed late.
                    refused = error
                    self._agent.cancel()
        if refused is not None:
            raise refused

    def _forget_oldest(self) -> None:
        sizes = [len(json.dumps(exchange.messages, default=str)) for exchange in self._past]
        total = sum(sizes)
        while len(self._past) > 1 and total > self._settings.history_chars:
            total -= sizes.pop(0)
            self._past.pop(0)


def _text(event: Any, last: str) -> str:
    """What an event of Strands adds to the answer, of which ``last`` was the last piece."""
    if "messageStart" in event.get("event", {}):
        return PARAGRAPH if last and not last[-1].isspace() else ""
    if "reasoning" in event or "citation" in event:
        return ""
    return str(event.get("data", ""))


class _WindowFullError(Exception):
    """More text than the model can look at."""


def _model_error(error: Exception) -> Exception:
    """What the client may know of a failure of the model; the log gets its kind and code."""
    cause = getattr(error, "original_exception", error)
    if isinstance(cause, ModelError):
        return cause
    # llama.cpp's wording is not among those that Strands knows.
    if isinstance(cause, ContextWindowOverflowException) or "exceed_context_size" in str(cause):
        return _WindowFullError()
    logger.warning("error=<%s>, code=<%s> | model failed", type(cause).__name__, _code(cause))
    if isinstance(cause, ModelThrottledException):
        return ModelError("model_busy", "The language model is busy. Try again in a moment.")
    if isinstance(cause, TimeoutError):
        return ModelError("model_timeout", "The language model did not answer in time.")
    return ModelError("model_failed", "The language model failed. The log has the details.")


def _code(error: Exception) -> str:
    """The status or code that OpenAI's and AWS's errors carry; their texts may quote a prompt."""
    if isinstance(error, ClientError):
        return str(error.response.get("Error", {}).get("Code", ""))
    return str(getattr(error, "status_code", ""))
