"""The page of a deployed agent: through a presigned address, and back after every kind of end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
import pytest_asyncio
from agentcore_stage import ARN, ENVIRON, SESSION_HEADER, plane_before
from firstword.console.agentcore.door import RuntimeDoor
from firstword.console.agentcore.page import create_app
from firstword.console.agentcore.runtime import Runtime
from firstword.console.app import Access
from firstword.emulator.agentcore import Plane, errors
from loopback import served
from page_stage import (
    DEADLINE_S,
    TAP,
    VOICES,
    FakeAgent,
    FakeTurn,
    Room,
    position,
    tone,
    with_recorder,
)
from playwright.async_api import BrowserContext

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

FIRST, SECOND = "The first one.", "The second one."


@dataclass
class Deployed:
    """The page, the platform between it and the agent, and where the page is served."""

    room: Room
    plane: Plane
    url: str

    async def told(self, words: str) -> None:
        """Wait until the page's head says so."""
        await self.room.page.wait_for_selector(f"#status-text:text-is('{words}')")

    async def calls(self, count: int) -> None:
        """Wait until the platform was called so often."""
        async with asyncio.timeout(DEADLINE_S):
            while len(self.plane.calls) < count:  # noqa: ASYNC110 (another process)
                await asyncio.sleep(0.02)


@pytest_asyncio.fixture(loop_scope="session")
async def deployed(
    context: BrowserContext, agent: FakeAgent, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Deployed]:
    for name, value in ENVIRON.items():
        monkeypatch.setenv(name, value)
    async with plane_before(agent.url) as (plane, endpoint):
        door = RuntimeDoor(replace(Runtime.parse(ARN), endpoint=endpoint))
        async with served(with_recorder(create_app(door, VOICES, Access()))) as url:
            page = await context.new_page()
            room = Room(page)
            await page.add_init_script(TAP)
            await page.goto(url)
            await room.state("idle")
            yield Deployed(room, plane, url)
            assert room.faults == []


async def answered(room: Room, agent: FakeAgent, question: str, text: str) -> FakeTurn:
    """A question, answered and heard to its end."""
    await room.ask(question)
    turn = await agent.next_turn()
    await turn.begin()
    await turn.say(text, tone(0.3))
    await turn.end()
    await room.page.wait_for_selector(f".turn[data-state='done']:has-text('{text}')")
    return turn


async def test_the_page_speaks_with_a_deployed_agent_by_itself(
    deployed: Deployed, agent: FakeAgent
) -> None:
    room, sound = deployed.room, tone(0.5)
    await room.ask("Are you there?")
    turn = await agent.next_turn()
    await room.recording()
    await turn.begin()
    await turn.say(FIRST, sound)
    await turn.end()
    await room.page.wait_for_selector(".turn[data-state='done']")
    assert position(await room.heard(), sound) > 0
    session = turn.prompt["session_id"]
    assert [call.session_id for call in deployed.plane.calls] == [session]
    assert turn.socket.headers[SESSION_HEADER] == session
    await room.page.wait_for_selector("#voice optgroup", state="attached")
    meter = deployed.plane.meters[0]
    assert meter.largest <= 16 * 1024


@pytest.mark.parametrize(
    ("code", "head", "words"),
    [
        (1001, "The agent moves, connecting again", "server is going away, in the middle"),
        (1011, "The agent failed, connecting again", "failed and hung up, in the middle"),
        (1012, "The agent restarts, connecting again", "being restarted, in the middle"),
        (4999, "Connection lost, trying again", "connection to the agent was lost, in the middle"),
    ],
)
async def test_a_socket_that_was_cut_comes_back_to_the_same_conversation(
    deployed: Deployed, agent: FakeAgent, results: Path, code: int, head: str, words: str
) -> None:
    room, page = deployed.room, deployed.room.page
    before = await answered(room, agent, "One?", FIRST)
    await room.ask("Two?")
    turn = await agent.next_turn()
    await turn.begin()
    await turn.open(SECOND)
    await turn.audio(tone(0.3))
    assert await deployed.plane.cut(code, "") == 1
    await page.wait_for_selector(".turn[data-state='failed']")
    assert words in await page.locator(".failure").inner_text()
    await deployed.calls(2)
    await room.state("idle")

    after = await answered(room, agent, "And now?", "Here again.")
    assert after.socket is not before.socket
    assert after.prompt["session_id"] == before.prompt["session_id"]
    assert {call.session_id for call in deployed.plane.calls} == {before.prompt["session_id"]}
    assert len(deployed.plane.calls) == 2
    assert await page.get_by_role("alert").is_hidden()

    # With nothing to be told in a turn, the page's head says what became of the connection.
    deployed.plane.refuse_next(errors.throttled())
    await deployed.plane.cut(code, "")
    await deployed.told(head)
    if code == 1011:
        await page.screenshot(path=results / "page-connecting-again.png")
    await room.state("idle")
    room.faults = [fault for fault in room.faults if "Unexpected response code: 429" not in fault]


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (1008, "The agent took no more messages from this page. Ask again to try once more."),
        (1009, "A message was too large for the connection. Ask again to try once more."),
    ],
)
async def test_where_connecting_again_cannot_help_the_page_waits_for_the_person(
    deployed: Deployed, agent: FakeAgent, results: Path, code: int, words: str
) -> None:
    room, page = deployed.room, deployed.room.page
    before = await answered(room, agent, "One?", FIRST)
    await deployed.plane.cut(code, "")
    await room.state("refused")
    assert await page.get_by_role("alert").inner_text() == words
    assert await page.locator("#status-text").inner_text() == "The agent hung up"
    await page.screenshot(path=results / f"page-refused-{code}.png")
    await room.listen(1.5)
    assert len(deployed.plane.calls) == 1, "it does not come back by itself"

    after = await answered(room, agent, "Please?", SECOND)
    assert after.prompt["session_id"] == before.prompt["session_id"]
    assert await page.get_by_role("alert").is_hidden()
    await room.state("idle")


async def test_a_page_without_the_permission_names_it(
    context: BrowserContext, deployed: Deployed, results: Path
) -> None:
    for _ in range(2):
        refused = errors.denied("InvokeAgentRuntimeWithWebSocketStream", ARN)
        deployed.plane.refuse_next(refused)
    page = await context.new_page()
    room = Room(page)
    await page.goto(deployed.url)
    await room.state("refused")
    alert = await page.get_by_role("alert").inner_text()
    assert "bedrock-agentcore:InvokeAgentRuntimeWithWebSocketStream" in alert
    assert ARN in alert
    await page.screenshot(path=results / "page-no-permission.png")
    await room.ask("Now?")
    await room.state("thinking")
    assert await page.get_by_role("alert").is_hidden()
    await page.close()


async def test_the_page_waits_longer_each_time_and_never_exactly_as_long(room: Room) -> None:
    waits = await room.page.evaluate(
        """async () => {
            const { Link } = await import('/link.js');
            const waits = [];
            const later = window.setTimeout;
            const gone = () => Promise.reject(Object.assign(new Error('gone'), { passing: true }));
            await new Promise((enough) => {
                window.setTimeout = (then, ms) => {
                    waits.push(ms);
                    return waits.length === 10 ? enough() : later(then, 0);
                };
                new Link(gone, { onState: () => {} }).start();
            });
            window.setTimeout = later;
            return waits;
        }"""
    )
    planned = [min(500 * 2**n, 15_000) for n in range(10)]
    for wait, plan in zip(waits, planned, strict=True):
        assert 0.75 * plan <= wait <= 1.25 * plan
    assert len({wait / plan for wait, plan in zip(waits, planned, strict=True)}) == 10
