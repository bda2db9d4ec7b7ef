"""Names of stacks and of what they hold: pure functions of environment, account and region."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, get_args

type Part = Literal["foundation", "endpoint", "agent"]
"""A stack of an AWS environment."""

PROJECT = "firstword"
PARTS: tuple[Part, ...] = get_args(Part.__value__)
"""In the order in which they depend on each other."""

ENVIRONMENT_PATTERN = re.compile(r"[a-z](?:[a-z0-9]|-(?=[a-z0-9])){0,15}")
"""So that the longest name made of it, the bucket's, stays below 63 characters."""

RUNTIME_NAME_CHARS = 48


def environment_complaint(environment: str) -> str | None:
    """What is wrong with an environment's name; None when it can be used."""
    if ENVIRONMENT_PATTERN.fullmatch(environment) is None:
        return (
            f"{environment!r} cannot name an environment: use a small letter, then small letters, "
            "digits and single dashes, 16 characters at most"
        )
    if environment.endswith(tuple(f"-{part}" for part in PARTS)) or environment in PARTS:
        return (
            f"{environment!r} looks like a stack's name: leave out {environment.split('-')[-1]!r}"
        )
    return None


def stack_name(environment: str, part: Part) -> str:
    """``dev``, ``endpoint`` to ``dev-endpoint``."""
    return f"{environment}-{part}"


def stack_names(environment: str, kind: str) -> tuple[str, ...]:
    """All stacks of an environment, the first one first: three on AWS, one on a Docker host."""
    if kind == "local":
        return (environment,)
    return tuple(stack_name(environment, part) for part in PARTS)


def split_stack_name(stack: str) -> tuple[str, Part | None]:
    """``dev-endpoint`` to ``("dev", "endpoint")``; a name without a part to ``(name, None)``."""
    environment, _, last = stack.rpartition("-")
    for part in PARTS:
        if environment and last == part:
            return environment, part
    return stack, None


def metric_namespace(environment: str) -> str:
    """Where the services' own metrics are kept, apart for each environment."""
    return f"Firstword/{environment}"


@dataclass(frozen=True, slots=True)
class Names:
    """What an environment's resources are called. One object for each stack run.

    All are stable but those of Model and EndpointConfiguration, which Pulumi makes unique.
    """

    environment: str
    account: str
    region: str

    @property
    def prefix(self) -> str:
        """What every name begins with."""
        return f"{PROJECT}-{self.environment}"

    @property
    def partition(self) -> str:
        """``aws``, ``aws-cn`` or ``aws-us-gov``."""
        return {"cn": "aws-cn", "us-gov": "aws-us-gov"}.get(self.region.rsplit("-", 2)[0], "aws")

    @property
    def bucket(self) -> str:
        """The model cache. Bucket names are shared by all accounts of the world."""
        return f"{self.prefix}-{self.account}-{self.region}"

    def repository(self, image: Literal["tts", "agent"]) -> str:
        """ECR repository of an image."""
        return f"{PROJECT}/{self.environment}/{image}"

    @property
    def endpoint(self) -> str:
        """The SageMaker endpoint."""
        return f"{self.prefix}-tts"

    @property
    def endpoint_arn(self) -> str:
        """Its ARN, known before it exists."""
        return self.arn("sagemaker", f"endpoint/{self.endpoint}")

    @property
    def scalable_resource(self) -> str:
        """What Application Auto Scaling calls the endpoint's only variant."""
        return f"endpoint/{self.endpoint}/variant/{VARIANT}"

    @property
    def runtime(self) -> str:
        """The AgentCore runtime: a letter, then letters, digits and underscores."""
        name = re.sub(r"[^A-Za-z0-9_]", "_", f"{self.prefix}-agent")
        return name[:RUNTIME_NAME_CHARS]

    @property
    def endpoint_logs(self) -> str:
        """Log group that SageMaker writes the container's output to."""
        return f"/aws/sagemaker/Endpoints/{self.endpoint}"

    @property
    def runtime_logs(self) -> str:
        """Log group for what AgentCore delivers about the runtime."""
        return f"/aws/vendedlogs/bedrock-agentcore/{self.prefix}"

    @property
    def runtime_output_prefix(self) -> str:
        """What the log groups begin with that AgentCore makes itself for the runtime's output."""
        return f"/aws/bedrock-agentcore/runtimes/{self.runtime}-"

    def role(self, who: Literal["sagemaker", "agent", "caller"]) -> str:
        """An IAM role; these are shared by all regions of an account."""
        return f"{self.prefix}-{who}-{self.region}"

    def hold(self, part: Part) -> str:
        """The policy that keeps a stack while another needs it; shared like a role."""
        return f"{self.prefix}-{part}-in-use-{self.region}"

    def arn(self, service: str, resource: str) -> str:
        """An ARN in this account and region."""
        return f"arn:{self.partition}:{service}:{self.region}:{self.account}:{resource}"

    def s3_arn(self, path: str = "") -> str:
        """The bucket's ARN, or that of what ``path`` matches in it."""
        return f"arn:{self.partition}:s3:::{self.bucket}{f'/{path}' if path else ''}"


VARIANT = "main"
"""The endpoint's only production variant."""

RUNTIME_ENDPOINT = "live"
"""The runtime endpoint that callers name (AgentCore calls it a qualifier)."""

MODEL_PREFIX = "models/"
"""Where weights lie in the bucket; below it one folder for each set of files."""
