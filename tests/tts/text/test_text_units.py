from __future__ import annotations

from collections.abc import Callable

import pytest

SAID = [
    ("5 km", "five kilometers"),
    ("1 km", "one kilometer"),
    ("5km", "five kilometers"),
    ("60 km/h", "sixty kilometers per hour"),
    ("in km/h", "in kilometers per hour"),
    ("70 mph", "seventy miles per hour"),
    ("16 GB", "sixteen gigabytes"),
    ("100Mbps", "one hundred megabits per second"),
    ("5 m²", "five square meters"),
    ("5 m2", "five square meters"),
    ("9.8 m/s²", "nine point eight meters per second squared"),
    ("3 kg", "three kilograms"),
    ("250 ml", "two hundred fifty milliliters"),
    ("¼ tsp salt", "one quarter teaspoon salt"),
    ("50%", "fifty percent"),
    ("5–10%", "five to ten percent"),
    ("5%-10%", "five percent to ten percent"),
    ("40–60°C", "forty to sixty degrees Celsius"),
    ("-5°C", "minus five degrees Celsius"),
    ("98.6 °F", "ninety-eight point six degrees Fahrenheit"),
    ("45°", "forty-five degrees"),
    ("a 45° angle", "a forty-five degree angle"),
    ("300 K", "three hundred kelvin"),
    ("a 5 km run", "a five kilometer run"),
    ("a 10-inch screen", "a ten inch screen"),
    ("10 ft. tall", "ten feet tall"),
    ("5'11\"", "five foot eleven"),
    ("5 ft 11 in", "five foot eleven"),
    ('my 27" monitor', "my twenty-seven inch monitor"),
    ('He said "I am 27" then.', "He said “I am twenty-seven” then."),
    ("38 mm × 89 mm", "thirty-eight millimeters by eighty-nine millimeters"),
    ("5 ms", "five milliseconds"),
    ("60fps", "sixty frames per second"),
    ("5GHz", "five gigahertz"),
    ("30 mpg", "thirty miles per gallon"),
    ("120/80 mmHg", "one hundred twenty over eighty millimeters of mercury"),
    ("421 ppm", "four hundred twenty-one parts per million"),
    ("omega-3s", "omega threes"),
    ("40°26'46\"N", "forty degrees twenty-six minutes forty-six seconds north"),
    ("51.5° N", "fifty-one point five degrees north"),
    ("±0.5 mm", "plus or minus zero point five millimeters"),
    ("20 degrees C", "twenty degrees Celsius"),
]


@pytest.mark.parametrize(("written", "spoken"), SAID)
def test_quantities_are_said_with_their_units(
    written: str, spoken: str, said: Callable[..., str]
) -> None:
    assert said(written) == spoken
