"""SageMaker, its scaling, and Bedrock AgentCore."""

from __future__ import annotations

from typing import Any

from engine.aws_calls import Calls, image_is_there, role_may
from engine.aws_world import Account
from engine.provider import Answer, Properties, RefusedError


def answers(account: Account) -> dict[str, Answer]:
    """Token to Answer."""
    return {
        "aws:sagemaker/model:Model": _model(account),
        "aws:sagemaker/endpointConfiguration:EndpointConfiguration": _configuration(account),
        "aws:sagemaker/endpoint:Endpoint": _endpoint(account),
        "aws:appautoscaling/target:Target": _target(account),
        "aws:appautoscaling/policy:Policy": _scaling_policy(account),
        "aws:appautoscaling/scheduledAction:ScheduledAction": _scheduled(account),
        "aws:bedrock/agentcoreAgentRuntime:AgentcoreAgentRuntime": _runtime(account),
        "aws:bedrock/agentcoreAgentRuntimeEndpoint:AgentcoreAgentRuntimeEndpoint": (
            _runtime_endpoint(account)
        ),
    }


def _model(account: Account) -> Answer:
    def allowed(inputs: Properties) -> None:
        container: Any = inputs["primaryContainer"]
        repository = image_is_there(account, container["image"])
        role = str(inputs["executionRoleArn"])
        needs = {"ecr:BatchGetImage": repository, "ecr:GetDownloadUrlForLayer": repository}
        for source in container.get("modelDataSource", {}).get("s3DataSources", []):
            needs["s3:GetObject"] = _model_data(account, source["s3Uri"])
        role_may(account, role, "sagemaker.amazonaws.com", needs)

    def free(ident: str, state: Properties) -> None:
        for name, config in _configurations(account).items():
            if ident in {variant["ModelName"] for variant in config["ProductionVariants"]}:
                raise RefusedError(f"the model {ident} is used by the configuration {name}")

    return Calls(
        account,
        "sagemaker",
        "create_model",
        "delete_model",
        ident=lambda inputs, answer: str(inputs["name"]),
        key=lambda ident, state: {"ModelName": ident},
        describe_call="describe_model",
        made=lambda inputs, answer: {"arn": answer["ModelArn"]},
        names={"name": "modelName"},
        allowed=allowed,
        free=free,
        change=lambda ident, old, new: None,
        updatable=frozenset({"tags"}),
        autoname="name",
    )


def _model_data(account: Account, uri: str) -> str:
    """Refused when nothing lies there; gives the ARN of its first object."""
    bucket, _, prefix = uri.removeprefix("s3://").partition("/")
    listed = account.client("s3").list_objects_v2(Bucket=bucket, Prefix=prefix)
    if not prefix.endswith("/") or not listed.get("Contents"):
        raise RefusedError(f"ValidationException: Could not find model data at {uri}.")
    return f"arn:aws:s3:::{bucket}/{listed['Contents'][0]['Key']}"


def _configurations(account: Account) -> dict[str, Any]:
    sagemaker = account.client("sagemaker")
    listed = sagemaker.list_endpoint_configs(MaxResults=100)["EndpointConfigs"]
    names = [item["EndpointConfigName"] for item in listed]
    return {name: sagemaker.describe_endpoint_config(EndpointConfigName=name) for name in names}


def _configuration(account: Account) -> Answer:
    def free(ident: str, state: Properties) -> None:
        sagemaker = account.client("sagemaker")
        for item in sagemaker.list_endpoints(MaxResults=100)["Endpoints"]:
            endpoint = sagemaker.describe_endpoint(EndpointName=item["EndpointName"])
            if endpoint["EndpointConfigName"] == ident:
                raise RefusedError(
                    f"the configuration {ident} is used by the endpoint {item['EndpointName']}"
                )

    return Calls(
        account,
        "sagemaker",
        "create_endpoint_config",
        "delete_endpoint_config",
        ident=lambda inputs, answer: str(inputs["name"]),
        key=lambda ident, state: {"EndpointConfigName": ident},
        describe_call="describe_endpoint_config",
        made=lambda inputs, answer: {"arn": answer["EndpointConfigArn"]},
        names={"name": "endpointConfigName"},
        free=free,
        change=lambda ident, old, new: None,
        updatable=frozenset({"tags"}),
        autoname="name",
    )


def _endpoint(account: Account) -> Answer:
    def change(ident: str, old: Properties, new: Properties) -> None:
        wanted = {k: new[k] for k in ("endpointConfigName", "deploymentConfig") if k in new}
        account.call("sagemaker", "update_endpoint", wanted, EndpointName=ident)

    def free(ident: str, state: Properties) -> None:
        targets = account.client("application-autoscaling").describe_scalable_targets(
            ServiceNamespace="sagemaker"
        )["ScalableTargets"]
        for target in targets:
            if target["ResourceId"].split("/")[1] == ident:
                raise RefusedError(f"the endpoint {ident} is a scaling target: remove that first")

    return Calls(
        account,
        "sagemaker",
        "create_endpoint",
        "delete_endpoint",
        ident=lambda inputs, answer: str(inputs["name"]),
        key=lambda ident, state: {"EndpointName": ident},
        describe_call="describe_endpoint",
        made=lambda inputs, answer: {"arn": answer["EndpointArn"]},
        names={"name": "endpointName"},
        free=free,
        change=change,
        updatable=frozenset({"endpointConfigName", "deploymentConfig", "tags"}),
        autoname="name",
    )


def _target(account: Account) -> Answer:
    def allowed(inputs: Properties) -> None:
        kind, name, *_ = str(inputs["resourceId"]).split("/")
        if kind == "endpoint":
            account.client("sagemaker").describe_endpoint(EndpointName=name)

    def key(ident: str, state: Properties) -> dict[str, Any]:
        return {
            "ServiceNamespace": state["serviceNamespace"],
            "ResourceId": state["resourceId"],
            "ScalableDimension": state["scalableDimension"],
        }

    return Calls(
        account,
        "application-autoscaling",
        "register_scalable_target",
        "deregister_scalable_target",
        ident=lambda inputs, answer: str(inputs["resourceId"]),
        key=key,
        made=lambda inputs, answer: {"arn": answer.get("ScalableTargetARN", "")},
        allowed=allowed,
        updatable=frozenset({"minCapacity", "maxCapacity", "suspendedState", "tags"}),
    )


def _scaling_policy(account: Account) -> Answer:
    def key(ident: str, state: Properties) -> dict[str, Any]:
        return {
            "PolicyName": state["name"],
            "ServiceNamespace": state["serviceNamespace"],
            "ResourceId": state["resourceId"],
            "ScalableDimension": state["scalableDimension"],
        }

    return Calls(
        account,
        "application-autoscaling",
        "put_scaling_policy",
        "delete_scaling_policy",
        ident=lambda inputs, answer: str(inputs["name"]),
        key=key,
        made=lambda inputs, answer: {"arn": answer["PolicyARN"]},
        names={"name": "policyName"},
        updatable=frozenset(
            {
                "policyType",
                "stepScalingPolicyConfiguration",
                "targetTrackingScalingPolicyConfiguration",
            }
        ),
        autoname="name",
    )


def _scheduled(account: Account) -> Answer:
    def key(ident: str, state: Properties) -> dict[str, Any]:
        return {
            "ScheduledActionName": state["name"],
            "ServiceNamespace": state["serviceNamespace"],
            "ResourceId": state["resourceId"],
            "ScalableDimension": state["scalableDimension"],
        }

    return Calls(
        account,
        "application-autoscaling",
        "put_scheduled_action",
        "delete_scheduled_action",
        ident=lambda inputs, answer: str(inputs["name"]),
        key=key,
        names={"name": "scheduledActionName"},
        updatable=frozenset({"schedule", "scalableTargetAction", "timezone"}),
        autoname="name",
    )


def _runtime(account: Account) -> Answer:
    def allowed(inputs: Properties) -> None:
        artifact: Any = inputs["agentRuntimeArtifact"]
        repository = image_is_there(account, artifact["containerConfiguration"]["containerUri"])
        needs = {"ecr:BatchGetImage": repository, "ecr:GetAuthorizationToken": "*"}
        role_may(account, str(inputs["roleArn"]), "bedrock-agentcore.amazonaws.com", needs)

    def change(ident: str, old: Properties, new: Properties) -> None:
        wanted = {k: v for k, v in new.items() if k not in ("agentRuntimeName", "tags", "region")}
        account.call(
            "bedrock-agentcore-control", "update_agent_runtime", wanted, agentRuntimeId=ident
        )

    return Calls(
        account,
        "bedrock-agentcore-control",
        "create_agent_runtime",
        "delete_agent_runtime",
        ident=lambda inputs, answer: str(answer["agentRuntimeId"]),
        key=lambda ident, state: {"agentRuntimeId": ident},
        describe_call="get_agent_runtime",
        change=change,
        made=lambda inputs, answer: {
            name: answer[name]
            for name in ("agentRuntimeArn", "agentRuntimeId", "agentRuntimeVersion")
        },
        allowed=allowed,
        updatable=frozenset(
            {
                "agentRuntimeArtifact",
                "authorizerConfiguration",
                "description",
                "environmentVariables",
                "lifecycleConfigurations",
                "networkConfiguration",
                "protocolConfiguration",
                "requestHeaderConfiguration",
                "roleArn",
                "tags",
            }
        ),
    )


def _runtime_endpoint(account: Account) -> Answer:
    def key(ident: str, state: Properties) -> dict[str, Any]:
        return {"agentRuntimeId": state["agentRuntimeId"], "endpointName": state["name"]}

    def change(ident: str, old: Properties, new: Properties) -> None:
        wanted = {k: new[k] for k in ("agentRuntimeVersion", "description") if k in new}
        account.call(
            "bedrock-agentcore-control",
            "update_agent_runtime_endpoint",
            wanted,
            **key(ident, new),
        )

    return Calls(
        account,
        "bedrock-agentcore-control",
        "create_agent_runtime_endpoint",
        "delete_agent_runtime_endpoint",
        ident=lambda inputs, answer: f"{inputs['agentRuntimeId']},{inputs['name']}",
        key=key,
        describe_call="get_agent_runtime_endpoint",
        change=change,
        made=lambda inputs, answer: {
            name: answer[name] for name in ("agentRuntimeArn", "agentRuntimeEndpointArn")
        },
        updatable=frozenset({"agentRuntimeVersion", "description", "tags"}),
    )
