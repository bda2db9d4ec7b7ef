"""What the environment can say to the speech server."""

from __future__ import annotations

from pathlib import Path

import pytest
from firstword.tts.settings import Limits, Settings, SettingsError


def test_an_empty_environment_gives_the_defaults() -> None:
    settings = Settings.from_env({})
    assert (settings.host, settings.port) == ("127.0.0.1", 8080)
    assert (settings.engine, settings.quality, settings.policy) == ("auto", "auto", "edf")
    assert settings.limits == Limits()
    assert settings.threads is None


def test_every_value_can_be_set() -> None:
    settings = Settings.from_env(
        {
            "FIRSTWORD_TTS_HOST": "0.0.0.0",
            "FIRSTWORD_TTS_PORT": "0",
            "FIRSTWORD_MODEL_DIR": "/models",
            "XDG_CACHE_HOME": "/cache",
            "FIRSTWORD_ENGINE": "onnx",
            "FIRSTWORD_QUALITY": "Exact",
            "FIRSTWORD_LOG_LEVEL": "DEBUG",
            "FIRSTWORD_TTS_WORKERS": "2",
            "FIRSTWORD_TTS_THREADS": "3",
            "FIRSTWORD_TTS_POLICY": "one-lock",
            "FIRSTWORD_TTS_MAX_TEXT_CHARS": "1",
            "FIRSTWORD_TTS_MAX_MESSAGE_BYTES": "2048",
            "FIRSTWORD_TTS_MAX_REQUESTS": "3",
            "FIRSTWORD_TTS_MAX_SESSIONS": "4",
            "FIRSTWORD_TTS_MAX_JOBS": "5",
            "FIRSTWORD_TTS_MAX_WAIT_S": "6.5",
            "FIRSTWORD_TTS_MAX_REQUEST_AGE_S": "7",
            "FIRSTWORD_TTS_MAX_SESSION_BYTES": "80000",
            "FIRSTWORD_TTS_MAX_WHOLE_BYTES": "90000",
            "FIRSTWORD_TTS_SEND_TIMEOUT_S": "10",
            "FIRSTWORD_TTS_DRAIN_S": "11",
        }
    )
    assert settings == Settings(
        model_dir=Path("/models"),
        cache_dir=Path("/cache/firstword"),
        host="0.0.0.0",
        port=0,
        engine="onnx",
        quality="exact",
        log_level="debug",
        workers=2,
        threads=3,
        policy="one-lock",
        limits=Limits(1, 2048, 3, 4, 5, 6.5, 7, 80_000, 90_000, 10, 11),
    )


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("FIRSTWORD_TTS_PORT", "http"),
        ("FIRSTWORD_TTS_PORT", "65536"),
        ("FIRSTWORD_TTS_PORT", "-1"),
        ("FIRSTWORD_ENGINE", "magic"),
        ("FIRSTWORD_QUALITY", "best"),
        ("FIRSTWORD_LOG_LEVEL", "loud"),
        ("FIRSTWORD_TTS_WORKERS", "0"),
        ("FIRSTWORD_TTS_MAX_WAIT_S", "soon"),
        ("FIRSTWORD_TTS_MAX_WAIT_S", "0"),
        ("FIRSTWORD_TTS_DRAIN_S", "inf"),
        ("FIRSTWORD_TTS_DRAIN_S", "nan"),
    ],
)
def test_a_value_that_cannot_be_used_is_named(name: str, value: str) -> None:
    with pytest.raises(SettingsError, match=name):
        Settings.from_env({name: value})


def test_an_empty_value_counts_as_not_set() -> None:
    assert Settings.from_env({"FIRSTWORD_TTS_PORT": "", "FIRSTWORD_ENGINE": ""}).port == 8080


@pytest.mark.parametrize(
    ("host", "loopback"),
    [
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("localhost", True),
        ("::1", True),
        ("[::1]", True),
        ("0.0.0.0", False),
        ("10.1.2.3", False),
        ("example.org", False),
    ],
)
def test_only_callers_of_this_machine_reach_a_loopback_host(host: str, loopback: bool) -> None:
    assert Settings(model_dir=Path(), cache_dir=Path(), host=host).loopback is loopback
