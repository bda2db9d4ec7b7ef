"""``firstword talk`` as a person and as a program sees it, with an agent that the test plays."""

from __future__ import annotations

import asyncio
import json
import signal
import stat
import wave
from pathlib import Path

import numpy as np
import pytest
from console_stage import (
    END,
    RATE,
    START,
    STREAM,
    Command,
    Events,
    FakeAgent,
    chunk,
    delta,
    firstword,
    ramp,
    sentence,
)

TIMELINE = {"first_text_ms", "first_sentence_ms", "first_audio_ms", "end_ms", "audio_s", "type"}


def samples_of(path: Path) -> list[int]:
    with wave.open(str(path)) as file:
        assert (file.getframerate(), file.getnchannels(), file.getsampwidth()) == (RATE, 1, 2)
        return np.frombuffer(file.readframes(file.getnframes()), "<i2").tolist()


def names(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


async def test_words_go_to_standard_output_and_talk_about_them_to_standard_error(
    agent: FakeAgent, tmp_path: Path
) -> None:
    done = await firstword("talk", "Count.", "--agent", agent.url, cwd=tmp_path)
    assert done.status == 0
    assert done.out == "One. Two.\n"
    for row in ("first text", "first sentence", "first audio", "last text", "end"):
        assert f"{row} " in done.err
    assert "0.2 s of speech" in done.err
    assert "wrote answer.wav (no sound device" in done.err
    assert "\x1b" not in done.err, "no colour where there is no terminal"
    assert samples_of(tmp_path / "answer.wav") == ramp(4800).tolist()


async def test_choices_reach_the_agent(agent: FakeAgent, tmp_path: Path) -> None:
    options = ["--mode", "batch", "--voice", "bf_emma", "--speed", "1.25", "--out", "x.wav"]
    done = await firstword("talk", "Hm?", *options, "--agent", agent.url, cwd=tmp_path)
    assert done.status == 0
    assert agent.asked == [{"prompt": "Hm?", "mode": "batch", "voice": "bf_emma", "speed": 1.25}]
    assert names(tmp_path) == ["x.wav"]


async def test_json_is_one_event_a_line_and_the_timeline_last(
    agent: FakeAgent, tmp_path: Path
) -> None:
    done = await firstword("talk", "Count.", "--json", "--agent", agent.url, cwd=tmp_path)
    events = [json.loads(line) for line in done.out.splitlines()]
    assert [event["type"] for event in events] == [
        "agent_start",
        "text_delta",
        "audio_stream_start",
        "sentence",
        "audio_chunk",
        "text_delta",
        "sentence_end",
        "sentence",
        "audio_chunk",
        "sentence_end",
        "audio_stream_end",
        "agent_end",
        "timeline",
    ]
    assert [e["data"] for e in events if e["type"] == "audio_chunk"] == [4800, 4800]
    timeline = events[-1]
    assert set(timeline) == TIMELINE
    assert timeline["audio_s"] == 0.2
    assert 0 <= timeline["first_text_ms"] <= timeline["first_audio_ms"] <= timeline["end_ms"]
    assert "One. Two." in done.err


async def test_words_are_shown_as_they_come(agent: FakeAgent, tmp_path: Path) -> None:
    seen = asyncio.Event()

    async def reply() -> Events:
        yield START
        yield delta("First line.\n")
        await seen.wait()
        yield delta("Second line.")
        yield END

    agent.reply = reply
    command = await Command.start("talk", "Hm?", "--agent", agent.url, cwd=tmp_path)
    assert await command.line() == "First line."
    seen.set()
    done = await command.end()
    assert done.out == "Second line.\n"


async def test_a_reader_that_leaves_is_no_traceback(agent: FakeAgent, tmp_path: Path) -> None:
    async def reply() -> Events:
        yield START
        for _ in range(2000):
            yield delta("A line that nobody reads.\n" * 100)
        yield END

    agent.reply = reply
    command = await Command.start("talk", "Hm?", "--agent", agent.url, cwd=tmp_path)
    await command.line()
    command.process._transport.get_pipe_transport(1).close()  # type: ignore[attr-defined]
    async with asyncio.timeout(20):
        assert await command.process.wait() == 1
        assert command.process.stderr is not None
        assert b"Traceback" not in await command.process.stderr.read()


async def test_the_question_can_come_from_standard_input(agent: FakeAgent, tmp_path: Path) -> None:
    done = await firstword("talk", "-", "--agent", agent.url, cwd=tmp_path, typed="Piped?\n")
    assert done.status == 0
    assert agent.asked[0]["prompt"] == "Piped?"


async def test_what_would_steer_the_terminal_is_left_out(agent: FakeAgent, tmp_path: Path) -> None:
    async def reply() -> Events:
        yield START
        yield delta("a\x1b[31mb\x07c\x9b2Jd\r\ne\t")
        yield END

    agent.reply = reply
    done = await firstword("talk", "Hm?", "--agent", agent.url, cwd=tmp_path)
    assert done.out == "a[31mbc2Jd\ne\t\n"


async def test_interrupting_ends_the_turn_and_leaves_no_half_file(
    agent: FakeAgent, tmp_path: Path
) -> None:
    async def reply() -> Events:
        yield START
        yield STREAM
        yield sentence("Endless.")
        yield chunk(ramp(2400))
        yield delta("Endless\n")
        await asyncio.Event().wait()

    agent.reply = reply
    command = await Command.start(
        "talk", "Go on.", "--agent", agent.url, "--out", "x.wav", cwd=tmp_path
    )
    assert await command.line() == "Endless"
    command.interrupt(signal.SIGINT)
    done = await command.end()
    assert done.status == 130
    await asyncio.wait_for(agent.left.wait(), 10)
    assert names(tmp_path) == []
    assert "Traceback" not in done.err


async def test_a_reply_that_fails_is_a_failure_with_its_reason(
    agent: FakeAgent, tmp_path: Path
) -> None:
    async def reply() -> Events:
        yield START
        yield delta("Well")
        yield {"type": "error", "request_id": "r", "code": "speech_lost", "message": "No voice."}
        yield {**END, "status": "failed"}

    agent.reply = reply
    done = await firstword("talk", "Hm?", "--agent", agent.url, cwd=tmp_path)
    assert done.status == 1
    assert "No voice. (speech_lost)" in done.err
    assert names(tmp_path) == []


async def cut_off() -> Events:
    yield START
    yield delta("Well")


async def garbled_audio() -> Events:
    yield START
    yield STREAM
    yield {"type": "audio_chunk", "request_id": "r", "seq": 0, "data": "not base64!"}


async def early_audio() -> Events:
    yield START
    yield chunk(ramp(10))


async def absurd_rate() -> Events:
    yield START
    yield {**STREAM, "sample_rate": 3}


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (cut_off, "ended the stream in mid-answer"),
        (garbled_audio, "base64"),
        (early_audio, "before its audio_stream_start"),
        (absurd_rate, "8000 to 192000 Hz"),
    ],
)
async def test_a_broken_reply_is_told_and_not_guessed_at(
    agent: FakeAgent, tmp_path: Path, reply: object, reason: str
) -> None:
    agent.reply = reply  # type: ignore[assignment]
    done = await firstword("talk", "Hm?", "--agent", agent.url, cwd=tmp_path)
    assert done.status == 1
    assert reason in done.err.replace("\n", " ")
    assert "Traceback" not in done.err
    assert names(tmp_path) == []


async def test_a_refused_question_shows_the_agents_own_words(
    agent: FakeAgent, tmp_path: Path
) -> None:
    done = await firstword("talk", "?", "--agent", agent.url, cwd=tmp_path)
    assert done.status == 1
    assert "the agent answered 400: The prompt is empty." in done.err


async def test_an_agent_that_is_not_there_is_a_failure(tmp_path: Path) -> None:
    done = await firstword("talk", "Hm?", "--agent", "http://127.0.0.1:9", cwd=tmp_path)
    assert done.status == 1
    assert "the agent was lost: ConnectError" in done.err


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ([], "PROMPT"),
        (["Hm?", "--mode", "half"], "invalid choice"),
        (["Hm?", "--speed", "3"], "must be 0.5 to 2"),
        (["Hm?", "--tokens-per-second", "5"], "--answer"),
        (["Hm?", "--answer", "missing.txt"], "there is no file missing.txt"),
        (["Hm?", "--out", "no/such/folder.wav"], "there is no folder"),
        (["  "], "the question is empty"),
    ],
)
async def test_wrong_usage_is_status_2_and_says_what_is_wrong(
    tmp_path: Path, arguments: list[str], complaint: str
) -> None:
    done = await firstword("talk", *arguments, cwd=tmp_path)
    assert done.status == 2
    assert complaint in done.err
    assert done.out == ""


def sound_device(folder: Path) -> dict[str, str]:
    """A PATH with a ``paplay`` that keeps what it is given, and a sound server to talk to."""
    program = folder / "bin" / "paplay"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\necho "$@" > {folder}/arguments\n/bin/cat > {folder}/played\n')
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return {"PATH": str(program.parent), "PULSE_SERVER": "unix:/nowhere"}


async def test_with_a_sound_device_the_reply_is_played_to_its_last_sample(
    agent: FakeAgent, tmp_path: Path
) -> None:
    device = sound_device(tmp_path)
    done = await firstword("talk", "Count.", "--agent", agent.url, cwd=tmp_path, **device)
    assert done.status == 0
    assert "wrote" not in done.err
    assert (tmp_path / "played").read_bytes() == ramp(4800).tobytes()
    assert "--rate=24000" in (tmp_path / "arguments").read_text()
    assert not (tmp_path / "answer.wav").exists()


async def test_out_writes_the_file_as_well_as_playing(agent: FakeAgent, tmp_path: Path) -> None:
    device = sound_device(tmp_path)
    options = ["--agent", agent.url, "--out", "x.wav"]
    done = await firstword("talk", "Count.", *options, cwd=tmp_path, **device)
    assert done.status == 0
    assert samples_of(tmp_path / "x.wav") == ramp(4800).tolist()
    assert (tmp_path / "played").read_bytes() == ramp(4800).tobytes()
