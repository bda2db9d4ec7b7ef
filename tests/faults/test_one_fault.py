"""One fault that passes, wherever it strikes: the listener hears the reply as without it."""

from __future__ import annotations

from itertools import count

import pytest
from firstword.emulator.sagemaker.faults import Fault

from tests.faults.conftest import SENTENCES, Stage, assert_whole

BREAKING = ("reset", "drop", "goaway", "cut", "model-stream-error", "internal-stream-failure")
GOING_ON = ("drain", "slow piece=7", "slow piece=1000 pause=0.001", "split", "join")

PARTS_OF_A_REPLY = 15
"""Three sentences of a start, words, two frames of audio and an end, at the least."""


async def sweep(stage: Stage, line: str, moment: str, step: int = 1) -> int:
    """A reply for each moment, until there is none of that number; gives how many there were."""
    for number in count(0, step):
        stage.faults.clear()
        fault = Fault.parse(f"{line} {moment}={number}")
        stage.faults.add(fault)
        heard = await stage.reply(f"{moment} {number}")
        assert_whole(heard, stage, f"{line} {moment}={number}")
        await stage.forget()
        if stage.faults.struck != [fault]:
            return number
    raise AssertionError


async def test_without_a_fault_the_three_sentences_are_heard(stage: Stage) -> None:
    assert_whole(await stage.reply(), stage, "no fault")
    assert_whole(await stage.reply(), stage, "no fault, same conversation")
    assert stage.runtime.calls == 1


@pytest.mark.parametrize("line", [*BREAKING, *GOING_ON])
async def test_a_fault_after_any_part_is_not_heard(stage: Stage, line: str) -> None:
    assert await sweep(stage, line, "part") >= PARTS_OF_A_REPLY


@pytest.mark.parametrize("line", BREAKING)
async def test_a_fault_after_any_sentence_is_asked_for_is_not_heard(
    stage: Stage, line: str
) -> None:
    asked = len(SENTENCES) + 1  # And the end of the conversation: the server is told to close.
    assert await sweep(stage, line, "asked") == asked + 1


@pytest.mark.parametrize("line", BREAKING)
async def test_a_fault_in_the_middle_of_a_part_is_not_heard(stage: Stage, line: str) -> None:
    audio = sum(len(sentence) for sentence in stage.whole)
    assert await sweep(stage, line, "byte", 4_801) > audio


@pytest.mark.parametrize(
    "line",
    [
        "reset",
        "drop",
        "goaway",
        "drain",
        "silence",
        "throttle",
        "throttle status=429",
        "unavailable",
        "refuse-socket",
    ],
)
async def test_a_fault_before_the_answer_is_not_heard(stage: Stage, line: str) -> None:
    stage.faults.add(line)
    assert_whole(await stage.reply(), stage, line)
    assert len(stage.faults.struck) == 1


@pytest.mark.parametrize("moment", ["asked=0", "asked=1", "asked=2", "part=0", "part=1", "part=9"])
async def test_a_silence_is_not_heard_beyond_its_length(stage: Stage, moment: str) -> None:
    stage.faults.add(f"silence {moment}")
    assert_whole(await stage.reply(), stage, moment)
    assert len(stage.faults.struck) == 1
