"""Signatures, made by AWS's signers and checked by ours."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from aws_sdk_signers import AsyncEventSigner
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials as BotoCredentials
from firstword.emulator.sagemaker.errors import ServiceError, StreamError
from firstword.emulator.sagemaker.exchange import Request
from firstword.emulator.sagemaker.signature import Chain, Signed, check_request
from firstword.emulator.sigv4 import Credentials
from hypothesis import given, settings
from hypothesis import strategies as st
from smithy_aws_core.identity import AWSCredentialsIdentity
from smithy_aws_event_stream.events import EventHeaderEncoder, EventMessage

KEYS = Credentials("AKIDEMULATED", "a-secret-of-the-test")
BODY = b'{"text": "hello"}'
SCOPE = f"{datetime.now(UTC):%Y%m%d}/us-east-1/sagemaker/aws4_request"
START = Signed(SCOPE, "ab" * 32, KEYS.secret_access_key)


def signed_by_botocore(
    query: str = "", body: bytes = BODY, token: str | None = None, **headers: str
) -> Request:
    """A request as botocore signs it."""
    url = f"https://localhost:8443/endpoints/voice/invocations{'?' if query else ''}{query}"
    given_headers = {"X-Amz-Target-Thing": "  two   spaces ", **headers}
    request = AWSRequest("POST", url, headers=given_headers, data=body)
    SigV4Auth(
        BotoCredentials(KEYS.access_key_id, KEYS.secret_access_key, token), "sagemaker", "us-east-1"
    ).add_auth(request)
    sent: Any = request.prepare()
    return Request(
        method="POST",
        path="/endpoints/voice/invocations",
        query=query,
        headers={
            "host": "localhost:8443",
            **{
                name.lower(): value if isinstance(value, str) else value.decode()
                for name, value in sent.headers.items()
            },
        },
        duplex=False,
    )


def test_a_right_signature_passes() -> None:
    signed = check_request(signed_by_botocore("b=2&a=1%20x"), BODY, KEYS, datetime.now(UTC))
    assert signed.scope.endswith("/us-east-1/sagemaker/aws4_request")
    assert len(signed.signature) == 64


def test_a_session_token_belongs_to_the_key() -> None:
    keys = replace(KEYS, session_token="token")
    check_request(signed_by_botocore(token="token"), BODY, keys, datetime.now(UTC))
    for token in (None, "another"):
        with pytest.raises(ServiceError) as caught:
            check_request(signed_by_botocore(token=token), BODY, keys, datetime.now(UTC))
        assert caught.value.name == "UnrecognizedClientException"


def changed(request: Request, **headers: str) -> Request:
    return replace(request, headers={**request.headers, **headers})


@pytest.mark.parametrize(
    ("change", "body", "name"),
    [
        (lambda r: r, b"another body", "InvalidSignatureException"),
        (lambda r: replace(r, path="/endpoints/other/invocations"), BODY, "Invalid"),
        (lambda r: replace(r, method="GET"), BODY, "Invalid"),
        (lambda r: replace(r, query="a=2"), BODY, "Invalid"),
        (lambda r: changed(r, host="elsewhere"), BODY, "Invalid"),
        (lambda r: changed(r, **{"x-amz-target-thing": "three"}), BODY, "Invalid"),
        (lambda r: changed(r, **{"x-amz-date": "yesterday"}), BODY, "IncompleteSignature"),
        (lambda r: changed(r, authorization="Bearer token"), BODY, "IncompleteSignature"),
        (lambda r: changed(r, authorization=r.headers["authorization"][:-1]), BODY, "Incomplete"),
        (
            lambda r: replace(
                r, headers={k: v for k, v in r.headers.items() if k != "authorization"}
            ),
            BODY,
            "MissingAuthenticationToken",
        ),
    ],
)
def test_whatever_was_signed_cannot_be_changed(
    change: Callable[[Request], Request], body: bytes, name: str
) -> None:
    with pytest.raises(ServiceError) as caught:
        check_request(change(signed_by_botocore()), body, KEYS, datetime.now(UTC))
    assert caught.value.name.startswith(name)
    assert caught.value.status in (400, 403)


@pytest.mark.parametrize("minutes", [-6, 6])
def test_a_signature_is_good_for_five_minutes(minutes: int) -> None:
    request = signed_by_botocore()
    now = datetime.now(UTC)
    check_request(request, BODY, KEYS, now + timedelta(minutes=minutes / 2))
    with pytest.raises(ServiceError, match="expired"):
        check_request(request, BODY, KEYS, now + timedelta(minutes=minutes))


async def signed_messages(*payloads: bytes) -> list[EventMessage]:
    """Messages as AWS's client signs them, and the empty one that ends them."""
    signer = AsyncEventSigner(
        initial_signature=START.signature.encode(), event_encoder_cls=EventHeaderEncoder
    )
    identity = AWSCredentialsIdentity(
        access_key_id=KEYS.access_key_id, secret_access_key=KEYS.secret_access_key
    )
    how: Any = {"identity": identity, "properties": {"region": "us-east-1", "service": "sagemaker"}}
    signed = [
        await signer.sign(event=EventMessage(headers={"n": i}, payload=payload), **how)
        for i, payload in enumerate(payloads)
    ]
    return [*signed, await signer.sign_empty(event=EventMessage(), **how)]


async def test_a_chain_of_messages_passes_in_order() -> None:
    chain = Chain(START)
    messages = [chain.unwrap(message) for message in await signed_messages(b"one", b"", b"three")]
    assert [m.payload if m is not None else None for m in messages] == [b"one", b"", b"three", None]
    assert messages[0] is not None
    assert messages[0].headers == {"n": 0}


@settings(max_examples=30)
@given(data=st.data())
async def test_a_chain_that_was_tampered_with_breaks(data: st.DataObject) -> None:
    messages = await signed_messages(b"one", b"two", b"three")
    at = data.draw(st.integers(0, 2))
    match data.draw(st.sampled_from(["drop", "swap", "payload", "signature", "date", "bare"])):
        case "drop":
            del messages[at]
        case "swap":
            messages[at], messages[at + 1] = messages[at + 1], messages[at]
        case "payload":
            payload = bytearray(messages[at].payload)
            payload[data.draw(st.integers(0, len(payload) - 1))] ^= 1
            messages[at] = EventMessage(headers=messages[at].headers, payload=bytes(payload))
        case "signature":
            messages[at].headers = {**messages[at].headers, ":chunk-signature": bytes(32)}
        case "date":
            later = datetime.now(UTC) + timedelta(minutes=1)
            messages[at].headers = {**messages[at].headers, ":date": later}
        case "bare":
            messages[at] = EventMessage(headers={}, payload=b"one")
    chain = Chain(START)
    with pytest.raises(StreamError) as caught:  # noqa: PT012
        for message in messages:
            chain.unwrap(message)
    assert caught.value.name == "InvalidSignatureException"
