"""docs/telemetry.md says what the code does."""

from __future__ import annotations

import re
from pathlib import Path

import firstword.agent
import firstword.telemetry
import firstword.tts
from firstword.agent.metrics import Metrics
from firstword.telemetry import TelemetrySettings

PAGE = (Path(__file__).parents[2] / "docs" / "telemetry.md").read_text(encoding="utf-8")
AGENT, TTS, SHARED = (
    Path(str(package.__file__)).parent
    for package in (firstword.agent, firstword.tts, firstword.telemetry)
)
NO_METRIC = {"Count", "Seconds", "Milliseconds", "None", "Code", "Door", "Mode"}


def rows(heading: str) -> dict[str, list[str]]:
    [body] = re.findall(rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", PAGE, re.M | re.S)
    found = re.findall(r"^\| `([^`]+)` \|(.*)\|$", body, re.M)
    return {name: [cell.strip() for cell in rest.split("|")] for name, rest in found}


def told_by(folder: Path) -> set[str]:
    """Names of embedded metrics in a service's code."""
    code = "".join((folder / name).read_text("utf-8") for name in ("record.py", "metrics.py"))
    return set(re.findall(r"\"([A-Z][A-Za-z]+)\"", code)) - NO_METRIC


def code_of(pattern: str) -> str:
    """Both services' modules of these names."""
    files = [path for folder in (AGENT, TTS) for path in folder.glob(pattern)]
    return "".join(path.read_text("utf-8") for path in files)


def test_every_setting_is_documented_with_its_default() -> None:
    documented = rows("Settings")
    source = (SHARED / "settings.py").read_text("utf-8")
    assert set(documented) == set(re.findall(r"\"(FIRSTWORD_\w+)\"", source))
    environment = {name: cells[0] for name, cells in documented.items()}
    assert TelemetrySettings.from_env(environment) == TelemetrySettings()


def test_every_metric_of_the_agent_is_documented() -> None:
    metrics = Metrics()
    metrics.watch(turns=lambda: 0, conversations=lambda: 0)
    exposed = set(re.findall(r"^# TYPE (\w+)", metrics.text().decode(), re.M))
    assert set(rows("Metrics of the agent")) == {
        name for name in exposed if not name.endswith("_created")
    }


def test_every_embedded_metric_is_documented_with_who_tells_it() -> None:
    documented = rows("Metrics for CloudWatch")
    assert {name for name, cells in documented.items() if cells[1] in ("agent", "both")} == told_by(
        AGENT
    )
    assert {name for name, cells in documented.items() if cells[1] in ("tts", "both")} == told_by(
        TTS
    )


def test_every_embedded_metric_is_documented_with_its_unit() -> None:
    code = "".join(
        path.read_text("utf-8") for folder in (AGENT, TTS) for path in folder.glob("*.py")
    )
    units = dict(re.findall(r"Metric\(\"(\w+)\", [^\n]*\"(Count|Seconds|Milliseconds)\"\)", code))
    assert len(units) >= 10
    documented = {name: cells[0] for name, cells in rows("Metrics for CloudWatch").items()}
    assert {name: documented[name] for name in units} == units


def test_every_span_is_documented() -> None:
    code = "".join(
        path.read_text("utf-8") for folder in (AGENT, TTS) for path in folder.glob("*record.py")
    )
    begun = set(re.findall(r"\.start\(\s*\"([a-z ]+)\"", code))
    assert begun == set(rows("Spans"))


def test_every_attribute_is_documented() -> None:
    code = "".join(
        path.read_text("utf-8") for folder in (AGENT, TTS) for path in folder.glob("*record.py")
    )
    used = set(re.findall(r"\"firstword\.(\w+)\"", code))
    [paragraph] = re.findall(r"^Attributes, all with the prefix(.*?)\n\n", PAGE, re.M | re.S)
    assert used <= set(re.findall(r"`([\w.]+)`", paragraph))
