"""Settings from the environment."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from firstword.agent import Settings
from firstword.agent.errors import SettingsError


def test_an_empty_environment_gives_the_laptop() -> None:
    settings = Settings.from_env({})
    assert (settings.server.host, settings.server.port) == ("127.0.0.1", 8080)
    assert settings.model.llm == "local"
    assert settings.model.max_tokens == 160
    assert settings.voice.url == "ws://127.0.0.1:8081/invocations-bidirectional-stream"
    assert settings.turn.first_clause_words == 4


def test_an_empty_variable_counts_as_not_set() -> None:
    assert Settings.from_env({"FIRSTWORD_AGENT_PORT": " "}) == Settings.from_env({})


@pytest.mark.parametrize("name", ["openai", "openai-compatible", "OpenAI"])
def test_a_server_with_the_openai_protocol_has_two_names(name: str) -> None:
    model = Settings.from_env(
        {"FIRSTWORD_LLM": name, "FIRSTWORD_LLM_BASE_URL": "http://127.0.0.1:9/v1"}
    ).model
    assert model.llm == "openai"
    assert model.with_tools


def test_small_models_get_no_tools_unless_it_is_asked_for() -> None:
    assert not Settings.from_env({}).model.with_tools
    assert Settings.from_env({"FIRSTWORD_LLM_TOOLS": "on"}).model.with_tools


def test_a_key_is_not_shown() -> None:
    assert "secret" not in repr(Settings.from_env({"FIRSTWORD_LLM_API_KEY": "secret"}))


def test_an_address_of_the_speech_service_may_have_its_own_path() -> None:
    voice = Settings.from_env({"FIRSTWORD_TTS_URL": "wss://tts.example:8443/speak"}).voice
    assert voice.url == "wss://tts.example:8443/speak"


def test_zero_words_switch_the_early_clause_off() -> None:
    turn = Settings.from_env({"FIRSTWORD_FIRST_CLAUSE_WORDS": "0"}).turn
    assert turn.first_clause_words is None


def test_a_script_is_read_from_a_file(tmp_path: Path) -> None:
    script = tmp_path / "answer.txt"
    script.write_text("Hello.")
    model = Settings.from_env(
        {
            "FIRSTWORD_LLM": "scripted",
            "FIRSTWORD_SCRIPT_FILE": str(script),
            "FIRSTWORD_SCRIPT_TOKENS_PER_SECOND": "12.5",
        }
    ).model
    assert (model.script_file, model.script_tokens_per_second) == (script, 12.5)


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("FIRSTWORD_AGENT_PORT", "http"),
        ("FIRSTWORD_AGENT_PORT", "65536"),
        ("FIRSTWORD_AGENT_PORT", "-1"),
        ("FIRSTWORD_LLM", "gpt"),
        ("FIRSTWORD_LLM_MAX_TOKENS", "0"),
        ("FIRSTWORD_LLM_TEMPERATURE", "warm"),
        ("FIRSTWORD_LLM_TEMPERATURE", "nan"),
        ("FIRSTWORD_LLM_TOOLS", "some"),
        ("FIRSTWORD_LOG_LEVEL", "loud"),
        ("FIRSTWORD_TTS_URL", "http://127.0.0.1:8081"),
        ("FIRSTWORD_TTS_URL", "ws://"),
        ("FIRSTWORD_TTS_URL", "ws://host:port"),
        ("FIRSTWORD_VOICE", "../../etc"),
        ("FIRSTWORD_WIRE", "carrier-pigeon"),
    ],
)
def test_an_error_names_its_variable(variable: str, value: str) -> None:
    with pytest.raises(SettingsError) as caught:
        Settings.from_env({variable: value})
    assert caught.value.variable == variable
    assert caught.value.message.startswith(variable)


def test_what_a_choice_of_model_needs_is_named_where_it_is_missing() -> None:
    with pytest.raises(SettingsError, match="FIRSTWORD_LLM_BASE_URL"):
        Settings.from_env({"FIRSTWORD_LLM": "openai"})
    with pytest.raises(SettingsError, match="FIRSTWORD_SCRIPT_FILE"):
        Settings.from_env({"FIRSTWORD_LLM": "scripted"})
    with pytest.raises(SettingsError, match="FIRSTWORD_SCRIPT_FILE"):
        Settings.from_env({"FIRSTWORD_LLM": "scripted", "FIRSTWORD_SCRIPT_FILE": "/nowhere"})


def test_settings_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        Settings().server.port = 1  # type: ignore[misc]


AWS = {
    "FIRSTWORD_WIRE": "sagemaker",
    "FIRSTWORD_SAGEMAKER_ENDPOINT": "firstword-prod-tts",
    "AWS_REGION": "eu-west-1",
}


@pytest.mark.parametrize(
    ("changes", "streams", "calls"),
    [
        (
            {},
            "https://runtime.sagemaker.eu-west-1.amazonaws.com:8443",
            "https://runtime.sagemaker.eu-west-1.amazonaws.com",
        ),
        (
            {"AWS_USE_FIPS_ENDPOINT": "true", "AWS_REGION": "us-gov-west-1"},
            "https://runtime-fips.sagemaker.us-gov-west-1.amazonaws.com:8443",
            "https://runtime-fips.sagemaker.us-gov-west-1.amazonaws.com",
        ),
        (
            {"AWS_REGION": "cn-north-1"},
            "https://runtime.sagemaker.cn-north-1.amazonaws.com.cn:8443",
            "https://runtime.sagemaker.cn-north-1.amazonaws.com.cn",
        ),
        (
            {"FIRSTWORD_SAGEMAKER_ENDPOINT_URI": "https://vpce-1.example"},
            "https://vpce-1.example:8443",
            "https://vpce-1.example",
        ),
        (
            {"FIRSTWORD_SAGEMAKER_ENDPOINT_URI": "https://localhost:40123/"},
            "https://localhost:40123",
            "https://localhost:40123",
        ),
        (
            {
                "FIRSTWORD_SAGEMAKER_ENDPOINT_URI": (
                    "https://runtime.sagemaker.eu-west-1.amazonaws.com:8443"
                )
            },
            "https://runtime.sagemaker.eu-west-1.amazonaws.com:8443",
            "https://runtime.sagemaker.eu-west-1.amazonaws.com",
        ),
    ],
)
def test_streams_have_a_port_of_their_own(
    changes: dict[str, str], streams: str, calls: str
) -> None:
    voice = Settings.from_env({**AWS, **changes}).voice
    assert voice.sagemaker is not None
    assert (voice.sagemaker.stream_uri, voice.sagemaker.http_uri) == (streams, calls)


@pytest.mark.parametrize(
    ("changes", "variable"),
    [
        ({"FIRSTWORD_SAGEMAKER_ENDPOINT": ""}, "FIRSTWORD_SAGEMAKER_ENDPOINT"),
        ({"FIRSTWORD_SAGEMAKER_ENDPOINT": "../other"}, "FIRSTWORD_SAGEMAKER_ENDPOINT"),
        ({"AWS_REGION": ""}, "AWS_REGION"),
        ({"AWS_REGION": "evil.example/"}, "AWS_REGION"),
        (
            {"FIRSTWORD_SAGEMAKER_ENDPOINT_URI": "http://localhost:1"},
            "FIRSTWORD_SAGEMAKER_ENDPOINT_URI",
        ),
        (
            {"FIRSTWORD_SAGEMAKER_ENDPOINT_URI": "https://host/endpoints"},
            "FIRSTWORD_SAGEMAKER_ENDPOINT_URI",
        ),
        ({"FIRSTWORD_SAGEMAKER_CA_FILE": "/nowhere.pem"}, "FIRSTWORD_SAGEMAKER_CA_FILE"),
        ({"FIRSTWORD_WIRE_FALLBACK": "pigeon"}, "FIRSTWORD_WIRE_FALLBACK"),
        ({"FIRSTWORD_WIRE": "http", "FIRSTWORD_WIRE_FALLBACK": "http"}, "FIRSTWORD_WIRE_FALLBACK"),
        ({"FIRSTWORD_BATCH_WIRE": "websocket"}, "FIRSTWORD_BATCH_WIRE"),
        ({"FIRSTWORD_WIRE_RENEW_S": "0"}, "FIRSTWORD_WIRE_RENEW_S"),
    ],
)
def test_a_setting_of_awss_wire_that_cannot_be_used_is_named(
    changes: dict[str, str], variable: str
) -> None:
    with pytest.raises(SettingsError) as caught:
        Settings.from_env({**AWS, **changes})
    assert caught.value.variable == variable
