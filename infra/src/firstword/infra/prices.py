"""What an environment costs a month when nobody talks: the floor, from one table of prices."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firstword.infra.capacity import Fleet
from firstword.infra.errors import SettingError
from firstword.infra.metrics import watches
from firstword.infra.network import DOORS
from firstword.infra.settings import EndpointSettings, FoundationSettings

PRICES_FILE = "infra/prices.json"
"""Below the repository's root."""

WEIGHTS_GB = 0.7
IMAGE_GB = {"tts": 6.0, "agent": 0.5}
"""Compressed, as a repository charges for it; the GPU image holds CUDA."""

TRACKING_ALARMS = 1
"""Made by target tracking itself for scaling out; it watches a metric of high resolution."""


@dataclass(frozen=True, slots=True)
class Prices:
    """List prices in US dollars."""

    date: str
    source: str
    table: Mapping[str, Any]

    def of(self, name: str) -> float:
        """The price called ``name``."""
        return float(self.table[name])

    def machine_month(self, instance_type: str) -> float:
        """One SageMaker machine for a month.

        Raises:
            SettingError: the table has no such machine.
        """
        hours = self.table["machine_hour"]
        if instance_type not in hours:
            raise SettingError(
                f"{PRICES_FILE} has no price for {instance_type}: add it to machine_hour"
            )
        return float(hours[instance_type]) * self.of("hours_a_month")


@dataclass(frozen=True, slots=True)
class Line:
    """Something that costs: US dollars a month. ``stays``: after `firstword destroy` too."""

    stack: str
    what: str
    amount: float
    stays: bool = False


def read_prices(path: Path) -> Prices:
    """The price table.

    Raises:
        SettingError: it is missing or does not hold what it must.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        return Prices(str(data["date"]), str(data["source"]), data)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SettingError(
            f"{path} is no price table ({type(error).__name__}: {error}); "
            f"take back the one that came with the program: git checkout {PRICES_FILE}"
        ) from error


def foundation_costs(settings: FoundationSettings, prices: Prices) -> Sequence[Line]:
    """Storage of one set of weights and one image of each kind, and the network's doors."""
    images = sum(IMAGE_GB.values())
    lines = [
        Line(
            "foundation",
            f"weights, {WEIGHTS_GB:g} GB in S3",
            WEIGHTS_GB * prices.of("storage_gb_month"),
            stays=True,
        ),
        Line(
            "foundation",
            f"images, about {images:g} GB in ECR, each further version as much",
            images * prices.of("image_gb_month"),
            stays=True,
        ),
    ]
    if settings.vpc_only:
        zones = len(settings.zones) or 2
        hours = prices.of("hours_a_month") * prices.of("interface_endpoint_hour")
        lines.append(
            Line(
                "foundation",
                f"{len(DOORS)} doors to AWS services in {zones} zones",
                len(DOORS) * zones * hours,
                stays=True,
            )
        )
    return lines


def endpoint_costs(settings: EndpointSettings, fleet: Fleet, prices: Prices) -> Sequence[Line]:
    """The machines that always run, and what watches them."""
    kind = settings.fleet.instance_type
    quiet = 1
    alarms = len(watches(fleet)) + quiet
    return [
        Line(
            "endpoint",
            f"{fleet.least} x {kind}, up to {fleet.most} when there is talk",
            fleet.least * prices.machine_month(kind),
        ),
        Line(
            "endpoint",
            f"{alarms} alarms, {TRACKING_ALARMS} of target tracking",
            alarms * prices.of("alarm_month")
            + TRACKING_ALARMS * prices.of("high_resolution_alarm_month"),
        ),
        Line("endpoint", "dashboard", prices.of("dashboard_month")),
    ]


def agent_costs() -> Sequence[Line]:
    """AgentCore and Bedrock charge for use alone."""
    return [Line("agent", "AgentCore and Bedrock: by use, nothing when idle", 0.0)]
