"""``python -m firstword.agent serve | doctor [--json]``."""

from __future__ import annotations

import argparse
import logging
import os
import sys
from collections.abc import Sequence

from firstword.agent.errors import SettingsError
from firstword.agent.settings import Settings
from firstword.telemetry import configure
from firstword.telemetry.settings import LogFormat

DONE, FAILED, WRONG_USAGE, INTERRUPTED = 0, 1, 2, 130

QUIET_LIBRARIES = {
    # These would log prompts and answers when told to log everything.
    "strands": logging.INFO,
    "openai": logging.INFO,
    "httpx": logging.WARNING,
    "httpcore": logging.INFO,
    "websockets": logging.INFO,
    # At debug it logs the frames of its sockets.
    "uvicorn.error": logging.INFO,
    "botocore": logging.INFO,
    # These log what is sent and what comes, part by part.
    "smithy_aws_event_stream": logging.INFO,
    "smithy_core": logging.INFO,
    "aws_sdk_sagemaker_runtime_http2": logging.INFO,
    # It logs the input of a tool that cannot be read.
    "strands.event_loop.streaming": logging.ERROR,
    # A stream that is left early is closed in another context, which is no error here.
    "opentelemetry.context": logging.CRITICAL,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and give its exit status."""
    parser = argparse.ArgumentParser(prog="python -m firstword.agent")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("serve", help="serve the agent")
    doctor = commands.add_parser("doctor", help="say what is missing and how to mend it")
    doctor.add_argument("--json", action="store_true", help="print one JSON object")
    chosen = parser.parse_args(arguments)
    try:
        settings = Settings.from_env(os.environ)
    except SettingsError as error:
        print(f"error: {error.message}", file=sys.stderr)  # noqa: T201
        return WRONG_USAGE
    try:
        if chosen.command == "doctor":
            configure_logging("error")
            return _doctor(settings, as_json=chosen.json)
        configure_logging(settings.server.log_level, settings.telemetry.log_format)
        return _serve(settings)
    except KeyboardInterrupt:
        return INTERRUPTED


def configure_logging(level: str, log_format: LogFormat = "text") -> None:
    """Log to standard error; prompts and answers never, whatever the level."""
    configure(level, log_format)
    root = logging.getLogger().level
    for name, least in QUIET_LIBRARIES.items():
        logging.getLogger(name).setLevel(max(root, least))


def _serve(settings: Settings) -> int:
    from firstword.agent.server import run

    return run(settings)


def _doctor(settings: Settings, *, as_json: bool) -> int:
    from firstword.agent.doctor import examine, report

    findings = examine(settings)
    print(report(findings, as_json=as_json))  # noqa: T201
    return DONE if all(finding.ok for finding in findings) else FAILED


if __name__ == "__main__":
    sys.exit(main())
