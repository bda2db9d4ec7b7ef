"""The container over HTTP, as SageMaker calls it: /ping and /invocations."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

import httpx

from firstword.emulator.sagemaker.errors import ServiceError, model_error, model_not_ready
from firstword.emulator.sagemaker.settings import Limits

SHOWN_BYTES = 1024
"""How much of a container's error is passed on."""

_PASSED_ON = ("content-type", "accept", "x-amzn-sagemaker-custom-attributes")


class Container:
    """One container of one endpoint. Holds connections; close it."""

    def __init__(self, url: str, limits: Limits) -> None:
        self._url = urlsplit(url)
        self._limits = limits
        self._http = httpx.AsyncClient(
            base_url=url,
            timeout=httpx.Timeout(limits.first_byte_s, connect=limits.ping_gate_s),
            trust_env=False,
        )

    async def check_ready(self) -> None:
        """
        Raises:
            ServiceError: /ping does not answer 200 in time.
        """
        try:
            answer = await self._http.get("/ping", timeout=self._limits.ping_gate_s)
        except httpx.HTTPError as error:
            raise model_not_ready() from error
        if answer.status_code != httpx.codes.OK:
            raise model_not_ready()

    def socket_url(self, path: str, query: str) -> str:
        """The address of the container's WebSocket. ``path`` has no leading slash."""
        place = self._url._replace(scheme="ws", path=f"/{path}", query=query)
        return place.geturl()

    @asynccontextmanager
    async def invoke(
        self, body: bytes, headers: Mapping[str, str]
    ) -> AsyncGenerator[httpx.Response]:
        """The container's answer to /invocations, its body still to be read.

        Raises:
            ServiceError: it is no success.
        """
        passed = {name: headers[name] for name in _PASSED_ON if name in headers}
        try:
            async with self._http.stream(
                "POST", "/invocations", content=body, headers=passed
            ) as answer:
                if not answer.is_success:
                    original = (await answer.aread())[:SHOWN_BYTES].decode(errors="replace")
                    raise model_error(answer.status_code, original)
                yield answer
        except httpx.TimeoutException as error:
            why = "The model did not answer in time."
            raise model_error(0, "", why) from error
        except httpx.TransportError as error:
            why = "The connection to the model was lost."
            raise model_error(0, "", why) from error

    async def close(self) -> None:
        await self._http.aclose()


def refused_socket() -> ServiceError:
    """What a caller is told when the container answers a WebSocket's handshake with 403."""
    reason = "the WebSocket was answered with 403"
    why = f"The model did not accept the WebSocket connection: {reason}."
    return model_error(403, reason, why)
