"""Looks whether the agent has what its settings need, and says how to mend what is missing."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from urllib.parse import urlsplit

import boto3  # type: ignore[import-untyped]
from botocore.exceptions import BotoCoreError  # type: ignore[import-untyped]

from firstword.agent.errors import AgentError
from firstword.agent.local_model import load_engine, model_file
from firstword.agent.settings import Settings
from firstword.agent.voice_websocket import websocket_voice


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at. ``mend`` says what to do where it is not ``ok``."""

    name: str
    ok: bool
    detail: str
    mend: str = ""


def examine(settings: Settings) -> list[Finding]:
    """All findings for these settings. Takes some seconds where the network is silent."""
    return [*_model(settings), _speech(settings)]


def report(findings: Iterable[Finding], *, as_json: bool) -> str:
    """The findings for people, or as one JSON object."""
    listed = list(findings)
    if as_json:
        ok = all(finding.ok for finding in listed)
        return json.dumps({"ok": ok, "checks": [asdict(finding) for finding in listed]})
    lines = []
    for finding in listed:
        lines.append(f"{'ok     ' if finding.ok else 'missing'}  {finding.name}: {finding.detail}")
        if not finding.ok:
            lines.append(f"         {finding.mend}")
    return "\n".join(lines)


def _model(settings: Settings) -> list[Finding]:
    model = settings.model
    match model.llm:
        case "local":
            return [
                _try("local model", lambda: str(model_file()), "uv sync --extra local"),
                _try("engine", _engine, "uv sync --extra local; apt-get install libgomp1"),
            ]
        case "openai":
            return [Finding("language model", True, f"OpenAI protocol at {model.base_url}")]
        case "scripted":
            return [Finding("language model", True, f"says the text of {model.script_file}")]
        case "bedrock":
            return [_credentials(settings)]


def _engine() -> str:
    load_engine()
    return "xllamacpp loads"


def _credentials(settings: Settings) -> Finding:
    mend = "Set AWS_REGION and credentials (aws configure, or a role), then try again."
    try:
        session = boto3.Session(region_name=settings.model.region)
        found = session.get_credentials()
    except BotoCoreError as error:
        return Finding("AWS credentials", False, type(error).__name__, mend)
    if found is None or session.region_name is None:
        missing = "no credentials" if found is None else "no region"
        return Finding("AWS credentials", False, missing, mend)
    return Finding("AWS credentials", True, f"{found.method}, region {session.region_name}")


def _speech(settings: Settings) -> Finding:
    parts = urlsplit(settings.voice.url)
    mend = (
        "Start the speech service (FIRSTWORD_TTS_PORT=8081 python -m firstword.tts serve), "
        "or set FIRSTWORD_TTS_URL."
    )

    def reach() -> str:
        asyncio.run(_open_and_close(settings))
        return f"answers at {parts.scheme}://{parts.netloc}"

    return _try("speech service", reach, mend)


async def _open_and_close(settings: Settings) -> None:
    voice = websocket_voice(replace(settings.voice, attempts=1))
    try:
        await voice.open()
    finally:
        await voice.close()


def _try(name: str, look: Callable[[], str], mend: str) -> Finding:
    try:
        return Finding(name, True, look())
    except AgentError as error:
        return Finding(name, False, error.message, mend)
