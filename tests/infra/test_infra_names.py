"""Names are valid where they are used, and no two things share one."""

from __future__ import annotations

import itertools
import re
from functools import cache

import boto3  # type: ignore[import-untyped]
import pytest
from firstword.infra.names import (
    Names,
    environment_complaint,
    split_stack_name,
    stack_name,
    stack_names,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from infra.planning import Plan

LONGEST = Names("a" * 16, "123456789012", "ap-northeast-1")
ENVIRONMENTS = st.from_regex(r"[a-z][a-z0-9\-]{0,15}", fullmatch=True).filter(
    lambda name: environment_complaint(name) is None
)


@pytest.mark.parametrize("name", ["dev", "a", "alice-2", "prod-eu", "a" * 16, "local"])
def test_a_plain_name_can_name_an_environment(name: str) -> None:
    assert environment_complaint(name) is None


@pytest.mark.parametrize(
    "name", ["", "Dev", "1dev", "dev_1", "dev-", "a--b", "a" * 17, "dev-agent", "endpoint", "a b"]
)
def test_a_name_that_would_break_a_resource_or_a_stack_is_refused(name: str) -> None:
    assert environment_complaint(name)


@given(ENVIRONMENTS)
def test_a_stacks_name_is_taken_apart_again(environment: str) -> None:
    for part in ("foundation", "endpoint", "agent"):
        assert split_stack_name(stack_name(environment, part)) == (environment, part)


def test_a_docker_host_has_one_stack_and_aws_three() -> None:
    assert stack_names("box", "local") == ("box",)
    assert stack_names("dev", "prod") == ("dev-foundation", "dev-endpoint", "dev-agent")


@settings(deadline=None)
@given(ENVIRONMENTS)
def test_aws_accepts_every_name(environment: str) -> None:
    names = Names(environment, "123456789012", "ap-northeast-1")
    sagemaker = shapes("sagemaker", "EndpointName")
    assert re.fullmatch(sagemaker["pattern"], names.endpoint)
    runtime = shapes("bedrock-agentcore-control", "AgentRuntimeName")
    assert re.fullmatch(runtime["pattern"], names.runtime)
    assert re.fullmatch(r"[a-z0-9][a-z0-9.\-]{1,61}[a-z0-9]", names.bucket)
    for image in ("tts", "agent"):
        assert re.fullmatch(shapes("ecr", "RepositoryName")["pattern"], names.repository(image))
    for who in ("sagemaker", "agent", "caller"):
        assert len(names.role(who)) <= 64


@cache
def shapes(service: str, shape: str) -> dict[str, str]:
    client = boto3.client(service, region_name="us-west-2")
    metadata: dict[str, str] = client.meta.service_model.shape_for(shape).metadata
    return metadata


def test_the_longest_environments_names_fit() -> None:
    assert len(LONGEST.bucket) <= 63
    assert len(LONGEST.endpoint) <= 63 - len("-1a2b3c4")


@given(ENVIRONMENTS, ENVIRONMENTS)
def test_two_environments_share_no_name(one: str, other: str) -> None:
    if one == other:
        return
    ours, theirs = (Names(e, "123456789012", "us-west-2") for e in (one, other))
    for attribute in ("bucket", "endpoint", "runtime", "endpoint_logs", "runtime_logs", "prefix"):
        assert getattr(ours, attribute) != getattr(theirs, attribute)


@pytest.mark.parametrize(
    ("region", "partition"),
    [("us-west-2", "aws"), ("cn-north-1", "aws-cn"), ("us-gov-west-1", "aws-us-gov")],
)
def test_arns_are_of_the_regions_partition(region: str, partition: str) -> None:
    assert Names("dev", "1" * 12, region).endpoint_arn.startswith(f"arn:{partition}:sagemaker:")


def test_no_two_resources_of_an_environment_have_one_urn_or_one_physical_name(
    plans: list[Plan],
) -> None:
    for plan in plans:
        urns = [r.urn for r in plan.resources]
        assert len(urns) == len(set(urns))
    named = [
        (r.type, r.inputs.get("role"), r.inputs["name"])
        for plan in plans
        for r in plan.cloud
        if "name" in r.inputs
        # AgentCore's endpoints are named within their runtime.
        and r.type != "aws:bedrock/agentcoreAgentRuntimeEndpoint:AgentcoreAgentRuntimeEndpoint"
    ]
    for _, group in itertools.groupby(sorted(named, key=str)):
        assert len(list(group)) == 1
