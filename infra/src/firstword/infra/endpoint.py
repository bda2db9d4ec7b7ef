"""The speech server on SageMaker: model, configuration, endpoint.

Model and configuration cannot be changed and are named by Pulumi, so that new ones exist before the
endpoint moves to them, and the old ones go afterwards. The endpoint keeps its name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi
import pulumi_aws as aws

from firstword.infra.capacity import Fleet
from firstword.infra.environment import endpoint_environment
from firstword.infra.names import VARIANT, Names
from firstword.infra.settings import EndpointSettings

BAKE_S = 120
"""How long each step of a deployment is watched before the next."""

OLD_FLEET_S = 300
"""How long replaced machines go on with the sessions that they have."""

SMALL_FLEET = 20
"""Up to here one machine is at least the 5 % of the fleet that a rolling step must be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeechEndpointArgs:
    """What of the other rooms the endpoint is made of. No subnets: SageMaker's own network."""

    settings: EndpointSettings
    names: Names
    fleet: Fleet
    role_arn: pulumi.Input[str]
    image_uri: pulumi.Input[str]
    model_uri: pulumi.Input[str]
    subnet_ids: pulumi.Input[Sequence[str]]
    security_group_ids: pulumi.Input[Sequence[str]]
    rollback_alarms: pulumi.Input[Sequence[str]]


class SpeechEndpoint(pulumi.ComponentResource):
    """Outputs ``endpoint``; Pulumi waits until it is InService."""

    endpoint: aws.sagemaker.Endpoint

    def __init__(
        self, name: str, args: SpeechEndpointArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("firstword:infra:SpeechEndpoint", name, None, opts)
        self._name, self._args = name, args
        self._inside = pulumi.ResourceOptions(parent=self)
        model = self._model()
        configuration = self._configuration(model)
        self.endpoint = aws.sagemaker.Endpoint(
            name,
            aws.sagemaker.EndpointArgs(
                name=args.names.endpoint,
                endpoint_config_name=configuration.name,
                deployment_config=self._deployment(),
            ),
            opts=self._inside,
        )
        self.register_outputs({"endpoint_name": self.endpoint.name})

    def _model(self) -> aws.sagemaker.Model:
        args = self._args
        weights = aws.sagemaker.ModelPrimaryContainerModelDataSourceS3DataSourceArgs(
            s3_uri=args.model_uri, s3_data_type="S3Prefix", compression_type="None"
        )
        return aws.sagemaker.Model(
            self._name,
            aws.sagemaker.ModelArgs(
                execution_role_arn=args.role_arn,
                enable_network_isolation=args.settings.host.network_isolation,
                primary_container=aws.sagemaker.ModelPrimaryContainerArgs(
                    image=args.image_uri,
                    environment=endpoint_environment(args.settings),
                    model_data_source=aws.sagemaker.ModelPrimaryContainerModelDataSourceArgs(
                        s3_data_sources=[weights]
                    ),
                ),
                vpc_config=self._network(),
            ),
            opts=self._inside,
        )

    def _network(self) -> pulumi.Output[aws.sagemaker.ModelVpcConfigArgs | None]:
        where = pulumi.Output.all(self._args.subnet_ids, self._args.security_group_ids)
        return where.apply(
            lambda ids: (
                aws.sagemaker.ModelVpcConfigArgs(subnets=ids[0], security_group_ids=ids[1])
                if ids[0]
                else None
            )
        )

    def _configuration(self, model: aws.sagemaker.Model) -> aws.sagemaker.EndpointConfiguration:
        host, fleet = self._args.settings.host, self._args.fleet
        variant = aws.sagemaker.EndpointConfigurationProductionVariantArgs(
            variant_name=VARIANT,
            model_name=model.name,
            instance_type=self._args.settings.fleet.instance_type,
            initial_instance_count=fleet.least,
            inference_ami_version=host.inference_ami,
            container_startup_health_check_timeout_in_seconds=host.startup_timeout_s,
            model_data_download_timeout_in_seconds=host.download_timeout_s,
            routing_configs=[
                aws.sagemaker.EndpointConfigurationProductionVariantRoutingConfigArgs(
                    routing_strategy="LEAST_OUTSTANDING_REQUESTS"
                )
            ],
        )
        return aws.sagemaker.EndpointConfiguration(
            self._name,
            aws.sagemaker.EndpointConfigurationArgs(production_variants=[variant]),
            opts=self._inside,
        )

    def _deployment(self) -> aws.sagemaker.EndpointDeploymentConfigArgs:
        """Rolling, taken back when an alarm rings.

        A rolling step may be half of the fleet at most, which a single machine has not: there all
        of the new fleet (one machine) stands beside the old one for a while.
        """
        rollback = aws.sagemaker.EndpointDeploymentConfigAutoRollbackConfigurationArgs(
            alarms=pulumi.Output.from_input(self._args.rollback_alarms).apply(
                lambda names: [
                    aws.sagemaker.EndpointDeploymentConfigAutoRollbackConfigurationAlarmArgs(
                        alarm_name=name
                    )
                    for name in names
                ]
            )
        )
        if self._args.fleet.least > 1:
            return aws.sagemaker.EndpointDeploymentConfigArgs(
                auto_rollback_configuration=rollback,
                rolling_update_policy=self._rolling(),
            )
        return aws.sagemaker.EndpointDeploymentConfigArgs(
            auto_rollback_configuration=rollback,
            blue_green_update_policy=_at_once(),
        )

    def _rolling(self) -> aws.sagemaker.EndpointDeploymentConfigRollingUpdatePolicyArgs:
        small = self._args.fleet.most <= SMALL_FLEET
        return aws.sagemaker.EndpointDeploymentConfigRollingUpdatePolicyArgs(
            maximum_batch_size=(
                aws.sagemaker.EndpointDeploymentConfigRollingUpdatePolicyMaximumBatchSizeArgs(
                    type="INSTANCE_COUNT" if small else "CAPACITY_PERCENT",
                    value=1 if small else 25,
                )
            ),
            wait_interval_in_seconds=BAKE_S,
        )


def _at_once() -> aws.sagemaker.EndpointDeploymentConfigBlueGreenUpdatePolicyArgs:
    traffic = (
        aws.sagemaker.EndpointDeploymentConfigBlueGreenUpdatePolicyTrafficRoutingConfigurationArgs
    )
    return aws.sagemaker.EndpointDeploymentConfigBlueGreenUpdatePolicyArgs(
        traffic_routing_configuration=traffic(type="ALL_AT_ONCE", wait_interval_in_seconds=BAKE_S),
        termination_wait_in_seconds=OLD_FLEET_S,
    )
