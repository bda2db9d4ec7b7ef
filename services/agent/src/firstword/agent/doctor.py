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
from firstword.agent.voice import Ask
from firstword.agent.voice_choice import Speakers
from firstword.agent.voice_settings import VoiceSettings, Wire

PROBE_S = 10.0
"""How long the speech service may take to say nothing."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at. ``mend`` says what to do where it is not ``ok``."""

    name: str
    ok: bool
    detail: str
    mend: str = ""


def examine(settings: Settings) -> list[Finding]:
    """All findings for these settings. Takes some seconds where the network is silent."""
    return [*_model(settings), *_speech(settings)]


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


def _speech(settings: Settings) -> list[Finding]:
    voice = settings.voice
    if voice.sagemaker is None:
        parts = urlsplit(voice.url)
        mend = (
            "Start the speech service (FIRSTWORD_TTS_PORT=8081 python -m firstword.tts serve), "
            "or set FIRSTWORD_TTS_URL."
        )
        where = f"{parts.scheme}://{parts.netloc}"
        return [_try("speech service", lambda: _reach(voice, where), mend)]
    wires = sorted({voice.wire, voice.batch_wire or voice.wire} - {"websocket"}, reverse=True)
    if voice.fall_back != "off":
        wires.append(voice.fall_back)
    return [_aws(voice, wire) for wire in dict.fromkeys(wires)]


def _aws(voice: VoiceSettings, wire: Wire) -> Finding:
    """The endpoint by one of its two operations: its permission, its port, its container."""
    assert voice.sagemaker is not None
    uri = voice.sagemaker.stream_uri if wire == "sagemaker" else voice.sagemaker.http_uri
    where = f"{voice.sagemaker.endpoint} by {uri}"
    alone = replace(voice, wire=wire, batch_wire=None, fall_back="off")
    mend = "Do what the line above says; FIRSTWORD_WIRE chooses another wire."
    return _try(f"speech by {wire}", lambda: _reach(alone, where), mend)


def _reach(voice: VoiceSettings, where: str) -> str:
    asyncio.run(_probe(voice))
    return f"answers at {where}"


async def _probe(settings: VoiceSettings) -> None:
    """Have nothing said, which every part on the way has to agree to."""
    patience = replace(settings, attempts=1, first_frame_s=PROBE_S, receive_s=PROBE_S)
    speakers = Speakers(patience)
    voice = speakers.voice()
    try:
        await voice.open()
        if settings.sagemaker is not None:
            speech = await voice.ask(Ask(request_id="doctor", text=".", voice=settings.voice))
            async for _ in speech.events():
                """Its end is what is wanted."""
    finally:
        await voice.close()
        speakers.close()


def _try(name: str, look: Callable[[], str], mend: str) -> Finding:
    try:
        return Finding(name, True, look())
    except AgentError as error:
        return Finding(name, False, error.message, mend)
