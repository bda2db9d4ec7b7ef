"""CloudWatch alarms, dashboards, log groups and log delivery; SNS."""

from __future__ import annotations

from typing import Any

from engine.aws_calls import Calls
from engine.aws_world import Account
from engine.provider import Answer, Properties, RefusedError


def answers(account: Account) -> dict[str, Answer]:
    """Token to Answer."""
    return {
        "aws:cloudwatch/logGroup:LogGroup": _LogGroup(account),
        "aws:cloudwatch/metricAlarm:MetricAlarm": _alarm(account),
        "aws:cloudwatch/dashboard:Dashboard": _dashboard(account),
        "aws:cloudwatch/logDeliverySource:LogDeliverySource": _delivery_source(account),
        "aws:cloudwatch/logDeliveryDestination:LogDeliveryDestination": _destination(account),
        "aws:cloudwatch/logDelivery:LogDelivery": _delivery(account),
        "aws:sns/topic:Topic": _topic(account),
        "aws:sns/topicPolicy:TopicPolicy": _TopicPolicy(account),
        "aws:sns/topicSubscription:TopicSubscription": _subscription(account),
    }


class _LogGroup:
    """Two calls: the group, and how long it keeps what it holds."""

    updatable = frozenset({"retentionInDays", "tags", "skipDestroy"})
    autoname = "name"

    def __init__(self, account: Account) -> None:
        self._account = account
        self._logs = account.client("logs")

    def create(self, inputs: Properties) -> tuple[str, Properties]:
        name = str(inputs["name"])
        given = {k: v for k, v in inputs.items() if k in ("name", "tags", "kmsKeyId")}
        self._account.call("logs", "create_log_group", given, {"name": "logGroupName"})
        self._keep(name, inputs)
        return name, {**inputs, "arn": self._arn(name)}

    def update(self, ident: str, old: Properties, new: Properties) -> Properties:
        self._keep(ident, new)
        return {**old, **new}

    def exists(self, ident: str, state: Properties) -> bool:
        groups = self._logs.describe_log_groups(logGroupNamePrefix=ident)["logGroups"]
        return ident in {group["logGroupName"] for group in groups}

    def delete(self, ident: str, state: Properties) -> None:
        if self.exists(ident, state) and not state.get("skipDestroy"):
            self._logs.delete_log_group(logGroupName=ident)

    def _arn(self, name: str) -> str:
        return f"arn:aws:logs:{self._account.region}:{self._account.number}:log-group:{name}"

    def _keep(self, name: str, inputs: Properties) -> None:
        days = inputs.get("retentionInDays")
        if isinstance(days, (int, float)) and days:
            self._logs.put_retention_policy(logGroupName=name, retentionInDays=int(days))


def _alarm(account: Account) -> Answer:
    def arn(name: object) -> str:
        return f"arn:aws:cloudwatch:{account.region}:{account.number}:alarm:{name}"

    return Calls(
        account,
        "cloudwatch",
        "put_metric_alarm",
        "delete_alarms",
        ident=lambda inputs, answer: str(inputs["name"]),
        key=lambda ident, state: {"AlarmNames": [ident]},
        made=lambda inputs, answer: {"arn": arn(inputs["name"])},
        names={"name": "alarmName", "metricQueries": "metrics"},
        updatable=frozenset(
            {
                "actionsEnabled",
                "alarmActions",
                "alarmDescription",
                "comparisonOperator",
                "datapointsToAlarm",
                "dimensions",
                "evaluationPeriods",
                "extendedStatistic",
                "metricName",
                "metricQueries",
                "namespace",
                "okActions",
                "period",
                "statistic",
                "tags",
                "threshold",
                "treatMissingData",
            }
        ),
        autoname="name",
    )


def _dashboard(account: Account) -> Answer:
    return Calls(
        account,
        "cloudwatch",
        "put_dashboard",
        "delete_dashboards",
        ident=lambda inputs, answer: str(inputs["dashboardName"]),
        key=lambda ident, state: {"DashboardNames": [ident]},
        made=lambda inputs, answer: {
            "dashboardArn": f"arn:aws:cloudwatch::{account.number}:dashboard/"
            f"{inputs['dashboardName']}"
        },
        updatable=frozenset({"dashboardBody"}),
    )


def _delivery_source(account: Account) -> Answer:
    return Calls(
        account,
        "logs",
        "put_delivery_source",
        "delete_delivery_source",
        ident=lambda inputs, answer: str(inputs["name"]),
        key=lambda ident, state: {"name": ident},
        describe_call="get_delivery_source",
        made=lambda inputs, answer: {"arn": answer["deliverySource"]["arn"]},
        updatable=frozenset({"tags"}),
    )


def _destination(account: Account) -> Answer:
    return Calls(
        account,
        "logs",
        "put_delivery_destination",
        "delete_delivery_destination",
        ident=lambda inputs, answer: str(inputs["name"]),
        key=lambda ident, state: {"name": ident},
        describe_call="get_delivery_destination",
        made=lambda inputs, answer: {"arn": answer["deliveryDestination"]["arn"]},
        updatable=frozenset({"tags", "outputFormat", "deliveryDestinationConfiguration"}),
    )


def _delivery(account: Account) -> Answer:
    return Calls(
        account,
        "logs",
        "create_delivery",
        "delete_delivery",
        ident=lambda inputs, answer: str(answer["delivery"]["id"]),
        key=lambda ident, state: {"id": ident},
        describe_call="get_delivery",
        made=lambda inputs, answer: {"arn": answer["delivery"]["arn"]},
        updatable=frozenset({"tags"}),
    )


def _topic(account: Account) -> Answer:
    def allowed(inputs: Properties) -> None:
        if inputs.get("fifoTopic"):
            raise RefusedError("alarms cannot notify a FIFO topic")

    return Calls(
        account,
        "sns",
        "create_topic",
        "delete_topic",
        ident=lambda inputs, answer: str(answer["TopicArn"]),
        key=lambda ident, state: {"TopicArn": ident},
        describe_call=None,
        made=lambda inputs, answer: {"arn": answer["TopicArn"]},
        shaped=_topic_shape,
        allowed=allowed,
        change=lambda ident, old, new: None,
        updatable=frozenset({"displayName", "tags"}),
        autoname="name",
    )


def _topic_shape(inputs: Properties) -> Properties:
    spelt = {"displayName": "DisplayName", "kmsMasterKeyId": "KmsMasterKeyId"}
    attributes: Properties = {spelt[k]: v for k, v in inputs.items() if k in spelt}
    rest: Properties = {k: v for k, v in inputs.items() if k not in spelt}
    return {**rest, "attributes": attributes}


class _TopicPolicy:
    """An attribute of the topic."""

    updatable = frozenset({"policy"})
    autoname = None

    def __init__(self, account: Account) -> None:
        self._sns = account.client("sns")

    def create(self, inputs: Properties) -> tuple[str, Properties]:
        self._set(inputs)
        return str(inputs["arn"]), inputs

    def update(self, ident: str, old: Properties, new: Properties) -> Properties:
        self._set(new)
        return {**old, **new}

    def exists(self, ident: str, state: Properties) -> bool:
        return True

    def delete(self, ident: str, state: Properties) -> None:
        """The topic falls back to its owner's own policy; nothing is left to remove."""

    def _set(self, inputs: Properties) -> None:
        self._sns.set_topic_attributes(
            TopicArn=inputs["arn"], AttributeName="Policy", AttributeValue=inputs["policy"]
        )


def _subscription(account: Account) -> Answer:
    def key(ident: str, state: Properties) -> dict[str, Any]:
        return {"SubscriptionArn": ident}

    return Calls(
        account,
        "sns",
        "subscribe",
        "unsubscribe",
        ident=lambda inputs, answer: str(answer["SubscriptionArn"]),
        key=key,
        made=lambda inputs, answer: {"arn": answer["SubscriptionArn"]},
        names={"topic": "topicArn"},
    )
