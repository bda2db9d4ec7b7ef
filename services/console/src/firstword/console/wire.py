"""How the agent on this machine reaches its speech server: directly, or the way it does on AWS.

On AWS, SageMaker is in between. Its runtime can run here too; the agent then signs with keys that
were made up for this run, so that the user's own are neither needed nor sent anywhere.
"""

from __future__ import annotations

import argparse
import secrets
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from firstword.console.child import Part
from firstword.console.ports import claim
from firstword.console.settings import SettingError, Settings

EMULATOR = "SageMaker runtime"
EMULATOR_PROGRAM = (sys.executable, "-m", "firstword.emulator")
ENDPOINT = "firstword-local"
REGION = "us-east-1"

_USERS_OWN = ("AWS_SESSION_TOKEN", "AWS_SECURITY_TOKEN", "AWS_PROFILE", "AWS_DEFAULT_PROFILE")


@dataclass(frozen=True, slots=True)
class SageMakerWire:
    """A local SageMaker runtime to be. ``authority``: where it writes whom callers must trust."""

    port: int
    authority: Path
    access_key_id: str
    secret_access_key: str = field(repr=False)

    def part(self, container: str, environ: Mapping[str, str], deadline_s: float) -> Part:
        """The runtime, in front of the speech server at this URL."""
        where = ("--container", container, "--endpoint", ENDPOINT)
        how = ("--port", str(self.port), "--ca", str(self.authority))
        return Part(
            EMULATOR,
            (*EMULATOR_PROGRAM, "sagemaker", *where, *how),
            self._signing(environ),
            deadline_s,
            pings=False,
            before_others=True,
        )

    def agent(self, environ: Mapping[str, str]) -> dict[str, str]:
        """The agent's environment: where the runtime is, and what to sign with."""
        return {
            **self._signing(environ),
            "AWS_REGION": environ.get("AWS_REGION") or REGION,
            "FIRSTWORD_WIRE": "sagemaker",
            "FIRSTWORD_SAGEMAKER_CA_FILE": str(self.authority),
            "FIRSTWORD_SAGEMAKER_ENDPOINT": ENDPOINT,
            "FIRSTWORD_SAGEMAKER_ENDPOINT_URI": f"https://localhost:{self.port}",
        }

    def _signing(self, environ: Mapping[str, str]) -> dict[str, str]:
        return {
            **{name: value for name, value in environ.items() if name not in _USERS_OWN},
            "AWS_ACCESS_KEY_ID": self.access_key_id,
            "AWS_SECRET_ACCESS_KEY": self.secret_access_key,
        }


def add_wire(parser: argparse.ArgumentParser) -> None:
    """Declare ``--wire``."""
    parser.add_argument(
        "--wire",
        choices=("websocket", "sagemaker"),
        default="websocket",
        help="how the agent reaches the speech server: directly, or by a local SageMaker runtime",
    )


def wire_complaint(options: argparse.Namespace) -> str | None:
    """What is wrong with ``--wire`` beside the other options, if anything."""
    elsewhere = options.runtime_arn or getattr(options, "agent", None)
    if options.wire == "websocket" or elsewhere is None:
        return None
    return "--wire is about a speech server of its own: leave it out where the agent runs elsewhere"


@contextmanager
def chosen_wire(name: str, settings: Settings) -> Iterator[SageMakerWire | None]:
    """What ``--wire`` names; None is the direct way. Its files are gone afterwards.

    Raises SettingError where another setting does not go with it.
    """
    if name == "websocket":
        yield None
        return
    if (settings.environ.get("FIRSTWORD_LLM") or "").lower() == "bedrock":
        raise SettingError(
            "FIRSTWORD_LLM is 'bedrock', which needs your own AWS keys, but --wire sagemaker gives "
            "the agent keys for this machine only: choose another model, or leave out --wire"
        )
    with TemporaryDirectory(prefix="firstword-") as folder:
        yield SageMakerWire(
            port=claim(0, "--wire"),
            authority=Path(folder) / "authority.pem",
            access_key_id=f"LOCAL{secrets.token_hex(8).upper()}",
            secret_access_key=secrets.token_urlsafe(30),
        )
