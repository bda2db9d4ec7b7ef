"""Pictures of the page, in both widths and both colour schemes, for people to look at."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from page_stage import FakeAgent, FakeTurn, Room, tone, words_of
from playwright.async_api import Browser

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

LOOKS = [
    pytest.param(width, height, scheme, id=f"{name}-{scheme}")
    for name, width, height in (("desktop", 1280, 800), ("phone", 390, 844))
    for scheme in ("light", "dark")
]

SKY = (
    "The sky is blue because air scatters short waves more than long ones.",
    "Blue light is short, so it reaches your eyes from every side.",
    "At sunset the path is longer, and only the red is left.",
)


async def speak(turn: FakeTurn, seconds: float, pause_s: float) -> None:
    """The sky's answer, written and spoken side by side; ``agent_end`` is left out."""
    await turn.begin()
    for sentence in SKY:
        await turn.write((" " if turn.text else "") + sentence)
        await asyncio.sleep(pause_s)
        await turn.open(sentence, words_of(sentence, seconds))
        await turn.audio(tone(seconds))
        await turn.close()


@pytest.mark.parametrize(("width", "height", "scheme"), LOOKS)
async def test_the_page_is_pictured(
    browser: Browser,
    console: str,
    agent: FakeAgent,
    results: Path,
    request: pytest.FixtureRequest,
    width: int,
    height: int,
    scheme: Any,
) -> None:
    look = request.node.callspec.id
    viewport = {"width": width, "height": height}
    async with await browser.new_context(
        viewport=viewport, color_scheme=scheme, has_touch=width < 500
    ) as context:
        page = await context.new_page()
        room = Room(page)
        await page.goto(console)
        await room.state("idle")
        await page.screenshot(path=results / f"page-welcome-{look}.png")

        await room.ask("Why is the sky blue?")
        turn = await agent.next_turn()
        await speak(turn, 2.4, 0.15)
        await page.wait_for_selector(".word.heard:text('reaches')")
        await page.screenshot(path=results / f"page-speaking-{look}.png")
        await page.keyboard.press("Escape")
        await room.state("idle")

        await page.get_by_label("Your question").fill("And why is it red at night?")
        await page.get_by_role("button", name="Compare both").click()
        for pause_s in (0.1, 0.4):
            turn = await agent.next_turn()
            await speak(turn, 0.4, pause_s)
            await turn.end()
        await page.wait_for_selector("#timing-title:text('sooner')")
        await room.state("idle")
        await page.locator("#timing").scroll_into_view_if_needed()
        await page.screenshot(path=results / f"page-compared-{look}.png")
        wide = await page.evaluate("document.documentElement.scrollWidth")
        assert wide == width, "nothing may stick out to the side"
        assert room.faults == []
