"""The page's container: who is let in, and that it is what the command serves."""

from __future__ import annotations

import re
import time
import urllib.error
import urllib.request
from collections.abc import Iterator

import pytest
from images.docker_engine import COMMAND_S, Container, Engine

pytestmark = [pytest.mark.docker, pytest.mark.timeout(1800)]

CONFINED = ("--read-only", "--cap-drop", "ALL", "--publish", "127.0.0.1::8000")
PARTS = ("--agent", "http://agent:8080", "--tts", "http://tts:8080")


def asked(url: str, host: str | None = None) -> int:
    request = urllib.request.Request(url, headers={"Host": host} if host else {})
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code


def until_open(container: Container) -> str:
    """The page's address on this machine."""
    url = f"http://{container.published(8000)}"
    deadline = time.monotonic() + COMMAND_S
    while time.monotonic() < deadline:
        assert container.state["Running"], container.logs
        try:
            if asked(f"{url}/ping") == 200:
                return url
        except OSError:
            time.sleep(0.1)
    raise AssertionError(container.logs)


@pytest.fixture
def published(engine: Engine, console_image: str) -> Iterator[Container]:
    """A page as the environment kind local runs it."""
    with engine.run(console_image, *CONFINED, command=[*PARTS, "--no-token"]) as container:
        yield container


def test_a_page_on_loopback_answers_to_loopbacks_names_only(published: Container) -> None:
    url = until_open(published)
    assert asked(url) == 200
    assert asked(url, host="evil.example") == 403


def test_by_default_a_caller_needs_the_token_that_the_container_prints(
    engine: Engine, console_image: str
) -> None:
    with engine.run(console_image, *CONFINED) as container:
        url = until_open(container)
        token = re.search(r"\?token=(\S+)", container.logs)
        assert token is not None
        assert asked(url) == 403
        assert asked(f"{url}/?token={token[1]}") == 200


def test_it_ends_well_on_sigterm(engine: Engine, published: Container) -> None:
    until_open(published)
    engine("kill", "--signal", "TERM", published.name)
    assert engine("wait", published.name) == "0", published.logs
