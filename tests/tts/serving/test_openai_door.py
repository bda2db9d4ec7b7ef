"""The OpenAI shape, in process and through OpenAI's own client."""

from __future__ import annotations

import base64
import time
from collections.abc import Iterator
from typing import Any

import openai
import pytest
from firstword.protocol import SseParser
from firstword.tts.models.catalogue import GRADES
from firstword.tts.openai_door import VOICES
from starlette.testclient import TestClient

from tests.tts.serving.conftest import PATIENCE_S, Kit, Running

LOCAL = "http://127.0.0.1"


@pytest.fixture
def client(kit: Kit) -> Iterator[TestClient]:
    with TestClient(kit.app(), base_url=LOCAL) as client:
        deadline = time.monotonic() + PATIENCE_S
        while client.get("/ping").status_code != 200:
            assert time.monotonic() < deadline
        yield client


def speak(client: TestClient, **body: Any) -> Any:
    request = {"model": "tts-1", "input": "Hello there.", "voice": "af_heart", **body}
    return client.post("/v1/audio/speech", json=request)


def test_the_default_is_mp3(client: TestClient) -> None:
    answer = speak(client)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "audio/mpeg"
    assert answer.headers["x-request-id"]
    assert answer.content[:3] == b"ID3" or answer.content[0] == 0xFF


@pytest.mark.parametrize("name", ["mp3", "opus", "aac", "flac", "wav", "pcm"])
def test_every_format_of_openai_is_there(client: TestClient, name: str) -> None:
    answer = speak(client, response_format=name)
    assert answer.status_code == 200
    assert answer.content


def test_pcm_is_24_khz_without_a_header(kit: Kit, client: TestClient) -> None:
    assert speak(client, response_format="pcm").content == kit.said("Hello there.")


@pytest.mark.parametrize("speed", [0.25, 4.0])
def test_the_whole_range_of_speeds_is_really_spoken(
    kit: Kit, client: TestClient, speed: float
) -> None:
    answer = speak(client, response_format="pcm", speed=speed)
    assert answer.content == kit.said("Hello there.", speed=speed)


def test_events_carry_the_same_audio_and_end_with_done(kit: Kit, client: TestClient) -> None:
    answer = speak(client, response_format="pcm", stream_format="sse")
    assert answer.headers["content-type"].startswith("text/event-stream")
    events = SseParser().feed(answer.content)
    assert {event["type"] for event in events[:-1]} == {"speech.audio.delta"}
    audio = b"".join(base64.b64decode(event["audio"]) for event in events[:-1])
    assert audio == kit.said("Hello there.")
    assert events[-1]["type"] == "speech.audio.done"
    assert set(events[-1]["usage"]) == {"input_tokens", "output_tokens", "total_tokens"}


@pytest.mark.parametrize("text", [".", "😊", " "])
def test_probes_of_known_clients_succeed(client: TestClient, text: str) -> None:
    for file_format in ("mp3", "wav", "opus", "flac", "aac", "pcm"):
        assert speak(client, input=text, response_format=file_format).status_code == 200


def test_any_model_and_unknown_fields_are_accepted(client: TestClient) -> None:
    assert speak(client, model="whatever-9", instructions="Be glad.", seed=7).status_code == 200
    assert client.post("/v1/audio/speech", json={"input": "Hi."}).status_code == 200


def test_a_voice_may_be_an_object_with_an_id(client: TestClient) -> None:
    assert speak(client, voice={"id": "bm_george"}).status_code == 200


def test_a_name_of_openai_is_spoken_by_the_voice_in_the_table(client: TestClient) -> None:
    assert speak(client, voice="onyx").status_code == 200
    assert set(VOICES.values()) <= set(GRADES)


@pytest.mark.parametrize(
    ("body", "status", "param", "code"),
    [
        ({"input": ""}, 400, "input", "empty_text"),
        ({"input": None}, 400, "input", "invalid_request"),
        ({"voice": "nobody"}, 400, "voice", "unknown_voice"),
        ({"speed": 5}, 400, "speed", "invalid_request"),
        ({"response_format": "midi"}, 400, "response_format", "invalid_request"),
        ({"stream_format": "smoke"}, 400, "stream_format", "invalid_request"),
        ({"input": "x" * 60_000}, 413, "input", "too_large"),
    ],
)
def test_errors_have_openais_shape(
    client: TestClient, body: dict[str, Any], status: int, param: str, code: str
) -> None:
    answer = speak(client, **body)
    assert answer.status_code == status
    error = answer.json()["error"]
    assert set(error) == {"message", "type", "param", "code"}
    assert error["type"] == "invalid_request_error"
    assert (error["param"], error["code"]) == (param, code)
    assert answer.headers["x-request-id"]


def test_a_failure_of_ours_is_a_server_error(kit: Kit, client: TestClient) -> None:
    kit.engine.fails_at = "hello"
    answer = speak(client)
    assert answer.status_code == 500
    assert answer.json()["error"]["type"] == "server_error"


def test_models_and_voices_are_listed(client: TestClient) -> None:
    models = client.get("/v1/models").json()
    assert models["object"] == "list"
    assert {"kokoro", "tts-1"} <= {model["id"] for model in models["data"]}
    assert client.get("/v1/models/kokoro").json()["id"] == "kokoro"
    assert client.get("/v1/models/some/other").status_code == 404
    assert client.get("/v1/models/some/other").json()["error"]["code"] == "model_not_found"
    assert client.get("/v1/audio/models").json()["models"][0]["id"] == "kokoro"
    voices = client.get("/v1/audio/voices").json()["voices"]
    assert [voice["id"] for voice in voices] == ["af_heart", "bm_george"]
    assert voices[0]["language"] == "en-us"
    assert voices[0]["name"] == "Heart"


async def test_openais_own_client_works(live: Running) -> None:
    async with openai.AsyncOpenAI(base_url=f"{live.url}/v1", api_key="none") as client:
        async with client.audio.speech.with_streaming_response.create(
            model="tts-1", voice="onyx", input="Hi.", response_format="pcm"
        ) as answer:
            audio = b"".join([part async for part in answer.iter_bytes()])
        assert audio == live.kit.said("Hi.", voice="bm_george")
        with pytest.raises(openai.BadRequestError) as refusal:
            await client.audio.speech.create(model="tts-1", voice="nobody", input="Hi.")
        assert refusal.value.code == "unknown_voice"
        models = await client.models.list()
        assert models.data[0].id == "kokoro"
