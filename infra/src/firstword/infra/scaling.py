"""How the fleet grows and shrinks: out within seconds by target tracking, in slowly by steps.

The metric is open sessions on one machine. Target tracking alone would also take machines away as
soon as the average falls a little below the target, and end the sessions that are open on them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi
import pulumi_aws as aws

from firstword.infra import metrics
from firstword.infra.capacity import Fleet
from firstword.infra.names import Names
from firstword.infra.settings import Hours

SERVICE = "sagemaker"
DIMENSION = "sagemaker:variant:DesiredInstanceCount"
OUT_COOLDOWN_S = 60
IN_COOLDOWN_S = 600
QUIET_MINUTES = 15
"""How long sessions must have been few before a machine goes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScalingArgs:
    """``endpoint``: everything here is made after it and goes before it."""

    names: Names
    fleet: Fleet
    hours: Sequence[Hours]
    endpoint: aws.sagemaker.Endpoint


class Scaling(pulumi.ComponentResource):
    """Target, policies, and other limits at some hours."""

    def __init__(
        self, name: str, args: ScalingArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("firstword:infra:Scaling", name, None, opts)
        self._args = args
        target = aws.appautoscaling.Target(
            "fleet",
            aws.appautoscaling.TargetArgs(
                service_namespace=SERVICE,
                scalable_dimension=DIMENSION,
                resource_id=args.names.scalable_resource,
                min_capacity=args.fleet.least,
                max_capacity=args.fleet.most,
            ),
            opts=pulumi.ResourceOptions(
                parent=self,
                depends_on=[args.endpoint],
                # At some hours the schedule's limits hold; a deployment must not undo them.
                ignore_changes=["minCapacity", "maxCapacity"] if args.hours else None,
            ),
        )
        self._inside = pulumi.ResourceOptions(parent=target)
        self._out(target)
        self._in(target)
        for hours in args.hours:
            self._scheduled(target, hours)
        self.register_outputs({})

    def _out(self, target: aws.appautoscaling.Target) -> None:
        configuration = aws.appautoscaling.PolicyTargetTrackingScalingPolicyConfigurationArgs(
            target_value=float(self._args.fleet.sessions_per_instance),
            predefined_metric_specification=(
                aws.appautoscaling.PolicyTargetTrackingScalingPolicyConfigurationPredefinedMetricSpecificationArgs(
                    predefined_metric_type=metrics.CONCURRENCY_PREDEFINED
                )
            ),
            disable_scale_in=True,
            scale_in_cooldown=IN_COOLDOWN_S,
            scale_out_cooldown=OUT_COOLDOWN_S,
        )
        aws.appautoscaling.Policy(
            "more-machines",
            aws.appautoscaling.PolicyArgs(
                name=f"{self._args.names.endpoint}-out",
                policy_type="TargetTrackingScaling",
                service_namespace=target.service_namespace,
                scalable_dimension=target.scalable_dimension,
                resource_id=target.resource_id,
                target_tracking_scaling_policy_configuration=configuration,
            ),
            opts=self._inside,
        )

    def _in(self, target: aws.appautoscaling.Target) -> None:
        names = self._args.names
        one_less = aws.appautoscaling.PolicyStepScalingPolicyConfigurationStepAdjustmentArgs(
            scaling_adjustment=-1, metric_interval_upper_bound="0"
        )
        policy = aws.appautoscaling.Policy(
            "fewer-machines",
            aws.appautoscaling.PolicyArgs(
                name=f"{names.endpoint}-in",
                policy_type="StepScaling",
                service_namespace=target.service_namespace,
                scalable_dimension=target.scalable_dimension,
                resource_id=target.resource_id,
                step_scaling_policy_configuration=(
                    aws.appautoscaling.PolicyStepScalingPolicyConfigurationArgs(
                        adjustment_type="ChangeInCapacity",
                        cooldown=IN_COOLDOWN_S,
                        metric_aggregation_type="Average",
                        step_adjustments=[one_less],
                    )
                ),
            ),
            opts=self._inside,
        )
        aws.cloudwatch.MetricAlarm(
            "quiet",
            aws.cloudwatch.MetricAlarmArgs(
                name=f"{names.endpoint}-quiet",
                alarm_description="few sessions: one machine less has room for all; no fault",
                namespace=metrics.NAMESPACE,
                metric_name=metrics.CONCURRENCY,
                dimensions=metrics.dimensions(names),
                statistic="Average",
                comparison_operator="LessThanThreshold",
                threshold=self._args.fleet.idle_sessions,
                period=60,
                evaluation_periods=QUIET_MINUTES,
                datapoints_to_alarm=QUIET_MINUTES,
                treat_missing_data="breaching",
                alarm_actions=[policy.arn],
            ),
            opts=self._inside,
        )

    def _scheduled(self, target: aws.appautoscaling.Target, hours: Hours) -> None:
        aws.appautoscaling.ScheduledAction(
            f"hours-{hours.name}",
            aws.appautoscaling.ScheduledActionArgs(
                name=f"{self._args.names.endpoint}-{hours.name}",
                service_namespace=target.service_namespace,
                scalable_dimension=target.scalable_dimension,
                resource_id=target.resource_id,
                schedule=hours.when,
                timezone=hours.zone,
                scalable_target_action=(
                    aws.appautoscaling.ScheduledActionScalableTargetActionArgs(
                        min_capacity=hours.least, max_capacity=hours.most
                    )
                ),
            ),
            opts=self._inside,
        )
