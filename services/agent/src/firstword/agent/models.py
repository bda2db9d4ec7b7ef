"""The language model that the settings name, ready to be used and put away afterwards."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from typing import Any, assert_never

import boto3  # type: ignore[import-untyped]
import openai
from botocore.config import Config  # type: ignore[import-untyped]
from strands.models.bedrock import BedrockModel
from strands.models.model import Model
from strands.models.openai import OpenAIModel
from strands.types.streaming import StreamEvent

from firstword.agent.errors import ModelError
from firstword.agent.local_model import MODEL_ID, LocalModelServer
from firstword.agent.scripted_model import ScriptedModel
from firstword.agent.settings import ModelSettings

DEFAULT_BEDROCK_MODEL = "global.anthropic.claude-haiku-4-5-20251001-v1:0"
CONNECT_S = 5.0


@asynccontextmanager
async def open_model(settings: ModelSettings) -> AsyncIterator[Model]:
    """The model while it is needed. What blocks (loading, AWS's client) is done in a thread.

    Raises:
        ModelError: it cannot be used as it is set.
    """
    match settings.llm:
        case "local":
            async with _local(settings) as model:
                yield model
        case "openai":
            async with _openai(settings) as model:
                yield model
        case "bedrock":
            yield await asyncio.to_thread(_bedrock, settings)
        case "scripted":
            if settings.script_file is None:
                raise ModelError("model_missing", "A scripted model needs FIRSTWORD_SCRIPT_FILE.")
            yield ScriptedModel(settings.script_file, settings.script_tokens_per_second)
        case _:
            assert_never(settings.llm)


@asynccontextmanager
async def _local(settings: ModelSettings) -> AsyncIterator[Model]:
    server = LocalModelServer()
    await asyncio.to_thread(server.start)
    try:
        client = openai.AsyncOpenAI(
            base_url=server.base_url,
            api_key=server.api_key,
            timeout=openai.Timeout(settings.first_text_s, connect=CONNECT_S),
            max_retries=0,
        )
        async with client:
            # min_p and DRY keep so small a model from rambling and from repeating itself.
            yield OpenAIModel(
                client=client,
                model_id=MODEL_ID,
                params={
                    "max_tokens": settings.max_tokens,
                    "temperature": settings.temperature,
                    "extra_body": {"min_p": 0.1, "dry_multiplier": 0.8},
                },
            )
    finally:
        await asyncio.to_thread(server.stop)


@asynccontextmanager
async def _openai(settings: ModelSettings) -> AsyncIterator[Model]:
    client = openai.AsyncOpenAI(
        base_url=settings.base_url,
        api_key=settings.api_key or "none",
        timeout=openai.Timeout(settings.first_text_s, connect=CONNECT_S),
        max_retries=1,
    )
    async with client:
        params = {"max_tokens": settings.max_tokens, "temperature": settings.temperature}
        yield OpenAIModel(client=client, model_id=settings.model_id or "default", params=params)


def _bedrock(settings: ModelSettings) -> Model:
    session = boto3.Session(region_name=settings.region)
    if session.region_name is None:
        raise ModelError("model_missing", "FIRSTWORD_LLM=bedrock needs AWS_REGION to be set.")
    return InterruptibleBedrock(
        boto_session=session,
        boto_client_config=Config(
            connect_timeout=CONNECT_S,
            read_timeout=settings.first_text_s,
            retries={"mode": "standard", "total_max_attempts": 3},
        ),
        model_id=settings.model_id or DEFAULT_BEDROCK_MODEL,
        max_tokens=settings.max_tokens,
        temperature=settings.temperature,
    )


class InterruptibleBedrock(BedrockModel):
    """Bedrock whose reading thread stops at the next chunk once its stream is left.

    The signal that Strands hands down is cleared when an invocation ends, which can be before
    the thread has seen it; this one stays set.
    """

    async def stream(self, *args: Any, **kwargs: Any) -> AsyncGenerator[StreamEvent, None]:
        left = threading.Event()
        try:
            async with aclosing(
                super().stream(*args, **{**kwargs, "cancel_signal": left})
            ) as events:
                async for event in events:
                    yield event
        finally:
            left.set()
