"""The whole path: a person in a browser, the real console, agent and voice; only the model's
text is given, at the pace of a slow writer."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from page_stage import RATE, Room
from playwright.async_api import BrowserContext

pytestmark = [
    pytest.mark.browser,
    pytest.mark.e2e,
    pytest.mark.model,
    pytest.mark.asyncio(loop_scope="session"),
]

ANSWER = (
    "Speech can start early. The first sentence is heard while the last one is being written. "
    "Nobody has to wait for the end."
)
START_S = 240.0


@pytest_asyncio.fixture(loop_scope="session", scope="session")
async def served_for_real(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[str]:
    """``firstword serve`` as a person starts it; it must end cleanly on Ctrl-C."""
    script = tmp_path_factory.mktemp("script") / "answer.txt"
    script.write_text(ANSWER)
    env = {
        **os.environ,
        "FIRSTWORD_LLM": "scripted",
        "FIRSTWORD_SCRIPT_FILE": str(script),
        "FIRSTWORD_SCRIPT_TOKENS_PER_SECOND": "2.5",
    }
    ports = ("--port", "0", "--agent-port", "0", "--tts-port", "0")
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "firstword.console", "serve", *ports),
        stdout=asyncio.subprocess.PIPE,
        env=env,
    )
    assert process.stdout is not None
    async with asyncio.timeout(START_S):
        line = (await process.stdout.readline()).decode()
    assert line.startswith("ready: http://127.0.0.1:")
    yield line.removeprefix("ready: ").strip()
    process.send_signal(signal.SIGINT)
    async with asyncio.timeout(30):
        assert await process.wait() == 130


@pytest_asyncio.fixture(loop_scope="session")
async def real_room(context: BrowserContext, served_for_real: str) -> AsyncIterator[Room]:
    context.set_default_timeout(90_000)
    page = await context.new_page()
    room = Room(page)
    await page.goto(served_for_real)
    await room.state("idle")
    yield room
    assert room.faults == []


async def test_an_answer_is_heard_before_it_is_written_and_without_a_gap_inside(
    real_room: Room, results: Path
) -> None:
    page = real_room.page
    await real_room.ask("Why does it speak so early?")
    await real_room.state("speaking")
    assert ANSWER[-10:] not in await page.locator(".reply").inner_text(), "still being written"
    await page.wait_for_selector(".sentence.speaking")
    await page.screenshot(path=results / "page-real.png")
    await page.wait_for_selector(".turn[data-state='done']")

    assert await page.locator(".reply").inner_text() == ANSWER
    assert await page.locator(".sentence").count() >= 3
    stats = await real_room.stats()
    assert stats["underruns"] == stats["dropped"] == 0
    assert stats["played"] == stats["queued"] > 4 * RATE
    assert (stats["sumOfSquares"] / stats["played"]) ** 0.5 > 0.01
    assert "before the text was finished" in await page.locator("#timing-verdict").inner_text()


async def test_an_interrupted_answer_is_kept_as_far_as_it_was_heard(real_room: Room) -> None:
    page = real_room.page
    await real_room.ask("Say it again.")
    await real_room.until("window.firstword.stats().heardSeconds > 0.5")
    await page.keyboard.press("Escape")
    await real_room.state("idle")
    assert "Stopped after" in await page.locator(".note").inner_text()
    await real_room.ask("And once more.")
    await page.wait_for_selector(".turn[data-state='done']")
    assert (await real_room.stats())["underruns"] == 0
