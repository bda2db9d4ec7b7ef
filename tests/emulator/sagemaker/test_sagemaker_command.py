"""``python -m firstword.emulator sagemaker``, as a process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError
from firstword.emulator.__main__ import main

from tests.emulator.sagemaker.conftest import FakeContainer

WAIT_S = 30
KEYS = {"AWS_ACCESS_KEY_ID": "AKIDEMULATED", "AWS_SECRET_ACCESS_KEY": "a-secret-of-the-test"}


def start(*arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "firstword.emulator", "sagemaker", *arguments],
        env={**os.environ, **KEYS},
        stdout=subprocess.PIPE,
        text=True,
    )


async def test_it_says_where_it_is_serves_and_ends(
    container: FakeContainer, tmp_path: Path
) -> None:
    authority = tmp_path / "ca.pem"
    process = start(
        *("--container", container.url, "--endpoint", "voice"),
        *("--ca", str(authority), "--fault", "deny call=2"),
    )
    try:
        assert process.stdout is not None
        ready = process.stdout.readline()
        assert ready.startswith("ready: https://localhost:")
        client = boto3.client(
            "sagemaker-runtime",
            region_name="us-east-1",
            endpoint_url=ready.removeprefix("ready: ").strip(),
            aws_access_key_id=KEYS["AWS_ACCESS_KEY_ID"],
            aws_secret_access_key=KEYS["AWS_SECRET_ACCESS_KEY"],
            verify=str(authority),
            config=Config(retries={"max_attempts": 0}, proxies={}),
        )
        for endpoint, error in (("other", "not found"), ("voice", "not authorized")):
            with pytest.raises(ClientError, match=error):
                client.invoke_endpoint(EndpointName=endpoint, Body=b"hello")
        client.close()
        process.send_signal(signal.SIGTERM)
        assert process.wait(WAIT_S) == 0
        assert process.stdout.read() == ""
    finally:
        process.kill()
        process.wait(WAIT_S)
        assert process.stdout is not None
        process.stdout.close()


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ([], "--container"),
        (["--container", "ws://x", "--endpoint", "voice"], "http://HOST:PORT"),
        (["--container", "http://x", "--endpoint", "voice-"], "letters, digits and hyphens"),
        (["--container", "http://x", "--endpoint", "v", "--fault", "explode"], "no fault"),
    ],
)
def test_wrong_usage_is_told(
    arguments: list[str],
    complaint: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(SystemExit) as caught:
        main(["sagemaker", *arguments])
    assert caught.value.code == 2
    assert complaint in capsys.readouterr().err


def test_callers_keys_must_be_named(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID", raising=False)
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY", raising=False)
    with pytest.raises(SystemExit) as caught:
        main(["sagemaker", "--container", "http://x", "--endpoint", "v"])
    assert caught.value.code == 2
    assert "AWS_ACCESS_KEY_ID" in capsys.readouterr().err
