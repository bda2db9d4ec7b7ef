"""InvokeEndpointWithBidirectionalStream, called by AWS's own client."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from aws_sdk_sagemaker_runtime_http2.models import (
    InputValidationError,
    InternalStreamFailure,
    ModelError,
    ModelStreamError,
)
from firstword.emulator.sagemaker.settings import Limits
from firstword.emulator.sigv4 import Credentials
from smithy_aws_event_stream.exceptions import UnmodeledEventError
from smithy_core.exceptions import CallError
from websockets.asyncio.server import ServerConnection

from tests.emulator.sagemaker.conftest import (
    KEYS,
    FakeContainer,
    Live,
    Sagemaker,
    fake_container,
    until,
)


@pytest.mark.parametrize(
    ("data_type", "frame"), [("UTF8", "hello"), ("BINARY", b"hello"), (None, b"hello")]
)
async def test_a_part_is_one_frame_of_its_kind(
    live: Live, container: FakeContainer, data_type: str | None, frame: str | bytes
) -> None:
    call = await live.call()
    await call.send(b"hello", data_type)
    await call.send(b"hello", data_type, None)
    await until(lambda: len(container.messages) == 2)
    assert container.messages == [[frame], [frame]]


async def test_parts_that_are_partial_are_one_message_in_fragments(
    live: Live, container: FakeContainer
) -> None:
    call = await live.call()
    await call.send(b"one ", "UTF8", "PARTIAL")
    await call.send(b"two ", "UTF8", "PARTIAL")
    await call.send(b"three", "UTF8", "COMPLETE")
    await call.send(b"next", "BINARY")
    await until(lambda: len(container.messages) == 2)
    assert container.messages == [["one ", "two ", "three"], [b"next"]]


async def test_what_the_container_says_comes_frame_by_frame(
    live: Live, container: FakeContainer
) -> None:
    async def speak(socket: ServerConnection) -> None:
        await socket.send("text")
        await socket.send(b"\x01\x02")
        await socket.send(["in ", "two"])
        await socket.close()

    container.behave = speak
    call = await live.call()
    parts = []
    with pytest.raises(ModelStreamError):  # noqa: PT012
        while (part := await call.part()) is not None:
            parts.append((part.bytes_ or b"", part.data_type, part.completion_state))
    assert parts == [
        (b"text", "UTF8", "COMPLETE"),
        (b"\x01\x02", "BINARY", "COMPLETE"),
        (b"in ", "UTF8", "PARTIAL"),
        (b"two", "UTF8", "PARTIAL"),
        (b"", "UTF8", "COMPLETE"),  # websockets ends a message of pieces with an empty frame.
    ]


async def test_the_socket_is_opened_where_sagemaker_opens_it(
    live: Live, container: FakeContainer
) -> None:
    await live.call()
    await live.call(model_invocation_path="v2/speak", model_query_string="a=1&b=2")
    await until(lambda: len(container.paths) == 2)
    assert container.paths == ["/invocations-bidirectional-stream", "/v2/speak?a=1&b=2"]


async def test_a_path_with_a_leading_slash_is_refused(live: Live) -> None:
    with pytest.raises(InputValidationError, match="slash"):
        await live.call(model_invocation_path="/v2/speak")


async def test_several_calls_share_one_connection(live: Live, container: FakeContainer) -> None:
    client = await live.client()
    calls = [await live.call(client=client) for _ in range(3)]
    for number, call in enumerate(calls):
        await call.send(str(number).encode())
    await until(lambda: len(container.messages) == 3)
    assert sorted(container.messages) == [["0"], ["1"], ["2"]]
    assert live.runtime.connections == 1


async def test_large_parts_pass_both_ways(live: Live, container: FakeContainer) -> None:
    async def echo(socket: ServerConnection) -> None:
        async for message in socket:
            await socket.send(message)

    container.behave = echo
    call = await live.call()
    data = bytes(range(256)) * 12_000
    await call.send(data, "BINARY")
    part = await call.part()
    assert part is not None
    assert part.bytes_ == data


async def test_closing_the_input_ends_the_session(live: Live, container: FakeContainer) -> None:
    call = await live.call()
    await call.send(b"one")
    await call.close()
    assert await call.part() is None
    await until(lambda: container.closed == [1000])
    assert container.messages == [["one"]]


async def test_a_caller_that_leaves_takes_the_socket_with_it(
    live: Live, container: FakeContainer
) -> None:
    await live.call()
    await live.leave()
    await until(lambda: container.closed == [1001])
    await until(lambda: live.runtime.connections == 0)


@pytest.mark.parametrize("code", [1000, 1001, 1011])
async def test_a_close_of_the_container_is_a_model_stream_error(
    live: Live, container: FakeContainer, code: int
) -> None:
    async def close(socket: ServerConnection) -> None:
        await socket.close(code, "had enough")

    container.behave = close
    call = await live.call()
    with pytest.raises(ModelStreamError, match=f"{code}: had enough"):
        await call.part()


async def test_a_container_that_drops_the_connection_is_a_stream_failure(
    live: Live, container: FakeContainer
) -> None:
    async def die(socket: ServerConnection) -> None:
        socket.transport.abort()

    container.behave = die
    call = await live.call()
    with pytest.raises(InternalStreamFailure):
        await call.part()


async def test_an_unknown_endpoint_is_not_found(live: Live) -> None:
    with pytest.raises(CallError, match=r"status: 400.*ValidationException"):
        await live.call("another")


async def test_a_container_that_is_not_ready_is_not_called(
    live: Live, container: FakeContainer
) -> None:
    container.ping_status = 503
    with pytest.raises(CallError, match=r"status: 429.*ModelNotReadyException"):
        await live.call()
    assert container.paths == []


async def test_a_container_that_is_not_there_is_not_ready(sagemaker: Sagemaker) -> None:
    gone = FakeContainer()
    async with fake_container(gone):
        pass
    async with sagemaker.before(gone.url) as live:
        with pytest.raises(CallError, match="ModelNotReadyException"):
            await live.call()


async def test_a_refused_socket_is_a_model_error_with_its_status(
    live: Live, container: FakeContainer
) -> None:
    container.refuses = 404
    with pytest.raises(ModelError) as caught:
        await live.call()
    assert caught.value.original_status_code == 404
    assert "404" in (caught.value.original_message or "")


async def test_a_socket_must_be_accepted_in_time(
    sagemaker: Sagemaker, container: FakeContainer
) -> None:
    container.gate = asyncio.Event()
    sagemaker.limits = Limits(accept_s=0.05)
    async with sagemaker.before(container.url) as live:
        with pytest.raises(ModelError, match=r"not accepted within 0\.05 s"):
            await live.call()


async def test_a_session_ends_at_its_limit(sagemaker: Sagemaker, container: FakeContainer) -> None:
    sagemaker.limits = Limits(session_s=0.05)
    async with sagemaker.before(container.url) as live:
        call = await live.call()
        assert await call.part() is None


async def test_the_container_is_pinged(sagemaker: Sagemaker, container: FakeContainer) -> None:
    """It answers, so the session goes on; five pings without an answer would have ended it."""
    sagemaker.limits = Limits(ping_every_s=0.005)
    async with sagemaker.before(container.url) as live:
        call = await live.call()
        await asyncio.sleep(0.1)
        await call.send(b"still here")
        await until(lambda: container.messages == [["still here"]])


async def test_a_container_that_answers_no_pings_is_given_up(
    sagemaker: Sagemaker, container: FakeContainer
) -> None:
    async def play_dead(socket: ServerConnection) -> None:
        socket.transport.pause_reading()  # type: ignore[attr-defined]
        await container.over.wait()
        socket.transport.resume_reading()  # type: ignore[attr-defined]

    container.behave = play_dead
    sagemaker.limits = Limits(ping_every_s=0.01, close_s=0.05)
    async with sagemaker.before(container.url) as live:
        call = await live.call()
        with pytest.raises(InternalStreamFailure):
            await call.part()


@pytest.mark.parametrize(
    ("keys", "error"),
    [
        (Credentials(KEYS.access_key_id, "another secret"), "InvalidSignatureException"),
        (Credentials("AKIDOTHER", KEYS.secret_access_key), "UnrecognizedClientException"),
        (
            Credentials(KEYS.access_key_id, KEYS.secret_access_key, "a token"),
            "UnrecognizedClientException",
        ),
    ],
)
async def test_a_wrong_key_is_refused(
    live: Live, container: FakeContainer, keys: Credentials, error: str
) -> None:
    with pytest.raises(CallError, match=f"status: 403.*{error}"):
        await live.call(keys=keys)
    assert container.paths == []


async def test_a_message_outside_the_chain_of_signatures_ends_the_stream(
    live: Live, container: FakeContainer
) -> None:
    call = await live.call()
    await call.send(b"one")
    signer: Any = call.stream.input_stream._signing_config.signer
    signer._prior_signature = b"0" * 64
    await call.send(b"two")
    with pytest.raises(UnmodeledEventError, match="InvalidSignatureException"):
        await call.part()
    await until(lambda: container.closed == [1001])
    assert container.messages == [["one"]]
