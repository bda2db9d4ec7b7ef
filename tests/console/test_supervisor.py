"""Parts that run as one: started together, named when they die, never left behind."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import textwrap
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from console_stage import DEADLINE_S, PART, alive, gone, part
from firstword.console import child
from firstword.console.child import ChildError
from firstword.console.supervisor import Urls, supervised

BEGINS = """
import pathlib, runpy, sys
pathlib.Path(sys.argv[1]).touch()
sys.argv = sys.argv[2:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""
"""A part that leaves a mark when it begins."""

LOOKS = """
import pathlib, runpy, sys, time
mark = pathlib.Path(sys.argv[1])
for _ in range(20):
    time.sleep(0.01)
    if mark.exists():
        sys.exit(9)
sys.argv = [sys.argv[2], "cold", "1000000"]
runpy.run_path(sys.argv[0], run_name="__main__")
"""
"""A part that ends where that mark is there before it is ready itself, and never answers a ping."""


def ignore(_name: str, _seconds: float) -> None:
    """Nobody is told."""


async def ids(path: Path) -> list[int]:
    """What a ``family`` part wrote, once it is there."""
    async with asyncio.timeout(DEADLINE_S):
        while not path.exists():  # noqa: ASYNC110, ASYNC240 (another process, a tiny file)
            await asyncio.sleep(0.02)
    return [int(text) for text in path.read_text().split()]  # noqa: ASYNC240


async def ask_to_die(url: str) -> None:
    async with httpx.AsyncClient(trust_env=False) as client:
        with pytest.raises(httpx.HTTPError):
            await client.get(f"{url}/die")


async def test_the_work_begins_when_all_parts_answer_and_gets_their_urls() -> None:
    told: list[str] = []

    async def work(urls: Urls) -> int:
        async with httpx.AsyncClient(trust_env=False) as client:
            answers = [await client.get(f"{url}/ping") for url in urls.values()]
        assert sorted(told) == sorted(urls) == ["one", "two"]
        return sum(answer.status_code for answer in answers)

    parts = [part("one"), part("two", "cold", "3")]
    assert await supervised(parts, work, lambda name, _: told.append(name)) == 400


async def test_a_part_that_cannot_start_is_named_with_its_last_lines() -> None:
    async def work(_urls: Urls) -> None:
        pytest.fail("the parts are not complete")

    with pytest.raises(ChildError) as failure:
        await supervised([part("one"), part("two", "dies")], work, ignore)
    assert str(failure.value).startswith("two stopped with status 3.")
    assert "loading the weights\n" in str(failure.value)
    assert "no such file: weights.bin" in str(failure.value)
    assert failure.value.name == "two"


async def test_a_part_that_others_need_answers_before_they_start(tmp_path: Path) -> None:
    """And where it has no /ping, the line that says it is ready is enough."""
    needed = replace(part("one"), pings=False, before_others=True)
    began = tmp_path / "began"
    second = part("two")
    second = replace(second, argv=(sys.executable, "-c", BEGINS, str(began), PART))

    async def work(urls: Urls) -> list[str]:
        return sorted(urls)

    slow = replace(needed, argv=(sys.executable, "-c", LOOKS, str(began), PART))
    assert await supervised([slow, second], work, ignore) == ["one", "two"]


async def test_a_part_that_others_need_and_that_dies_keeps_them_from_starting(
    tmp_path: Path,
) -> None:
    async def work(_urls: Urls) -> None:
        pytest.fail("the parts are not complete")

    needed = replace(part("one", "dies"), before_others=True)
    family = tmp_path / "two"
    with pytest.raises(ChildError, match="one stopped with status 3"):
        await supervised([needed, part("two", "family", str(family))], work, ignore)
    assert not family.exists()


async def test_a_part_that_dies_ends_the_work() -> None:
    ended = asyncio.Event()

    async def work(urls: Urls) -> None:
        try:
            await ask_to_die(urls["two"])
            await asyncio.Event().wait()
        finally:
            ended.set()

    with pytest.raises(ChildError, match=r"two stopped with status 4.*\n.*it broke"):
        await supervised([part("one"), part("two", "mortal")], work, ignore)
    assert ended.is_set()


@pytest.mark.parametrize("behaviour", [("mute",), ("cold", "100000")], ids=["mute", "cold"])
async def test_a_part_that_is_never_ready_is_given_up(behaviour: tuple[str, ...]) -> None:
    async def work(_urls: Urls) -> None:
        pytest.fail("the part is not ready")

    with pytest.raises(ChildError, match="slow was not ready after 1 s"):
        await supervised([part("slow", *behaviour, deadline_s=1.0)], work, ignore)


async def test_nothing_is_left_of_the_parts_and_of_what_they_started(tmp_path: Path) -> None:
    async def work(_urls: Urls) -> list[int]:
        found = [*await ids(tmp_path / "one"), *await ids(tmp_path / "two")]
        assert all(alive(pid) for pid in found)
        return found

    parts = [part(name, "family", str(tmp_path / name)) for name in ("one", "two")]
    found = await supervised(parts, work, ignore)
    assert len(found) == 4
    for pid in found:
        await gone(pid)


async def test_a_part_that_does_not_heed_sigterm_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(child, "GRACE_S", 0.3)

    async def work(_urls: Urls) -> list[int]:
        return await ids(tmp_path / "ids")

    found = await supervised([part("deaf", "deaf", "family", str(tmp_path / "ids"))], work, ignore)
    for pid in found:
        await gone(pid)


async def test_an_error_of_the_work_is_the_one_that_is_told(tmp_path: Path) -> None:
    async def work(_urls: Urls) -> None:
        raise ValueError("my own")

    with pytest.raises(ValueError, match="my own"):
        await supervised([part("one", "family", str(tmp_path / "ids"))], work, ignore)
    for pid in await ids(tmp_path / "ids"):
        await gone(pid)


async def test_cancelling_stops_the_parts_first(tmp_path: Path) -> None:
    async def work(_urls: Urls) -> None:
        await asyncio.Event().wait()

    running = asyncio.create_task(
        supervised([part("one", "family", str(tmp_path / "ids"))], work, ignore)
    )
    found = await ids(tmp_path / "ids")
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    for pid in found:
        await gone(pid)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM], ids=["killed", "terminated"])
async def test_parts_do_not_survive_a_parent_that_dies(
    tmp_path: Path, number: signal.Signals
) -> None:
    program = textwrap.dedent(
        f"""
        import asyncio, sys
        sys.path.append({str(Path(__file__).parent)!r})
        from console_stage import part
        from firstword.console.supervisor import supervised

        async def work(urls):
            print("started", flush=True)
            await asyncio.Event().wait()

        asyncio.run(supervised(
            [part("one", "deaf", "family", {str(tmp_path / "ids")!r})], work, lambda *_: None))
        """
    )
    parent = await asyncio.create_subprocess_exec(
        sys.executable, "-c", program, stdout=asyncio.subprocess.PIPE
    )
    assert parent.stdout is not None
    assert await parent.stdout.readline() == b"started\n"
    found = await ids(tmp_path / "ids")
    os.kill(parent.pid, number)
    await parent.wait()
    for pid in found:
        await gone(pid)
