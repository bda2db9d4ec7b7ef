"""The fault script, as the stock client sees what it does."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from aws_sdk_sagemaker_runtime_http2.models import (
    InternalStreamFailure,
    ModelError,
    ModelStreamError,
)
from firstword.emulator.sagemaker.fault_script import FaultScript
from firstword.emulator.sagemaker.faults import Fault, FaultError, Kind
from smithy_core.exceptions import CallError, SmithyError
from websockets.asyncio.server import ServerConnection

from tests.emulator.sagemaker.conftest import Call, FakeContainer, Live, Sagemaker, until

SHORT_S = 0.2
"""Long enough for what is on its way to arrive, where it must be shown that nothing does."""


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("reset", Fault(kind=Kind.RESET)),
        ("reset part=3 call=2", Fault(kind=Kind.RESET, part=3, call=2)),
        ("drop byte=100 times=2", Fault(kind=Kind.DROP, byte=100, times=2)),
        ("cut second=0.5", Fault(kind=Kind.CUT, second=0.5)),
        ("slow piece=7 pause=0.01", Fault(kind=Kind.SLOW, piece=7, pause=0.01)),
        ("  split   part=1 ", Fault(kind=Kind.SPLIT, part=1)),
    ],
)
def test_a_line_is_a_fault(line: str, fault: Fault) -> None:
    assert Fault.parse(line) == fault


@pytest.mark.parametrize(
    "line",
    [
        "",
        "explode",
        "reset part",
        "reset part=x",
        "reset part=-1",
        "reset call=0",
        "reset part=1 part=2",
        "reset part=1 byte=2",
        "reset who=me",
        "throttle part=1",
        "split byte=1",
    ],
)
def test_another_line_is_none(line: str) -> None:
    with pytest.raises(FaultError):
        Fault.parse(line)


async def three(socket: ServerConnection) -> None:
    """Three parts for each message: text, eight bytes, text."""
    async for message in socket:
        await socket.send(f"start {message!s}")
        await socket.send(b"12345678")
        await socket.send(f"end {message!s}")


@pytest.fixture(autouse=True)
def speaking(container: FakeContainer) -> None:
    container.behave = three


THREE = [b"start a", b"12345678", b"end a"]


async def parts_of(call: Call) -> tuple[list[bytes], BaseException | None]:
    """The parts that come, and how the stream ends: None for a clean end."""
    parts: list[bytes] = []
    try:
        while (part := await call.part()) is not None:
            parts.append(part.bytes_ or b"")
    except Exception as error:  # noqa: BLE001 - whatever the client makes of it.
        return parts, error
    return parts, None


async def heard(live: Live, message: bytes = b"a") -> tuple[list[bytes], BaseException | None]:
    call = await live.call()
    await call.send(message)
    return await parts_of(call)


async def works(live: Live) -> None:
    """A further call is as it should be."""
    call = await live.call()
    await call.send(b"a")
    assert [p.bytes_ for p in [await call.part() for _ in range(3)] if p is not None] == THREE


async def stopped(live: Live, task: asyncio.Task[Any]) -> None:
    """End a call on which the stock client waits for ever; first its connection, then its task."""
    await live.leave()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


@pytest.mark.parametrize("kind", ["reset", "drop", "goaway"])
@pytest.mark.parametrize("parts", [0, 1, 2])
async def test_a_stream_breaks_after_so_many_parts(
    live: Live, sagemaker: Sagemaker, kind: str, parts: int
) -> None:
    """The stock client takes a reset for an end: what came is whole, the rest is missing."""
    sagemaker.faults.add(f"{kind} part={parts}")
    call = await live.call()
    await call.send(b"a") if parts else None
    came, _ = await parts_of(call)
    assert came == THREE[: len(came)]
    assert len(came) <= parts
    assert [fault.kind for fault in sagemaker.faults.struck] == [kind]
    await works(live)


async def test_a_reset_lets_what_was_sent_arrive(live: Live, sagemaker: Sagemaker) -> None:
    sagemaker.faults.add("cut part=2")
    assert await heard(live) == (THREE[:2], None)


@pytest.mark.parametrize("size", [1, 50, 150])
async def test_a_stream_breaks_in_the_middle_of_a_part(
    live: Live, sagemaker: Sagemaker, size: int
) -> None:
    sagemaker.faults.add(f"cut byte={size}")
    parts, error = await heard(live)
    assert parts == THREE[: len(parts)]
    assert len(parts) < 2
    assert error is not None  # The end comes inside a message, and the client can tell.


@pytest.mark.parametrize("kind", ["reset", "drop", "goaway"])
async def test_a_call_breaks_before_its_head(live: Live, sagemaker: Sagemaker, kind: str) -> None:
    sagemaker.faults.add(kind)
    calling = asyncio.create_task(live.call())
    await asyncio.wait({calling}, timeout=SHORT_S)
    assert not calling.done() or calling.exception() is not None
    await stopped(live, calling)
    await works(live)


async def test_a_connection_that_drains_goes_on_with_its_streams(
    live: Live, sagemaker: Sagemaker
) -> None:
    sagemaker.faults.add("drain asked=1")
    client = await live.client()
    call = await live.call(client=client)
    await call.send(b"a")
    assert [p.bytes_ for p in [await call.part() for _ in range(3)] if p is not None] == THREE
    with pytest.raises(SmithyError, match="GOAWAY"):
        await live.call(client=client)
    await works(live)


@pytest.mark.parametrize("line", ["silence", "silence asked=1", "silence part=1"])
async def test_silence_ends_nothing_and_says_nothing(
    live: Live, sagemaker: Sagemaker, line: str
) -> None:
    sagemaker.faults.add(line)
    came: list[bytes | None] = []

    async def listen() -> None:
        call = await live.call()
        await call.send(b"a")
        while (part := await call.part()) is not None:
            came.append(part.bytes_)
        came.append(None)

    listening = asyncio.create_task(listen())
    await asyncio.wait({listening}, timeout=SHORT_S)
    assert not listening.done()
    assert came == (THREE[:1] if "part" in line else [])
    await stopped(live, listening)


async def test_slow_bytes_are_all_there(live: Live, sagemaker: Sagemaker) -> None:
    sagemaker.faults.add("slow piece=1")
    call = await live.call()
    await call.send(b"a")
    assert [p.bytes_ for p in [await call.part() for _ in range(3)] if p is not None] == THREE


async def test_a_session_is_cut_after_seconds(live: Live, sagemaker: Sagemaker) -> None:
    sagemaker.faults.add("cut second=0.05")
    call = await live.call()
    assert await call.part() is None


@pytest.mark.parametrize(
    ("kind", "error"),
    [("model-stream-error", ModelStreamError), ("internal-stream-failure", InternalStreamFailure)],
)
async def test_a_stream_can_end_in_an_error(
    live: Live, sagemaker: Sagemaker, kind: str, error: type[Exception]
) -> None:
    sagemaker.faults.add(f"{kind} part=2")
    parts, end = await heard(live)
    assert parts == THREE[:2]
    assert isinstance(end, error)


@pytest.mark.parametrize(
    ("line", "error", "match"),
    [
        ("throttle", CallError, "ThrottlingException"),
        ("throttle status=429", CallError, "status: 429"),
        ("unavailable", CallError, "503"),
        ("deny", CallError, "AccessDeniedException"),
        ("refuse-socket", ModelError, "403"),
    ],
)
async def test_a_call_can_be_refused(
    live: Live, sagemaker: Sagemaker, line: str, error: type[Exception], match: str
) -> None:
    sagemaker.faults.add(line)
    with pytest.raises(error, match=match):
        await live.call()
    await works(live)


async def test_a_text_message_can_come_in_two_parts(live: Live, sagemaker: Sagemaker) -> None:
    sagemaker.faults.add("split part=1")
    call = await live.call()
    await call.send(b"a")
    got: list[Any] = [await call.part() for _ in range(4)]
    assert [(p.bytes_, p.data_type, p.completion_state) for p in got] == [
        (b"start a", "UTF8", "COMPLETE"),
        (b"12345678", "BINARY", "COMPLETE"),
        (b"en", "UTF8", "PARTIAL"),
        (b"d a", "UTF8", "COMPLETE"),
    ]


async def test_two_messages_can_come_in_one_part(live: Live, sagemaker: Sagemaker) -> None:
    sagemaker.faults.add("join")
    call = await live.call()
    await call.send(b"a")
    got: list[Any] = [await call.part() for _ in range(2)]
    assert [(p.bytes_, p.data_type) for p in got] == [
        (b"start a12345678", "UTF8"),
        (b"end a", "UTF8"),
    ]


async def test_a_fault_strikes_in_the_call_that_it_names(live: Live, sagemaker: Sagemaker) -> None:
    sagemaker.faults.add("throttle call=2")
    await works(live)
    with pytest.raises(CallError):
        await live.call()
    await works(live)


async def test_a_fault_strikes_as_often_as_it_says(live: Live, sagemaker: Sagemaker) -> None:
    sagemaker.faults.add("throttle times=2")
    for _ in range(2):
        with pytest.raises(CallError):
            await live.call()
    await works(live)
    sagemaker.faults.add("throttle times=always")
    for _ in range(3):
        with pytest.raises(CallError):
            await live.call()


async def test_a_fault_that_is_added_counts_from_then_on(live: Live, sagemaker: Sagemaker) -> None:
    call = await live.call()
    await call.send(b"a")
    for _ in range(3):
        await call.part()
    sagemaker.faults.add("cut part=2")
    await call.send(b"a")
    assert await parts_of(call) == (THREE[:2], None)


async def test_after_a_fault_the_containers_socket_is_closed(
    live: Live, sagemaker: Sagemaker, container: FakeContainer
) -> None:
    for line in ("reset part=1", "drop part=1", "cut part=1", "model-stream-error part=1"):
        sagemaker.faults.add(line)
        await heard(live)
    await until(lambda: len(container.closed) == 4)
    assert set(container.closed) == {1001}


def test_the_script_tells_what_struck() -> None:
    script = FaultScript(["cut part=1", "reset call=2"])
    first, second = script.call(1), script.call(2)
    assert first.now() is None
    first.count(parts=1)
    assert first.now() == Fault(kind=Kind.CUT, part=1)
    assert second.at_head() == Fault(kind=Kind.RESET, call=2)
    assert [fault.kind for fault in script.struck] == [Kind.CUT, Kind.RESET]
    assert second.now() is None
