"""The tags that every resource has: whose it is, which environment, which stack."""

from __future__ import annotations

import pulumi_aws as aws

from firstword.infra.names import PROJECT
from firstword.infra.settings import Place

COST_TAGS = ("Project", "Environment", "Stack")
"""To be switched on as cost allocation tags, once, by the account that pays."""


def tags_of(place: Place, stack: str) -> dict[str, str]:
    """All tags of a stack's resources; the operator's own cannot replace ours."""
    ours = {
        "Project": PROJECT,
        "Environment": place.environment,
        "Stack": stack,
        "ManagedBy": "pulumi",
    }
    return dict(place.tags) | ours


def provider_of(place: Place, stack: str) -> aws.Provider:
    """The AWS provider of a stack: its region, its tags, and no other account than the stated."""
    return aws.Provider(
        "aws",
        aws.ProviderArgs(
            region=place.region,
            allowed_account_ids=[place.account] if place.account else None,
            default_tags=aws.ProviderDefaultTagsArgs(tags=tags_of(place, stack)),
        ),
    )
