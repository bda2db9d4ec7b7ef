"""``init ENV``: the stack files of a new environment, so that nobody copies YAML."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import cast

from firstword.infra.errors import InfraError, SettingError
from firstword.infra.keys import Kind, Room
from firstword.infra.names import environment_complaint, split_stack_name, stack_names
from firstword.infra.reading import read_settings
from firstword.infra.stack_files import repository_root, stack_file, write_stack

DEFAULT_REGION = "us-west-2"


def add(parser: argparse.ArgumentParser) -> None:
    """Describe the command."""
    parser.add_argument("environment", metavar="ENV", help="its name, such as dev or alice")
    parser.add_argument(
        "--kind",
        choices=("dev", "prod", "local"),
        help="dev: small and cheap; prod: two machines or more, no way to the internet; "
        "local: one Docker host (default: by the name, else dev)",
    )
    parser.add_argument("--region", help=f"AWS region (AWS_REGION, else {DEFAULT_REGION})")
    parser.add_argument("--account", help="the only AWS account it may be deployed to")


def run(options: argparse.Namespace) -> int:
    """Write the files; change nothing where one exists."""
    environment: str = options.environment
    if complaint := environment_complaint(environment):
        raise SettingError(complaint)
    kind = cast(Kind, options.kind or kind_of(environment))
    root = repository_root(Path.cwd())
    region = options.region or os.environ.get("AWS_REGION") or DEFAULT_REGION
    texts = files(environment, kind, region, options.account)
    if taken := [stack for stack in texts if stack_file(root, stack).exists()]:
        names = ", ".join(stack_file(root, stack).name for stack in taken)
        raise InfraError(f"{names} exists already; nothing was written. Edit it, or delete it")
    for stack, text in texts.items():
        stack_file(root, stack).write_text(text, encoding="utf-8")
        sys.stdout.write(f"{stack_file(root, stack)}\n")
    sys.stderr.write(f"next: look through them, then `firstword deploy {environment}`\n")
    return 0


def kind_of(environment: str) -> Kind:
    """What an environment probably is, by its name."""
    if environment.startswith("local"):
        return "local"
    return "prod" if environment.startswith("prod") else "dev"


def files(environment: str, kind: Kind, region: str, account: str | None) -> Mapping[str, str]:
    """Stack to its file's text; each is one that can be read back.

    Raises:
        SettingError: region or account cannot be used.
    """
    texts = {}
    for stack in stack_names(environment, kind):
        room: Room = "local" if kind == "local" else split_stack_name(stack)[1] or "local"
        values: dict[str, object] = {"kind": kind}
        if room != "local":
            values |= {"region": region} | ({"account": account} if account else {})
        read_settings(stack, values)
        texts[stack] = write_stack(room, kind, values)
    return texts
