"""The product's main job on real parts: ask, and hear the first sentence before the last word."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import wave
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from e2e.processes import Server, offline

pytestmark = [pytest.mark.e2e, pytest.mark.model]

QUESTION = "What is a lighthouse for? Answer in three short sentences."
ANSWER = (
    "A lighthouse is a tower with a bright light at the top. It warns ships at night that rocks "
    "are near. Sailors know each one by the rhythm of its flashes. Today most of them work "
    "without a keeper, and many have become museums."
)


def firstword(*arguments: str, limit_s: float = 240) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "firstword.console", *arguments],
        env=offline(),
        capture_output=True,
        text=True,
        timeout=limit_s,
        check=False,
    )


def events_of(run: subprocess.CompletedProcess[str]) -> list[dict[str, Any]]:
    assert run.returncode == 0, run.stderr[-2000:]
    return [json.loads(line) for line in run.stdout.splitlines()]


def seconds(path: Path) -> float:
    with wave.open(str(path)) as file:
        return file.getnframes() / file.getframerate()


def spoken(events: list[dict[str, Any]]) -> str:
    return " ".join(e.get("spoken") or e["text"] for e in events if e["type"] == "sentence")


def test_the_local_model_is_asked_and_its_answer_is_intelligible_speech(
    tmp_path: Path, transcribe: Callable[..., str], wer: Callable[[str, str], float]
) -> None:
    out = tmp_path / "answer.wav"
    events = events_of(firstword("talk", QUESTION, "--out", str(out), "--json"))
    assert events[0]["type"] == "agent_start"
    timeline = events[-1]
    assert timeline["type"] == "timeline"
    assert timeline["first_text_ms"] <= timeline["first_audio_ms"] <= timeline["end_ms"]
    assert seconds(out) == pytest.approx(timeline["audio_s"], abs=0.01)
    text = spoken(events)
    assert len(text.split()) > 5
    assert wer(text, transcribe(out)) <= 0.10


def test_the_first_audio_is_there_while_the_answer_is_still_being_written(tmp_path: Path) -> None:
    answer = tmp_path / "answer.txt"
    answer.write_text(ANSWER, encoding="utf-8")
    out = tmp_path / "answer.wav"
    arguments = ["--answer", str(answer), "--tokens-per-second", "6", "--out", str(out), "--json"]
    events = events_of(firstword("talk", QUESTION, *arguments))
    kinds = [event["type"] for event in events]
    last_text = len(kinds) - 1 - kinds[::-1].index("text_delta")
    assert kinds.index("audio_chunk") < last_text
    assert "".join(e["text"] for e in events if e["type"] == "text_delta") == ANSWER
    assert kinds[-2:] == ["agent_end", "timeline"]


def test_batch_says_the_same_words_after_all_of_the_text(tmp_path: Path) -> None:
    answer = tmp_path / "answer.txt"
    answer.write_text(ANSWER, encoding="utf-8")
    out = tmp_path / "answer.wav"
    arguments = ["--answer", str(answer), "--mode", "batch", "--out", str(out), "--json"]
    events = events_of(firstword("talk", QUESTION, *arguments))
    kinds = [event["type"] for event in events]
    last_text = len(kinds) - 1 - kinds[::-1].index("text_delta")
    assert kinds.index("audio_chunk") > last_text
    assert " ".join(spoken(events).split()) == ANSWER
    assert seconds(out) > 8


def test_an_interrupted_talk_ends_at_once_and_leaves_no_process(tmp_path: Path) -> None:
    answer = tmp_path / "answer.txt"
    answer.write_text(ANSWER * 5, encoding="utf-8")
    arguments = ["talk", QUESTION, "--answer", str(answer), "--out", str(tmp_path / "a.wav")]
    process = subprocess.Popen(
        [sys.executable, "-m", "firstword.console", *arguments, "--json"],
        env=offline({"FIRSTWORD_TEST_MARK": str(tmp_path)}),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    for line in process.stdout:
        if json.loads(line)["type"] == "audio_chunk":
            break
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 130
    assert not processes_with(str(tmp_path))


def processes_with(mark: str) -> list[str]:
    """Programs whose environment names ``mark``, once those that are ending have ended."""
    deadline = time.monotonic() + 20
    while True:
        found = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit() and int(entry.name) != os.getpid():
                try:
                    environ = (entry / "environ").read_bytes()
                    command = (entry / "cmdline").read_bytes()
                except OSError:
                    continue
                if mark.encode() in environ and command:
                    found.append(command.replace(b"\0", b" ").decode())
        if not found or time.monotonic() > deadline:
            return found
        time.sleep(0.05)


def test_the_agent_answers_two_questions_of_one_conversation(agent: Server) -> None:
    import httpx
    from firstword.protocol import SseParser

    for question in ("My name is Ada. Please greet me.", "What is my name?"):
        parser = SseParser()
        kinds: list[str] = []
        with httpx.stream(
            "POST",
            f"{agent.url}/invocations",
            json={"prompt": question, "mode": "bidi", "session_id": "one-conversation-of-two"},
            timeout=120,
        ) as reply:
            assert reply.status_code == 200
            for piece in reply.iter_bytes():
                kinds += [event["type"] for event in parser.feed(piece)]
        assert kinds[0] == "agent_start"
        assert kinds[-1] == "agent_end"
        assert "audio_chunk" in kinds
        assert "error" not in kinds
