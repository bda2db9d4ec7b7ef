"""A Strands model that says a given text at a given pace, whatever it is asked."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, AsyncIterable
from pathlib import Path
from typing import Any, TypedDict

from pydantic import BaseModel
from strands.models.model import Model
from strands.types.content import Messages
from strands.types.streaming import StreamEvent

_TOKENS = re.compile(r"\s*\w{1,6}|\s*[^\w\s]|\s+")


class ScriptedConfig(TypedDict):
    model_id: str


def tokens(text: str) -> list[str]:
    """Pieces like a language model's: a word's first letters with the space before them."""
    return _TOKENS.findall(text)


class ScriptedModel(Model):
    """Says the text of a file; the pace is kept by the clock, so that it does not drift.

    ``tokens_per_second`` counts pieces of ``tokens``.
    """

    def __init__(self, script: Path, tokens_per_second: float) -> None:
        self._script = script
        self._seconds_each = 1.0 / tokens_per_second

    def get_config(self) -> ScriptedConfig:
        return {"model_id": "scripted"}

    def update_config(self, **model_config: Any) -> None:
        """There is nothing to configure."""

    def structured_output(
        self,
        output_model: type[BaseModel],
        prompt: Messages,
        system_prompt: str | None = None,
        **kwargs: Any,
    ) -> AsyncGenerator[dict[str, Any], None]:
        raise NotImplementedError("a scripted model only speaks")

    def stream(self, messages: Messages, *args: Any, **kwargs: Any) -> AsyncIterable[StreamEvent]:
        return self._speak()

    async def _speak(self) -> AsyncGenerator[StreamEvent, None]:
        pieces = tokens(await asyncio.to_thread(self._script.read_text, "utf-8"))
        clock = asyncio.get_running_loop().time
        started = clock()
        yield {"messageStart": {"role": "assistant"}}
        yield {"contentBlockStart": {"start": {}}}
        for number, piece in enumerate(pieces, start=1):
            await asyncio.sleep(max(0.0, started + number * self._seconds_each - clock()))
            yield {"contentBlockDelta": {"delta": {"text": piece}}}
        yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "end_turn"}}
