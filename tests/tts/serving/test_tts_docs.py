"""docs/behaviour-tts.md says what the code does."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import firstword.tts
from firstword.tts.metrics import Metrics
from firstword.tts.openai_door import VOICES
from firstword.tts.refusal import STATUS
from firstword.tts.settings import Settings

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "behaviour-tts.md").read_text(encoding="utf-8")
SOURCE = Path(firstword.tts.__file__).parent


def section(heading: str) -> str:
    [body] = re.findall(rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", PAGE, re.M | re.S)
    return str(body)


def rows(heading: str) -> dict[str, str]:
    found = re.findall(r"^\| `(\w+)` \|([^|]*)\|", section(heading), re.M)
    return {name: value.strip() for name, value in found}


def test_every_setting_is_documented_with_its_default() -> None:
    documented = rows("Settings")
    source = (SOURCE / "settings.py").read_text(encoding="utf-8")
    assert set(documented) == set(re.findall(r"\"(FIRSTWORD_\w+)\"", source)) | {
        "FIRSTWORD_MODEL_DIR"
    }
    as_documented = {name: value for name, value in documented.items() if value}
    assert Settings.from_env(as_documented) == Settings.from_env({})
    assert len(fields(Settings)) == 13, "a new setting must be read here too"


def test_every_code_is_documented_with_its_status_and_no_other_is_raised() -> None:
    assert rows("Errors") == {code: str(status) for code, status in STATUS.items()}
    raised = set()
    for path in SOURCE.glob("*.py"):
        raised |= set(re.findall(r"RefusedError\(\s*\"(\w+)\"", path.read_text(encoding="utf-8")))
    assert raised <= set(STATUS)


def test_the_voices_of_openai_are_those_of_the_table() -> None:
    table = re.findall(r"^\| `(\w+)` \| `(\w+)` \|$", section("In OpenAI's shape"), re.M)
    assert dict(table) == VOICES


def test_every_metric_is_documented() -> None:
    metrics = Metrics()
    metrics.watch(depth=lambda: 0, backlog_s=lambda: 0, sessions=lambda: 0)
    metrics.tell(engine="one", about="the only one")
    exposed = set(re.findall(r"^# TYPE (\w+)", metrics.text().decode(), re.M))
    exposed = {name for name in exposed if not name.endswith("_created")}
    assert set(rows("What is logged and counted")) == exposed
