"""What a stack asks around it: its configuration, the account, the region's zones, other stacks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import pulumi
import pulumi_aws as aws
from pulumi.runtime.config import CONFIG

from firstword.infra.names import PROJECT, Names, Part, split_stack_name, stack_name
from firstword.infra.settings import FoundationSettings, Place

ZONES = 2
"""How many zones a network has when the settings name none."""


def config_values() -> dict[str, Any]:
    """All settings of the project in the selected stack, unknown ones too, by bare name."""
    found = pulumi.runtime.get_config_env() | CONFIG.get()
    prefix = f"{PROJECT}:"
    return {k.removeprefix(prefix): v for k, v in found.items() if k.startswith(prefix)}


def names_of(place: Place, provider: aws.Provider) -> Names:
    """The names in the stated account, else in that of the credentials in use."""
    account = place.account
    if account is None:
        options = pulumi.InvokeOptions(provider=provider)
        account = aws.get_caller_identity(opts=options).account_id
    return Names(place.environment, account, place.region)


def zones_of(settings: FoundationSettings, provider: aws.Provider) -> Sequence[str]:
    """The zones of the network; none where there is no network."""
    if not settings.vpc_only or settings.zones:
        return settings.zones
    found = aws.get_availability_zones(
        state="available",
        filters=[
            aws.GetAvailabilityZonesFilterArgs(name="opt-in-status", values=["opt-in-not-required"])
        ],
        opts=pulumi.InvokeOptions(provider=provider),
    )
    return found.names[:ZONES]


def reference(place: Place, part: Part) -> pulumi.StackReference:
    """Another stack of the same environment."""
    name = stack_name(place.environment, part)
    return pulumi.StackReference(f"{pulumi.get_organization()}/{pulumi.get_project()}/{name}")


def text_of(stack: pulumi.StackReference, name: str) -> pulumi.Output[str]:
    """A text that another stack exports; the run fails, naming both, where it does not."""
    return cast("pulumi.Output[str]", _output(stack, name))


def texts_of(stack: pulumi.StackReference, name: str) -> pulumi.Output[Sequence[str]]:
    """A list of texts that another stack exports; the run fails, naming both, where it does not."""
    return cast("pulumi.Output[Sequence[str]]", _output(stack, name))


def _output(stack: pulumi.StackReference, name: str) -> pulumi.Output[Any]:
    both = pulumi.Output.all(stack.name, stack.get_output(name))
    return both.apply(lambda found: required(found[0], name, found[1]))


def required(stack: str, name: str, value: object) -> object:
    """``value``, which ``stack`` exports as ``name``.

    Raises:
        pulumi.RunError: it does not.
    """
    if value is None:
        bare = stack.split("/")[-1]
        raise pulumi.RunError(
            f"the stack {bare} exports no {name}: bring it up first, "
            f"`pulumi up --stack {bare}` or `firstword deploy {split_stack_name(bare)[0]}`"
        )
    return value
