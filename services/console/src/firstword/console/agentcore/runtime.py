"""Which deployed agent is meant, and where its data plane is."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import boto3  # type: ignore[import-untyped]

SESSION_HEADER = "X-Amzn-Bedrock-AgentCore-Runtime-Session-Id"
SESSION_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{32,255}")
"""AgentCore takes 33 to 256 characters."""

CONNECT_S = 10.0
SILENCE_S = 120.0
"""How long a runtime may say nothing; the agent sends a sign of life every 15 s."""

_ARN = re.compile(
    r"arn:aws[a-z-]*:bedrock-agentcore:(?P<region>[a-z]{2}(?:-[a-z]+)+-\d):\d{12}:"
    r"runtime/(?P<id>[A-Za-z][A-Za-z0-9_]{0,99}-[A-Za-z0-9]{10})"
)
_FORM = "arn:aws:bedrock-agentcore:REGION:ACCOUNT:runtime/NAME-0123456789"


class RuntimeFailure(Exception):  # noqa: N818 - it may pass
    """A runtime cannot be used. ``passing``: the same may work in a moment."""

    def __init__(self, code: str, message: str, *, passing: bool = False) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.passing = passing


@dataclass(frozen=True, slots=True)
class Runtime:
    """A runtime's name; ``endpoint`` of None is AWS's own for the region."""

    arn: str
    region: str
    runtime_id: str
    endpoint: str | None = None

    @classmethod
    def parse(cls, arn: str, region: str | None = None, endpoint: str | None = None) -> Runtime:
        """Raises ValueError that says what an ARN looks like, or that the regions differ."""
        found = _ARN.fullmatch(arn)
        if found is None:
            raise ValueError(f"--runtime-arn must look like {_FORM}, got {arn!r:.200}")
        if region not in (None, found["region"]):
            raise ValueError(f"--region is {region}, but the runtime is in {found['region']}")
        return cls(arn, found["region"], found["id"], endpoint)

    @property
    def log_group(self) -> str:
        """Where CloudWatch keeps what its container logs."""
        return f"/aws/bedrock-agentcore/runtimes/{self.runtime_id}-DEFAULT"

    def session(self) -> boto3.Session:
        """What finds credentials, in AWS's own order."""
        # Slow to import, and of use only where there is a runtime.
        import boto3

        return boto3.Session(region_name=self.region)

    def client(self, session: boto3.Session) -> Any:
        """AWS's client of its data plane. One try: a question must not be asked twice."""
        from botocore.config import Config  # type: ignore[import-untyped]

        config = Config(
            connect_timeout=CONNECT_S,
            read_timeout=SILENCE_S,
            retries={"total_max_attempts": 1},
        )
        return session.client(
            "bedrock-agentcore",
            region_name=self.region,
            endpoint_url=self.endpoint,
            config=config,
        )
