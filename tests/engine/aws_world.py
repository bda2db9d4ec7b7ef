"""An AWS account that lives in moto, and clients of it that are as strict as AWS."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError
from engine import moto_gaps
from engine.provider import RefusedError
from engine.shapes import Parameters, check, parameters
from moto.server import ThreadedMotoServer

_ACCOUNTS = itertools.count(200_000_000_000)
_GONE = ("NotFound", "NoSuch", "ResourceNotFound", "DoesNotExist")


@contextmanager
def moto_server() -> Iterator[str]:
    """moto on loopback with its gaps filled; gives its URL."""
    with moto_gaps.filled():
        server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
        server.start()
        host, port = server.get_host_and_port()
        try:
            yield f"http://{host}:{port}"
        finally:
            server.stop()


@dataclass
class Account:
    """One account and region: what its processes need to reach it, and strict clients of it."""

    url: str
    number: str
    region: str
    credentials: Mapping[str, str]
    _clients: dict[tuple[str, str], Any] = field(default_factory=dict)
    _making: threading.Lock = field(default_factory=threading.Lock)

    @classmethod
    def fresh(cls, url: str, region: str = "us-west-2", number: str | None = None) -> Account:
        """An account that nobody else uses (moto tells them apart by the access key)."""
        number = number or str(next(_ACCOUNTS))
        sts = boto3.client(
            "sts",
            endpoint_url=url,
            region_name=region,
            aws_access_key_id="x",
            aws_secret_access_key="x",
        )
        role = f"arn:aws:iam::{number}:role/operator"
        keys = sts.assume_role(RoleArn=role, RoleSessionName="test")["Credentials"]
        return cls(
            url,
            number,
            region,
            {
                "AWS_ACCESS_KEY_ID": keys["AccessKeyId"],
                "AWS_SECRET_ACCESS_KEY": keys["SecretAccessKey"],
                "AWS_SESSION_TOKEN": keys["SessionToken"],
            },
        )

    @property
    def env(self) -> dict[str, str]:
        """What a process needs to work in this account."""
        return {
            **self.credentials,
            "AWS_REGION": self.region,
            "AWS_DEFAULT_REGION": self.region,
            "AWS_ENDPOINT_URL": self.url,
            "AWS_EC2_METADATA_DISABLED": "true",
        }

    def client(self, service: str, region: str | None = None) -> Any:
        """A boto3 client that holds its parameters against the service's model first."""
        place = (service, region or self.region)
        with self._making:
            if place not in self._clients:
                self._clients[place] = self._client(*place)
            return self._clients[place]

    def call(
        self,
        service: str,
        operation: str,
        properties: Mapping[str, Any],
        names: Mapping[str, str] | None = None,
        **more: Any,
    ) -> Parameters:
        """Call ``operation`` with Pulumi's properties, spelt as AWS spells them, and ``more``."""
        client = self.client(service)
        model = client.meta.service_model.operation_model(
            client.meta.method_to_api_mapping[operation]
        )
        given = parameters(model.input_shape, properties, names)
        found: Parameters = getattr(client, operation)(**given, **more)
        return found

    def _client(self, service: str, region: str) -> Any:
        session = boto3.Session(
            aws_access_key_id=self.credentials["AWS_ACCESS_KEY_ID"],
            aws_secret_access_key=self.credentials["AWS_SECRET_ACCESS_KEY"],
            aws_session_token=self.credentials["AWS_SESSION_TOKEN"],
            region_name=region,
        )
        client = session.client(
            service, endpoint_url=self.url, config=Config(retries={"total_max_attempts": 1})
        )
        client.meta.events.register("before-parameter-build", _strict)
        return client


def gone(error: Exception) -> bool:
    """Whether a client's error says that there is no such thing."""
    if not isinstance(error, ClientError):
        return False
    fault = error.response["Error"]
    return any(word in fault["Code"] for word in _GONE) or "Could not find" in fault["Message"]


def reason(error: Exception) -> str:
    """What the engine is told about an error: AWS's own words where there are some."""
    if isinstance(error, ClientError):
        fault = error.response["Error"]
        return f"{fault['Code']}: {fault['Message']}"
    return str(error) if isinstance(error, RefusedError) else f"{type(error).__name__}: {error}"


def _strict(params: Parameters, model: Any, **_: Any) -> None:
    if model.input_shape is not None:
        check(model.input_shape, params)
