"""A socket's address that admits its bearer for a while."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote, urlencode

from firstword.console.agentcore.runtime import SESSION_HEADER, Runtime

if TYPE_CHECKING:
    from botocore.credentials import ReadOnlyCredentials  # type: ignore[import-untyped]

LASTS_S = 300
"""The most that AgentCore takes."""


def presigned_url(
    runtime: Runtime, endpoint: str, session_id: str, credentials: ReadOnlyCredentials
) -> str:
    """The ``wss`` URL of a runtime's socket, for one session, signed in its query.

    The same as ``AgentCoreRuntimeClient.generate_presigned_url`` of bedrock-agentcore makes, which
    knows no endpoints but AWS's.
    """
    from botocore.auth import SigV4QueryAuth  # type: ignore[import-untyped]
    from botocore.awsrequest import AWSRequest  # type: ignore[import-untyped]

    path = f"/runtimes/{quote(runtime.arn, safe='')}/ws"
    request = AWSRequest("GET", f"{endpoint}{path}?{urlencode({SESSION_HEADER: session_id})}")
    SigV4QueryAuth(credentials, "bedrock-agentcore", runtime.region, LASTS_S).add_auth(request)
    return socket_address(request.url)


def socket_address(url: str) -> str:
    """The same with ``ws`` for ``http``."""
    return url.replace("http", "ws", 1)
