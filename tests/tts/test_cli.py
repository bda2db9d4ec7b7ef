"""``python -m firstword.tts``: commands, exit statuses, and what goes where."""

from __future__ import annotations

import io
import json
import os
import signal
import struct
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import av
import numpy as np
import pytest
from firstword.tts import assembly
from firstword.tts.__main__ import main
from firstword.tts.checks import Check
from firstword.tts.commands import say
from firstword.tts.models import UnknownVoiceError
from firstword.tts.models.manifest import Entry, Manifest
from firstword.tts.speech import Chunk, SpeechJob


@dataclass
class ToneSpeaker:
    """A tenth of a second of tone for each word."""

    jobs: list[SpeechJob] = field(default_factory=list)

    def speak(self, job: SpeechJob) -> Iterator[Chunk]:
        if job.voice != "af_heart":
            raise UnknownVoiceError(f"no voice is called {job.voice!r}")
        self.jobs.append(job)
        tone = (0.4 * np.sin(np.arange(2400) * 0.1)).astype(np.float32)
        return (Chunk(tone) for _ in job.text.split())


@pytest.fixture
def speaker(monkeypatch: pytest.MonkeyPatch) -> ToneSpeaker:
    one = ToneSpeaker()
    monkeypatch.setattr(assembly, "assemble", lambda settings: SimpleNamespace(whole=one))
    return one


@pytest.fixture
def rack(tmp_path: Path) -> dict[str, str]:
    """A model folder with two voices, as an environment."""
    folder = tmp_path / "rack"
    (folder / "voices").mkdir(parents=True)
    entries = []
    for name in ("af_heart", "bm_lewis"):
        np.zeros((510, 256), "<f4").tofile(folder / "voices" / f"{name}.bin")
        entries.append(Entry(f"voices/{name}.bin", 522_240, "0" * 64))
    Manifest(tuple(entries)).write(folder)
    return {"FIRSTWORD_MODEL_DIR": str(folder)}


# --- say


def test_say_writes_a_wav_that_tells_its_length(tmp_path: Path, speaker: ToneSpeaker) -> None:
    out = tmp_path / "hello.wav"
    assert main(["say", "one two three", "-o", str(out)], {}) == 0
    data = out.read_bytes()
    assert struct.unpack("<I", data[40:44])[0] == len(data) - 44 == 3 * 2400 * 2
    assert speaker.jobs == [SpeechJob("one two three", "af_heart", 1.0, "exact")]


@pytest.mark.parametrize("suffix", sorted(say.SUFFIXES))
def test_the_suffix_says_the_format(tmp_path: Path, speaker: ToneSpeaker, suffix: str) -> None:
    out = tmp_path / f"hello{suffix.upper()}"
    assert main(["say", "one two", "-o", str(out)], {}) == 0
    assert out.stat().st_size > 100
    assert [path.name for path in tmp_path.iterdir()] == [out.name], "no litter"


def test_options_reach_the_job(tmp_path: Path, speaker: ToneSpeaker) -> None:
    out = tmp_path / "audio.bin"
    arguments = ["--speed", "1.5", "--quality", "fast", "--format", "pcm", "--sample-rate", "8000"]
    assert main(["say", "one", "-o", str(out), *arguments], {}) == 0
    assert speaker.jobs == [SpeechJob("one", "af_heart", 1.5, "fast")]
    assert out.stat().st_size == 1600


def test_standard_output_carries_the_audio_and_nothing_else(
    speaker: ToneSpeaker, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert main(["say", "one", "-o", "-", "--format", "mp3"], {}) == 0
    out, err = capfdbinary.readouterr()
    with av.open(io.BytesIO(out), "r") as container:
        assert container.duration is not None
    assert b"0.10 s of speech" in err


def test_the_text_may_come_from_standard_input(
    tmp_path: Path, speaker: ToneSpeaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("from a pipe"))
    assert main(["say", "-", "-o", str(tmp_path / "a.wav")], {}) == 0
    assert speaker.jobs[0].text == "from a pipe"


def test_nothing_to_speak_is_a_file_and_a_word_about_it(
    tmp_path: Path, speaker: ToneSpeaker, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "a.wav"
    assert main(["say", " ", "-o", str(out)], {}) == 0
    assert out.stat().st_size == 44
    assert "nothing in the text can be spoken" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["-o", "a.xyz"], "cannot tell a format from '.xyz'"),
        (["-o", "a"], "cannot tell a format from 'no suffix'"),
        (["-o", "a.wav", "--format", "midi"], "--format: format 'midi' is not one of"),
        (["-o", "a.wav", "--speed", "3"], "--speed must be 0.5 to 2.0, got 3"),
        (["-o", "a.wav", "--speed", "nan"], "--speed must be"),
        (["-o", "a.wav", "--sample-rate", "96000"], "--sample-rate must be one of 8000"),
        (["-o", "a.wav", "--voice", "nobody"], "no voice is called 'nobody'"),
    ],
)
def test_wrong_usage_is_2_and_leaves_no_file(
    tmp_path: Path,
    speaker: ToneSpeaker,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["say", "hello", *arguments], {}) == 2
    assert said in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_setting_that_cannot_be_used_is_wrong_usage(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["voices"], {"FIRSTWORD_TTS_PORT": "many"}) == 2
    assert "FIRSTWORD_TTS_PORT" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [[], ["sing"], ["say"], ["say", "hello"], ["models"]])
def test_a_command_that_does_not_exist_is_wrong_usage(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(arguments, {})
    assert left.value.code == 2


def test_a_folder_that_does_not_exist_is_a_failure(
    tmp_path: Path, speaker: ToneSpeaker, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["say", "hello", "-o", str(tmp_path / "no" / "a.wav")], {}) == 1
    assert "there is no folder" in capsys.readouterr().err


def test_without_models_say_names_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    environ = {"FIRSTWORD_MODEL_DIR": str(tmp_path)}
    assert main(["say", "hello", "-o", str(tmp_path / "a.wav")], environ) == 1
    assert "firstword models fetch" in capsys.readouterr().err
    assert not (tmp_path / "a.wav").exists()


def test_an_engine_that_is_not_there_is_a_failure(
    rack: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    environ = {**rack, "FIRSTWORD_ENGINE": "torch"}
    assert main(["say", "hello", "-o", str(tmp_path / "a.wav")], environ) == 1
    assert "FIRSTWORD_ENGINE=torch" in capsys.readouterr().err


def test_ctrl_c_is_130_without_a_traceback_and_without_half_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Interrupted:
        def speak(self, job: SpeechJob) -> Iterator[Chunk]:
            yield Chunk(np.zeros(10, np.float32))
            raise KeyboardInterrupt

    monkeypatch.setattr(assembly, "assemble", lambda settings: SimpleNamespace(whole=Interrupted()))
    assert main(["say", "hello", "-o", str(tmp_path / "a.wav")], {}) == 130
    assert list(tmp_path.iterdir()) == []
    assert "Traceback" not in capsys.readouterr().err


# --- voices


def test_voices_are_a_table_for_people(
    rack: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["voices"], rack) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split() for line in lines[1:]] == [
        ["af_heart", "en-us", "female", "A"],
        ["bm_lewis", "en-gb", "male", "D+"],
    ]


def test_voices_are_json_for_programs(
    rack: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["voices", "--json"], rack) == 0
    listed = json.loads(capsys.readouterr().out)["voices"]
    assert listed[0] == {
        "id": "af_heart",
        "name": "Heart",
        "language": "en-us",
        "gender": "female",
        "grade": "A",
    }


def test_voices_needs_no_heavy_library(rack: dict[str, str]) -> None:
    script = (
        "import sys; from firstword.tts.__main__ import main; main(['voices']);"
        "heavy = {'onnxruntime', 'spacy', 'misaki', 'av', 'onnx'} & sys.modules.keys();"
        "sys.exit(str(heavy) if heavy else 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, **rack},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_a_reader_that_leaves_is_no_traceback(rack: dict[str, str]) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "firstword.tts", "voices"],
        env={**os.environ, **rack},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    process.stdout.close()
    _, err = process.communicate(timeout=60)
    assert "Traceback" not in err


# --- models


def test_models_path_prints_the_folder(
    rack: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["models", "path"], rack) == 0
    assert capsys.readouterr().out == rack["FIRSTWORD_MODEL_DIR"] + "\n"
    assert main(["models", "path", "--dir", str(tmp_path)], rack) == 0
    assert capsys.readouterr().out == f"{tmp_path}\n"


def test_models_verify_says_all_that_is_wrong_and_is_1(
    rack: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["models", "verify"], rack) == 1
    out, err = capsys.readouterr()
    assert "kokoro-int8.onnx: not in the manifest" in out
    assert "voices/af_heart.bin: corrupt" in out
    assert "firstword models fetch" in err


def test_ctrl_c_ends_a_fetch_with_130_and_keeps_what_came(tmp_path: Path) -> None:
    """A client that never answers stands in for a slow network."""
    bin_dir = tmp_path / "bin"
    bin_dir.mkdir()
    started = tmp_path / "started"
    os.mkfifo(started)
    (bin_dir / "uv").write_text(f"#!/bin/sh\necho > {started}\nexec sleep 60\n")
    (bin_dir / "uv").chmod(0o755)
    command = [sys.executable, "-m", "firstword.tts", "models", "fetch", "--dir"]
    process = subprocess.Popen(
        [*command, str(tmp_path / "models")],
        env={**os.environ, "PATH": f"{bin_dir}:/usr/bin:/bin"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    started.read_text()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert out == ""
    assert "Traceback" not in err
    assert err.splitlines() == [
        "weights: from installed packages",
        "weights: from package clients",
    ]
    assert not (tmp_path / "models" / "manifest.json").exists()


# --- doctor


def reports(checks: list[Check], monkeypatch: pytest.MonkeyPatch) -> None:
    from firstword.tts import checks as module

    monkeypatch.setattr(module, "examine", lambda settings: checks)


GOOD = Check("python", True, "3.12.1")
EXTRA = Check("espeak", False, "absent", "install the extra", needed=False)
BAD = Check("models", False, "no files", "run `firstword models fetch`")


def test_doctor_is_content_without_what_is_not_needed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    reports([GOOD, EXTRA], monkeypatch)
    assert main(["doctor"], {}) == 0
    assert capsys.readouterr().out.splitlines() == [
        "ok       python     3.12.1",
        "absent   espeak     absent",
        "                    install the extra",
    ]


def test_doctor_is_1_when_something_needed_is_missing_and_says_how_to_mend_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    reports([GOOD, BAD], monkeypatch)
    assert main(["doctor"], {}) == 1
    assert "firstword models fetch" in capsys.readouterr().out
    assert main(["doctor", "--json"], {}) == 1
    report: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert report["ok"] is False
    assert report["checks"][1] == {
        "name": "models",
        "ok": False,
        "detail": "no files",
        "mend": "run `firstword models fetch`",
        "needed": True,
    }
