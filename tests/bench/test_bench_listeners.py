from __future__ import annotations

import pytest
from firstword.bench.listeners import Heard, Playback, climb, listen


def test_playback_starts_with_the_first_audio() -> None:
    reply = Playback(asked=10.0)
    reply.takes(2.0, 11.5)
    assert (reply.first_audio, reply.ends, reply.stalled_s) == (11.5, 13.5, 0.0)


def test_audio_that_comes_before_it_is_needed_costs_nothing() -> None:
    reply = Playback(asked=0.0)
    reply.takes(1.0, 0.5)
    reply.takes(1.0, 1.4)
    assert reply.stalled_s == 0.0
    assert reply.ends == pytest.approx(2.5)


def test_late_audio_moves_the_rest_and_is_counted() -> None:
    reply = Playback(asked=0.0)
    reply.takes(1.0, 0.5)
    reply.takes(1.0, 2.0)
    assert reply.stalled_s == pytest.approx(0.5)
    assert reply.ends == pytest.approx(3.0)
    reply.takes(1.0, 3.25)
    assert reply.stalled_s == pytest.approx(0.75)


def test_a_reply_that_stands_still_when_the_step_ends_is_counted_too() -> None:
    heard = Heard(1)
    reply = Playback(asked=0.0)
    reply.takes(1.0, 1.0)
    heard.count(reply, 5.0, complete=False)
    assert (heard.played_s, heard.stalled_s) == (1.0, 3.0)
    assert heard.underruns == 0.75


def test_only_what_was_played_by_the_end_of_a_step_counts_as_played() -> None:
    heard = Heard(1)
    reply = Playback(asked=0.0)
    reply.takes(30.0, 1.0)
    heard.count(reply, 5.0, complete=False)
    assert (heard.played_s, heard.stalled_s) == (4.0, 0.0)


def test_a_reply_without_any_audio_counts_as_unanswered_and_as_waiting() -> None:
    heard = Heard(1)
    heard.count(Playback(asked=2.0), 9.0, complete=False)
    assert (heard.unanswered, heard.first_audio_s, heard.underruns) == (1, [7.0], 0.0)


def test_a_reply_that_was_asked_for_at_the_very_end_does_not_count() -> None:
    heard = Heard(1)
    heard.count(Playback(asked=8.5), 9.0, complete=False)
    assert (heard.unanswered, heard.first_audio_s) == (0, [])


@pytest.mark.parametrize("limit", [0, 1, 2, 3, 5, 7, 8, 11])
def test_climbing_finds_how_many_can_be_held(limit: int) -> None:
    tried: list[int] = []

    def step(listeners: int) -> Heard:
        return Heard(listeners, played_s=90.0, stalled_s=0.0 if listeners <= limit else 10.0)

    assert climb(step, 8, 0.01, lambda heard: tried.append(heard.listeners)) == min(limit, 8)
    assert len(tried) == len(set(tried))


def test_a_step_with_failures_is_not_held() -> None:
    def step(listeners: int) -> Heard:
        return Heard(listeners, played_s=1.0, failures=["ConnectionClosedError"])

    assert climb(step, 8, 0.01, lambda heard: None) == 0


async def test_listeners_hear_their_replies_over_sockets(tones: str) -> None:
    heard = await listen(tones, 1, 1.0, ["One. Two. Three."])
    assert not heard.failures
    assert heard.first_audio_s
    assert heard.played_s > 0


async def test_a_server_that_is_not_there_is_a_failure_of_each_listener() -> None:
    heard = await listen("http://127.0.0.1:9", 2, 0.5, ["One."])
    assert len(heard.failures) == 2


async def test_a_refusal_is_a_failure(tones: str) -> None:
    heard = await listen(tones, 1, 1.0, ["refuse"])
    assert heard.failures == ["OSError"]
