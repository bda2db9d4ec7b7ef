"""The provider stand-in refuses what the real packages and AWS would refuse."""

from __future__ import annotations

import json

import pytest
from engine import aws_provider
from engine.aws_world import Account, reason
from engine.images import put_image
from engine.input_types import complaints
from engine.provider import Properties, RefusedError

MODEL = "aws:sagemaker/model:Model"
CONFIGURATION = "aws:sagemaker/endpointConfiguration:EndpointConfiguration"
RUNTIME = "aws:bedrock/agentcoreAgentRuntime:AgentcoreAgentRuntime"


def model(**container: object) -> Properties:
    source = {"s3Uri": "s3://b/p/", "s3DataType": "S3Prefix", "compressionType": "None"}
    return {
        "executionRoleArn": "arn:aws:iam::200000000000:role/x",
        "primaryContainer": {
            "image": "x",
            "modelDataSource": {"s3DataSources": [source]},
            **container,
        },
    }


def test_what_pulumi_aws_knows_passes() -> None:
    assert complaints(MODEL, model()) == []


@pytest.mark.parametrize(
    ("properties", "path"),
    [
        ({**model(), "executionRole": "x"}, "executionRole"),
        ({"primaryContainer": {}}, "executionRoleArn"),
        (model(imageUri="x"), "primaryContainer.imageUri"),
        (
            model(modelDataSource={"s3DataSources": [{"s3URI": "x"}]}),
            "primaryContainer.modelDataSource.s3DataSources[0].s3URI",
        ),
        (
            model(modelDataSource={"s3DataSources": {"s3Uri": "x"}}),
            "primaryContainer.modelDataSource.s3DataSources",
        ),
        ({**model(), "enableNetworkIsolation": "yes"}, "enableNetworkIsolation"),
        ({**model(), "tags": {"a": 1}}, "tags[a]"),
    ],
    ids=["top", "required", "nested", "in a list", "no list", "flag", "mapping"],
)
def test_a_misspelt_missing_or_mistyped_property_is_found_at_any_depth(
    properties: Properties, path: str
) -> None:
    assert path in {where for where, _ in complaints(MODEL, properties)}


def test_a_value_outside_a_packages_enum_is_found() -> None:
    image: Properties = {"push": True, "platforms": ["linux/amd64", "linux/amd"]}
    found = complaints("docker-build:index:Image", image)
    assert [path for path, _ in found] == ["platforms[1]"]


@pytest.fixture
def account(aws_url: str) -> Account:
    return Account.fresh(aws_url)


def refusal(account: Account, token: str, inputs: Properties) -> str:
    """Why the account does not make it."""
    answer = aws_provider.answers(account)[token]
    with pytest.raises(Exception) as caught:  # noqa: PT011 - its text is what is looked at
        answer.create(inputs)
    return reason(caught.value)


def runtime(account: Account, name: str, role: str) -> Properties:
    registry = f"{account.number}.dkr.ecr.{account.region}.amazonaws.com"
    account.client("ecr").create_repository(repositoryName="agent")
    digest = put_image(account, f"{registry}/agent:one", f"sha256:{'1' * 64}")
    return {
        "agentRuntimeName": name,
        "roleArn": role,
        "networkConfiguration": {"networkMode": "PUBLIC"},
        "agentRuntimeArtifact": {
            "containerConfiguration": {"containerUri": f"{registry}/agent@{digest}"}
        },
    }


def trusted_role(account: Account, *actions: str) -> str:
    """A role that AgentCore may take, with these rights."""
    iam = account.client("iam")
    trust = {"Principal": {"Service": "bedrock-agentcore.amazonaws.com"}}
    document = {"Statement": [{"Effect": "Allow", "Action": "sts:AssumeRole", **trust}]}
    made = iam.create_role(RoleName="agent", AssumeRolePolicyDocument=json.dumps(document))
    if actions:
        statement = {"Effect": "Allow", "Action": list(actions), "Resource": "*"}
        rights = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
        iam.put_role_policy(RoleName="agent", PolicyName="own", PolicyDocument=rights)
    return str(made["Role"]["Arn"])


def test_a_role_that_does_not_exist_is_refused(account: Account) -> None:
    nobody = f"arn:aws:iam::{account.number}:role/nobody"
    assert "does not exist" in refusal(account, RUNTIME, runtime(account, "agent", nobody))


def test_a_role_without_rights_to_the_image_is_refused(account: Account) -> None:
    inputs = runtime(account, "agent", trusted_role(account))
    assert "may not ecr:BatchGetImage" in refusal(account, RUNTIME, inputs)


def test_a_runtimes_name_follows_agentcores_rule(account: Account) -> None:
    role = trusted_role(account, "ecr:BatchGetImage", "ecr:GetAuthorizationToken")
    inputs = runtime(account, "firstword-agent", role)
    assert "does not match" in refusal(account, RUNTIME, inputs)
    ident, outputs = aws_provider.answers(account)[RUNTIME].create(
        {**inputs, "agentRuntimeName": "firstword_agent"}
    )
    assert ident.startswith("firstword_agent-")
    assert outputs["agentRuntimeArn"] == (
        f"arn:aws:bedrock-agentcore:{account.region}:{account.number}:runtime/{ident}"
    )


def test_an_image_that_was_never_pushed_is_refused(account: Account) -> None:
    role = trusted_role(account, "ecr:*")
    inputs = runtime(account, "agent", role)
    uri = inputs["agentRuntimeArtifact"]["containerConfiguration"]["containerUri"]  # type: ignore[call-overload,index]
    for wrong in (f"{uri[:-4]}beef", uri.split("@")[0] + ":one"):
        artifact: Properties = {"containerConfiguration": {"containerUri": wrong}}
        told = refusal(account, RUNTIME, {**inputs, "agentRuntimeArtifact": artifact})
        assert "does not exist" in told or "no image of ECR by digest" in told


def test_an_instance_type_that_aws_does_not_have_is_refused(account: Account) -> None:
    variant: Properties = {"variantName": "main", "modelName": "m", "instanceType": "ml.g5.huge"}
    told = refusal(account, CONFIGURATION, {"name": "c", "productionVariants": [variant]})
    assert "ml.g5.huge" in told
    assert "none of" in told


def test_what_is_in_use_is_not_deleted(account: Account) -> None:
    iam, answers = account.client("iam"), aws_provider.answers(account)
    trusted_role(account)
    statement = {"Effect": "Allow", "Action": "s3:GetObject", "Resource": "*"}
    document = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
    policy = answers["aws:iam/policy:Policy"]
    ident, state = policy.create({"name": "held", "policy": document})
    iam.attach_role_policy(RoleName="agent", PolicyArn=ident)
    with pytest.raises(RefusedError, match="DeleteConflict"):
        policy.delete(ident, state)
    iam.detach_role_policy(RoleName="agent", PolicyArn=ident)
    policy.delete(ident, state)
    policy.delete(ident, state)

    bucket = answers["aws:s3/bucket:Bucket"]
    name, made = bucket.create({"bucket": f"b-{account.number}"})
    account.client("s3").put_object(Bucket=name, Key="k", Body=b"x")
    with pytest.raises(Exception, match="BucketNotEmpty"):
        bucket.delete(name, made)
    bucket.delete(name, {**made, "forceDestroy": True})
