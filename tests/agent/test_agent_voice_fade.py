"""Two copies of one sentence are joined: each sample once, and the change between them is soft."""

from __future__ import annotations

from array import array
from itertools import pairwise

from firstword.agent.voice_fade import Joint
from hypothesis import given
from hypothesis import strategies as st

SENTENCE = array("h", [(37 * i) % 4001 - 2000 for i in range(1000)]).tobytes()


def copy_of(source: bytes, begin: int, pieces: list[int]) -> list[bytes]:
    """The samples from ``begin`` on, cut into pieces of so many samples; the rest is the last."""
    cut, at = [], 2 * begin
    for size in pieces:
        cut.append(source[at : at + 2 * size])
        at += 2 * size
    return [*cut, source[at:]]


@given(
    st.integers(0, 200),
    st.lists(st.lists(st.integers(0, 150), max_size=6), max_size=5),
)
def test_equal_copies_give_each_sample_once_however_often_it_breaks(
    hold: int, broken: list[list[int]]
) -> None:
    joint, heard = Joint(hold), b""
    for pieces in broken:
        for piece in copy_of(SENTENCE, joint.begin_again(), pieces)[:-1]:
            heard += joint.feed(piece)
        assert SENTENCE.startswith(heard)
    for piece in copy_of(SENTENCE, joint.begin_again(), [50, 1]):
        heard += joint.feed(piece)
    assert heard + joint.flush() == SENTENCE
    assert joint.passed == len(SENTENCE) // 2


def test_nothing_is_held_back_for_longer_than_a_few_samples() -> None:
    joint = Joint(120)
    assert len(joint.feed(SENTENCE[:800])) == 800 - 240
    assert joint.received == 400
    assert joint.begin_again() == 280


def test_another_copy_is_faded_in_without_a_step() -> None:
    low, high = array("h", [0] * 400).tobytes(), array("h", [1000] * 400).tobytes()
    joint = Joint(100)
    heard = joint.feed(low[:400])
    heard += joint.feed(high[2 * joint.begin_again() :])
    heard += joint.flush()
    samples = array("h", heard)
    assert len(samples) == 400
    steps = [after - before for before, after in pairwise(samples)]
    assert min(steps) >= 0
    assert max(steps) <= 10
    assert (samples[0], samples[-1]) == (0, 1000)
