from __future__ import annotations

from collections.abc import Callable

import pytest

SAID = [
    ("(555) 123-4567", "five five five, one two three, four five six seven"),
    (
        "1-800-555-0199 ext. 5",
        "one, eight hundred, five five five, zero one nine nine, extension five",
    ),
    ("+44 20 7946 0958", "plus four four, two zero, seven nine four six, zero nine five eight"),
    ("020 7946 0991", "zero two zero, seven nine four six, zero nine nine one"),
    ("555-1234", "five five five, one two three four"),
    ("123-45-6789", "one two three, four five, six seven eight nine"),
    ("4111 1111 1111 1111", "four one one one, one one one one, one one one one, one one one one"),
    ("Dial 911 now", "Dial nine one one now"),
    ("Text 40404", "Text four zero four zero four"),
    ("call 300 people", "call three hundred people"),
    ("agent 007", "agent zero zero seven"),
    ("Washington, D.C. 20500", "Washington, D C two zero five zero zero"),
    ("1-800-FLOWERS", "one, eight hundred, FLOWERS"),
    ("Apt. 5B", "apartment five B"),
    ("CVE-2024-12345", "CVE two zero two four, one two three four five"),
]


@pytest.mark.parametrize(("written", "spoken"), SAID)
def test_telephones_and_codes_are_said_digit_by_digit(
    written: str, spoken: str, said: Callable[..., str]
) -> None:
    assert said(written) == spoken
