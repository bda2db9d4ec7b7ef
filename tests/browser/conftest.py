"""A headless Chromium with the real page, in front of an agent that each test drives."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, BrowserContext, async_playwright

sys.path.append(str(Path(__file__).parent))

from firstword.console.app import PageSettings, create_app
from loopback import served
from page_stage import (
    CHROMIUM,
    DEADLINE_S,
    FLAGS,
    RESULTS,
    TAP,
    FakeAgent,
    Room,
    with_recorder,
)


@pytest_asyncio.fixture(loop_scope="session", scope="session")
async def browser() -> AsyncIterator[Browser]:
    """One Chromium for all tests; each test has a context of its own."""
    async with async_playwright() as playwright:
        chromium = await playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        await chromium.close()


@pytest_asyncio.fixture(loop_scope="session")
async def agent() -> AsyncIterator[FakeAgent]:
    """The scripted agent, and the voices of the speech server."""
    fake = FakeAgent()
    async with served(fake.app()) as fake.url:
        yield fake


@pytest_asyncio.fixture(loop_scope="session")
async def console(agent: FakeAgent) -> AsyncIterator[str]:
    """The real console in front of the scripted agent; its URL."""
    app = create_app(PageSettings(agent_url=agent.url, tts_url=agent.url))
    async with served(with_recorder(app)) as url:
        yield url


@pytest_asyncio.fixture(loop_scope="session")
async def context(browser: Browser) -> AsyncIterator[BrowserContext]:
    """A fresh browser profile of desktop size."""
    async with await browser.new_context(viewport={"width": 1280, "height": 800}) as fresh:
        fresh.set_default_timeout(DEADLINE_S * 1000)
        yield fresh


@pytest_asyncio.fixture(loop_scope="session")
async def room(context: BrowserContext, console: str) -> AsyncIterator[Room]:
    """The page, open, connected and recorded; it must not have complained at the end."""
    page = await context.new_page()
    opened = Room(page)
    await page.add_init_script(TAP)
    await page.goto(console)
    await opened.state("idle")
    yield opened
    assert opened.faults == []


@pytest.fixture(scope="session")
def results() -> Path:
    """Where pictures go."""
    RESULTS.mkdir(exist_ok=True)
    return RESULTS
