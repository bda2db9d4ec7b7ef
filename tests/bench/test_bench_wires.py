"""What ``wire`` says of its figures."""

from __future__ import annotations

import pytest
from firstword.bench.figures import Findings
from firstword.bench.wires import DIFFERENCE, _judge


@pytest.mark.parametrize(
    ("later", "word", "holds"),
    [([1.0, 4.9, 30.0], "kept", True), ([5.1, 5.2, 0.1], "missed", False)],
)
def test_the_median_is_held_against_the_bar(later: list[float], word: str, holds: bool) -> None:
    findings = Findings()
    findings.add(DIFFERENCE, [{"later_ms": value} for value in later])
    _judge(findings)
    assert findings.details["later_ms_holds"] is holds
    assert word in findings.notes[0]
