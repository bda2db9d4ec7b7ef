"""The agent on Bedrock AgentCore: what it may do, the runtime, its address, its logs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi
import pulumi_aws as aws

from firstword.infra import policies
from firstword.infra.environment import agent_environment
from firstword.infra.names import RUNTIME_ENDPOINT, Names
from firstword.infra.settings import AgentSettings, JwtSettings

LOG_KINDS = ("APPLICATION_LOGS",)
"""What AgentCore delivers beside the container's own output."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentRuntimeArgs:
    """What of the other stacks the runtime is made of. No subnets: AgentCore's own network."""

    settings: AgentSettings
    names: Names
    image_uri: pulumi.Input[str]
    role_arn: pulumi.Input[str]
    role_name: pulumi.Input[str]
    caller_role_name: pulumi.Input[str]
    endpoint_name: pulumi.Input[str]
    endpoint_arn: pulumi.Input[str]
    log_group_arn: pulumi.Input[str]
    subnet_ids: pulumi.Input[Sequence[str]]
    security_group_ids: pulumi.Input[Sequence[str]]


class AgentRuntime(pulumi.ComponentResource):
    """Outputs the runtime and the endpoint that callers name."""

    runtime: aws.bedrock.AgentcoreAgentRuntime
    runtime_endpoint: aws.bedrock.AgentcoreAgentRuntimeEndpoint

    def __init__(
        self, name: str, args: AgentRuntimeArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("firstword:infra:AgentRuntime", name, None, opts)
        self._name, self._args = name, args
        self._inside = pulumi.ResourceOptions(parent=self)
        rights = self._rights()
        self.runtime = self._runtime(rights)
        self.runtime_endpoint = aws.bedrock.AgentcoreAgentRuntimeEndpoint(
            name,
            aws.bedrock.AgentcoreAgentRuntimeEndpointArgs(
                name=RUNTIME_ENDPOINT,
                agent_runtime_id=self.runtime.agent_runtime_id,
                agent_runtime_version=self.runtime.agent_runtime_version,
                description=f"{args.names.prefix}: what callers talk to",
            ),
            opts=self._inside,
        )
        self._caller()
        for kind in LOG_KINDS:
            self._delivery(kind)
        self.register_outputs({"runtime_arn": self.runtime.agent_runtime_arn})

    def _rights(self) -> list[aws.iam.RolePolicy]:
        """AgentCore looks at the role's rights when the runtime is made: these come first."""
        args = self._args
        speaks = aws.iam.RolePolicy(
            "agent-speaks",
            aws.iam.RolePolicyArgs(
                role=args.role_name,
                name="speaks",
                policy=pulumi.Output.from_input(args.endpoint_arn).apply(policies.agent_speaks),
            ),
            opts=self._inside,
        )
        thinks = aws.iam.RolePolicy(
            "agent-thinks",
            aws.iam.RolePolicyArgs(
                role=args.role_name,
                name="thinks",
                policy=policies.agent_thinks(args.names, args.settings.llm_id),
            ),
            opts=self._inside,
        )
        return [speaks, thinks]

    def _runtime(self, rights: Sequence[pulumi.Resource]) -> aws.bedrock.AgentcoreAgentRuntime:
        args, settings = self._args, self._args.settings
        container = aws.bedrock.AgentcoreAgentRuntimeAgentRuntimeArtifactContainerConfigurationArgs(
            container_uri=args.image_uri
        )
        lifecycle = aws.bedrock.AgentcoreAgentRuntimeLifecycleConfigurationArgs(
            idle_runtime_session_timeout=settings.idle_timeout_s,
            max_lifetime=settings.max_lifetime_s,
        )
        return aws.bedrock.AgentcoreAgentRuntime(
            self._name,
            aws.bedrock.AgentcoreAgentRuntimeArgs(
                agent_runtime_name=args.names.runtime,
                description=f"{args.names.prefix}: a voice agent",
                role_arn=args.role_arn,
                agent_runtime_artifact=aws.bedrock.AgentcoreAgentRuntimeAgentRuntimeArtifactArgs(
                    container_configuration=container
                ),
                network_configuration=self._network(),
                protocol_configuration=(
                    aws.bedrock.AgentcoreAgentRuntimeProtocolConfigurationArgs(
                        server_protocol="HTTP"
                    )
                ),
                lifecycle_configurations=[lifecycle],
                authorizer_configuration=authorizer(settings.jwt) if settings.jwt else None,
                environment_variables=pulumi.Output.from_input(args.endpoint_name).apply(
                    lambda endpoint: agent_environment(settings, endpoint)
                ),
            ),
            opts=pulumi.ResourceOptions(parent=self, depends_on=rights),
        )

    def _network(
        self,
    ) -> pulumi.Output[aws.bedrock.AgentcoreAgentRuntimeNetworkConfigurationArgs]:
        where = pulumi.Output.all(self._args.subnet_ids, self._args.security_group_ids)
        return where.apply(lambda ids: network_configuration(ids[0], ids[1]))

    def _caller(self) -> None:
        args = self._args
        allowed = pulumi.Output.all(self.runtime.agent_runtime_arn, args.endpoint_arn)
        aws.iam.RolePolicy(
            "caller-talks",
            aws.iam.RolePolicyArgs(
                role=args.caller_role_name,
                name="talks",
                policy=allowed.apply(lambda arns: policies.caller_role(arns[0], arns[1])),
            ),
            opts=self._inside,
        )

    def _delivery(self, kind: str) -> None:
        """From the runtime to the foundation's log group, which has a retention."""
        name = f"{self._args.names.prefix}-{kind.lower().replace('_', '-')}"
        source = aws.cloudwatch.LogDeliverySource(
            f"{name}-source",
            aws.cloudwatch.LogDeliverySourceArgs(
                name=name, log_type=kind, resource_arn=self.runtime.agent_runtime_arn
            ),
            opts=self._inside,
        )
        group = aws.cloudwatch.LogDeliveryDestinationDeliveryDestinationConfigurationArgs(
            destination_resource_arn=self._args.log_group_arn
        )
        destination = aws.cloudwatch.LogDeliveryDestination(
            f"{name}-destination",
            aws.cloudwatch.LogDeliveryDestinationArgs(
                name=name, output_format="json", delivery_destination_configuration=group
            ),
            opts=self._inside,
        )
        aws.cloudwatch.LogDelivery(
            name,
            aws.cloudwatch.LogDeliveryArgs(
                delivery_source_name=source.name, delivery_destination_arn=destination.arn
            ),
            opts=self._inside,
        )


def network_configuration(
    subnet_ids: Sequence[str], security_group_ids: Sequence[str]
) -> aws.bedrock.AgentcoreAgentRuntimeNetworkConfigurationArgs:
    """Inside the given network; without one, AgentCore's own, which reaches the internet."""
    if not subnet_ids:
        return aws.bedrock.AgentcoreAgentRuntimeNetworkConfigurationArgs(network_mode="PUBLIC")
    return aws.bedrock.AgentcoreAgentRuntimeNetworkConfigurationArgs(
        network_mode="VPC",
        network_mode_config=(
            aws.bedrock.AgentcoreAgentRuntimeNetworkConfigurationNetworkModeConfigArgs(
                subnets=list(subnet_ids), security_groups=list(security_group_ids)
            )
        ),
    )


def authorizer(
    jwt: JwtSettings,
) -> aws.bedrock.AgentcoreAgentRuntimeAuthorizerConfigurationArgs:
    """Callers bring a token of that issuer instead of a signature."""
    return aws.bedrock.AgentcoreAgentRuntimeAuthorizerConfigurationArgs(
        custom_jwt_authorizer=(
            aws.bedrock.AgentcoreAgentRuntimeAuthorizerConfigurationCustomJwtAuthorizerArgs(
                discovery_url=jwt.discovery_url,
                allowed_audiences=list(jwt.audiences) or None,
                allowed_clients=list(jwt.clients) or None,
            )
        )
    )
