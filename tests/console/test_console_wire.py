"""``--wire sagemaker``: a SageMaker runtime between the two servers, with keys of its own."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest
from console_stage import firstword
from firstword.console.parts import AGENT, TTS, local_parts
from firstword.console.settings import SettingError, Settings
from firstword.console.wire import EMULATOR, chosen_wire, wire_complaint

USERS_OWN = {
    "AWS_ACCESS_KEY_ID": "AKIAUSERS",
    "AWS_SECRET_ACCESS_KEY": "the user's secret",
    "AWS_SESSION_TOKEN": "the user's token",
    "AWS_PROFILE": "the user's profile",
    "PATH": "/bin",
}


def test_the_direct_way_has_two_parts_and_the_users_environment() -> None:
    settings = Settings(USERS_OWN)
    with chosen_wire("websocket", settings) as wire:
        assert wire is None
        parts = local_parts(settings, tts_port=0, agent_port=0, wire=wire)
    assert [part.name for part in parts] == [TTS, AGENT]
    assert parts[1].env["FIRSTWORD_WIRE"] == "websocket"
    assert parts[1].env["AWS_SESSION_TOKEN"] == "the user's token"


def test_the_runtime_stands_between_the_servers() -> None:
    settings = Settings(USERS_OWN)
    with chosen_wire("sagemaker", settings) as wire:
        speech, runtime, agent = local_parts(settings, tts_port=0, agent_port=0, wire=wire)
    assert [speech.name, runtime.name, agent.name] == [TTS, EMULATOR, AGENT]
    container = runtime.argv[runtime.argv.index("--container") + 1]
    assert container == f"http://127.0.0.1:{speech.env['FIRSTWORD_TTS_PORT']}"
    port = runtime.argv[runtime.argv.index("--port") + 1]
    assert agent.env["FIRSTWORD_SAGEMAKER_ENDPOINT_URI"] == f"https://localhost:{port}"
    endpoint = runtime.argv[runtime.argv.index("--endpoint") + 1]
    assert agent.env["FIRSTWORD_SAGEMAKER_ENDPOINT"] == endpoint
    assert agent.env["FIRSTWORD_SAGEMAKER_CA_FILE"] == runtime.argv[runtime.argv.index("--ca") + 1]
    assert agent.env["FIRSTWORD_WIRE"] == "sagemaker"
    assert runtime.before_others
    assert agent.env["PATH"] == "/bin"


def test_both_sides_sign_with_keys_of_this_run_and_not_with_the_users() -> None:
    settings = Settings(USERS_OWN)
    keys = set()
    for _ in range(2):
        with chosen_wire("sagemaker", settings) as wire:
            _, runtime, agent = local_parts(settings, tts_port=0, agent_port=0, wire=wire)
        for part in (runtime, agent):
            assert not any("user" in value.lower() for value in part.env.values())
            keys.add((part.env["AWS_ACCESS_KEY_ID"], part.env["AWS_SECRET_ACCESS_KEY"]))
    assert len(keys) == 2
    assert "AWS_SECRET_ACCESS_KEY" not in repr(wire)
    assert not any(secret in repr(wire) for _, secret in keys)


def test_what_the_runtime_wrote_is_gone_afterwards() -> None:
    with chosen_wire("sagemaker", Settings({})) as wire:
        assert wire is not None
        assert wire.authority.parent.is_dir()
        wire.authority.write_text("certificate")
    assert not wire.authority.parent.exists()


def test_the_users_region_is_kept() -> None:
    for environ, region in (({}, "us-east-1"), ({"AWS_REGION": "eu-west-1"}, "eu-west-1")):
        settings = Settings(environ)
        with chosen_wire("sagemaker", settings) as wire:
            *_, agent = local_parts(settings, tts_port=0, agent_port=0, wire=wire)
        assert agent.env["AWS_REGION"] == region


def test_a_model_that_needs_the_users_keys_is_refused() -> None:
    settings = Settings({"FIRSTWORD_LLM": "bedrock"})
    with pytest.raises(SettingError, match="FIRSTWORD_LLM"), chosen_wire("sagemaker", settings):
        pytest.fail("it was taken")


@pytest.mark.parametrize("agent", ["runtime_arn", "agent"])
def test_an_agent_elsewhere_has_a_wire_of_its_own(agent: str) -> None:
    given = {"wire": "sagemaker", "runtime_arn": None, "agent": None, agent: "elsewhere"}
    assert "--wire" in (wire_complaint(argparse.Namespace(**given)) or "")
    given["wire"] = "websocket"
    assert wire_complaint(argparse.Namespace(**given)) is None


async def test_bedrock_with_the_runtime_is_wrong_usage(tmp_path: Path) -> None:
    done = await firstword("serve", "--wire", "sagemaker", cwd=tmp_path, FIRSTWORD_LLM="bedrock")
    assert done.status == 2
    assert "Bedrock" not in done.out
    assert "FIRSTWORD_LLM is 'bedrock'" in done.err
