"""The same promise where each sentence is a call of InvokeEndpointWithResponseStream."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from firstword.emulator.sagemaker.certificate import Certificate

from tests.faults.conftest import SENTENCES, Stage, assert_honest, assert_whole, staged, within

BREAKING = ("drop", "goaway", "cut", "model-stream-error", "internal-stream-failure")
DEADLINE_S = 15.0


@pytest.fixture
async def stage(
    certificate: Certificate, authority: Path, credentials: None
) -> AsyncIterator[Stage]:
    async with staged(
        certificate, authority, wire="http", stall_s=0.6, first_frame_s=2.0, receive_s=2.0
    ) as one:
        yield one


async def test_without_a_fault_each_sentence_is_a_call(stage: Stage) -> None:
    assert_whole(await stage.reply(), stage, "no fault")
    assert stage.runtime.calls == len(SENTENCES)


@pytest.mark.parametrize("line", BREAKING)
async def test_a_fault_in_any_sentence_is_not_heard(stage: Stage, line: str) -> None:
    for moment in ("part=0", "part=1", "part=2", "byte=1", "byte=9000", "byte=30000"):
        for sentence in range(1, len(SENTENCES) + 1):
            stage.faults.clear()
            fault = f"{line} {moment} call={stage.runtime.calls + sentence}"
            stage.faults.add(fault)
            assert_whole(await stage.reply(), stage, fault)
            assert len(stage.faults.struck) == 1, fault


@pytest.mark.parametrize("line", ["drop", "goaway", "silence", "throttle", "unavailable"])
async def test_a_fault_before_the_answer_is_not_heard(stage: Stage, line: str) -> None:
    stage.faults.add(line)
    assert_whole(await stage.reply(), stage, line)
    assert len(stage.faults.struck) == 1


@pytest.mark.parametrize(
    "line",
    ["drop", "cut part=1", "silence part=1", "silence", "throttle", "deny", "unavailable"],
)
async def test_a_lasting_fault_is_told_within_the_deadline(stage: Stage, line: str) -> None:
    stage.faults.add(f"{line} times=always")
    heard = await within(stage.reply(), DEADLINE_S)
    assert_honest(heard, stage, line)
    assert heard.errors
    assert all(code.startswith("speech_") for code in heard.codes)
    stage.faults.clear()
    assert_whole(await within(stage.reply(), DEADLINE_S), stage, f"after {line}")
