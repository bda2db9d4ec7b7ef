"""AWS credentials for the streaming client, from botocore's chain.

The client's own chain knows the environment and static profiles. botocore's knows what the rest of
AWS's tools know too: roles, single sign-on, containers (AgentCore), instances; and it renews what
runs out.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

import botocore.session  # type: ignore[import-untyped]
from botocore.credentials import RefreshableCredentials  # type: ignore[import-untyped]
from botocore.exceptions import BotoCoreError, ClientError  # type: ignore[import-untyped]
from smithy_aws_core.identity import AWSCredentialsIdentity
from smithy_core.exceptions import SmithyIdentityError


class SessionCredentials:
    """See ``smithy_core.aio.interfaces.identity.IdentityResolver``.

    Whatever may read a file or a network runs in a thread, and for ``limit_s`` seconds at most.
    """

    def __init__(
        self, limit_s: float, session: Callable[[], Any] = botocore.session.Session
    ) -> None:
        self._limit_s = limit_s
        self._session = session
        self._found: Any = None
        self._finding = asyncio.Lock()

    async def get_identity(self, *, properties: Mapping[str, Any]) -> AWSCredentialsIdentity:
        """Credentials that are valid now.

        Raises:
            SmithyIdentityError: there are none.
        """
        if self._found is None or _may_block(self._found):
            frozen = await self._look()
        else:
            frozen = self._found.get_frozen_credentials()
        return AWSCredentialsIdentity(
            access_key_id=frozen.access_key,
            secret_access_key=frozen.secret_key,
            session_token=frozen.token,
        )

    async def invalidate(self) -> None:
        """Look again from the start: what was found is not valid any more."""
        self._found = None

    async def _look(self) -> Any:
        async with self._finding:
            try:
                async with asyncio.timeout(self._limit_s):
                    self._found, frozen = await asyncio.to_thread(self._find, self._found)
            except TimeoutError:
                raise SmithyIdentityError("no credentials came in time") from None
            except (BotoCoreError, ClientError) as error:
                raise SmithyIdentityError(type(error).__name__) from error
        if frozen is None:
            raise SmithyIdentityError("no credentials were found")
        return frozen

    def _find(self, found: Any) -> tuple[Any, Any]:
        if found is None:
            found = self._session().get_credentials()
        return found, None if found is None else found.get_frozen_credentials()


def _may_block(credentials: Any) -> bool:
    """Whether asking for them may go over the network."""
    return isinstance(credentials, RefreshableCredentials) and credentials.refresh_needed()
