"""The speech server behind the runtime: AWS's published sample wire, and both of boto3's calls."""

from __future__ import annotations

import asyncio
import io
import json
import wave
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from aws_sdk_sagemaker_runtime_http2.models import ModelStreamError
from botocore.exceptions import ClientError
from firstword.tts.settings import Limits, Settings

from tests.emulator.sagemaker.conftest import ENDPOINT, Call, Live, Sagemaker, within
from tests.tts.serving.conftest import Kit, Running, running

TEXT = "Hello there, this is a test."


@pytest.fixture
async def speech() -> AsyncIterator[Running]:
    unused = Path("unused")
    kit = Kit(Settings(model_dir=unused, cache_dir=unused, port=0, limits=Limits()))
    async with running(kit) as one:
        yield one


@pytest.fixture
async def live(sagemaker: Sagemaker, speech: Running) -> AsyncIterator[Live]:
    async with sagemaker.before(speech.url) as one:
        yield one


def sample_client_takes(payload: bytes, data_type: str | None) -> dict[str, Any] | bytes:
    """How the sample's client tells control from audio: what decodes as JSON is control."""
    try:
        found: dict[str, Any] = json.loads(payload.decode("utf-8"))
    except (UnicodeDecodeError, json.JSONDecodeError):
        return payload
    return found


async def heard_by_the_sample(call: Call) -> tuple[list[dict[str, Any]], bytes]:
    frames: list[dict[str, Any]] = []
    audio = bytearray()
    while not frames or frames[-1]["type"] != "synthesis_complete":
        part = await call.part()
        assert part is not None
        found = sample_client_takes(part.bytes_ or b"", part.data_type)
        if isinstance(found, dict):
            frames.append(found)
        else:
            audio += found
    return frames, bytes(audio)


@pytest.mark.parametrize("data_type", [None, "BINARY", "UTF8"])
async def test_the_samples_client_is_understood(
    live: Live, speech: Running, data_type: str | None
) -> None:
    """A message without ``type``, in a part that says nothing of its kind; then ``close``."""
    call = await live.call(model_invocation_path="invocations-bidirectional-stream")
    for text in (TEXT, "And another."):
        message = {"text": text, "voice": "af_heart", "speed": 1.0}
        await call.send(json.dumps(message).encode(), data_type, None)
        frames, audio = await heard_by_the_sample(call)
        assert [frame["type"] for frame in frames] == ["synthesis_start", "synthesis_complete"]
        assert audio == speech.kit.said(text)
    await call.send(json.dumps({"type": "close"}).encode(), data_type, None)
    with pytest.raises(ModelStreamError, match="1000"):
        await call.part()
    await speech.quiet()


async def test_a_whole_invocation_is_a_wav(live: Live, speech: Running) -> None:
    client = live.boto3()

    def call() -> bytes:
        body = json.dumps({"text": TEXT, "stream": False})
        answer = client.invoke_endpoint(
            EndpointName=ENDPOINT, ContentType="application/json", Body=body
        )
        whole: bytes = answer["Body"].read()
        return whole

    with wave.open(io.BytesIO(await within(asyncio.to_thread(call)))) as file:
        assert file.readframes(file.getnframes()) == speech.kit.said(TEXT)


async def test_a_response_stream_is_the_same_audio(live: Live, speech: Running) -> None:
    client = live.boto3()

    def call() -> bytes:
        answer = client.invoke_endpoint_with_response_stream(
            EndpointName=ENDPOINT,
            ContentType="application/json",
            Body=json.dumps({"text": TEXT, "format": "pcm"}),
        )
        with closing(answer["Body"]) as events:
            return b"".join(event["PayloadPart"]["Bytes"] for event in events)

    assert await within(asyncio.to_thread(call)) == speech.kit.said(TEXT)


async def test_the_servers_own_error_arrives_with_its_code(live: Live) -> None:
    client = live.boto3()

    def call() -> None:
        body = json.dumps({"text": TEXT, "voice": "nobody"})
        client.invoke_endpoint(EndpointName=ENDPOINT, ContentType="application/json", Body=body)

    with pytest.raises(ClientError) as caught:
        await within(asyncio.to_thread(call))
    assert caught.value.response["OriginalStatusCode"] == 422
    assert json.loads(caught.value.response["OriginalMessage"])["error"]["code"] == "unknown_voice"
