"""``purge ENV``: everything goes, weights, images and logs too. There is no way back."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable

from firstword.infra.errors import InfraError
from firstword.infra.names import Names
from firstword.infra.operations.emptying import Account
from firstword.infra.operations.stacks import Stacks, opened
from firstword.infra.settings import FoundationSettings
from firstword.infra.stack_files import read_stack


def add(parser: argparse.ArgumentParser) -> None:
    """Describe the command."""
    parser.add_argument("environment", metavar="ENV")
    parser.add_argument("--yes", action="store_true", help="do not ask for the environment's name")


def run(options: argparse.Namespace) -> int:
    """Ask, empty, take down, tidy up."""
    with opened(options.environment) as stacks:
        stacks.refuse_while_needed(stacks.names[0])
        if not options.yes:
            confirm(options.environment, sys.stdin.isatty(), input)
        if not stacks.is_local:
            _purge(stacks)
        stacks.destroy(stacks.names[0])
        if not stacks.is_local:
            _tidy(stacks)
        for name in reversed(stacks.names):
            stacks.forget(name)
        stacks.view.line(f"{options.environment} is gone; its settings files stay", "green")
    return 0


def confirm(environment: str, someone_there: bool, ask: Callable[[str], str]) -> None:
    """InfraError unless somebody types the environment's name."""
    if not someone_there:
        raise InfraError(
            f"purge deletes weights, images and logs of {environment} for good: "
            "say so with --yes where nobody can be asked"
        )
    sys.stderr.write(f"This deletes weights, images and logs of {environment} for good.\n")
    if ask("Type the environment's name to go on: ").strip() != environment:
        raise InfraError(f"that is not {environment}: nothing was deleted")


def _purge(stacks: Stacks) -> None:
    account, names = _place(stacks)
    say = stacks.view.line
    say(f"{names.bucket}: {account.empty_bucket(names.bucket)} versions deleted")
    for image in ("tts", "agent"):
        repository = names.repository(image)
        say(f"{repository}: {account.empty_repository(repository)} images deleted")


def _tidy(stacks: Stacks) -> None:
    """Log groups that AWS makes itself, after what writes to them is gone."""
    account, names = _place(stacks)
    for prefix in (names.endpoint_logs, names.runtime_output_prefix, names.runtime_logs):
        for group in account.delete_log_groups(prefix):
            stacks.view.line(f"{group}: deleted")


def _place(stacks: Stacks) -> tuple[Account, Names]:
    settings = read_stack(stacks.root, stacks.part("foundation"))
    assert isinstance(settings, FoundationSettings)
    place = settings.place
    account = Account(place.region)
    if place.account not in (None, account.number):
        raise InfraError(
            f"{place.environment} belongs to account {place.account}; these keys are of "
            f"{account.number}: nothing was deleted"
        )
    return account, Names(place.environment, account.number, place.region)
