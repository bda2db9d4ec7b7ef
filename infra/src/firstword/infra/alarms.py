"""Alarms of an endpoint, the topic that they ring, and the dashboard beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi
import pulumi_aws as aws

from firstword.infra import metrics, policies
from firstword.infra.capacity import Fleet
from firstword.infra.dashboard import dashboard
from firstword.infra.metrics import Watch, dimensions
from firstword.infra.names import Names


@dataclass(frozen=True, slots=True, kw_only=True)
class AlarmsArgs:
    """``email`` of None: nobody is written to."""

    names: Names
    fleet: Fleet
    email: str | None


class Alarms(pulumi.ComponentResource):
    """Made before the endpoint, of whose name alone they need to know.

    Outputs ``rollback_names``, the alarms that take back a deployment, and ``topic_arn``.
    """

    rollback_names: pulumi.Output[Sequence[str]]
    topic_arn: pulumi.Output[str]

    def __init__(
        self, name: str, args: AlarmsArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("firstword:infra:Alarms", name, None, opts)
        self._args = args
        self._inside = pulumi.ResourceOptions(parent=self)
        topic = self._topic()
        rollback = []
        for watch in metrics.watches(args.fleet):
            alarm = self._alarm(watch, topic)
            if watch.rolls_back:
                rollback.append(alarm.name)
        self._dashboard()
        self.rollback_names = pulumi.Output.all(*rollback)
        self.topic_arn = topic.arn
        self.register_outputs({"rollback_names": self.rollback_names, "topic_arn": self.topic_arn})

    def _topic(self) -> aws.sns.Topic:
        names = self._args.names
        topic = aws.sns.Topic(
            "alarms", aws.sns.TopicArgs(name=f"{names.prefix}-alarms"), opts=self._inside
        )
        inside = pulumi.ResourceOptions(parent=topic)
        aws.sns.TopicPolicy(
            "alarms-policy",
            aws.sns.TopicPolicyArgs(
                arn=topic.arn,
                policy=topic.arn.apply(lambda arn: policies.alarm_topic(names, arn)),
            ),
            opts=inside,
        )
        if self._args.email is not None:
            aws.sns.TopicSubscription(
                "alarms-email",
                aws.sns.TopicSubscriptionArgs(
                    topic=topic.arn, protocol="email", endpoint=self._args.email
                ),
                opts=inside,
            )
        return topic

    def _alarm(self, watch: Watch, topic: aws.sns.Topic) -> aws.cloudwatch.MetricAlarm:
        names = self._args.names
        percentile = watch.statistic.startswith("p")
        return aws.cloudwatch.MetricAlarm(
            watch.name,
            aws.cloudwatch.MetricAlarmArgs(
                name=f"{names.endpoint}-{watch.name}",
                alarm_description=watch.about,
                namespace=metrics.NAMESPACE,
                metric_name=watch.metric,
                dimensions=dimensions(names),
                statistic=None if percentile else watch.statistic,
                extended_statistic=watch.statistic if percentile else None,
                comparison_operator="GreaterThanOrEqualToThreshold",
                threshold=watch.threshold,
                period=watch.period_s,
                evaluation_periods=watch.periods,
                datapoints_to_alarm=watch.hits,
                treat_missing_data="notBreaching",
                alarm_actions=[topic.arn],
                ok_actions=[topic.arn],
            ),
            opts=self._inside,
        )

    def _dashboard(self) -> None:
        names = self._args.names
        aws.cloudwatch.Dashboard(
            "dashboard",
            aws.cloudwatch.DashboardArgs(
                dashboard_name=names.prefix,
                dashboard_body=dashboard(names, self._args.fleet),
            ),
            opts=self._inside,
        )
