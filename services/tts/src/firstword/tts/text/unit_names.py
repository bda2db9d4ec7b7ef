"""Units of measure: how each is written and its name in the singular."""

from __future__ import annotations

NAMES: dict[str, str] = {
    # length and area
    "nm": "nanometer",
    "µm": "micrometer",
    "μm": "micrometer",
    "mm": "millimeter",
    "cm": "centimeter",
    "dm": "decimeter",
    "m": "meter",
    "km": "kilometer",
    "kms": "kilometer",
    "in": "inch",
    "in.": "inch",
    "ft": "foot",
    "yd": "yard",
    "mi": "mile",
    "nmi": "nautical mile",
    "ha": "hectare",
    "px": "pixel",
    "pts": "point",
    # mass
    "µg": "microgram",
    "μg": "microgram",
    "mcg": "microgram",
    "mg": "milligram",
    "g": "gram",
    "kg": "kilogram",
    "kgs": "kilogram",
    "t": "ton",
    "oz": "ounce",
    "lb": "pound",
    "lbs": "pound",
    # volume
    "ml": "milliliter",
    "mL": "milliliter",
    "cl": "centiliter",
    "dl": "deciliter",
    "l": "liter",
    "L": "liter",
    "gal": "gallon",
    "tsp": "teaspoon",
    "tbsp": "tablespoon",
    "cc": "C C",
    # time
    "ns": "nanosecond",
    "µs": "microsecond",
    "μs": "microsecond",
    "ms": "millisecond",
    "s": "second",
    "sec": "second",
    "secs": "second",
    "min": "minute",
    "mins": "minute",
    "h": "hour",
    "hr": "hour",
    "hrs": "hour",
    "wk": "week",
    "wks": "week",
    "mo": "month",
    "mos": "month",
    "yr": "year",
    "yrs": "year",
    # speed
    "mph": "mile per hour",
    "mpg": "mile per gallon",
    "kph": "kilometer per hour",
    "kmh": "kilometer per hour",
    "fps": "frame per second",
    "rpm": "R P M",
    "bpm": "beat per minute",
    # data
    "bit": "bit",
    "bits": "bit",
    "B": "byte",
    "kB": "kilobyte",
    "KB": "kilobyte",
    "MB": "megabyte",
    "GB": "gigabyte",
    "TB": "terabyte",
    "PB": "petabyte",
    "KiB": "kibibyte",
    "MiB": "mebibyte",
    "GiB": "gibibyte",
    "TiB": "tebibyte",
    "kbps": "kilobit per second",
    "Kbps": "kilobit per second",
    "Mbps": "megabit per second",
    "Gbps": "gigabit per second",
    "Mb": "megabit",
    "Gb": "gigabit",
    "Mbit": "megabit",
    "Gbit": "gigabit",
    "MP": "megapixel",
    "dpi": "D P I",
    "ppi": "P P I",
    "ppm": "part per million",
    "ppb": "part per billion",
    # frequency
    "Hz": "hertz",
    "kHz": "kilohertz",
    "MHz": "megahertz",
    "GHz": "gigahertz",
    # power, energy, electricity, pressure, sound, light
    "mW": "milliwatt",
    "W": "watt",
    "kW": "kilowatt",
    "MW": "megawatt",
    "GW": "gigawatt",
    "TW": "terawatt",
    "Wh": "watt hour",
    "kWh": "kilowatt hour",
    "MWh": "megawatt hour",
    "GWh": "gigawatt hour",
    "TWh": "terawatt hour",
    "hp": "horsepower",
    "J": "joule",
    "kJ": "kilojoule",
    "MJ": "megajoule",
    "cal": "calorie",
    "kcal": "kilocalorie",
    "eV": "electron volt",
    "keV": "kilo electron volt",
    "MeV": "mega electron volt",
    "GeV": "giga electron volt",
    "mV": "millivolt",
    "V": "volt",
    "kV": "kilovolt",
    "mA": "milliamp",
    "mAh": "milliamp hour",
    "Ah": "amp hour",
    "Ω": "ohm",
    "kΩ": "kiloohm",
    "N": "newton",
    "Nm": "newton meter",
    "Pa": "pascal",
    "hPa": "hectopascal",
    "kPa": "kilopascal",
    "MPa": "megapascal",
    "bar": "bar",
    "mmHg": "millimeter of mercury",
    "mbar": "millibar",
    "psi": "P S I",
    "dB": "decibel",
    "lm": "lumen",
    "lx": "lux",
    "mol": "mole",
    "mmol": "millimole",
    # temperature
    "°C": "degree Celsius",
    "° C": "degree Celsius",
    "°F": "degree Fahrenheit",
    "° F": "degree Fahrenheit",
    "K": "kelvin",
    "°": "degree",
    # share
    "%": "percent",
    "‰": "per mille",
    "pp": "percentage point",
    "sq ft": "square foot",
    "sq. ft": "square foot",
    "sq m": "square meter",
    "sq mi": "square mile",
    "sq km": "square kilometer",
    "cu ft": "cubic foot",
    "fl oz": "fluid ounce",
}
"""Written form to name; single capitals are letters to be spelled."""

PER: dict[str, str] = {
    "s": "second",
    "sec": "second",
    "min": "minute",
    "h": "hour",
    "hr": "hour",
    "hour": "hour",
    "day": "day",
    "d": "day",
    "week": "week",
    "wk": "week",
    "month": "month",
    "mo": "month",
    "year": "year",
    "yr": "year",
    "m": "meter",
    "m²": "square meter",
    "m2": "square meter",
    "m³": "cubic meter",
    "m3": "cubic meter",
    "km": "kilometer",
    "km²": "square kilometer",
    "km2": "square kilometer",
    "mi": "mile",
    "kg": "kilogram",
    "g": "gram",
    "lb": "pound",
    "L": "liter",
    "l": "liter",
    "mL": "milliliter",
    "dL": "deciliter",
    "gal": "gallon",
    "mol": "mole",
    "kWh": "kilowatt hour",
    "Hz": "hertz",
    "ha": "hectare",
    "sq ft": "square foot",
    "s²": "second squared",
    "s2": "second squared",
    "s^2": "second squared",
    "100 km": "hundred kilometers",
    "100km": "hundred kilometers",
    "100g": "hundred grams",
    "100 g": "hundred grams",
    "1M": "million",
    "1k": "thousand",
    "1K": "thousand",
}
"""What may stand after a slash."""

_COUNTED = (
    "second minute hour day night week month year person user seat unit item page word token image "
    "request mile share head piece call"
)
PER_WORDS = frozenset(_COUNTED.split())
"""Whole words that may stand after a slash."""

ATTACHED = frozenset({"t", "in", "N", "mo"})
"""Letters that mean a unit only right after the number."""

APART = frozenset({"K", "B", "in."})
"""Letters that mean a unit only after a space; right after the number they are a magnitude."""

_CLEAR = (
    "km cm mm kg mg km² m² kHz MHz GHz Hz kWh MWh GWh kW MW mAh kbps Mbps Gbps dB °C °F GB MB TB kB"
)
ALONE = frozenset(_CLEAR.split())
"""Units that are read out even where no number stands before them."""

_UNCHANGED = frozenset(("percent", "horsepower", "kelvin", "lux", "mille", "Celsius", "Fahrenheit"))
_IRREGULAR = {"foot": "feet", "inch": "inches"}


def plural(name: str) -> str:
    """ "square foot" is "square feet", "mile per hour" "miles per hour"."""
    head, per, tail = name.partition(" of " if " of " in name else " per ")
    if head.startswith("degree"):
        return "degrees" + head.removeprefix("degree") + per + tail
    *before, last = head.split(" ")
    if not last.endswith("hertz") and last not in _UNCHANGED and not last.isupper():
        last = _IRREGULAR.get(last, last + "s")
    return " ".join([*before, last]) + per + tail
