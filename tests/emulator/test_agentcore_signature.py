"""Signatures of AWS's own signers, and of those who only pretend."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from urllib.parse import quote, urlsplit

import pytest
from agentcore_stage import ARN, KEY, REGION, SECRET, signed_headers, socket_url
from botocore.auth import SigV4QueryAuth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials as Signer
from firstword.emulator.agentcore.signature import Request, check
from firstword.emulator.sagemaker.errors import ServiceError
from firstword.emulator.sigv4 import Credentials

HOST = "http://127.0.0.1:8443"
PATH = f"/runtimes/{quote(ARN, safe='')}/invocations"
OURS = Credentials(KEY, SECRET)


def posted(body: bytes = b'{"prompt": "Hi"}') -> Request:
    url = f"{HOST}{PATH}?qualifier=DEFAULT&accountId=123456789012"
    headers = signed_headers("POST", url, body, **{"X-Custom": "  two   spaces "})
    lower = {name.lower(): value for name, value in headers.items()}
    return Request("POST", PATH, urlsplit(url).query, {**lower, "host": "127.0.0.1:8443"}, body)


def presigned(url: str | None = None) -> Request:
    parts = urlsplit(url or socket_url(HOST))
    return Request("GET", parts.path, parts.query, {"host": parts.netloc})


def verdict(request: Request, credentials: Credentials = OURS, later_s: float = 0) -> str:
    """The name of the error, or "right"."""
    now = datetime.now(UTC) + timedelta(seconds=later_s)
    try:
        check(request, credentials, REGION, now=now, longest_s=300)
    except ServiceError as error:
        return error.name
    return "right"


def test_what_awss_signers_sign_is_right() -> None:
    assert verdict(posted()) == "right"
    assert verdict(presigned()) == "right"


def test_a_session_token_is_part_of_both() -> None:
    token = "FwoGZXIvYXdzE//token+with/specials=="
    request = AWSRequest(
        "GET", socket_url(HOST).split("&X-Amz-Algorithm")[0].replace("ws", "http", 1)
    )
    SigV4QueryAuth(Signer(KEY, SECRET, token), "bedrock-agentcore", REGION, 60).add_auth(request)
    with_token = presigned(request.url)
    assert verdict(with_token, replace(OURS, session_token=token)) == "right"
    assert verdict(with_token) == "UnrecognizedClientException"
    assert verdict(presigned(), replace(OURS, session_token=token)) == "UnrecognizedClientException"


@pytest.mark.parametrize("make", [posted, presigned])
def test_every_part_of_a_request_is_covered(make: object) -> None:
    right = make()  # type: ignore[operator]
    changed = [
        replace(right, method="PUT"),
        replace(right, path=right.path.replace("firstword", "fristword")),
        replace(right, query=right.query + "&more=1"),
        replace(right, query=right.query.replace("thirty", "twenty").replace("DEFAULT", "OTHER")),
        replace(right, headers={**right.headers, "host": "evil.example"}),
        replace(right, body=right.body + b" "),
    ]
    assert [verdict(request) for request in changed] == ["InvalidSignatureException"] * 6


def test_another_secret_is_refused_and_another_key_unknown() -> None:
    assert verdict(posted(), Credentials(KEY, "other")) == "InvalidSignatureException"
    assert verdict(presigned(), Credentials("OTHER", SECRET)) == "UnrecognizedClientException"


def test_a_presigned_address_lasts_as_long_as_it_says_and_no_longer() -> None:
    assert verdict(presigned(socket_url(HOST, lasts_s=60)), later_s=58) == "right"
    late = verdict(presigned(socket_url(HOST, lasts_s=60)), later_s=62)
    assert late == "InvalidSignatureException"
    assert verdict(presigned(socket_url(HOST, lasts_s=301))) == "InvalidSignatureException"


def test_a_signed_request_is_good_for_five_minutes() -> None:
    assert verdict(posted(), later_s=290) == "right"
    assert verdict(posted(), later_s=310) == "InvalidSignatureException"
    assert verdict(posted(), later_s=-310) == "InvalidSignatureException"


def test_a_signature_of_another_region_or_of_none_is_refused() -> None:
    with pytest.raises(ServiceError, match="should be scoped to"):
        check(posted(), OURS, "eu-west-1", now=datetime.now(UTC), longest_s=300)
    bare = Request("GET", PATH, "", {"host": "127.0.0.1"})
    assert verdict(bare) == "MissingAuthenticationTokenException"
    halved = replace(bare, headers={"host": "x", "authorization": "AWS4-HMAC-SHA256 Credential=x"})
    assert verdict(halved) == "IncompleteSignatureException"
