"""``python -m firstword.emulator sagemaker``."""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import re
import signal
import sys
from pathlib import Path
from urllib.parse import urlsplit

from firstword.emulator.sagemaker.certificate import NAMES, Certificate
from firstword.emulator.sagemaker.fault_script import FaultScript
from firstword.emulator.sagemaker.faults import FaultError
from firstword.emulator.sagemaker.runtime import serving
from firstword.emulator.sagemaker.settings import Settings
from firstword.emulator.sigv4 import Credentials

NAME = "sagemaker"
HELP = "SageMaker's real-time endpoints over TLS, in front of a container's HTTP"

FAILED = 1
_ENDPOINT = re.compile(r"[A-Za-z0-9](-*[A-Za-z0-9]){0,62}")
_KEYS = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")


def add(parser: argparse.ArgumentParser) -> None:
    """The options of this command."""
    parser.epilog = (
        "Callers sign with the key in this process's AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and "
        "AWS_SESSION_TOKEN, and trust the certificate authority that --ca writes."
    )
    parser.add_argument("--container", required=True, metavar="URL", help="the model's container")
    parser.add_argument("--endpoint", required=True, metavar="NAME", help="the endpoint's name")
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen on")
    parser.add_argument("--port", type=int, default=0, help="0 picks a free one")
    parser.add_argument("--ca", type=Path, metavar="FILE", help="write the authority's PEM here")
    parser.add_argument(
        "--name", action="append", default=[], help="one more name for the certificate"
    )
    parser.add_argument(
        "--fault", action="append", default=[], metavar="LINE", help="such as 'reset part=3 call=2'"
    )


def check(options: argparse.Namespace) -> str | None:
    """What is wrong with the options, if anything is."""
    place = urlsplit(options.container)
    if place.scheme != "http" or not place.hostname:
        return f"--container is {options.container!r}; it must be http://HOST:PORT"
    if _ENDPOINT.fullmatch(options.endpoint) is None:
        return f"--endpoint is {options.endpoint!r}; it must be letters, digits and hyphens"
    if missing := [key for key in _KEYS if not os.environ.get(key)]:
        return f"{' and '.join(missing)} must be set: what callers sign with is checked"
    try:
        FaultScript(options.fault)
    except FaultError as error:
        return str(error)
    return None


def run(options: argparse.Namespace) -> int:
    """Serve until a signal ends it."""
    name = os.environ.get("FIRSTWORD_LOG_LEVEL", "").upper()
    logging.basicConfig(
        level=logging.getLevelNamesMapping().get(name, logging.INFO),
        format="%(asctime)s %(levelname)s %(name)s %(message)s",
        stream=sys.stderr,
    )
    logging.getLogger("httpx").setLevel(logging.WARNING)
    try:
        asyncio.run(_serve(options))
    except OSError as error:
        sys.stderr.write(f"{error}\n")
        return FAILED
    return 0


async def _serve(options: argparse.Namespace) -> None:
    certificate = Certificate([*NAMES, *options.name])
    if options.ca is not None:
        certificate.write_authority(options.ca)
    access, secret = (os.environ[key] for key in _KEYS)
    settings = Settings(
        endpoints={options.endpoint: options.container},
        credentials=Credentials(access, secret, os.environ.get("AWS_SESSION_TOKEN") or None),
    )
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    faults = FaultScript(options.fault)
    async with serving(
        settings, certificate, faults=faults, host=options.host, port=options.port
    ) as (url, _):
        sys.stdout.write(f"ready: {url}\n")
        sys.stdout.flush()
        await stop.wait()
