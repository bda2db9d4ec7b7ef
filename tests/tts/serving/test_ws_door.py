"""The speech wire over real sockets: uvicorn on loopback, the websockets client."""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any

import pytest
from firstword.protocol import (
    MAX_AUDIO_FRAME_BYTES,
    Error,
    SynthesisCancelled,
    SynthesisComplete,
    SynthesisStart,
    Words,
)
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from tests.tts.serving.conftest import Kit, Running


async def test_one_request_is_start_audio_complete(live: Running) -> None:
    async with live.session() as talk:
        await talk.say(text="Hello there.", request_id="r1")
        frames, audio = await talk.until_last()
    start, complete = frames
    assert start == SynthesisStart(
        request_id="r1", voice="af_heart", engine="tone-1", quality="fast"
    )
    assert isinstance(complete, SynthesisComplete)
    assert complete.samples * 2 == len(audio)
    assert complete.total_duration_s == round(complete.samples / 24000, 4)
    assert audio == live.kit.said("Hello there.")


async def test_the_wire_of_the_aws_sample_works_unchanged(live: Running) -> None:
    """One message without type, binary, three sentences on one session, explicit close."""
    async with live.session() as talk:
        for text in ("One sentence.", "Another one.", "The last."):
            message = {"text": text, "voice": "af_heart", "speed": 1.0, "request_id": text}
            await talk.socket.send(json.dumps(message).encode())
            frames, audio = await talk.until_last()
            assert [type(frame) for frame in frames] == [SynthesisStart, SynthesisComplete]
            assert audio == live.kit.said(text)
        await talk.socket.send(json.dumps({"type": "close"}).encode())
        assert await talk.closed() == 1000


async def test_a_message_in_fragments_is_one_message(live: Running) -> None:
    """What SageMaker makes of parts marked PARTIAL and a last one marked COMPLETE."""
    message = json.dumps({"text": "Hello there."}).encode()
    async with live.session() as talk:
        await talk.socket.send([message[:7], message[7:9], message[9:]])
        _, audio = await talk.until_last()
    assert audio == live.kit.said("Hello there.")


async def test_requests_without_an_id_are_given_one(live: Running) -> None:
    async with live.session() as talk:
        await talk.say(text="One.")
        (first, _), _ = await talk.until_last()
        await talk.say(text="Two.")
        (second, _), _ = await talk.until_last()
    assert first.request_id != second.request_id


async def test_audio_comes_in_frames_of_whole_samples_as_soon_as_it_exists(live: Running) -> None:
    live.kit.engine.block_s = 2.0
    gate = live.kit.hold()
    async with live.session() as talk:
        await talk.say(text="Hello there.")
        assert isinstance(await talk.next(), SynthesisStart)
        gate.release(1)
        first = await talk.next()
        assert live.kit.engine.made == 1, "the rest is not even made"
        gate.release(3)
        sizes = [len(first)]
        while isinstance(frame := await talk.next(), bytes):
            sizes.append(len(frame))
    assert max(sizes) == MAX_AUDIO_FRAME_BYTES
    assert not [size for size in sizes if size % 2]


async def test_words_come_before_their_audio_and_once_more_at_the_end(live: Running) -> None:
    text = "Two words. And three more."
    async with live.session() as talk:
        await talk.say(text=text, word_timestamps=True, request_id="r")
        words: list[Any] = []
        frames: list[Any] = []
        heard = 0
        while True:
            frame = await talk.next()
            frames.append(frame)
            if isinstance(frame, bytes):
                heard += len(frame) // 2
            elif isinstance(frame, Words):
                assert all(word.start_s * 24000 >= heard - 1 for word in frame.words)
                words += frame.words
            elif isinstance(frame, SynthesisComplete):
                break
    assert [word.word for word in words] == text.split()
    assert [text[word.text_start : word.text_end] for word in words] == text.split()
    assert [w.start_s for w in words] == sorted(w.start_s for w in words)
    assert frames[-1].words == tuple(words)


async def test_words_are_not_sent_unasked(live: Running) -> None:
    async with live.session() as talk:
        await talk.say(text="Two words.")
        frames, _ = await talk.until_last()
    assert not [frame for frame in frames if isinstance(frame, Words)]
    assert frames[-1].words is None


@pytest.mark.parametrize("rate", [8000, 22050, 48000])
async def test_audio_has_the_rate_that_was_asked_for(live: Running, rate: int) -> None:
    async with live.session() as talk:
        await talk.say(text="Hello there.", sample_rate=rate)
        frames, audio = await talk.until_last()
    assert frames[0].sample_rate == rate
    wanted = len(live.kit.said("Hello there.")) // 2 * rate / 24000
    assert len(audio) // 2 == pytest.approx(wanted, abs=1)
    assert frames[-1].samples == len(audio) // 2


@pytest.mark.parametrize("rate", [16000, 24000])
@pytest.mark.parametrize("offset", [1, 7001, 10**9])
async def test_an_offset_leaves_samples_out_from_the_front(
    live: Running, rate: int, offset: int
) -> None:
    async with live.session() as talk:
        await talk.say(text="Hello there, you.", sample_rate=rate)
        _, whole = await talk.until_last()
        await talk.say(text="Hello there, you.", sample_rate=rate, offset_samples=offset)
        frames, rest = await talk.until_last()
    assert rest == whole[2 * offset :]
    assert frames[-1].samples == len(rest) // 2


async def test_the_quality_that_was_asked_for_is_told(live: Running) -> None:
    async with live.session() as talk:
        for quality in ("fast", "exact"):
            await talk.say(text="Hello.", quality=quality)
            frames, _ = await talk.until_last()
            assert frames[0].quality == quality


async def test_auto_is_fast_until_the_listener_has_something_to_hear(live: Running) -> None:
    live.kit.engine.block_s = 5.0
    async with live.session() as talk:
        await talk.say(text="First.", quality="auto")
        first, _ = await talk.until_last()
        await talk.say(text="Second.")
        second, _ = await talk.until_last()
    assert (first[0].quality, second[0].quality) == ("fast", "exact")


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ("this is no JSON", "invalid_json"),
        (b"\xff\xfe", "invalid_json"),
        ("[1]", "invalid_frame"),
        ('{"type": "dance"}', "unknown_type"),
        ('{"type": "synthesis_complete", "request_id": "x"}', "invalid_frame"),
        ('{"text": 7}', "invalid_frame"),
        ('{"text": "Hi.", "speed": 9}', "invalid_frame"),
        ('{"text": "Hi.", "sample_rate": 12345}', "invalid_frame"),
        ('{"text": "Hi.", "offset_samples": -1}', "invalid_frame"),
        ('{"text": "Hi.", "continue": true}', "invalid_frame"),
        ('{"type": "flush", "request_id": "nobody"}', "unknown_request"),
        ('{"text": ""}', "empty_text"),
        ('{"text": "Hi.", "voice": "zz_nobody"}', "unknown_voice"),
        ('{"text": "Hi.", "request_timestamp": 1000000000}', "request_stale"),
    ],
)
async def test_a_bad_message_gets_an_error_and_the_session_goes_on(
    live: Running, message: str | bytes, code: str
) -> None:
    async with live.session() as talk:
        await talk.socket.send(message)
        error = await talk.next()
        assert isinstance(error, Error)
        assert error.code == code
        await talk.say(text="Still here.")
        _, audio = await talk.until_last()
    assert audio == live.kit.said("Still here.")


async def test_a_fresh_timestamp_is_served(live: Running) -> None:
    async with live.session() as talk:
        await talk.say(text="Hello.", request_timestamp=time.time() - 5)
        frames, _ = await talk.until_last()
    assert isinstance(frames[-1], SynthesisComplete)


@pytest.mark.parametrize("text", [".", "😊", "   ", "…?!"])
async def test_text_of_which_nothing_is_spoken_is_a_success(live: Running, text: str) -> None:
    async with live.session() as talk:
        await talk.say(text=text)
        frames, audio = await talk.until_last()
    assert audio == b""
    assert frames[-1].samples == 0


async def test_a_text_that_is_too_long_is_refused(kit: Kit) -> None:
    kit.limit(text_chars=20)
    async with kit.running() as live, live.session() as talk:
        await talk.say(text="x" * 21, request_id="r")
        error = await talk.next()
        assert (error.code, error.request_id) == ("too_large", "r")
        assert "20" in error.message


async def test_a_message_that_is_too_large_ends_the_session_with_1009(kit: Kit) -> None:
    kit.limit(message_bytes=2048)
    async with kit.running() as live, live.session() as talk:
        await talk.say(text="x" * 4096)
        assert await talk.closed() == 1009
        await live.quiet()


async def test_a_session_may_have_so_many_requests_and_goes_on_after_one_too_many(
    kit: Kit,
) -> None:
    kit.limit(requests=3)
    gate = kit.hold()
    async with kit.running() as live, live.session() as talk:
        for number in range(4):
            await talk.say(text="Hello.", request_id=f"r{number}")
        frames, _ = await talk.until_last()
        assert (frames[-1].code, frames[-1].request_id) == ("queue_saturated", "r3")
        gate.release(100)
        for number in range(3):
            frames, _ = await talk.until_last()
            assert frames[-1].request_id == f"r{number}"
            assert isinstance(frames[-1], SynthesisComplete)


async def test_a_server_that_has_enough_to_do_says_when_to_come_back(kit: Kit) -> None:
    kit.limit(jobs=1)
    kit.hold()
    async with kit.running() as live, live.session() as busy, live.session() as talk:
        await busy.say(text="Hello.")
        assert isinstance(await busy.next(), SynthesisStart)
        await talk.say(text="Hello.", request_id="r")
        error = await talk.next()
        assert (error.code, error.request_id) == ("queue_saturated", "r")
        assert "try again in" in error.message


async def test_pieces_are_joined_and_spoken_sentence_by_sentence_before_the_end(
    live: Running,
) -> None:
    whole = "The first sentence is here. The second one follows. And a third"
    async with live.session() as talk:
        for piece in ("The first sen", "tence is here. The second", " one "):
            await talk.say(**{"text": piece, "request_id": "r", "continue": True})
        assert isinstance(await talk.next(), SynthesisStart)
        heard = bytearray(await talk.next())
        assert live.kit.engine.begun == ["the first sentence is here."], "before the flush"
        await talk.say(**{"text": "follows. And a third", "request_id": "r", "continue": True})
        await talk.say(type="flush", request_id="r")
        frames, audio = await talk.until_last()
    assert [type(frame) for frame in frames] == [SynthesisComplete]
    assert live.kit.engine.begun == [
        "the first sentence is here.",
        "the second one follows.",
        "and a third",
    ]
    assert bytes(heard + audio) == live.kit.said(whole)


async def test_a_message_without_continue_ends_the_pieces(live: Running) -> None:
    async with live.session() as talk:
        await talk.say(**{"text": "Half a sen", "request_id": "r", "continue": True})
        await talk.say(text="tence.", request_id="r")
        frames, audio = await talk.until_last()
    assert [type(frame) for frame in frames] == [SynthesisStart, SynthesisComplete]
    assert audio == live.kit.said("Half a sentence.")


async def test_words_of_pieces_have_their_place_in_the_joined_text(live: Running) -> None:
    whole = "One two. Three four. Five."
    async with live.session() as talk:
        for start in range(0, len(whole), 3):
            await talk.say(
                **{
                    "text": whole[start : start + 3],
                    "request_id": "r",
                    "continue": True,
                    "word_timestamps": True,
                }
            )
        await talk.say(type="flush", request_id="r")
        frames, audio = await talk.until_last()
    words = frames[-1].words
    assert [whole[word.text_start : word.text_end] for word in words] == whole.split()
    assert [word.start_s for word in words] == sorted(word.start_s for word in words)
    assert words[-1].end_s <= len(audio) / 2 / 24000 + 0.1


async def test_pieces_are_bounded_together(kit: Kit) -> None:
    kit.limit(text_chars=20)
    async with kit.running() as live, live.session() as talk:
        for _ in range(3):
            await talk.say(**{"text": "eight ch", "request_id": "r", "continue": True})
        frames, _ = await talk.until_last()
        assert frames[-1].code == "too_large"
        await talk.say(text="ignored now", request_id="r")
        await talk.say(text="Go on.", request_id="s")
        frames, _ = await talk.until_last()
        assert frames[-1].request_id == "s"


async def test_close_finishes_what_is_queued(live: Running) -> None:
    gate = live.kit.hold()
    async with live.session() as talk:
        await talk.say(text="One.", request_id="1")
        await talk.say(text="Two.", request_id="2")
        await talk.say(**{"text": "Three", "request_id": "3", "continue": True})
        await talk.say(type="close")
        await talk.say(text="Too late.", request_id="4")
        gate.release(100)
        ended: list[Any] = []
        refused: list[Any] = []
        while len(ended) < 3:
            frames, _ = await talk.until_last()
            last = frames[-1]
            (refused if isinstance(last, Error) else ended).append(last)
        assert [frame.request_id for frame in ended] == ["1", "2", "3"]
        assert all(isinstance(frame, SynthesisComplete) for frame in ended)
        assert [frame.code for frame in refused] == ["closing"]
        assert await talk.closed() == 1000
    assert "too late." not in live.kit.engine.begun


async def test_an_idle_session_closes_at_once(live: Running) -> None:
    async with live.session() as talk:
        await talk.say(type="close")
        assert await talk.closed() == 1000
    await live.quiet()


async def test_cancel_in_the_middle_stops_within_a_frame_and_tells_what_was_sent(
    live: Running,
) -> None:
    gate = live.kit.hold()
    async with live.session() as talk:
        await talk.say(text="A long one.", request_id="r")
        assert isinstance(await talk.next(), SynthesisStart)
        gate.release(1)
        heard = bytearray(await talk.next())
        await talk.say(type="cancel", request_id="r")
        frames, rest = await talk.until_last()
        heard += rest
        assert frames == [SynthesisCancelled(request_id="r", samples=len(heard) // 2)]
        gate.release(100)
        await live.until(lambda: live.service.scheduler.depth == 0)
        assert live.kit.engine.made <= 2, "the block in the model, no other"
        await talk.say(text="Next.", request_id="s")
        frames, audio = await talk.until_last()
    assert frames[0].request_id == "s"
    assert audio == live.kit.said("Next.")


async def test_cancel_before_the_first_audio_sends_none(live: Running) -> None:
    gate = live.kit.hold()
    async with live.session() as talk:
        await talk.say(text="Never heard.", request_id="r")
        assert isinstance(await talk.next(), SynthesisStart)
        await talk.say(type="cancel", request_id="r")
        assert await talk.next() == SynthesisCancelled(request_id="r", samples=0)
        await talk.say(text="Heard.", request_id="s")
        gate.release(100)
        frames, audio = await talk.until_last()
    assert frames[0].request_id == "s"
    assert audio == live.kit.said("Heard."), "nothing stale before it"


async def test_cancel_of_a_queued_request_leaves_the_others(live: Running) -> None:
    gate = live.kit.hold()
    async with live.session() as talk:
        for number in "123":
            await talk.say(text=f"Number {number}.", request_id=number)
        await talk.say(type="cancel", request_id="2")
        frames, _ = await talk.until_last()
        assert frames[-1] == SynthesisCancelled(request_id="2", samples=0)
        gate.release(100)
        for number in "13":
            frames, audio = await talk.until_last()
            assert frames[-1].request_id == number
            assert audio == live.kit.said(f"Number {number}.")


async def test_cancel_without_an_id_stops_all(live: Running) -> None:
    gate = live.kit.hold()
    async with live.session() as talk:
        for number in "123":
            await talk.say(text=f"Number {number}.", request_id=number)
        assert isinstance(await talk.next(), SynthesisStart)
        await talk.say(type="cancel")
        ended = [(await talk.until_last())[0][-1] for _ in "123"]
        assert {frame.request_id for frame in ended} == set("123")
        assert all(isinstance(frame, SynthesisCancelled) for frame in ended)
        gate.release(100)
        await live.until(lambda: live.service.scheduler.depth == 0)
        await talk.say(text="Alive.", request_id="4")
        _, audio = await talk.until_last()
    assert audio == live.kit.said("Alive.")


async def test_cancel_of_what_has_ended_is_harmless(live: Running) -> None:
    async with live.session() as talk:
        await talk.say(text="One.", request_id="r")
        await talk.until_last()
        await talk.say(type="cancel", request_id="r")
        await talk.say(type="cancel", request_id="never was")
        await talk.say(text="Two.", request_id="s")
        frames, _ = await talk.until_last()
    assert frames[-1].request_id == "s"


async def test_a_failure_of_the_model_ends_the_request_and_nothing_else(live: Running) -> None:
    live.kit.engine.fails_at = "broken"
    async with live.session() as talk:
        await talk.say(text="This is broken.", request_id="r")
        await talk.say(text="This is fine.", request_id="s")
        frames, _ = await talk.until_last()
        assert frames[-1].code == "synthesis_failed"
        assert "tone" not in frames[-1].message, "what went wrong inside is for the log"
        frames, audio = await talk.until_last()
    assert audio == live.kit.said("This is fine.")


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
async def test_a_dead_worker_closes_with_1011_and_a_reason(live: Running) -> None:
    async with live.session() as talk:
        gate = live.kit.hold()
        await talk.say(text="Hello.")
        assert isinstance(await talk.next(), SynthesisStart)
        live.kit.engine.dies = True
        gate.release(1)
        frames, _ = await talk.until_last()
        assert frames[-1].code == "synthesis_failed"
        assert await talk.closed() == 1011
        assert "worker" in (talk.socket.close_reason or "")


async def test_compression_is_not_offered(live: Running) -> None:
    address = f"ws://127.0.0.1:{live.port}/invocations-bidirectional-stream"
    async with connect(address, compression="deflate") as socket:
        assert socket.response is not None
        assert "sec-websocket-extensions" not in socket.response.headers


@pytest.mark.parametrize(
    "headers", [{"Origin": "https://evil.example"}, {"Host": "evil.example:80"}]
)
async def test_a_foreign_page_cannot_open_a_session(live: Running, headers: dict[str, str]) -> None:
    address = f"ws://127.0.0.1:{live.port}/invocations-bidirectional-stream"
    if "Host" in headers:
        address = f"ws://{headers.pop('Host')}/invocations-bidirectional-stream"
    with pytest.raises(InvalidStatus) as refusal:
        async with connect(
            address, additional_headers=headers, proxy=None, host="127.0.0.1", port=live.port
        ):
            pass
    assert refusal.value.response.status_code == 403
    assert live.service.sessions == 0


async def test_no_more_sessions_than_the_bound_are_accepted(kit: Kit) -> None:
    kit.limit(sessions=1)
    async with kit.running() as live:
        async with live.session():
            await live.until(lambda: live.service.sessions == 1)
            with pytest.raises(InvalidStatus) as refusal:
                async with live.session():
                    pass
            assert refusal.value.response.status_code == 503
            assert b"too_many_sessions" in refusal.value.response.body
        await live.quiet()
        async with live.session():
            pass


async def test_texts_are_not_logged_and_ids_and_traces_are(
    live: Running, caplog: pytest.LogCaptureFixture
) -> None:
    trace_id = "0af7651916cd43dd8448eb211c80319c"
    trace = f"00-{trace_id}-b7ad6b7169203331-01"
    caplog.set_level("DEBUG")
    live.kit.engine.fails_at = "unlucky"
    async with live.session() as talk:
        await talk.say(text="Zanzibar is far.", request_id="id-7\nx", traceparent=trace)
        await talk.until_last()
        await talk.say(text="Zanzibar is unlucky.", voice="Zanzibar")
        await talk.until_last()
        await talk.say(text="Zanzibar is unlucky.")
        await talk.until_last()
    await live.quiet()
    ours = [r for r in caplog.records if r.name.startswith("firstword")]
    lines = "\n".join(record.getMessage() for record in ours)
    assert "zanzibar" not in lines.lower()
    assert "request_id=<id-7?x>" in lines
    assert f"trace_id=<{trace_id}>" in lines
    assert "chars=<16>" in lines


async def test_a_session_leaves_nothing_behind(live: Running) -> None:
    async with live.session() as talk:
        await talk.say(text="Hello there.")
        await talk.until_last()
        await talk.say(**{"text": "An open end", "request_id": "r", "continue": True})
        await talk.next()
    await live.quiet()
    assert not [task for task in asyncio.all_tasks() if "scheduler" in repr(task)]
