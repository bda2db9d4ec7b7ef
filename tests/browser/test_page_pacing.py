"""The rule by which a sentence may begin, and the resampler: arithmetic, run in the browser."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from page_stage import Room

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

SIMULATE = """
async ([sentences, lead]) => {
    const { Arrival, Experience } = await import('/pacing.js');
    const experience = new Experience();
    return sentences.map(({ characters, pieces }) => {
        // pieces: [seconds of audio, time of arrival]; gives when it began and how long it ran dry.
        const arrival = new Arrival(characters, experience);
        let begun = Infinity;
        let due = Infinity;
        let dry = 0;
        let received = 0;
        for (const [seconds, at] of pieces) {
            if (due <= at) begun = Math.min(begun, due);
            if (begun < Infinity) dry = Math.max(dry, at - begun - lead - received);
            arrival.push(seconds, at);
            received += seconds;
            due = at + arrival.startsIn(at, lead);
            if (due <= at) begun = Math.min(begun, at);
        }
        arrival.close();
        return [Math.min(begun, pieces.at(-1)[1]), dry];
    });
}
"""


def arriving(pieces_s: list[float], rate: float, delay_s: float = 0.0) -> dict[str, Any]:
    """A sentence whose pieces are made one after the other at ``rate`` (audio s a second)."""
    at = delay_s + np.cumsum(pieces_s) / rate
    pieces = [[float(s), float(t)] for s, t in zip(pieces_s, at, strict=True)]
    return {"characters": round(sum(pieces_s) * 14), "pieces": pieces}


async def simulate(room: Room, sentences: list[dict[str, Any]]) -> list[list[float]]:
    found: list[list[float]] = await room.page.evaluate(SIMULATE, [sentences, 0.0])
    return found


async def test_a_steady_sentence_never_runs_dry_whatever_its_rate(room: Room) -> None:
    random = np.random.default_rng(7)
    sentences = []
    for _ in range(400):
        piece_s, rate = random.uniform(0.1, 1.0), random.uniform(0.3, 8.0)
        sentences.append(arriving([piece_s] * random.integers(2, 30), rate))
    for sentence in sentences:  # Each for a page that knows nothing yet.
        ((_, dry),) = await simulate(room, [sentence])
        assert dry <= 0


@pytest.mark.parametrize("rate", [2.0, 4.0])
async def test_growing_windows_begin_early(room: Room, rate: float) -> None:
    windows = [0.3, 0.6, 1.2, 2.4, 2.4]
    ((begun, dry),) = await simulate(room, [arriving(windows, rate)])
    assert begun < sum(windows) / rate / 4
    assert dry <= 0


async def test_what_one_sentence_taught_lets_the_next_begin_at_its_first_piece(room: Room) -> None:
    windows = [0.3, 0.6, 1.2, 2.4, 2.4]
    first, second = await simulate(room, [arriving(windows, 4.0), arriving(windows, 4.0)])
    assert second[0] < first[0]
    assert second[0] < (0.3 + 0.6) / 4, "the second piece is not waited for"
    assert first[1] <= 0
    assert second[1] <= 0


async def test_a_machine_that_gets_half_as_slow_again_does_not_let_a_sentence_run_dry(
    room: Room,
) -> None:
    windows = [0.2, 0.6, 1.2, 2.4, 2.4]
    usual = arriving(windows, 3.0)
    slow = arriving(windows, 2.0)
    found = await simulate(room, [usual, usual, slow])
    assert [dry for _, dry in found if dry > 0] == []


async def test_half_of_real_time_waits_for_almost_all_of_it(room: Room) -> None:
    ((begun, dry),) = await simulate(room, [arriving([0.5] * 10, 0.5)])
    assert begun > 4
    assert dry <= 0


async def test_after_an_underrun_more_is_held_back(room: Room) -> None:
    before, after = await room.page.evaluate(
        """async () => {
            const { Experience } = await import('/pacing.js');
            const experience = new Experience();
            const before = experience.cushion;
            for (let i = 0; i < 20; i += 1) experience.learnUnderrun();
            return [before, experience.cushion];
        }"""
    )
    assert before < after < 1, "more, but not without end"


@pytest.mark.parametrize("cut", [1, 7, 480, 100_000])
async def test_resampling_does_not_depend_on_how_the_samples_were_cut(room: Room, cut: int) -> None:
    wave = (np.sin(np.arange(3200) * 2 * np.pi * 440 / 16_000) * 9000).astype(int)
    found = await room.page.evaluate(
        """async ([samples, cut]) => {
            const { Resampler } = await import('/resample.js');
            const resampler = new Resampler(16000, 24000);
            const parts = [];
            for (let at = 0; at < samples.length; at += cut) {
                parts.push(...resampler.feed(Int16Array.from(samples.slice(at, at + cut))));
            }
            parts.push(...resampler.flush());
            return parts;
        }""",
        [wave.tolist(), cut],
    )
    wanted = np.sin(np.arange(4800) * 2 * np.pi * 440 / 24_000) * 9000 / 32768
    assert len(found) == pytest.approx(4800, abs=2)
    middle = slice(200, 4600)
    assert np.abs(np.array(found)[middle] - wanted[middle]).max() < 0.002
