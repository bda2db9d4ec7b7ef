"""A stack's settings: defaults by kind, and errors that say what to change."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from firstword.infra.errors import SettingError
from firstword.infra.keys import Kind, Room
from firstword.infra.reading import read_settings
from firstword.infra.schema import KEYS, keys_of
from firstword.infra.schema_endpoint import WEIGHTS_SHA256
from firstword.infra.settings import (
    AgentSettings,
    EndpointSettings,
    FoundationSettings,
    LocalSettings,
)

ROOT = Path(__file__).parents[2]
DEV = {"kind": "dev", "region": "us-west-2"}
PROD = {"kind": "prod", "region": "us-west-2"}
IMAGE = "123456789012.dkr.ecr.us-west-2.amazonaws.com/firstword/dev/tts@sha256:" + "a" * 64


def test_an_environment_needs_only_kind_and_region() -> None:
    assert isinstance(read_settings("dev-foundation", DEV), FoundationSettings)
    assert isinstance(read_settings("dev-endpoint", DEV), EndpointSettings)
    assert isinstance(read_settings("dev-agent", DEV), AgentSettings)


def test_a_docker_host_needs_only_its_kind() -> None:
    local = read_settings("gpu-box", {"kind": "local"})
    assert isinstance(local, LocalSettings)
    assert (local.environment, local.page_host, local.gpu) == ("gpu-box", "127.0.0.1", False)
    assert local.speech.max_wait_s == 300


def test_production_is_larger_and_closed() -> None:
    dev, prod = read_settings("dev-foundation", DEV), read_settings("p-foundation", PROD)
    assert isinstance(dev, FoundationSettings)
    assert isinstance(prod, FoundationSettings)
    assert not dev.vpc_only
    assert prod.vpc_only
    assert prod.log_retention_days > dev.log_retention_days
    endpoint = read_settings("p-endpoint", PROD)
    assert isinstance(endpoint, EndpointSettings)
    assert endpoint.fleet.least == 2
    assert endpoint.speech.max_wait_s == 2
    assert endpoint.speech.engine == "torch"
    assert endpoint.host.inference_ami.startswith("al2023-")


def test_values_come_as_pulumi_has_them_or_as_yaml_has_them() -> None:
    for value in ({"CostCenter": "voice"}, '{"CostCenter": "voice"}'):
        settings = read_settings("dev-agent", DEV | {"tags": value, "account": 123456789012})
        assert isinstance(settings, AgentSettings)
        assert settings.place.tags == (("CostCenter", "voice"),)
        assert settings.place.account == "123456789012"
    for value in (True, "true"):
        settings = read_settings("dev-foundation", DEV | {"vpcOnly": value})
        assert isinstance(settings, FoundationSettings)
        assert settings.vpc_only


@pytest.mark.parametrize(
    ("stack", "values", "said"),
    [
        ("dev-endpoint", {"kind": "dev"}, "firstword:region is not set"),
        ("dev-endpoint", {"region": "us-west-2"}, "firstword:kind is not set"),
        ("dev-endpoint", DEV | {"kind": "test"}, "one of dev, prod, local"),
        ("dev-endpoint", DEV | {"region": "Oregon"}, "an AWS region such as us-west-2"),
        ("dev-endpoint", DEV | {"account": "12"}, "twelve digits"),
        ("dev-endpoint", DEV | {"instanceTyp": "ml.g5.xlarge"}, "did you mean instanceType?"),
        ("dev-agent", DEV | {"instanceType": "ml.g5.xlarge"}, "belongs to the endpoint stack"),
        ("dev-endpoint", DEV | {"instanceType": "g5.xlarge"}, "such as ml.g5.xlarge"),
        ("dev-endpoint", DEV | {"minInstances": 3, "maxInstances": 2}, "minInstances (3) or more"),
        ("dev-endpoint", DEV | {"minInstances": "2.5"}, "a whole number from 1 to 1000"),
        ("dev-endpoint", DEV | {"maxWaitS": "soon"}, "a number from 0.1 to 3600"),
        ("dev-endpoint", DEV | {"ttsImage": IMAGE.replace("@", ":")}, "an image by digest"),
        ("dev-endpoint", DEV | {"schedule": [{"name": "x"}]}, "name, when, zone, min, max"),
        ("dev-endpoint", DEV | {"alarmEmail": "oncall"}, "an e-mail address"),
        ("dev-foundation", DEV | {"vpcOnly": "yes"}, "true or false"),
        ("dev-foundation", DEV | {"logRetentionDays": 8}, "one of 1, 3, 5, 7"),
        ("dev-foundation", DEV | {"zones": ["us-west-2a"]}, "two to four zones"),
        ("dev-foundation", DEV | {"zones": '["eu-west-1a", "eu-west-1b"]'}, "a zone of us-west-2"),
        ("dev-foundation", DEV | {"callers": ["everybody"]}, "an IAM principal's ARN"),
        ("dev-foundation", DEV | {"tags": {"aws:x": "y"}}, "not aws:"),
        ("dev-foundation", DEV | {"tags": "[1"}, "a map of tags"),
        ("dev-agent", DEV | {"idleTimeoutS": 900, "maxLifetimeS": 600}, "(600) or less"),
        ("dev-agent", DEV | {"jwtAudiences": ["web"]}, "set together with"),
        ("dev", DEV, "dev-foundation, dev-endpoint, dev-agent"),
        ("Dev-endpoint", DEV, "cannot name an environment"),
        ("box-endpoint", {"kind": "local"}, "has one stack"),
        ("box", {"kind": "local", "llm": "openai"}, "firstword:llmBaseUrl"),
        ("box", {"kind": "local", "pagePort": 0}, "from 1 to 65535"),
    ],
)
def test_a_wrong_setting_is_named_with_what_it_must_be(
    stack: str, values: dict[str, object], said: str
) -> None:
    with pytest.raises(SettingError) as caught:
        read_settings(stack, values)
    assert said in str(caught.value)


@pytest.mark.parametrize("room", ["foundation", "endpoint", "agent", "local"])
@pytest.mark.parametrize("kind", ["dev", "prod"])
def test_every_default_is_a_value_that_may_be_set(room: Room, kind: Kind) -> None:
    for key in keys_of(room):
        default = key.default_of("local" if room == "local" else kind)
        if default in (None, ()):
            continue
        assert key.parse(key.name, default) == default


def test_every_setting_is_described_and_named_once() -> None:
    names = [key.name for key in KEYS]
    assert len(names) == len(set(names))
    assert all(key.about and key.rooms for key in KEYS)


def test_the_weights_are_those_that_the_speech_server_pins() -> None:
    pinned = ROOT / "services/tts/src/firstword/tts/models/pinned.json"
    assert json.loads(pinned.read_text(encoding="utf-8"))["graph"]["sha256"] == WEIGHTS_SHA256
    assert len(WEIGHTS_SHA256) == hashlib.sha256().digest_size * 2
