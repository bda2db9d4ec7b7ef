"""The parts of the product as one: they start together, and the first that dies ends them all."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Protocol

import httpx

from firstword.console.child import Child, ChildError, Part

_PING_EVERY_S = 0.2
_PING_TIMEOUT_S = 2.0


class OnReady(Protocol):
    """Hears of each part that answers, and how many seconds that took."""

    def __call__(self, name: str, seconds: float) -> None: ...


type Urls = Mapping[str, str]
"""Part name to the URL where it answers."""


async def supervised[T](
    parts: Sequence[Part], work: Callable[[Urls], Awaitable[T]], on_ready: OnReady
) -> T:
    """Start ``parts``, do ``work`` once all of them answer, stop them whatever happened.

    Raises ChildError as soon as a part dies or is late, during the work too.
    """
    children: list[Child] = []
    try:
        for part in parts:
            children.append(await Child.start(part))
            if part.before_others:
                await _until_death(children, children[-1].ready())
        return await _until_death(children, _ready_then(children, work, on_ready))
    finally:
        await _stop(children)


async def _ready_then[T](
    children: Sequence[Child], work: Callable[[Urls], Awaitable[T]], on_ready: OnReady
) -> T:
    async with asyncio.TaskGroup() as group:
        waits = {c.part.name: group.create_task(_answers(c, on_ready)) for c in children}
    return await work({name: wait.result() for name, wait in waits.items()})


async def _answers(child: Child, on_ready: OnReady) -> str:
    """The child's URL once its /ping says 200: a server may listen before it is warm."""
    began = time.monotonic()
    url = await child.ready()
    if child.part.pings:
        await _warm(child, url, began)
    on_ready(child.part.name, time.monotonic() - began)
    return url


async def _warm(child: Child, url: str, began: float) -> None:
    left = child.part.deadline_s - (time.monotonic() - began)
    try:
        async with (
            asyncio.timeout(left),
            httpx.AsyncClient(trust_env=False, timeout=_PING_TIMEOUT_S) as client,
        ):
            while not await _ping(client, url):  # noqa: ASYNC110 (another process, no event)
                await asyncio.sleep(_PING_EVERY_S)
    except TimeoutError:
        raise child.failure(f"was not ready after {child.part.deadline_s:.0f} s") from None


async def _ping(client: httpx.AsyncClient, url: str) -> bool:
    try:
        response = await client.get(f"{url}/ping")
    except httpx.HTTPError:
        return False
    return response.status_code == httpx.codes.OK


async def _until_death[T](children: Sequence[Child], work: Awaitable[T]) -> T:
    """The work's result, or the ChildError of the first child that ends before it."""
    task = asyncio.ensure_future(work)
    deaths = [asyncio.create_task(child.died()) for child in children]
    try:
        await asyncio.wait([task, *deaths], return_when=asyncio.FIRST_COMPLETED)
        for death in deaths:
            if death.done() and not task.done():
                raise death.result()
        return await task
    except BaseExceptionGroup as group:
        raise _first(group) from None
    finally:
        for pending in (task, *deaths):
            pending.cancel()
        await asyncio.gather(task, *deaths, return_exceptions=True)


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """The one error to tell of those that parts raised together: a child's, where there is one."""
    own, _ = group.split(ChildError)
    found: BaseException = own or group
    while isinstance(found, BaseExceptionGroup):
        found = found.exceptions[0]
    return found


async def _stop(children: Sequence[Child]) -> None:
    """Stop all children at once, and do not leave before they are gone."""
    stopping = asyncio.gather(*(child.stop() for child in children))
    try:
        await asyncio.shield(stopping)
    except asyncio.CancelledError:
        await stopping
        raise
