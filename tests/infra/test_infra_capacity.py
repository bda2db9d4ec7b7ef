"""The fleet for a stated peak makes as much audio as the peak hears, not only room to queue."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from firstword.infra.capacity import CAPACITY_FILE, Capacity, Fleet, plan_fleet, read_capacity
from firstword.infra.errors import SettingError
from firstword.infra.settings import FleetSettings
from hypothesis import given
from hypothesis import strategies as st

ROOT = Path(__file__).parents[2]
SOCKETS = 256
"""Open sockets that one speech server takes by default: a queue, not a throughput."""


def settings(peak: int, **changed: object) -> FleetSettings:
    stated: dict[str, object] = {
        "instance_type": "ml.g5.xlarge",
        "peak_sessions": peak,
        "sessions_per_instance": None,
        "least": 1,
        "most": None,
        "hours": (),
    }
    return FleetSettings(**(stated | changed))  # type: ignore[arg-type]


def capacity(audio_s_per_s: float = 40, utilisation: float = 0.7, share: float = 0.5) -> Capacity:
    return Capacity("today", "assumed", utilisation, share, 1.5, {"ml.g5.xlarge": audio_s_per_s})


@given(
    st.integers(1, 20_000),
    st.floats(2, 500),
    st.floats(0.3, 1),
    st.floats(0.1, 1),
)
def test_all_who_speak_at_the_peak_are_kept_up_with(
    peak: int, audio_s_per_s: float, utilisation: float, share: float
) -> None:
    known = capacity(audio_s_per_s, utilisation, share)
    fleet = plan_fleet(settings(peak), known)
    heard = peak * share
    made = fleet.most * audio_s_per_s
    if known.machines["ml.g5.xlarge"] * utilisation / share >= 1:
        assert heard <= made * utilisation + 1e-6
        one_less = (fleet.most - 1) * fleet.sessions_per_instance
        assert fleet.most == 1 or one_less < peak, "a machine more than needed"


def test_a_queue_that_would_take_them_is_not_enough() -> None:
    fleet = plan_fleet(settings(SOCKETS), capacity(audio_s_per_s=20))
    assert fleet.most == 10, "one machine has sockets for all of them and makes a tenth"


def test_another_machine_is_asked_for_while_there_is_still_room() -> None:
    known = capacity(audio_s_per_s=40, utilisation=0.7, share=0.5)
    fleet = plan_fleet(settings(20), known)
    assert fleet.sessions_per_instance == 56
    assert fleet.sessions_per_instance * known.speaking_share < known.machines["ml.g5.xlarge"]
    assert fleet.sessions_per_instance < SOCKETS


@given(st.integers(2, 50), st.integers(1, 300))
def test_a_machine_goes_only_when_the_others_have_room_for_its_sessions(
    machines: int, each: int
) -> None:
    fleet = Fleet(1, machines, each, 1.5)
    assert fleet.idle_sessions * machines / (machines - 1) <= each


def test_stated_figures_win_and_too_small_a_fleet_is_refused_with_the_number_needed() -> None:
    stated = settings(100, sessions_per_instance=20, most=6, least=2)
    assert plan_fleet(stated, capacity()) == Fleet(2, 6, 20, 1.5)
    with pytest.raises(SettingError) as caught:
        plan_fleet(settings(100, sessions_per_instance=20, most=4), capacity())
    assert "100 sessions at the peak need 5 ml.g5.xlarge" in str(caught.value)


def test_an_unknown_machine_is_refused_with_those_that_are_known() -> None:
    with pytest.raises(SettingError, match=r"ml\.g5\.xlarge"):
        plan_fleet(settings(1, instance_type="ml.p5.48xlarge"), capacity())


def test_the_file_that_comes_with_the_program_can_be_read_and_says_what_it_is() -> None:
    known = read_capacity(ROOT / CAPACITY_FILE)
    assert known.source
    assert known.date
    assert known.sessions("ml.g5.xlarge")
    assert known.sessions("ml.none.small") is None


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"date": 1}', json.dumps({"utilisation": 2}), "not json"]
)
def test_a_broken_file_is_named_with_the_way_back(tmp_path: Path, text: str) -> None:
    (tmp_path / "capacity.json").write_text(text)
    with pytest.raises(SettingError, match="git checkout"):
        read_capacity(tmp_path / "capacity.json")


@pytest.mark.parametrize(
    "changed",
    [
        {"utilisation": 1.5},
        {"speaking_share": 0},
        {"first_audio_p95_s": 0},
        {"machines": {}},
        {"machines": {"ml.g5.xlarge": {"audio_s_per_s": 0}}},
    ],
)
def test_shares_that_cannot_be_are_refused(tmp_path: Path, changed: dict[str, object]) -> None:
    data = json.loads((ROOT / CAPACITY_FILE).read_text())
    (tmp_path / "capacity.json").write_text(json.dumps(data | changed))
    with pytest.raises(SettingError):
        read_capacity(tmp_path / "capacity.json")
