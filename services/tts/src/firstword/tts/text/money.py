"""Amounts of money."""

from __future__ import annotations

import re
from dataclasses import dataclass

from firstword.tts.text.numerals import NUMBER, Accent, cardinal, number
from firstword.tts.text.rule import Part, Rule, Say
from firstword.tts.text.units import SIGNED, SIGNS, alternatives, attributive


@dataclass(frozen=True, slots=True)
class _Currency:
    one: str
    many: str
    cent: str = ""
    cents: str = ""


_DOLLAR = _Currency("dollar", "dollars", "cent", "cents")
_EURO = _Currency("euro", "euros", "cent", "cents")
_POUND = _Currency("pound", "pounds", "penny", "pence")
_YEN = _Currency("yen", "yen")
_RUPEE = _Currency("rupee", "rupees", "paisa", "paise")
_YUAN = _Currency("yuan", "yuan")
_WON = _Currency("won", "won")
_RUBLE = _Currency("ruble", "rubles")
_FRANC = _Currency("Swiss franc", "Swiss francs")
_KRONA = _Currency("krona", "kronor")
_KRONE = _Currency("krone", "kroner")
_ZLOTY = _Currency("zloty", "zlotys")
_PESO = _Currency("peso", "pesos")

_SYMBOLS = {
    "$": _DOLLAR,
    "€": _EURO,
    "£": _POUND,
    "¥": _YEN,
    "₹": _RUPEE,
    "₩": _WON,
    "₽": _RUBLE,
    "₿": _Currency("bitcoin", "bitcoins"),
    "₪": _Currency("shekel", "shekels"),
    "₺": _Currency("lira", "lira"),
    "₴": _Currency("hryvnia", "hryvnias"),
    "₱": _PESO,
    "฿": _Currency("baht", "baht"),
    "₫": _Currency("dong", "dong"),
}
_CODES = {
    "USD": _Currency("U S dollar", "U S dollars", "cent", "cents"),
    "EUR": _EURO,
    "GBP": _Currency("British pound", "British pounds", "penny", "pence"),
    "JPY": _YEN,
    "CNY": _YUAN,
    "RMB": _YUAN,
    "INR": _RUPEE,
    "KRW": _WON,
    "RUB": _RUBLE,
    "CHF": _FRANC,
    "SEK": _KRONA,
    "NOK": _KRONE,
    "DKK": _KRONE,
    "PLN": _ZLOTY,
    "zł": _ZLOTY,
    "MXN": _Currency("Mexican peso", "Mexican pesos"),
    "BRL": _Currency("real", "reais"),
    "CAD": _Currency("Canadian dollar", "Canadian dollars", "cent", "cents"),
    "AUD": _Currency("Australian dollar", "Australian dollars", "cent", "cents"),
    "NZD": _Currency("New Zealand dollar", "New Zealand dollars", "cent", "cents"),
    "SGD": _Currency("Singapore dollar", "Singapore dollars", "cent", "cents"),
    "HKD": _Currency("Hong Kong dollar", "Hong Kong dollars", "cent", "cents"),
    "BTC": _Currency("bitcoin", "bitcoins"),
    "ETH": _Currency("ether", "ether"),
}
_NATIONS = {
    "US": "U S",
    "A": "Australian",
    "AU": "Australian",
    "C": "Canadian",
    "CA": "Canadian",
    "NZ": "New Zealand",
    "HK": "Hong Kong",
    "S": "Singapore",
    "NT": "New Taiwan",
    "R": "",
}
_SCALES = {
    "k": "thousand",
    "K": "thousand",
    "M": "million",
    "m": "million",
    "mn": "million",
    "MM": "million",
    "B": "billion",
    "b": "billion",
    "bn": "billion",
    "T": "trillion",
    "tn": "trillion",
}
_SCALE_WORDS = "hundred|thousand|million|billion|trillion|lakh|crore"
_LETTERS = alternatives(_SCALES)
_SCALE = rf"(?:\s(?:{_SCALE_WORDS})\b|\s?(?:mn|bn|tn|{_LETTERS})(?![\w]))"
_EUROPEAN = r"\d{1,3}(?:\.\d{3})+(?:,\d{1,2})?(?![\d.])|\d{1,6},\d{2}(?![\d,])"


def _currency(match: re.Match[str]) -> _Currency:
    groups = match.groupdict()
    if groups.get("symbol"):
        currency = _SYMBOLS[match["symbol"]]
        nation = _NATIONS.get(groups.get("nation") or "R", "")
        if not nation:
            return currency
        return _Currency(
            f"{nation} {currency.one}", f"{nation} {currency.many}", currency.cent, currency.cents
        )
    return _CODES[match["code"]]


def _amount(written: str, currency: _Currency, accent: Accent, *, singular: bool) -> str:
    """ "3.50" is "three dollars and fifty cents", "0.99" "ninety-nine cents"."""
    whole, _, fraction = written.partition(".")
    if len(fraction) != 2 or not currency.cents:
        one = singular or written == "1"
        return f"{number(written, accent)} {currency.one if one else currency.many}"
    cents = int(fraction)
    one = whole.lstrip("0") == "1" or singular
    said = f"{number(whole or '0', accent)} {currency.one if one else currency.many}"
    if not cents:
        return said
    small = f"{cardinal(cents, accent)} {currency.cent if cents == 1 else currency.cents}"
    return small if not whole.strip("0") else f"{said} and {small}"


def _decimal_point(written: str, currency: _Currency) -> str:
    """Amounts in the Continental way ("1.234,56") in ours; "3.999" is one only in euros."""
    if re.fullmatch(_EUROPEAN, written) and ("," in written or currency is _EURO):
        return written.replace(".", "").replace(",", ".")
    return written


def _scale(written: str | None) -> str:
    if not written:
        return ""
    return _SCALES.get(written.strip(), written.strip())


def _money(match: re.Match[str], accent: Accent) -> Say:
    currency = _currency(match)
    singular = attributive(match)
    groups = match.groupdict()
    said: list[Part] = []
    sign = SIGNS[groups.get("sign") or groups.get("inner")]
    if groups.get("last"):
        first = _decimal_point(match["amount"], currency)
        exact = "." in first and not match["scale"]
        text = _amount(first, currency, accent, singular=False) if exact else number(first, accent)
        scale = _scale(match["scale"])
        said.append(Part(match.start(), match.end("dash"), f"{sign}{text} {scale}".strip() + " to"))
        sign = ""
        tail, scaled, start = "last", "last_scale", match.end("dash")
    else:
        tail, scaled, start = "amount", "scale", match.start()
    amount = _decimal_point(match[tail], currency)
    end = match.end()
    if not match[scaled]:
        text = _amount(amount, currency, accent, singular=singular)
        return [*said, Part(start, end, sign + text)]
    name = currency.one if singular else currency.many
    scale = _scale(match[scaled])
    if not match[scaled].startswith(" "):
        return [*said, Part(start, end, f"{sign}{number(amount, accent)} {scale} {name}")]
    return [
        *said,
        Part(start, match.end(tail), sign + number(amount, accent)),
        Part(match.start(scaled) + 1, end, f"{scale} {name}"),
    ]


def _cents(match: re.Match[str], accent: Accent) -> Say:
    one, many = ("cent", "cents") if match["mark"] == "¢" else ("penny", "pence")
    name = one if match["amount"] == "1" else many
    return f"{number(match['amount'], accent)} {name}"


_ANY = rf"(?:{_EUROPEAN}|{NUMBER})"
_SYMBOL = f"[{re.escape(''.join(_SYMBOLS))}]"
_CODE = alternatives(_CODES)
_FIRST = rf"(?P<amount>{_ANY})(?P<scale>{_SCALE})?"
_RANGE = rf"(?:(?P<dash>\s?[–—-]\s?)(?:{_SYMBOL})?(?P<last>{_ANY})(?P<last_scale>{_SCALE})?)?"

RULES = (
    Rule(
        "money",
        re.compile(
            rf"{SIGNED}(?P<nation>US|AU?|CA?|NZ|HK|S|NT|R)?(?P<symbol>{_SYMBOL})\s?(?P<inner>[-−])?"
            rf"{_FIRST}{_RANGE}(?![\d])(?:\s?(?:USD|EUR|GBP)\b)?"
        ),
        _money,
    ),
    Rule("money by code", re.compile(rf"\b(?P<code>{_CODE})\s?{_FIRST}(?![\d])"), _money),
    Rule(
        "money before its sign",
        re.compile(rf"{SIGNED}{_FIRST}\s?(?:(?P<symbol>[€£¥₽₹₩₪₺₴₿])|(?P<code>{_CODE})\b)"),
        _money,
    ),
    Rule("cents", re.compile(r"(?<![\w.,])(?P<amount>\d{1,3})\s?(?P<mark>¢)"), _cents),
    Rule("pence", re.compile(r"(?<![\w.,/])(?P<amount>\d{1,2})(?P<mark>p)\b"), _cents),
)
