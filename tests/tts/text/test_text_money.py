from __future__ import annotations

from collections.abc import Callable

import pytest

SAID = [
    ("$100", "one hundred dollars"),
    ("$1", "one dollar"),
    ("$3.50", "three dollars and fifty cents"),
    ("$0.99", "ninety-nine cents"),
    ("$1.01", "one dollar and one cent"),
    ("£2.01", "two pounds and one penny"),
    ("€5 million", "five million euros"),
    ("£1.2bn", "one point two billion pounds"),
    ("¥500", "five hundred yen"),
    ("$5-10", "five to ten dollars"),
    ("$5–$10", "five to ten dollars"),
    ("$1.50–$2.00", "one dollar and fifty cents to two dollars"),
    ("-$20", "minus twenty dollars"),
    ("$100k/yr", "one hundred thousand dollars per year"),
    ("$20/hr", "twenty dollars per hour"),
    ("US$5", "five U S dollars"),
    ("A$7", "seven Australian dollars"),
    ("100 USD", "one hundred U S dollars"),
    ("USD 1", "one U S dollar"),
    ("5 €", "five euros"),
    ("€1.234,56", "one thousand two hundred thirty-four euros and fifty-six cents"),
    ("50¢", "fifty cents"),
    ("50p", "fifty pence"),
    ("a $5 bill", "a five dollar bill"),
    ("the $100 million deal", "the one hundred million dollar deal"),
    ("$3.999", "three point nine nine nine dollars"),
    ("$45,000", "forty-five thousand dollars"),
]


@pytest.mark.parametrize(("written", "spoken"), SAID)
def test_money_is_said_in_its_currency(written: str, spoken: str, said: Callable[..., str]) -> None:
    assert said(written) == spoken
