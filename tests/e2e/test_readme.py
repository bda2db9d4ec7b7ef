"""The README keeps its word."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from e2e.processes import Server, offline

pytestmark = [pytest.mark.e2e, pytest.mark.model]

README = Path(__file__).parents[2] / "README.md"


def test_the_client_in_the_readme_hears_speech(tts: Server) -> None:
    code = re.search(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    assert code is not None
    run = subprocess.run(
        [sys.executable, "-c", code[1], tts.socket_url, "Good morning, and welcome."],
        env=offline(),
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert run.returncode == 0, run.stderr.decode()
    assert len(run.stdout) > 24_000 * 2
    assert len(run.stdout) % 2 == 0
