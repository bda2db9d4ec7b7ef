"""``/ping``, ``/invocations`` and ``/metrics``, in process."""

from __future__ import annotations

import base64
import io
import json
import struct
import threading
import time
import wave
from collections.abc import Iterator
from typing import Any

import av
import pytest
from firstword.protocol import WAV_HEADER_BYTES, SseParser, wav_header
from firstword.tts.app import create_app
from starlette.testclient import TestClient

from tests.tts.serving.conftest import PATIENCE_S, Kit

LOCAL = "http://127.0.0.1"


def wait_until_ready(client: TestClient) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while client.get("/ping").status_code != 200:
        assert time.monotonic() < deadline


@pytest.fixture
def client(kit: Kit) -> Iterator[TestClient]:
    with TestClient(kit.app(), base_url=LOCAL) as client:
        wait_until_ready(client)
        yield client


def speak(client: TestClient, **body: Any) -> Any:
    return client.post("/invocations", json={"text": "Hello there.", **body})


def test_a_streamed_wav_has_one_header_of_unknown_length_at_byte_0(
    kit: Kit, client: TestClient
) -> None:
    answer = speak(client)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "audio/wav"
    assert "content-length" not in answer.headers
    assert answer.content[:WAV_HEADER_BYTES] == wav_header(24000)
    assert answer.content[WAV_HEADER_BYTES:] == kit.said("Hello there.")
    assert answer.content.count(b"RIFF") == 1


def test_a_whole_wav_tells_its_length(kit: Kit, client: TestClient) -> None:
    answer = speak(client, stream=False)
    assert int(answer.headers["content-length"]) == len(answer.content)
    with wave.open(io.BytesIO(answer.content)) as file:
        assert file.readframes(file.getnframes()) == kit.said("Hello there.")


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize(
    ("file_format", "media_type"),
    [
        ("pcm", "audio/pcm;rate=24000;channels=1"),
        ("mp3", "audio/mpeg"),
        ("opus", "audio/ogg;codecs=opus"),
        ("aac", "audio/aac"),
        ("flac", "audio/flac"),
        ("mulaw", "audio/PCMU;rate=24000"),
        ("alaw", "audio/PCMA;rate=24000"),
    ],
)
def test_every_format_of_the_contract_holds_the_whole_audio(
    kit: Kit, client: TestClient, file_format: str, media_type: str, stream: bool
) -> None:
    answer = speak(client, format=file_format, stream=stream)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == media_type
    samples = len(kit.said("Hello there.")) // 2
    if file_format == "pcm":
        assert answer.content == kit.said("Hello there.")
    elif file_format in ("mulaw", "alaw"):
        assert len(answer.content) == samples
    else:
        with av.open(io.BytesIO(answer.content)) as container:
            rate = container.streams.audio[0].rate
            assert isinstance(container, av.container.InputContainer)
            decoded = sum(frame.samples for frame in container.decode(container.streams.audio[0]))
        assert decoded / rate == pytest.approx(samples / 24000, abs=0.1)


def test_speed_voice_and_rate_are_honoured(kit: Kit, client: TestClient) -> None:
    slow = speak(client, format="pcm", speed=0.5).content
    fast = speak(client, format="pcm", speed=2.0).content
    assert slow == kit.said("Hello there.", speed=0.5)
    assert len(slow) == pytest.approx(4 * len(fast), rel=0.1)
    other = speak(client, format="pcm", voice="bm_george", sample_rate=8000)
    assert len(other.content) == pytest.approx(len(kit.said("Hello there.")) / 3, abs=2)


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"no json", 400, "invalid_json"),
        (b"\xff\xfe\x00", 400, "invalid_json"),
        (b"[" * 5000, 400, "invalid_json"),
        (b"[1]", 400, "invalid_request"),
        (b"{}", 400, "invalid_request"),
        (b'{"text": 5}', 400, "invalid_request"),
        (b'{"text": ""}', 400, "empty_text"),
        (b'{"text": "Hi.", "speed": 3}', 400, "invalid_request"),
        (b'{"text": "Hi.", "speed": NaN}', 400, "invalid_request"),
        (b'{"text": "Hi.", "sample_rate": 11025}', 400, "invalid_request"),
        (b'{"text": "Hi.", "format": "midi"}', 400, "invalid_request"),
        (b'{"text": "Hi.", "stream": "yes"}', 400, "invalid_request"),
        (b'{"text": "Hi.", "word_timestamps": true}', 400, "invalid_request"),
        (b'{"text": "Hi.", "request_timestamp": 1000000000}', 408, "request_stale"),
        (b'{"text": "Hi.", "voice": "xx_nobody"}', 422, "unknown_voice"),
        (b'{"text": "\\ud800"}', 400, "invalid_request"),
    ],
)
def test_what_cannot_be_done_is_refused_with_a_code_and_the_request_id(
    client: TestClient, body: bytes, status: int, code: str
) -> None:
    answer = client.post("/invocations", content=body, headers={"x-request-id": "abc-1"})
    assert answer.status_code == status
    error = answer.json()["error"]
    assert error["code"] == code
    assert error["message"]
    assert error["request_id"] == "abc-1" == answer.headers["x-request-id"]


def test_a_message_names_what_came_and_what_may_come(client: TestClient) -> None:
    error = speak(client, speed=3).json()["error"]
    assert error["message"] == "speed must be a number, 0.5 to 2, got 3"


def test_any_content_type_is_read_as_json(client: TestClient) -> None:
    body = json.dumps({"text": "Hello."})
    for kind in ("text/plain", "application/octet-stream", ""):
        answer = client.post("/invocations", content=body, headers={"content-type": kind})
        assert answer.status_code == 200


def test_headers_of_sagemaker_and_unknown_fields_are_passed_over(client: TestClient) -> None:
    headers = {
        "X-Amzn-SageMaker-Custom-Attributes": "trace=1",
        "X-Amzn-SageMaker-Session-Id": "s-1",
        "X-Amzn-SageMaker-Target-Variant": "AllTraffic",
    }
    answer = client.post("/invocations", json={"text": "Hello.", "colour": "red"}, headers=headers)
    assert answer.status_code == 200


@pytest.mark.parametrize("stream", [True, False])
def test_text_of_which_nothing_is_spoken_is_a_success(client: TestClient, stream: bool) -> None:
    for text in (".", "😊", " "):
        answer = speak(client, text=text, stream=stream)
        assert answer.status_code == 200
        assert len(answer.content) == WAV_HEADER_BYTES


def test_too_much_is_413(kit: Kit) -> None:
    kit.limit(text_chars=50, message_bytes=2048)
    with TestClient(kit.app(), base_url=LOCAL) as client:
        wait_until_ready(client)
        for text in ("x" * 51, "x" * 3000):
            answer = speak(client, text=text)
            assert answer.status_code == 413
            assert answer.json()["error"]["code"] == "too_large"
        chunked = client.post("/invocations", content=iter([b"x" * 1500] * 3))
        assert chunked.status_code == 413


def test_an_answer_that_is_not_streamed_has_a_bound(kit: Kit) -> None:
    kit.limit(whole_bytes=30_000)
    with TestClient(kit.app(), base_url=LOCAL) as client:
        wait_until_ready(client)
        assert speak(client, stream=False).status_code == 413
        assert speak(client, stream=True).status_code == 200


def test_words_come_beside_the_audio_when_it_is_not_streamed(kit: Kit, client: TestClient) -> None:
    text = "Hello there. And you?"
    answer = speak(client, text=text, word_timestamps=True, stream=False, sample_rate=16000)
    assert answer.headers["content-type"] == "application/json"
    body = answer.json()
    assert [word["word"] for word in body["words"]] == text.split()
    assert [text[w["text_start"] : w["text_end"]] for w in body["words"]] == text.split()
    with wave.open(io.BytesIO(base64.b64decode(body["audio"]))) as file:
        assert file.getframerate() == body["sample_rate"] == 16000
        assert file.getnframes() / 16000 == pytest.approx(body["duration_s"], abs=0.001)
    assert body["format"] == "wav"
    assert body["request_id"] == answer.headers["x-request-id"]


@pytest.mark.parametrize("wanted", ["mine", "x" * 256])
def test_a_request_id_goes_in_and_out(client: TestClient, wanted: str) -> None:
    answer = client.post("/invocations", json={"text": "Hi."}, headers={"x-request-id": wanted})
    assert answer.headers["x-request-id"] == wanted
    answer = speak(client, request_id="from-body")
    assert answer.headers["x-request-id"] == "from-body"


@pytest.mark.parametrize("bad", ["x" * 257, "with space"])
def test_a_request_id_that_no_header_can_carry_is_replaced(client: TestClient, bad: str) -> None:
    answer = client.post("/invocations", json={"text": "Hi."}, headers={"x-request-id": bad})
    assert answer.status_code == 200
    assert answer.headers["x-request-id"] not in ("", bad)


def test_a_failure_before_the_first_byte_has_a_status(kit: Kit, client: TestClient) -> None:
    kit.engine.fails_at = "broken"
    for stream in (True, False):
        answer = speak(client, text="It is broken.", stream=stream)
        assert answer.status_code == 500
        error = answer.json()["error"]
        assert error["code"] == "synthesis_failed"
        assert "tone" not in error["message"]


def test_a_full_server_answers_503_with_when_to_come_back(kit: Kit) -> None:
    kit.limit(jobs=1)
    gate = kit.hold()
    with TestClient(kit.app(), base_url=LOCAL) as client:
        wait_until_ready(client)
        first: list[Any] = []
        waiting = threading.Thread(target=lambda: first.append(speak(client)))
        waiting.start()
        deadline = time.monotonic() + PATIENCE_S
        while not kit.engine.begun:
            assert time.monotonic() < deadline
        answer = speak(client)
        assert answer.status_code == 503
        assert answer.json()["error"]["code"] == "queue_saturated"
        assert int(answer.headers["retry-after"]) >= 1
        gate.release(100)
        waiting.join(PATIENCE_S)
        assert first[0].status_code == 200
        assert speak(client).status_code == 200


def test_ping_answers_at_once_while_the_model_works(kit: Kit, client: TestClient) -> None:
    gate = kit.hold()
    waiting = threading.Thread(target=lambda: speak(client))
    waiting.start()
    deadline = time.monotonic() + PATIENCE_S
    while not kit.engine.begun:
        assert time.monotonic() < deadline
    times = []
    for _ in range(20):
        began = time.monotonic()
        assert client.get("/ping").status_code == 200
        times.append(time.monotonic() - began)
    gate.release(100)
    waiting.join(PATIENCE_S)
    assert sorted(times)[10] < 0.1


def test_until_the_model_is_loaded_ping_and_work_are_503(kit: Kit) -> None:
    go_on = threading.Event()

    def slow(_: object) -> Any:
        assert go_on.wait(PATIENCE_S)
        return kit.parts

    with TestClient(create_app(kit.settings, slow), base_url=LOCAL) as client:
        assert client.get("/ping").status_code == 503
        answer = speak(client)
        assert answer.status_code == 503
        assert answer.json()["error"]["code"] == "starting"
        assert client.get("/v1/audio/voices").status_code == 503
        go_on.set()
        wait_until_ready(client)
        assert speak(client).status_code == 200


def test_a_model_that_cannot_be_loaded_is_said_by_ping(kit: Kit) -> None:
    def missing(_: object) -> Any:
        raise FileNotFoundError("no weights")

    with TestClient(create_app(kit.settings, missing), base_url=LOCAL) as client:
        deadline = time.monotonic() + PATIENCE_S
        while client.get("/ping").json()["status"] != "failed":
            assert time.monotonic() < deadline
        assert client.get("/ping").status_code == 503
        assert speak(client).json()["error"]["code"] == "failed"


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_when_the_worker_is_dead_ping_is_503(kit: Kit, client: TestClient) -> None:
    kit.engine.dies = True
    assert speak(client).status_code == 500
    deadline = time.monotonic() + PATIENCE_S
    while client.get("/ping").status_code == 200:
        assert time.monotonic() < deadline
    assert client.get("/ping").json()["status"] == "stalled"


def test_no_new_work_is_taken_while_draining(kit: Kit) -> None:
    app = kit.app()
    with TestClient(app, base_url=LOCAL) as client:
        wait_until_ready(client)
        client.portal.call(app.state.service.drain)  # type: ignore[union-attr]
        assert client.get("/ping").status_code == 503
        answer = speak(client)
        assert (answer.status_code, answer.json()["error"]["code"]) == (503, "draining")


def test_a_foreign_page_is_refused_on_loopback_and_not_in_the_image(kit: Kit) -> None:
    foreign = {"origin": "https://evil.example"}
    with TestClient(kit.app(), base_url=LOCAL) as client:
        assert client.post("/invocations", json={}, headers=foreign).status_code == 403
        assert client.get("/ping", headers={"host": "evil.example"}).status_code == 403
    from dataclasses import replace

    kit.settings = replace(kit.settings, host="0.0.0.0")
    with TestClient(kit.app(), base_url="http://10.0.0.7:8080") as client:
        wait_until_ready(client)
        assert speak(client).status_code == 200


def test_wrong_methods_and_paths_are_told(client: TestClient) -> None:
    assert client.get("/invocations").status_code == 405
    assert client.get("/nothing").status_code == 404


def test_metrics_count_what_was_served(kit: Kit, client: TestClient) -> None:
    speak(client)
    speak(client, voice="nobody")
    text = client.get("/metrics").text
    assert 'firstword_tts_requests_total{door="http",outcome="complete"} 1.0' in text
    assert 'firstword_tts_requests_total{door="http",outcome="unknown_voice"} 1.0' in text
    assert 'firstword_tts_first_audio_seconds_count{door="http"} 1.0' in text
    assert "firstword_tts_real_time_factor_count 1.0" in text
    assert "firstword_tts_queue_depth 0.0" in text
    assert "firstword_tts_sessions 0.0" in text
    assert "firstword_tts_underrun_seconds_total" in text
    seconds = len(kit.said("Hello there.")) / 48000
    made = next(x for x in text.splitlines() if x.startswith("firstword_tts_audio_seconds_total"))
    assert float(made.split()[1]) == pytest.approx(seconds)


def test_two_apps_share_nothing(kit: Kit) -> None:
    with TestClient(kit.app(), base_url=LOCAL) as one, TestClient(kit.app(), base_url=LOCAL) as two:
        wait_until_ready(one)
        wait_until_ready(two)
        speak(one)
        assert "complete" in one.get("/metrics").text
        assert "complete" not in two.get("/metrics").text


def test_a_wav_header_is_what_its_rate_says(client: TestClient) -> None:
    answer = speak(client, sample_rate=44100)
    (rate,) = struct.unpack("<I", answer.content[24:28])
    assert rate == 44100


def test_the_speech_wires_frames_come_as_events(kit: Kit, client: TestClient) -> None:
    answer = speak(client, stream_format="events", word_timestamps=True, request_id="r7")
    assert answer.headers["content-type"].startswith("text/event-stream")
    events = SseParser().feed(answer.content)
    kinds = [event["type"] for event in events]
    assert (kinds[0], kinds[-1]) == ("synthesis_start", "synthesis_complete")
    assert set(kinds[1:-1]) == {"words", "audio_chunk"}
    assert {event["request_id"] for event in events} == {"r7"}
    audio = b"".join(base64.b64decode(e["data"]) for e in events if e["type"] == "audio_chunk")
    assert audio == kit.said("Hello there.")
    assert events[-1]["samples"] == len(audio) // 2


def test_events_may_begin_at_a_sample(kit: Kit, client: TestClient) -> None:
    answer = speak(client, stream_format="events", offset_samples=1000)
    events = SseParser().feed(answer.content)
    audio = b"".join(base64.b64decode(e["data"]) for e in events if e["type"] == "audio_chunk")
    assert audio == kit.said("Hello there.")[2000:]


@pytest.mark.parametrize(
    "options", [{"offset_samples": 5}, {"stream_format": "events", "stream": False}]
)
def test_options_of_events_alone_are_refused_elsewhere(
    client: TestClient, options: dict[str, Any]
) -> None:
    answer = speak(client, **options)
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == "invalid_request"
