"""One sentence over the wires of an endpoint that answer a request, by AWS's own clients.

Addresses are AWS's; other ones come from the clients' own settings (``AWS_ENDPOINT_URL_...``), and
for the bidirectional wire from ``FIRSTWORD_SAGEMAKER_ENDPOINT_URI``.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import boto3  # type: ignore[import-untyped]
from botocore.config import Config  # type: ignore[import-untyped]
from botocore.exceptions import BotoCoreError, ClientError  # type: ignore[import-untyped]

from firstword.infra.operations.hearing import Heard

RATE = 24_000
CONNECT_S, READ_S = 10.0, 75.0
"""SageMaker gives a container 60 s to begin."""


class WireError(Exception):
    """No speech came; the text says what came instead."""


@dataclass
class Clock:
    """When a call began and when its first audio came, in ms."""

    _began: float = field(default_factory=time.monotonic)
    _first: float | None = None

    def audio(self) -> None:
        """Some audio is here."""
        if self._first is None:
            self._first = self.now()

    def now(self) -> float:
        """Since the call began."""
        return (time.monotonic() - self._began) * 1000

    def heard(self, pcm: bytes, sample_rate: int = RATE) -> Heard:
        """All of it is here."""
        return Heard(pcm, sample_rate, self._first or self.now(), self.now())


def invoke(endpoint: str, region: str, text: str) -> Heard:
    """InvokeEndpoint: the whole sentence in one answer."""
    boto, clock = client("sagemaker-runtime", region), Clock()
    body = json.dumps({"text": text, "stream": False, "format": "pcm", "sample_rate": RATE})
    answer = called(
        boto.invoke_endpoint,
        EndpointName=endpoint,
        ContentType="application/json",
        Accept="audio/pcm",
        Body=body,
    )
    pcm = answer["Body"].read()
    clock.audio()
    return clock.heard(pcm)


def invoke_stream(endpoint: str, region: str, text: str) -> Heard:
    """InvokeEndpointWithResponseStream: the sentence as it is made."""
    boto, clock = client("sagemaker-runtime", region), Clock()
    body = json.dumps({"text": text, "stream": True, "format": "pcm", "sample_rate": RATE})
    answer = called(
        boto.invoke_endpoint_with_response_stream,
        EndpointName=endpoint,
        ContentType="application/json",
        Accept="audio/pcm",
        Body=body,
    )
    pcm = bytearray()
    try:
        for event in answer["Body"]:
            if "PayloadPart" not in event:
                raise WireError(f"the stream broke: {json.dumps(event, default=str)[:300]}")
            pcm += event["PayloadPart"]["Bytes"]
            clock.audio()
    except (BotoCoreError, ClientError) as error:
        raise WireError(f"the stream broke: {error}") from error
    return clock.heard(bytes(pcm))


def client(service: str, region: str) -> Any:
    """A client with deadlines, which tries once."""
    return boto3.client(
        service,
        region_name=region,
        config=Config(
            connect_timeout=CONNECT_S, read_timeout=READ_S, retries={"total_max_attempts": 1}
        ),
    )


def called(call: Callable[..., Any], **given: Any) -> Any:
    """The call's answer; WireError for what AWS refuses."""
    try:
        return call(**given)
    except ClientError as error:
        fault = error.response["Error"]
        raise WireError(f"{fault['Code']}: {fault['Message']}") from error
    except BotoCoreError as error:
        raise WireError(str(error)) from error
