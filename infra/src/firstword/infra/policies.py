"""Every policy document, from names alone: what may do what, and nothing more."""

from __future__ import annotations

from collections.abc import Sequence

from firstword.infra.names import MODEL_PREFIX, Names
from firstword.infra.statements import Statement, policy, pull_image, put_metrics, service_trust


def sagemaker_trust(names: Names) -> str:
    """SageMaker may take the role for models and endpoints of this account and region."""
    return service_trust(names, "sagemaker", names.arn("sagemaker", "*"))


def sagemaker_role(names: Names, in_network: bool) -> str:
    """The speech server's host: read weights, pull the image, write logs."""
    statements = [
        Statement("ReadWeights", ["s3:GetObject"], [names.s3_arn(f"{MODEL_PREFIX}*")]),
        Statement(
            "ListWeights",
            ["s3:ListBucket"],
            [names.s3_arn()],
            {"StringLike": {"s3:prefix": [f"{MODEL_PREFIX}*"]}},
        ),
        *pull_image(names.arn("ecr", f"repository/{names.repository('tts')}")),
        Statement(
            "WriteLogs",
            ["logs:CreateLogStream", "logs:DescribeLogStreams", "logs:PutLogEvents"],
            [names.arn("logs", f"log-group:{names.endpoint_logs}:*")],
        ),
        put_metrics("/aws/sagemaker/Endpoints", "AWS/SageMaker"),
    ]
    if in_network:
        statements += _network_interfaces(names)
    return policy(*statements)


def _network_interfaces(names: Names) -> list[Statement]:
    """SageMaker hangs its machines into a network of ours by interfaces it makes there."""
    reads = ("Vpcs", "DhcpOptions", "Subnets", "SecurityGroups", "NetworkInterfaces")
    return [
        Statement("ReadNetwork", [f"ec2:Describe{what}" for what in reads], ["*"]),
        Statement(
            "UseInterfaces",
            [
                "ec2:CreateNetworkInterface",
                "ec2:CreateNetworkInterfacePermission",
                "ec2:DeleteNetworkInterface",
                "ec2:DeleteNetworkInterfacePermission",
            ],
            [
                names.arn("ec2", f"{kind}/*")
                for kind in ("network-interface", "subnet", "security-group")
            ],
        ),
    ]


def agent_trust(names: Names) -> str:
    """AgentCore may take the role for runtimes of this account and region."""
    return service_trust(names, "bedrock-agentcore", names.arn("bedrock-agentcore", "*"))


def agent_role(names: Names) -> str:
    """The agent's host: pull the image, write logs, traces and metrics, know its own identity."""
    output = f"log-group:{names.runtime_output_prefix}*"
    directory = "workload-identity-directory/default"
    return policy(
        *pull_image(names.arn("ecr", f"repository/{names.repository('agent')}")),
        Statement("FindLogs", ["logs:DescribeLogGroups"], [names.arn("logs", "log-group:*")]),
        Statement(
            "MakeLogs",
            ["logs:CreateLogGroup", "logs:DescribeLogStreams"],
            [names.arn("logs", output)],
        ),
        Statement(
            "WriteLogs",
            ["logs:CreateLogStream", "logs:PutLogEvents"],
            [names.arn("logs", f"{output}:log-stream:*")],
        ),
        Statement(
            "WriteTraces",
            [
                "xray:GetSamplingRules",
                "xray:GetSamplingTargets",
                "xray:PutTelemetryRecords",
                "xray:PutTraceSegments",
            ],
            ["*"],
        ),
        put_metrics("bedrock-agentcore"),
        Statement(
            "OwnIdentity",
            [
                "bedrock-agentcore:GetWorkloadAccessToken",
                "bedrock-agentcore:GetWorkloadAccessTokenForJWT",
            ],
            [
                names.arn("bedrock-agentcore", directory),
                names.arn("bedrock-agentcore", f"{directory}/workload-identity/{names.runtime}-*"),
            ],
        ),
    )


def agent_speaks(endpoint_arn: str) -> str:
    """The agent may have the one endpoint speak, by each of its wires."""
    return policy(
        Statement(
            "Speak",
            [
                "sagemaker:InvokeEndpoint",
                "sagemaker:InvokeEndpointWithBidirectionalStream",
                "sagemaker:InvokeEndpointWithResponseStream",
            ],
            [endpoint_arn],
        )
    )


def agent_thinks(names: Names, llm_id: str) -> str:
    """The agent may use the one language model, wherever its inference profile sends the call."""
    return policy(
        Statement(
            "Think",
            ["bedrock:InvokeModel", "bedrock:InvokeModelWithResponseStream"],
            list(model_arns(names, llm_id)),
        )
    )


GEOGRAPHIES = ("global", "us", "us-gov", "eu", "apac", "jp", "au", "ca")
"""What the id of an inference profile begins with that serves a model from several regions."""


def model_arns(names: Names, llm_id: str) -> Sequence[str]:
    """The ARNs behind a Bedrock model's id: an ARN itself, an inference profile's id or a model's.

    A call to a profile is checked against the profile and against the model in the region that
    answers, so that the model must be allowed in all of them.
    """
    if llm_id.startswith("arn:"):
        return (llm_id,)
    geography, _, model = llm_id.partition(".")
    models = f"arn:{names.partition}:bedrock"
    if geography not in GEOGRAPHIES:
        return (f"{models}:{names.region}::foundation-model/{llm_id}",)
    found = [
        names.arn("bedrock", f"inference-profile/{llm_id}"),
        f"{models}:*::foundation-model/{model}",
    ]
    if geography == "global":
        # The unnamed region stands for the global profile's own choice.
        found.append(f"{models}:::foundation-model/{model}")
    return found


def caller_trust(names: Names, callers: Sequence[str]) -> str:
    """Who may take the caller's role: the named, or who in the account is allowed to take roles."""
    principals = list(callers) or [f"arn:{names.partition}:iam::{names.account}:root"]
    return policy(Statement("Callers", ["sts:AssumeRole"], principal={"AWS": principals}))


def caller_role(runtime_arn: str, endpoint_arn: str) -> str:
    """A caller may talk to the one agent, by request or by socket, and hear the one voice."""
    return policy(
        Statement(
            "Talk",
            [
                "bedrock-agentcore:InvokeAgentRuntime",
                "bedrock-agentcore:InvokeAgentRuntimeWithWebSocketStream",
                "bedrock-agentcore:StopRuntimeSession",
            ],
            [runtime_arn, f"{runtime_arn}/*"],
        ),
        Statement(
            "Hear",
            ["sagemaker:InvokeEndpoint", "sagemaker:InvokeEndpointWithResponseStream"],
            [endpoint_arn],
        ),
    )


def bucket_policy(names: Names) -> str:
    """Nothing over a connection without TLS."""
    return policy(
        Statement(
            "TlsOnly",
            ["s3:*"],
            [names.s3_arn(), names.s3_arn("*")],
            {"Bool": {"aws:SecureTransport": "false"}},
            principal="*",
            effect="Deny",
        )
    )


def alarm_topic(names: Names, topic_arn: str) -> str:
    """CloudWatch may tell the topic about this account's alarms, over TLS."""
    return policy(
        Statement(
            "Alarms",
            ["sns:Publish"],
            [topic_arn],
            {
                "StringEquals": {"aws:SourceAccount": names.account},
                "ArnLike": {"aws:SourceArn": names.arn("cloudwatch", f"alarm:{names.prefix}-*")},
            },
            principal={"Service": "cloudwatch.amazonaws.com"},
        )
    )


def weights_gateway(names: Names) -> str:
    """What the network's way to S3 is good for: our weights, and the layers of ECR's images."""
    layers = f"arn:{names.partition}:s3:::prod-{names.region}-starport-layer-bucket"
    return policy(
        Statement(
            "Weights",
            ["s3:GetObject", "s3:ListBucket"],
            [names.s3_arn(), names.s3_arn("*")],
            principal="*",
        ),
        Statement("Layers", ["s3:GetObject"], [f"{layers}/*"], principal="*"),
    )
