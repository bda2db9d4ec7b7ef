"""pulumi-aws, answered: all resource types of the product's program and the functions it calls."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib.metadata import version

from engine import aws_access, aws_network, aws_serving, aws_storage, aws_watching
from engine.aws_world import Account, reason
from engine.provider import Answer, Properties, RefusedError, StandIn


def answers(account: Account) -> dict[str, Answer]:
    """Token to Answer, for one account and region."""
    return {
        token: answer
        for room in (aws_access, aws_network, aws_serving, aws_storage, aws_watching)
        for token, answer in room.answers(account).items()
    }


def functions(account: Account) -> dict[str, Callable[[Properties], Properties]]:
    """What a program can ask about the account."""
    number, region = account.number, account.region
    return {
        "aws:index/getCallerIdentity:getCallerIdentity": lambda args: {
            "accountId": number,
            "arn": f"arn:aws:sts::{number}:assumed-role/operator/test",
            "id": number,
            "userId": "test",
        },
        "aws:index/getRegion:getRegion": lambda args: {
            "description": region,
            "endpoint": f"ec2.{region}.amazonaws.com",
            "id": region,
            "name": region,
            "region": region,
        },
        "aws:index/getPartition:getPartition": lambda args: {
            "dnsSuffix": "amazonaws.com",
            "id": "aws",
            "partition": "aws",
            "reverseDnsPrefix": "com.amazonaws",
        },
        "aws:index/getAvailabilityZones:getAvailabilityZones": lambda args: {
            "id": region,
            "names": [f"{region}{letter}" for letter in "abc"],
            "zoneIds": [f"{region}-az{number}" for number in (1, 2, 3)],
        },
        "aws:ecr/getAuthorizationToken:getAuthorizationToken": lambda args: {
            "authorizationToken": "QVdTOngK",
            "expiresAt": "2030-01-01T00:00:00Z",
            "id": region,
            "password": "x",
            "proxyEndpoint": f"https://{number}.dkr.ecr.{region}.amazonaws.com",
            "userName": "AWS",
        },
    }


def configured(account: Account, config: Properties) -> None:
    """Refused when a program means another place than the keys are for."""
    region = config.get("region")
    if region != account.region:
        raise RefusedError(f"the provider is set to {region}, the account to {account.region}")
    allowed = json.loads(str(config.get("allowedAccountIds") or "[]"))
    if allowed and account.number not in allowed:
        raise RefusedError(f"AWS account ID not allowed: {account.number}")


def stand_in(account: Account) -> StandIn:
    """The provider ``aws`` for this account."""

    def configure(config: Properties) -> Properties:
        configured(account, config)
        defaults = json.loads(str(config.get("defaultTags") or "{}"))
        return dict(defaults.get("tags", {}))

    return StandIn(answers(account), functions(account), version("pulumi-aws"), reason, configure)
