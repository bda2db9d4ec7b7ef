"""The closed network: no way to the internet, and a door to everything that is needed."""

from __future__ import annotations

import json

import pytest
from infra.environments import Environment

VPC_ENDPOINT = "aws:ec2/vpcEndpoint:VpcEndpoint"
TO_THE_INTERNET = ("InternetGateway", "NatGateway", "EgressOnly", "Eip", "Route:Route")


def test_an_open_environment_has_no_network_of_its_own(dev: Environment) -> None:
    plan = dev.foundation()
    assert not [r for r in plan.cloud if ":ec2/" in r.type]
    assert plan.exports["subnetIds"] == plan.exports["securityGroupIds"] == []


def test_nothing_leads_to_the_internet(prod: Environment) -> None:
    plan = prod.foundation()
    assert not [r for r in plan.cloud if any(word in r.type for word in TO_THE_INTERNET)]
    for rule in plan.cloud:
        assert "cidrIpv4" not in rule.inputs
        assert not rule.inputs.get("mapPublicIpOnLaunch")
    (default,) = plan.all("aws:ec2/defaultSecurityGroup:DefaultSecurityGroup")
    assert not {"ingress", "egress"} & set(default.inputs)


@pytest.mark.parametrize(
    "service",
    ["ecr.api", "ecr.dkr", "logs", "sagemaker.runtime", "bedrock-runtime", "sts", "monitoring"],
)
def test_there_is_a_door_to_each_service(prod: Environment, service: str) -> None:
    doors = {r.inputs["serviceName"]: r.inputs for r in prod.foundation().all(VPC_ENDPOINT)}
    door = doors[f"com.amazonaws.us-west-2.{service}"]
    assert door["vpcEndpointType"] == "Interface"
    assert door["privateDnsEnabled"] is True
    assert len(door["subnetIds"]) == 2


def test_the_way_to_s3_is_for_our_bucket_and_for_layers_of_images(prod: Environment) -> None:
    plan = prod.foundation()
    (gateway,) = [r for r in plan.all(VPC_ENDPOINT) if r.inputs["vpcEndpointType"] == "Gateway"]
    document = json.loads(gateway.inputs["policy"])
    resources = [arn for s in document["Statement"] for arn in s["Resource"]]
    assert all("firstword-prod-" in r or "starport-layer-bucket" in r for r in resources)


def test_the_stated_zones_are_used_else_the_first_two(prod: Environment) -> None:
    subnet = "aws:ec2/subnet:Subnet"
    found = [s.inputs["availabilityZone"] for s in prod.foundation().all(subnet)]
    assert found == ["us-west-2a", "us-west-2b"]
    stated = prod.foundation({"zones": ["us-west-2b", "us-west-2c", "us-west-2d"]})
    zones = [s.inputs["availabilityZone"] for s in stated.all(subnet)]
    assert sorted(zones) == ["us-west-2b", "us-west-2c", "us-west-2d"]
    ranges = [s.inputs["cidrBlock"] for s in stated.all(subnet)]
    assert len(set(ranges)) == 3


def test_speech_server_and_agent_are_in_the_foundations_network(prod: Environment) -> None:
    base = prod.foundation()
    endpoint = prod.endpoint(base=base)
    model = endpoint.one("aws:sagemaker/model:Model").inputs
    assert model["vpcConfig"]["subnets"] == base.exports["subnetIds"]
    assert model["vpcConfig"]["securityGroupIds"] == base.exports["securityGroupIds"]
    agent = prod.agent(base=base, endpoint=endpoint)
    runtime = agent.one("aws:bedrock/agentcoreAgentRuntime:AgentcoreAgentRuntime").inputs
    assert runtime["networkConfiguration"] == {
        "networkMode": "VPC",
        "networkModeConfig": {
            "subnets": base.exports["subnetIds"],
            "securityGroups": base.exports["securityGroupIds"],
        },
    }


def test_without_a_network_aws_chooses(dev: Environment) -> None:
    assert "vpcConfig" not in dev.endpoint().one("aws:sagemaker/model:Model").inputs
    runtime = dev.agent().one("aws:bedrock/agentcoreAgentRuntime:AgentcoreAgentRuntime").inputs
    assert runtime["networkConfiguration"] == {"networkMode": "PUBLIC"}
