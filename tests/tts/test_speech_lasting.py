"""Ten minutes of speech by the real Kokoro: what the process holds on to does not grow."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.model, pytest.mark.timeout(2400)]

MINUTES = 10
PROGRAM = Path(__file__).with_name("long_speech.py")
MEBIBYTE = 1024 * 1024


def test_ten_minutes_of_speech_leave_memory_threads_and_files_as_they_were(
    model_folder: Path,
) -> None:
    command = [sys.executable, str(PROGRAM), str(model_folder), str(MINUTES)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=2300, check=False)
    assert done.returncode == 0, done.stderr
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert [one["minute"] for one in told] == list(range(1, MINUTES + 1))
    # After two minutes each voice has spoken, and each text was said in both qualities.
    warm, last = told[1], told[-1]
    grown = last["resident"] - warm["resident"]
    assert grown <= max(40 * MEBIBYTE, warm["resident"] // 20), told
    assert last["threads"] <= warm["threads"], told
    assert last["files"] <= warm["files"], told
