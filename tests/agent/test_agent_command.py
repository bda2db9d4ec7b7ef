"""The command, its settings and their documentation."""

from __future__ import annotations

import json
import logging
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import firstword.agent.settings
import pytest
from firstword.agent import Settings
from firstword.agent.__main__ import configure_logging, main
from firstword.agent.doctor import Finding, examine, report

from tests.agent.conftest import FakeSpeech

DOCS = Path(__file__).parents[2] / "docs" / "behaviour-agent.md"


def test_a_bad_setting_is_wrong_usage_and_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FIRSTWORD_AGENT_PORT", "many")
    assert main(["serve"]) == 2
    assert capsys.readouterr().err.startswith("error: FIRSTWORD_AGENT_PORT is 'many'")


def test_every_setting_is_documented() -> None:
    source = Path(str(firstword.agent.settings.__file__)).read_text("utf-8")
    names = set(re.findall(r'"(FIRSTWORD_\w+|AWS_\w+|OPENAI_\w+)"', source))
    assert len(names) >= 15
    text = DOCS.read_text("utf-8")
    assert [name for name in sorted(names) if f"`{name}`" not in text] == []


def test_doctor_says_what_is_missing_and_how_to_mend_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FIRSTWORD_TTS_URL", "ws://127.0.0.1:9")
    assert main(["doctor", "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    speech = next(each for each in told["checks"] if each["name"] == "speech service")
    assert not told["ok"]
    assert not speech["ok"]
    assert "FIRSTWORD_TTS_URL" in speech["mend"]
    assert main(["doctor"]) == 1
    assert "missing  speech service" in capsys.readouterr().out


def test_doctor_looks_for_aws_credentials_only_where_they_are_needed(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "x")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "x")
    nowhere = replace(settings.voice, url="ws://127.0.0.1:9/")
    here = replace(settings, voice=nowhere)
    aws = replace(here, model=replace(settings.model, llm="bedrock", region="eu-west-1"))
    assert [finding.name for finding in examine(here)] == ["language model", "speech service"]
    found = examine(aws)[0]
    assert (found.name, found.ok) == ("AWS credentials", True)
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/nowhere")
    missing = examine(aws)[0]
    assert not missing.ok
    assert "AWS_REGION" in missing.mend


def test_a_report_is_ok_when_all_findings_are() -> None:
    findings = [Finding("one", True, "is here")]
    assert json.loads(report(findings, as_json=True))["ok"]
    assert report(findings, as_json=False) == "ok       one: is here"


def test_no_level_of_logging_lets_libraries_log_prompts() -> None:
    names = ["strands", "openai", "httpx", "strands.event_loop.streaming", "opentelemetry.context"]
    before = {name: logging.getLogger(name).level for name in names}
    root = logging.getLogger()
    level, handlers = root.level, list(root.handlers)
    try:
        root.handlers = []
        configure_logging("debug")
        assert logging.getLogger("firstword.agent").isEnabledFor(logging.DEBUG)
        assert not any(logging.getLogger(name).isEnabledFor(logging.DEBUG) for name in names)
    finally:
        root.setLevel(level)
        root.handlers = handlers
        for name, old in before.items():
            logging.getLogger(name).setLevel(old)


def test_importing_the_package_loads_no_heavy_library() -> None:
    code = (
        "import sys, firstword.agent;"
        "print([m for m in ('strands', 'boto3', 'xllamacpp', 'uvicorn') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


async def test_doctor_reaches_a_speech_service(speech: FakeSpeech, settings: Settings) -> None:
    import asyncio

    findings = await asyncio.to_thread(examine, settings)
    assert all(finding.ok for finding in findings)
