from __future__ import annotations

from collections.abc import Callable

import pytest

SAID = [
    ("Dr. Smith", "doctor Smith"),
    ("123 Elm Dr.", "one hundred twenty-three Elm drive"),
    ("55 Mulholland Dr., LA", "fifty-five Mulholland drive, LA"),
    ("St. Mary's", "saint Mary's"),
    ("on Main St. we", "on Main street we"),
    ("in St. Louis", "in saint Louis"),
    ("55th St. and 5th Ave.", "fifty-fifth street and fifth avenue"),
    ("Mr. & Mrs. Jones", "mister and missus Jones"),
    ("O'Neil Jr.", "O'Neil junior"),
    ("Prof. Y", "professor Y"),
    ("e.g. this", "for example this"),
    ("i.e., that", "that is, that"),
    ("pens, paper, etc.", "pens, paper, etc"),
    ("A vs. B", "A versus B"),
    ("approx. 5", "approximately five"),
    ("the dept. closed", "the department closed"),
    ("pp. 3-5", "pages three to five"),
    ("Fig. 2", "figure two"),
    ("c. 1600", "circa sixteen hundred"),
    ("No. He", "No. He"),
    ("Ph.D. thesis", "P H D thesis"),
    ("the U.S. and", "the U S and"),
    ("J.K. Rowling", "J K Rowling"),
    ("George W. Bush", "George W Bush"),
    ("w/ or w/o", "with or without"),
    ("Ctrl+C", "control plus C"),
    ("Apple Inc. grew", "Apple ink grew"),
    ("max. 5 min. walk", "maximum five minute walk"),
    ("rock 'n' roll", "rock and roll"),
    ("42 W. 3rd St.", "forty-two west third street"),
    ("(b. 1970, d. 2020)", "(born nineteen seventy, died twenty twenty)"),
    ("vols. 1–3", "volumes one to three"),
    ("Prof. Dr. Müller", "professor doctor Müller"),
]


@pytest.mark.parametrize(("written", "spoken"), SAID)
def test_short_forms_are_read_in_full(written: str, spoken: str, said: Callable[..., str]) -> None:
    assert said(written) == spoken
