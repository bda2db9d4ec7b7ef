"""The agent's runtime: made after its rights, told which endpoint speaks, reachable by callers."""

from __future__ import annotations

import json

import pulumi
import pytest
from firstword.infra.surroundings import required
from infra.environments import Environment
from infra.planning import DIGEST

RUNTIME = "aws:bedrock/agentcoreAgentRuntime:AgentcoreAgentRuntime"
RUNTIME_ENDPOINT = "aws:bedrock/agentcoreAgentRuntimeEndpoint:AgentcoreAgentRuntimeEndpoint"
ROLE_POLICY = "aws:iam/rolePolicy:RolePolicy"
URL = "https://login.example.com/.well-known/openid-configuration"


def test_the_runtime_is_an_arm_image_by_digest_under_a_name_that_agentcore_takes(
    dev: Environment,
) -> None:
    plan = dev.agent()
    runtime = plan.one(RUNTIME).inputs
    assert runtime["agentRuntimeName"] == "firstword_dev_agent"
    artifact = runtime["agentRuntimeArtifact"]["containerConfiguration"]
    assert artifact["containerUri"].endswith(f"/firstword/dev/agent@{DIGEST}")
    image = plan.one("docker-build:index:Image").inputs
    assert image["platforms"] == ["linux/arm64"]
    assert image["target"] == "agent"


def test_rights_come_before_the_runtime(dev: Environment) -> None:
    plan = dev.agent()
    assert {"agent-speaks", "agent-thinks"} <= plan.needs(plan.one(RUNTIME))


def test_the_agent_may_and_can_reach_the_endpoint_stacks_endpoint(dev: Environment) -> None:
    base = dev.foundation()
    endpoint = dev.endpoint(base=base)
    plan = dev.agent(base=base, endpoint=endpoint)
    environment = plan.one(RUNTIME).inputs["environmentVariables"]
    assert environment["FIRSTWORD_WIRE"] == "sagemaker"
    assert environment["FIRSTWORD_SAGEMAKER_ENDPOINT"] == endpoint.exports["endpointName"]
    assert environment["FIRSTWORD_LLM"] == "bedrock"
    assert environment["AWS_REGION"] == "us-west-2"
    speaks = json.loads(plan.one(ROLE_POLICY, "agent-speaks").inputs["policy"])
    assert speaks["Statement"][0]["Resource"] == [endpoint.exports["endpointArn"]]


def test_sessions_end(dev: Environment) -> None:
    runtime = dev.agent({"idleTimeoutS": 600, "maxLifetimeS": 3600}).one(RUNTIME).inputs
    assert runtime["lifecycleConfigurations"] == [
        {"idleRuntimeSessionTimeout": 600, "maxLifetime": 3600}
    ]


def test_callers_sign_unless_an_issuer_of_tokens_is_named(dev: Environment) -> None:
    assert "authorizerConfiguration" not in dev.agent().one(RUNTIME).inputs
    named = dev.agent({"jwtDiscoveryUrl": URL, "jwtAudiences": ["web"]}).one(RUNTIME).inputs
    assert named["authorizerConfiguration"] == {
        "customJwtAuthorizer": {"discoveryUrl": URL, "allowedAudiences": ["web"]}
    }


def test_callers_have_an_address_that_follows_the_newest_version(dev: Environment) -> None:
    plan = dev.agent()
    address = plan.one(RUNTIME_ENDPOINT).inputs
    assert address["name"] == "live"
    assert address["agentRuntimeVersion"] == "1"
    assert plan.exports["runtimeEndpointName"] == "live"
    talks = plan.one(ROLE_POLICY, "caller-talks")
    assert talks.inputs["role"] == "firstword-dev-caller-us-west-2"
    assert plan.exports["runtimeArn"] in talks.inputs["policy"]


def test_logs_are_delivered_to_the_foundations_group(dev: Environment) -> None:
    base = dev.foundation()
    plan = dev.agent(base=base)
    source = plan.one("aws:cloudwatch/logDeliverySource:LogDeliverySource").inputs
    assert source["resourceArn"] == plan.exports["runtimeArn"]
    group = "aws:cloudwatch/logDeliveryDestination:LogDeliveryDestination"
    destination = plan.one(group).inputs["deliveryDestinationConfiguration"]
    assert destination == {"destinationResourceArn": base.exports["runtimeLogGroupArn"]}
    assert plan.one("aws:cloudwatch/logDelivery:LogDelivery")


def test_a_stack_that_is_not_up_is_named_with_what_to_do() -> None:
    assert required("organization/firstword/dev-endpoint", "endpointArn", "arn") == "arn"
    with pytest.raises(pulumi.RunError) as caught:
        required("organization/firstword/dev-endpoint", "endpointArn", None)
    assert "the stack dev-endpoint exports no endpointArn" in str(caught.value)
    assert "firstword deploy dev" in str(caught.value)
