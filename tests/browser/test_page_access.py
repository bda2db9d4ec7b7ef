"""Who may use the page, and how: keyboard, screen reader, small browsers, strangers."""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx
import pytest
import pytest_asyncio
from firstword.console.app import Access, PageSettings, create_app
from loopback import served
from page_stage import TAP, VOICES, FakeAgent, Room, tone, with_recorder
from playwright.async_api import BrowserContext
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


RING = """() => {
    const focused = document.activeElement;
    const shown = focused.matches('[type=radio]') ? focused.nextElementSibling : focused;
    return getComputedStyle(shown).outlineStyle;
}"""


async def test_sound_is_unlocked_by_the_persons_own_click(room: Room, agent: FakeAgent) -> None:
    assert (await room.stats())["state"] == "none", "no audio context before any gesture"
    await room.page.get_by_role("button", name="Why is the sky blue?").click()
    await room.until("window.firstword.stats().state === 'running'")
    assert (await agent.next_turn()).prompt["prompt"] == "Why is the sky blue?"


async def test_everything_can_be_done_with_the_keyboard(room: Room, agent: FakeAgent) -> None:
    page = room.page
    assert await page.evaluate("document.activeElement.id") == "prompt"
    await page.keyboard.type("Line one")
    await page.keyboard.press("Shift+Enter")
    await page.keyboard.type("line two")
    for wanted in ("send", "voice", "bidi", "speed", "compare"):
        await page.keyboard.press("Tab")
        assert wanted in await page.evaluate(
            "[document.activeElement.id, document.activeElement.value].join(' ')"
        )
        ring = "getComputedStyle(document.activeElement.matches('[type=radio]')"
        ring += (
            " ? document.activeElement.nextElementSibling : document.activeElement).outlineStyle"
        )
        assert await page.evaluate(ring) == "solid", "the focus can be seen"
    await page.keyboard.press("Shift+Tab")
    await page.keyboard.press("ArrowRight")
    await page.keyboard.press("Shift+Tab")
    await page.keyboard.press("ArrowRight")
    await page.keyboard.press("Shift+Tab")
    await page.keyboard.press("ArrowDown")
    await page.get_by_label("Your question").focus()
    await page.keyboard.press("Enter")
    turn = await agent.next_turn()
    assert turn.prompt["prompt"] == "Line one\nline two"
    assert turn.prompt["mode"] == "batch"
    assert turn.prompt["speed"] == 1.05
    assert turn.prompt["voice"] == VOICES[1]["id"]
    await page.keyboard.press("Escape")
    await turn.cancelled


async def test_every_control_has_a_name(room: Room) -> None:
    names = await room.page.locator("#composer").aria_snapshot()
    for wanted in (
        'textbox "Your question"',
        'button "Ask"',
        'combobox "Voice"',
        'radio "While thinking"',
        'radio "After thinking"',
        'slider "Speed',
        'button "Compare both ways"',
    ):
        assert wanted in names


async def test_choices_are_remembered_and_voices_are_grouped_by_accent(
    room: Room, agent: FakeAgent
) -> None:
    page = room.page
    assert await page.locator("#voice optgroup").evaluate_all("all => all.map(g => g.label)") == [
        "American English",
        "British English",
    ]
    await page.get_by_label("Voice").select_option("bf_emma")
    await page.get_by_label("After thinking").check()
    await page.reload()
    await room.state("idle")
    await page.wait_for_selector("#voice optgroup", state="attached")
    await room.ask("Still the same?")
    turn = await agent.next_turn()
    assert (turn.prompt["voice"], turn.prompt["mode"]) == ("bf_emma", "batch")


async def test_comparing_asks_both_ways_in_conversations_of_their_own(
    room: Room, agent: FakeAgent
) -> None:
    page = room.page
    await page.get_by_label("Your question").fill("Which is faster?")
    await page.get_by_role("button", name="Compare both ways").click()
    prompts = []
    for _ in range(2):
        turn = await agent.next_turn()
        prompts.append(turn.prompt)
        await turn.begin()
        await turn.say("An answer.", tone(0.2))
        await turn.end()
    await room.state("idle")
    assert [p["mode"] for p in prompts] == ["bidi", "batch"]
    assert [p["prompt"] for p in prompts] == ["Which is faster?"] * 2
    assert len({p["session_id"] for p in prompts}) == 2
    charts = page.locator(".chart svg")
    assert await charts.count() == 2
    spans = await charts.evaluate_all(
        "all => all.map(svg => [...svg.querySelectorAll('.tick')].map(t => t.textContent).join())"
    )
    assert spans[0] == spans[1], "one scale"


async def test_the_page_is_still_when_nothing_happens(room: Room, agent: FakeAgent) -> None:
    await room.page.evaluate(
        """() => {
            window.framesAsked = 0;
            const ask = window.requestAnimationFrame;
            window.requestAnimationFrame = (paint) => {
                window.framesAsked += 1;
                return ask(paint);
            };
        }"""
    )
    await room.ask("Hello?")
    turn = await agent.next_turn()
    await room.recording()
    await turn.begin()
    await turn.say("Hello.", tone(0.3))
    await turn.end()
    await room.state("idle")
    await room.until("window.framesAsked > 5")
    await room.listen(0.2)
    asked = await room.page.evaluate("window.framesAsked")
    await room.listen(0.5)
    assert await room.page.evaluate("window.framesAsked") == asked


async def test_reduced_motion_is_respected(context: BrowserContext, console: str) -> None:
    page = await context.new_page()
    await page.emulate_media(reduced_motion="reduce")
    await page.goto(console)
    assert await page.evaluate(
        "getComputedStyle(document.querySelector('.dot')).animationName"
    ) in (
        "none",
        "",
    )


async def test_the_policy_blocks_inline_and_foreign_code(room: Room) -> None:
    page = room.page
    await page.evaluate(
        """() => {
            window.blocked = [];
            addEventListener('securitypolicyviolation', e => blocked.push(e.effectiveDirective));
            const inline = document.createElement('script');
            inline.textContent = 'window.hacked = 1';
            document.body.append(inline);
            const foreign = document.createElement('img');
            foreign.src = 'http://127.0.0.1:9/x.png';
            document.body.append(foreign);
            fetch('http://127.0.0.1:9/').catch(() => 0);
            document.body.setAttribute('onclick', 'window.hacked = 1');
        }"""
    )
    await room.until("window.blocked.length >= 4")
    assert await page.evaluate("window.hacked") is None
    assert set(await page.evaluate("window.blocked")) >= {
        "script-src-elem",
        "img-src",
        "connect-src",
        "script-src-attr",
    }
    room.faults.clear()


@pytest_asyncio.fixture(loop_scope="session")
async def stranger() -> AsyncIterator[str]:
    """Another server on this machine, with a page of its own."""

    async def page(_request: Request) -> Response:
        return HTMLResponse("<!doctype html><title>Stranger</title>")

    async with served(Starlette(routes=[Route("/", page)])) as url:
        yield url


async def test_a_strange_page_can_use_neither_socket_nor_requests(
    context: BrowserContext, console: str, stranger: str, agent: FakeAgent
) -> None:
    page = await context.new_page()
    await page.goto(stranger)
    outcome = await page.evaluate(
        """async (url) => {
            const socket = new WebSocket(url.replace('http', 'ws') + '/ws');
            const opened = await new Promise(r => {
                socket.onopen = () => r('open');
                socket.onclose = () => r('refused');
            });
            const post = await fetch(url + '/invocations', {
                method: 'POST', mode: 'no-cors', body: '{"prompt": "x"}',
            }).then(r => r.type, () => 'failed');
            const read = await fetch(url + '/api/voices').then(r => r.status, () => 'failed');
            return [opened, post, read];
        }""",
        console,
    )
    assert outcome == ["refused", "failed", "failed"]
    assert agent.sockets == []
    assert agent.received == []


async def test_the_page_cannot_be_framed(
    context: BrowserContext, console: str, stranger: str
) -> None:
    page = await context.new_page()
    await page.goto(stranger)
    await page.evaluate(
        """url => new Promise(done => {
            const frame = document.createElement('iframe');
            frame.src = url;
            frame.onload = done;
            document.body.append(frame);
        })""",
        console,
    )
    inner = page.frames[1]
    assert await inner.locator("#prompt").count() == 0


async def test_a_name_that_points_here_is_not_this_host(
    context: BrowserContext, console: str
) -> None:
    page = await context.new_page()
    answer = await page.goto(console.replace("127.0.0.1", "evil.test"))
    assert answer is not None
    assert answer.status == 403
    assert await page.locator("#prompt").count() == 0


async def test_with_a_token_only_its_bearer_gets_in(
    context: BrowserContext, agent: FakeAgent
) -> None:
    settings = PageSettings(agent.url, agent.url, Access(token="let-me-in", hosts=frozenset({"*"})))
    async with served(with_recorder(create_app(settings))) as url:
        async with httpx.AsyncClient(trust_env=False) as client:
            for path in ("/", "/main.js", "/api/voices", "/?token=wrong"):
                assert (await client.get(url + path)).status_code == 403
            assert (await client.get(f"{url}/ping")).status_code == 200
        page = await context.new_page()
        room = Room(page)
        await page.add_init_script(TAP)
        await page.goto(f"{url}/?token=let-me-in")
        await room.state("idle")
        assert page.url == f"{url}/", "the token does not stay in the address"
        await room.ask("Hello?")
        turn = await agent.next_turn()
        await turn.begin()
        await turn.say("Hello.", tone(0.2))
        await turn.end()
        await page.wait_for_selector(".turn[data-state='done']")
        await page.reload()
        await room.state("idle")
        assert room.faults == []


async def test_where_the_browser_allows_no_sound_the_page_says_why(
    context: BrowserContext, agent: FakeAgent
) -> None:
    settings = PageSettings(agent.url, agent.url, Access(token="t", hosts=frozenset({"*"})))
    async with served(create_app(settings)) as url:
        page = await context.new_page()
        with_name = url.replace("127.0.0.1", "evil.test")  # Not loopback to the browser, no https.
        await page.goto(f"{with_name}/?token=t")
        await page.get_by_label("Your question").fill("Hello?")
        await page.keyboard.press("Enter")
        alert = page.get_by_role("alert")
        assert "over https" in await alert.inner_text()
        assert await page.get_by_label("Your question").input_value() == "Hello?"
