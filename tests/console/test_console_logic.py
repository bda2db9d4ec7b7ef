"""The console's parts that do no I/O: pacing, times, what a terminal shows, settings."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from console_stage import END, START, STREAM, chunk, delta, ramp, sentence
from firstword.console import playback
from firstword.console.pacing import SentenceGate
from firstword.console.playback import find_player
from firstword.console.settings import SettingError, Settings
from firstword.console.terminal import printable
from firstword.console.timeline import TimelineRecorder, pcm, pcm_bytes, without_audio
from firstword.console.timeline_view import verdict
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""Other tests may keep the machine busy."""


def arrivals(block_s: float, rate: float, seconds: float) -> Iterator[tuple[float, float]]:
    """(audio seconds, time) of blocks that are made at ``rate`` seconds of audio a second."""
    made = 0.0
    while made < seconds:
        block = min(block_s, seconds - made)
        made += block
        yield block, made / rate


def starved_s(block_s: float, rate: float, seconds: float) -> float | None:
    """How long a player that follows the gate runs dry; None when it waits for the whole."""
    gate = SentenceGate(round(seconds * 14))
    begun: float | None = None
    worst, received = 0.0, 0.0
    for block, at in arrivals(block_s, rate, seconds):
        if begun is not None:
            worst = max(worst, at - begun - received)
        gate.push(block, at)
        received += block
        if begun is None and received < seconds and gate.may_start(0.0):
            begun = at
    return None if begun is None else worst


@unhurried
@given(block_s=st.floats(0.1, 1.0), rate=st.floats(0.3, 8.0), seconds=st.floats(1.0, 20.0))
def test_a_steady_sentence_never_runs_dry(block_s: float, rate: float, seconds: float) -> None:
    assert (starved_s(block_s, rate, seconds) or 0.0) <= 0.0


def test_a_fast_voice_begins_before_its_sentence_is_whole() -> None:
    assert starved_s(0.3, 3.0, 6.0) is not None


def test_nothing_begins_on_the_first_block_alone() -> None:
    gate = SentenceGate(50)
    gate.push(2.0, 1.0)
    assert not gate.may_start(10.0)
    gate.close()
    assert gate.may_start(0.0)


def test_the_timeline_counts_from_the_agents_start() -> None:
    recorder = TimelineRecorder()
    silence = {"type": "audio_chunk", "data": ""}
    for at, event in enumerate(
        [START, STREAM, delta("a"), sentence("a"), silence, chunk(ramp(2400)), delta("b"), END]
    ):
        recorder.feed(event, 100 + at / 10)
    timeline = recorder.timeline()
    assert timeline.event() == {
        "type": "timeline",
        "first_text_ms": 200.0,
        "first_sentence_ms": 300.0,
        "first_audio_ms": 500.0,
        "end_ms": 700.0,
        "audio_s": 0.1,
    }
    assert timeline.last_text_ms == 600.0
    assert (
        verdict(timeline) == "0.1 s of speech, the first of it 0.10 s before the text was finished"
    )


def test_what_never_came_is_null() -> None:
    recorder = TimelineRecorder()
    recorder.feed(START, 1.0)
    event = recorder.timeline().event()
    assert {event[key] for key in event if key.endswith("_ms")} == {None}


@unhurried
@given(st.binary(max_size=64))
def test_bytes_are_counted_as_they_would_be_decoded(data: bytes) -> None:
    import base64

    event = {"type": "audio_chunk", "data": base64.b64encode(data).decode()}
    assert pcm_bytes(event) == len(pcm(event)) == len(data)
    assert without_audio(event)["data"] == len(data)


@unhurried
@given(st.text())
def test_printable_text_holds_no_control_characters(text: str) -> None:
    shown = printable(text)
    assert not any(ord(c) < 32 and c not in "\n\t" for c in shown)
    assert not any(0x7F <= ord(c) <= 0x9F for c in shown)
    assert printable(shown) == shown


def test_settings_come_from_the_environment() -> None:
    assert Settings.from_env({}).start_timeout_s == 180
    assert Settings.from_env({"FIRSTWORD_START_TIMEOUT_S": ""}).start_timeout_s == 180
    assert Settings.from_env({"FIRSTWORD_START_TIMEOUT_S": "5"}).start_timeout_s == 5


@pytest.mark.parametrize("value", ["soon", "-1", "0", "inf", "nan"])
def test_a_senseless_setting_is_named(value: str) -> None:
    with pytest.raises(SettingError, match="FIRSTWORD_START_TIMEOUT_S"):
        Settings.from_env({"FIRSTWORD_START_TIMEOUT_S": value})


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """A folder with every known player in it."""
    for name in playback.PROGRAMS:
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    return tmp_path


def test_a_player_without_a_device_is_no_player(programs: Path, tmp_path: Path) -> None:
    assert find_player({"PATH": str(programs)}, tmp_path / "no-devices") is None
    assert find_player({"PATH": "/nonexistent"}, tmp_path) is None


def test_a_sound_card_is_enough_for_alsa(programs: Path, tmp_path: Path) -> None:
    devices = tmp_path / "snd"
    devices.mkdir()
    (devices / "pcmC0D0p").touch()
    found = find_player({"PATH": str(programs)}, devices)
    assert found is not None
    assert found.argv(16_000)[:3] == [str(programs / "aplay"), "-q", "-t"]
    assert "16000" in found.argv(16_000)


def test_a_running_sound_server_comes_first(programs: Path, tmp_path: Path) -> None:
    runtime = tmp_path / "run"
    (runtime / "pulse").mkdir(parents=True)
    (runtime / "pulse" / "native").touch()
    found = find_player({"PATH": str(programs), "XDG_RUNTIME_DIR": str(runtime)}, tmp_path)
    assert found is not None
    assert found.path == str(programs / "paplay")
