"""The endpoint: what it is made of, in which order, how it scales and how it is watched."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest
from firstword.infra.capacity import CAPACITY_FILE, read_capacity
from firstword.infra.errors import SettingError
from firstword.infra.weights import WeightsError
from infra.environments import Environment, write_models
from infra.planning import DIGEST, ROOT, Plan

MODEL = "aws:sagemaker/model:Model"
CONFIGURATION = "aws:sagemaker/endpointConfiguration:EndpointConfiguration"
ENDPOINT = "aws:sagemaker/endpoint:Endpoint"
TARGET = "aws:appautoscaling/target:Target"
POLICY = "aws:appautoscaling/policy:Policy"
ALARM = "aws:cloudwatch/metricAlarm:MetricAlarm"
IMAGE = "docker-build:index:Image"
GIVEN = "123456789012.dkr.ecr.us-west-2.amazonaws.com/firstword/dev/tts@sha256:" + "b" * 64


def test_the_model_is_an_image_by_digest_and_weights_by_their_contents(dev: Environment) -> None:
    plan = dev.endpoint()
    model = plan.one(MODEL).inputs
    container = model["primaryContainer"]
    assert container["image"].endswith(f"/firstword/dev/tts@{DIGEST}")
    (source,) = container["modelDataSource"]["s3DataSources"]
    assert source["s3DataType"] == "S3Prefix"
    assert source["compressionType"] == "None"
    assert [(source["s3Uri"], "us-west-2")] == plan.uploads
    assert re.fullmatch(
        r"s3://firstword-dev-\d{12}-us-west-2/models/[0-9a-f]{32}/", source["s3Uri"]
    )
    assert model["enableNetworkIsolation"] is True
    assert container["environment"]["FIRSTWORD_TTS_MAX_WAIT_S"] == "2"
    assert container["environment"]["FIRSTWORD_ENGINE"] == "torch"
    assert container["environment"]["FIRSTWORD_MODEL_DIR"] == "/opt/ml/model"


def test_model_and_configuration_are_named_by_pulumi_and_the_endpoint_by_us(
    dev: Environment,
) -> None:
    plan = dev.endpoint()
    assert "name" not in plan.one(MODEL).inputs
    assert not {"name", "namePrefix"} & set(plan.one(CONFIGURATION).inputs)
    assert plan.one(ENDPOINT).inputs["name"] == "firstword-dev-tts"


def test_the_variant_says_all_that_a_gpu_container_needs(dev: Environment) -> None:
    plan = dev.endpoint({"startupTimeoutS": 700, "downloadTimeoutS": 300})
    (variant,) = plan.one(CONFIGURATION).inputs["productionVariants"]
    assert variant == {
        "variantName": "main",
        "modelName": "firstword-dev-tts-1a2b3c4",
        "instanceType": "ml.g5.xlarge",
        "initialInstanceCount": 1,
        "inferenceAmiVersion": "al2023-ami-sagemaker-inference-gpu-4-1",
        "containerStartupHealthCheckTimeoutInSeconds": 700,
        "modelDataDownloadTimeoutInSeconds": 300,
        "routingConfigs": [{"routingStrategy": "LEAST_OUTSTANDING_REQUESTS"}],
    }


def test_a_fleet_is_replaced_in_steps_and_a_single_machine_beside_the_old_one(
    dev: Environment, prod: Environment
) -> None:
    single = dev.endpoint().one(ENDPOINT).inputs["deploymentConfig"]
    assert "rollingUpdatePolicy" not in single
    traffic = single["blueGreenUpdatePolicy"]["trafficRoutingConfiguration"]
    assert traffic["type"] == "ALL_AT_ONCE"
    fleet = prod.endpoint().one(ENDPOINT).inputs["deploymentConfig"]
    assert fleet["rollingUpdatePolicy"]["maximumBatchSize"] == {
        "type": "INSTANCE_COUNT",
        "value": 1,
    }
    large = prod.endpoint({"peakSessions": 5000}).one(ENDPOINT).inputs["deploymentConfig"]
    assert large["rollingUpdatePolicy"]["maximumBatchSize"]["type"] == "CAPACITY_PERCENT"
    for config in (single, fleet, large):
        alarms = config["autoRollbackConfiguration"]["alarms"]
        assert {a["alarmName"].split("-tts-")[1] for a in alarms} == {
            "server-errors",
            "model-errors",
        }


def test_alarms_come_before_the_endpoint_and_scaling_after_it(dev: Environment) -> None:
    plan = dev.endpoint()
    before = plan.needs(plan.one(ENDPOINT))
    assert {"server-errors", "model-errors"} <= before
    assert "fleet" not in before
    for type_, name in ((TARGET, "fleet"), (POLICY, "more-machines"), (ALARM, "quiet")):
        assert "firstword-dev-tts" in plan.needs(plan.one(type_, name))


def test_it_scales_out_by_open_sessions_and_in_by_steps(prod: Environment) -> None:
    plan = prod.endpoint({"peakSessions": 200, "sessionsPerInstance": 50})
    target = plan.one(TARGET).inputs
    assert target["resourceId"] == "endpoint/firstword-prod-tts/variant/main"
    assert target["scalableDimension"] == "sagemaker:variant:DesiredInstanceCount"
    assert target["serviceNamespace"] == "sagemaker"
    assert (target["minCapacity"], target["maxCapacity"]) == (2, 4)
    out = plan.one(POLICY, "more-machines").inputs["targetTrackingScalingPolicyConfiguration"]
    assert out["predefinedMetricSpecification"] == {
        "predefinedMetricType": "SageMakerVariantConcurrentRequestsPerModelHighResolution"
    }
    assert out["targetValue"] == 50
    assert out["disableScaleIn"] is True
    steps = plan.one(POLICY, "fewer-machines").inputs["stepScalingPolicyConfiguration"]
    assert [s["scalingAdjustment"] for s in steps["stepAdjustments"]] == [-1]
    quiet = plan.one(ALARM, "quiet").inputs
    assert quiet["threshold"] == 25
    assert quiet["comparisonOperator"] == "LessThanThreshold"
    assert "fewer-machines" in quiet["alarmActions"][0]


def test_other_limits_hold_at_some_hours_and_a_deployment_does_not_undo_them(
    dev: Environment,
) -> None:
    night = {"name": "night", "when": "cron(0 20 * * ? *)", "zone": "Europe/Paris"}
    plan = dev.endpoint({"schedule": [night | {"min": 1, "max": 2}]})
    action = plan.one("aws:appautoscaling/scheduledAction:ScheduledAction").inputs
    assert action["schedule"] == "cron(0 20 * * ? *)"
    assert action["timezone"] == "Europe/Paris"
    assert action["scalableTargetAction"] == {"minCapacity": 1, "maxCapacity": 2}
    assert set(plan.one(TARGET).ignored_changes) == {"minCapacity", "maxCapacity"}
    assert plan.one(POLICY, "more-machines")
    assert dev.endpoint().one(TARGET).ignored_changes == ()


def test_every_alarm_rings_the_topic_and_watches_this_endpoint(dev: Environment) -> None:
    plan = dev.endpoint({"alarmEmail": "oncall@example.com"})
    topic = "arn:aws:made:us-west-2:123456789012:alarms"
    for alarm in plan.all(ALARM):
        assert alarm.inputs["dimensions"] == {
            "EndpointName": "firstword-dev-tts",
            "VariantName": "main",
        }
        assert alarm.inputs["alarmDescription"]
        if alarm.name != "quiet":
            assert alarm.inputs["alarmActions"] == alarm.inputs["okActions"] == [topic]
    mail = plan.one("aws:sns/topicSubscription:TopicSubscription").inputs
    assert (mail["protocol"], mail["endpoint"]) == ("email", "oncall@example.com")
    assert not dev.endpoint().all("aws:sns/topicSubscription:TopicSubscription")


def test_alarms_ring_where_the_capacity_file_says_that_it_is_too_much(dev: Environment) -> None:
    known = read_capacity(ROOT / CAPACITY_FILE)
    plan = dev.endpoint({"sessionsPerInstance": 30})
    assert plan.one(ALARM, "full").inputs["threshold"] == 39
    slow = plan.one(ALARM, "slow-first-audio").inputs
    assert slow["threshold"] == known.first_audio_p95_s * 1_000_000
    assert slow["extendedStatistic"] == "p95"


def test_the_dashboard_shows_this_endpoint_and_what_the_services_count(dev: Environment) -> None:
    board = dev.endpoint().one("aws:cloudwatch/dashboard:Dashboard").inputs
    assert board["dashboardName"] == "firstword-dev"
    widgets = json.loads(board["dashboardBody"])["widgets"]
    places = [(w["x"], w["y"]) for w in widgets]
    assert len(places) == len(set(places)) == 8
    shown = [metric for widget in widgets for metric in widget["properties"]["metrics"]]
    for metric in shown:
        assert "firstword-dev-tts" in metric or metric[0] == "Firstword/dev"
    assert {w["properties"]["region"] for w in widgets} == {"us-west-2"}


def test_the_services_numbers_are_called_as_the_services_call_them(dev: Environment) -> None:
    board = dev.endpoint().one("aws:cloudwatch/dashboard:Dashboard").inputs
    widgets = json.loads(board["dashboardBody"])["widgets"]
    ours = {
        (metric[3], metric[1])
        for widget in widgets
        for metric in widget["properties"]["metrics"]
        if metric[0] == "Firstword/dev"
    }
    assert ours
    for service, name in ours:
        folder = ROOT / "services" / service.removeprefix("firstword-") / "src"
        code = "".join(path.read_text() for path in folder.rglob("*.py"))
        assert f'"{service}"' in code
        assert f'Metric("{name}"' in code


def test_an_image_is_built_for_the_machine_pushed_once_and_kept(dev: Environment) -> None:
    plan = dev.endpoint()
    image = plan.one(IMAGE)
    assert image.inputs["platforms"] == ["linux/amd64"]
    assert image.inputs["target"] == "gpu"
    assert image.inputs["context"] == {"location": ".."}
    assert image.inputs["dockerfile"] == {"location": "../services/tts/Dockerfile"}
    assert image.inputs["push"] is True
    assert image.inputs["buildOnPreview"] is False
    (tag,) = image.inputs["tags"]
    content = image.name.removeprefix("tts-")
    assert tag.endswith(f"/firstword/dev/tts:{content}-20261130010203")
    (registry,) = image.inputs["registries"]
    assert registry["address"] == "123456789012.dkr.ecr.us-west-2.amazonaws.com"
    assert registry["password"] == "secret-token"
    assert "registries" in image.secrets
    assert image.ignored_changes == ("tags",)
    assert image.retained


def test_an_image_that_exists_is_used_as_it_is(dev: Environment) -> None:
    plan = dev.endpoint({"ttsImage": GIVEN})
    assert not plan.all(IMAGE)
    assert plan.one(MODEL).inputs["primaryContainer"]["image"] == GIVEN


def test_other_weights_are_another_model_in_another_place(
    dev: Environment, tmp_path_factory: pytest.TempPathFactory
) -> None:
    first = dev.endpoint()
    other = write_models(tmp_path_factory.mktemp("other"), graph=b"another graph")
    with pytest.raises(WeightsError, match="the stack asks for"):
        Environment(other).endpoint()
    sha256 = json.loads((other / "manifest.json").read_text())["files"][0]["sha256"]
    second = Environment(other).endpoint({"weightsSha256": sha256})
    assert first.exports["modelUri"] != second.exports["modelUri"]
    assert first.one(ENDPOINT).inputs["name"] == second.one(ENDPOINT).inputs["name"]


def test_a_preview_stores_nothing_and_names_the_same_place(dev: Environment) -> None:
    preview, real = dev.endpoint(preview=True), dev.endpoint()
    assert preview.uploads == []
    assert real.uploads
    assert preview.exports["modelUri"] == real.exports["modelUri"]


def test_a_machine_of_which_nothing_is_known_is_refused_before_anything_is_made(
    dev: Environment,
) -> None:
    with pytest.raises(SettingError, match="sessionsPerInstance"):
        dev.endpoint({"instanceType": "ml.p5.48xlarge"})


def test_two_environments_of_an_account_share_no_resource(
    environment: Callable[..., Environment],
) -> None:
    def physical(plan: Plan) -> set[tuple[str, str]]:
        named = (r for r in plan.cloud if "name" in r.inputs and "role" not in r.inputs)
        return {(r.type, r.inputs["name"]) for r in named}

    one, other = environment(name="dev"), environment(name="dev2")
    for ours, theirs in zip(one.everything()[:2], other.everything()[:2], strict=True):
        assert not physical(ours) & physical(theirs)
