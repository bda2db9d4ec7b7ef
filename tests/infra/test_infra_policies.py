"""Least privilege, walked over every policy that an environment declares."""

from __future__ import annotations

import fnmatch
import json
from collections.abc import Iterator
from typing import Any

import pytest
from firstword.infra import policies
from firstword.infra.names import Names
from firstword.infra.statements import WITHOUT_RESOURCE_LEVEL
from infra.planning import ACCOUNT, Plan, policy_documents

NAMES = Names("dev", ACCOUNT, "us-west-2")
ENDPOINT = NAMES.endpoint_arn
RUNTIME = f"arn:aws:bedrock-agentcore:us-west-2:{ACCOUNT}:runtime/firstword_dev_agent-AbC"


def statements(plans: list[Plan]) -> Iterator[tuple[str, dict[str, Any]]]:
    for plan in plans:
        for name, document in policy_documents(plan):
            for statement in document["Statement"]:
                yield name, statement


def allows(text: str, action: str, resource: str) -> bool:
    """Whether a policy allows that, conditions aside."""
    for statement in json.loads(text)["Statement"]:
        actions = any(fnmatch.fnmatchcase(action, a) for a in statement["Action"])
        resources = any(fnmatch.fnmatchcase(resource, r) for r in statement.get("Resource", []))
        if actions and resources and statement["Effect"] == "Allow":
            return True
    return False


def test_policies_are_found_at_all(plans: list[Plan]) -> None:
    assert len(list(statements(plans))) > 40


def test_every_resource_is_named_but_where_aws_has_no_resource_level(plans: list[Plan]) -> None:
    used = set()
    for name, statement in statements(plans):
        if statement["Effect"] != "Allow" or "*" not in statement.get("Resource", []):
            continue
        excused = set(statement["Action"]) & set(WITHOUT_RESOURCE_LEVEL)
        assert set(statement["Action"]) == excused, f"{name}: {statement}"
        used |= excused
    assert used == set(WITHOUT_RESOURCE_LEVEL), "the table has entries that no policy needs"
    assert all(WITHOUT_RESOURCE_LEVEL.values())


def test_no_statement_allows_a_family_of_actions(plans: list[Plan]) -> None:
    for name, statement in statements(plans):
        assert "NotAction" not in statement
        if statement["Effect"] == "Allow":
            assert not [a for a in statement["Action"] if "*" in a], name


def test_no_policy_of_aws_is_attached(plans: list[Plan]) -> None:
    for plan in plans:
        for resource in plan.cloud:
            text = json.dumps(resource.inputs, default=str)
            assert "iam::aws:policy" not in text
            assert "FullAccess" not in text
            assert "managedPolicyArns" not in resource.inputs
            assert resource.inputs.get("policyArn", "arn:aws:made:").startswith("arn:aws:made:")


def test_what_is_allowed_is_ours_or_a_named_models(plans: list[Plan]) -> None:
    foreign = (
        "foundation-model/",
        "inference-profile/",
        "starport-layer-bucket",
        "ec2:",
        "workload-identity-directory",
    )
    for name, statement in statements(plans):
        for resource in statement.get("Resource", []):
            ours = "firstword" in resource or "made:" in resource or ":runtime/" in resource
            listing = resource.endswith(":log-group:*") and "DescribeLogGroups" in str(statement)
            excused = resource == "*" or listing or any(part in resource for part in foreign)
            assert ours or excused, f"{name}: {resource}"


def test_a_service_takes_its_role_for_this_accounts_resources_only(plans: list[Plan]) -> None:
    found = 0
    for name, statement in statements(plans):
        principal = statement.get("Principal", {})
        if "sts:AssumeRole" in statement["Action"] and "Service" in principal:
            conditions = statement["Condition"]
            assert conditions["StringEquals"]["aws:SourceAccount"] == ACCOUNT, name
            source = conditions["ArnLike"]["aws:SourceArn"]
            assert source.split(":")[3:5] == ["us-west-2", ACCOUNT], name
            found += 1
    assert found == 4


def test_nobody_is_let_in_from_everywhere(plans: list[Plan]) -> None:
    for name, statement in statements(plans):
        if statement.get("Principal") == "*" and "vpc" not in name and "-s3" not in name:
            assert statement["Effect"] == "Deny", name


def test_the_speech_servers_role_reads_its_weights_and_changes_nothing() -> None:
    role = policies.sagemaker_role(NAMES, in_network=False)
    assert allows(role, "s3:GetObject", f"arn:aws:s3:::{NAMES.bucket}/models/x/kokoro.onnx")
    assert not allows(role, "s3:PutObject", f"arn:aws:s3:::{NAMES.bucket}/models/x/kokoro.onnx")
    assert not allows(role, "s3:GetObject", "arn:aws:s3:::another/models/x")
    ours = NAMES.arn("ecr", "repository/firstword/dev/tts")
    assert allows(role, "ecr:BatchGetImage", ours)
    assert not allows(role, "ecr:BatchGetImage", NAMES.arn("ecr", "repository/firstword/dev/agent"))
    assert not allows(role, "ec2:CreateNetworkInterface", NAMES.arn("ec2", "subnet/s-1"))
    inside = policies.sagemaker_role(NAMES, in_network=True)
    assert allows(inside, "ec2:CreateNetworkInterface", NAMES.arn("ec2", "subnet/s-1"))


@pytest.mark.parametrize(
    "action",
    [
        "sagemaker:InvokeEndpoint",
        "sagemaker:InvokeEndpointWithResponseStream",
        "sagemaker:InvokeEndpointWithBidirectionalStream",
    ],
)
def test_the_agent_speaks_by_each_wire_through_the_one_endpoint(action: str) -> None:
    rights = policies.agent_speaks(ENDPOINT)
    assert allows(rights, action, ENDPOINT)
    assert not allows(rights, action, ENDPOINT + "-2")


@pytest.mark.parametrize(
    ("llm_id", "allowed", "refused"),
    [
        (
            "anthropic.claude-haiku-4-5-20251001-v1:0",
            "arn:aws:bedrock:us-west-2::foundation-model/anthropic.claude-haiku-4-5-20251001-v1:0",
            "arn:aws:bedrock:us-west-2::foundation-model/anthropic.claude-opus-4-1-20250805-v1:0",
        ),
        (
            "us.anthropic.claude-haiku-4-5-20251001-v1:0",
            "arn:aws:bedrock:us-east-1::foundation-model/anthropic.claude-haiku-4-5-20251001-v1:0",
            "arn:aws:bedrock:us-east-1::foundation-model/amazon.nova-lite-v1:0",
        ),
        (
            "global.anthropic.claude-haiku-4-5-20251001-v1:0",
            "arn:aws:bedrock:::foundation-model/anthropic.claude-haiku-4-5-20251001-v1:0",
            "arn:aws:bedrock:us-west-2:123456789012:inference-profile/us.anthropic.claude-haiku",
        ),
        (
            "arn:aws:bedrock:us-west-2:123456789012:application-inference-profile/abc",
            "arn:aws:bedrock:us-west-2:123456789012:application-inference-profile/abc",
            "arn:aws:bedrock:us-west-2:123456789012:application-inference-profile/abd",
        ),
    ],
)
def test_the_agent_thinks_with_the_one_model(llm_id: str, allowed: str, refused: str) -> None:
    rights = policies.agent_thinks(NAMES, llm_id)
    assert allows(rights, "bedrock:InvokeModelWithResponseStream", allowed)
    assert not allows(rights, "bedrock:InvokeModelWithResponseStream", refused)


def test_a_profiles_own_arn_is_allowed_too() -> None:
    profile = "us.anthropic.claude-haiku-4-5-20251001-v1:0"
    rights = policies.agent_thinks(NAMES, profile)
    arn = f"arn:aws:bedrock:us-west-2:{ACCOUNT}:inference-profile/{profile}"
    assert allows(rights, "bedrock:InvokeModel", arn)


def test_a_caller_talks_to_the_one_agent_and_manages_nothing() -> None:
    rights = policies.caller_role(RUNTIME, ENDPOINT)
    live = f"{RUNTIME}/runtime-endpoint/live"
    for action in ("InvokeAgentRuntime", "InvokeAgentRuntimeWithWebSocketStream"):
        assert allows(rights, f"bedrock-agentcore:{action}", live)
    assert not allows(rights, "bedrock-agentcore:UpdateAgentRuntime", RUNTIME)
    assert not allows(rights, "bedrock-agentcore:InvokeAgentRuntime", f"{RUNTIME}2")


def test_the_bucket_refuses_what_comes_without_tls() -> None:
    (statement,) = json.loads(policies.bucket_policy(NAMES))["Statement"]
    assert statement["Effect"] == "Deny"
    assert statement["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}
    assert statement["Resource"] == [
        f"arn:aws:s3:::{NAMES.bucket}",
        f"arn:aws:s3:::{NAMES.bucket}/*",
    ]


def test_a_role_is_for_named_callers_when_there_are_any() -> None:
    someone = f"arn:aws:iam::{ACCOUNT}:role/web"
    (named,) = json.loads(policies.caller_trust(NAMES, [someone]))["Statement"]
    assert named["Principal"] == {"AWS": [someone]}
    (account,) = json.loads(policies.caller_trust(NAMES, []))["Statement"]
    assert account["Principal"] == {"AWS": [f"arn:aws:iam::{ACCOUNT}:root"]}
