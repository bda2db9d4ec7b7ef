"""A stack that others stand on offers a policy to hold it by, and they do."""

from __future__ import annotations

import pytest
from infra.environments import Environment
from infra.planning import Plan

POLICY = "aws:iam/policy:Policy"
ATTACHMENT = "aws:iam/rolePolicyAttachment:RolePolicyAttachment"


@pytest.mark.parametrize("kind", ["dev", "prod"])
def test_the_policy_comes_last_and_so_goes_first(plans: list[Plan], kind: str) -> None:
    foundation, endpoint = plans[:2] if kind == "dev" else plans[3:5]
    for plan in (foundation, endpoint):
        held = plan.one(POLICY, "held")
        # Directly: what has a bucket as its parent is not needed by what needs the bucket.
        assert {r.urn for r in plan.cloud if r is not held} <= held.needs


def test_the_stacks_above_hold_what_they_stand_on_before_they_make_anything_else(
    dev: Environment,
) -> None:
    foundation, endpoint, agent = dev.everything()
    held = foundation.exports["holdPolicyArn"]
    assert endpoint.one(ATTACHMENT).inputs["policyArn"] == held
    holds = {r.inputs["policyArn"] for r in agent.all(ATTACHMENT)}
    assert holds == {held, endpoint.exports["holdPolicyArn"]}
    for plan in (endpoint, agent):
        names = {r.name for r in plan.all(ATTACHMENT)}
        for resource in plan.cloud:
            assert resource.type == ATTACHMENT or names <= plan.needs(resource), resource.name


def test_nothing_holds_the_agent(dev: Environment) -> None:
    assert "holdPolicyArn" not in dev.everything()[2].exports
