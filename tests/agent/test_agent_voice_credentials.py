"""Credentials of botocore's chain, looked up and renewed away from the event loop."""

from __future__ import annotations

import threading
import time
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from botocore.credentials import Credentials, RefreshableCredentials
from firstword.agent.voice_credentials import SessionCredentials
from smithy_core.exceptions import SmithyIdentityError


class Session:
    """A session of botocore's that has these credentials; ``threads`` asked for them."""

    def __init__(self, found: Any) -> None:
        self.found = found
        self.threads: list[int] = []

    def __call__(self) -> Session:
        return self

    def get_credentials(self) -> Any:
        self.threads.append(threading.get_ident())
        return self.found


async def test_what_is_found_is_kept_and_was_looked_for_in_a_thread() -> None:
    session = Session(Credentials("AKID", "secret", "token"))
    credentials = SessionCredentials(5.0, session)
    for _ in range(3):
        identity = await credentials.get_identity(properties={})
        assert (identity.access_key_id, identity.secret_access_key) == ("AKID", "secret")
        assert identity.session_token == "token"
    assert len(session.threads) == 1
    assert session.threads[0] != threading.get_ident()


async def test_what_runs_out_is_renewed() -> None:
    renewals: list[int] = []

    def renew() -> dict[str, str]:
        renewals.append(threading.get_ident())
        expires = datetime.now(UTC) + timedelta(hours=1)
        return {
            "access_key": f"AKID{len(renewals)}",
            "secret_key": "secret",
            "token": "token",
            "expiry_time": expires.isoformat(),
        }

    stale = RefreshableCredentials(
        "AKID0", "secret", "token", datetime.now(UTC) + timedelta(seconds=30), renew, "test"
    )
    credentials = SessionCredentials(5.0, Session(stale))
    assert (await credentials.get_identity(properties={})).access_key_id == "AKID1"
    assert (await credentials.get_identity(properties={})).access_key_id == "AKID1"
    assert len(renewals) == 1
    assert renewals[0] != threading.get_ident()


async def test_none_and_too_late_are_errors() -> None:
    with pytest.raises(SmithyIdentityError, match="no credentials were found"):
        await SessionCredentials(5.0, Session(None)).get_identity(properties={})
    gate = threading.Event()

    def slow() -> Any:
        gate.wait(20)
        return Session(None)

    began = time.monotonic()
    with pytest.raises(SmithyIdentityError, match="in time"):
        await SessionCredentials(0.1, slow).get_identity(properties={})
    assert time.monotonic() - began < 10
    gate.set()
