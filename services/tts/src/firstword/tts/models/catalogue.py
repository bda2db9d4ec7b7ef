"""What is known of Kokoro-82M's voices besides their style vectors."""

from __future__ import annotations

from types import MappingProxyType
from typing import Literal

LANGUAGES = MappingProxyType(
    {
        "a": "en-us",
        "b": "en-gb",
        "e": "es",
        "f": "fr-fr",
        "h": "hi",
        "i": "it",
        "j": "ja",
        "p": "pt-br",
        "z": "zh",
    }
)
"""First letter of a voice's name to the language it speaks (BCP 47)."""

type Gender = Literal["female", "male"]

GENDERS: MappingProxyType[str, Gender] = MappingProxyType({"f": "female", "m": "male"})
"""Second letter of a voice's name."""

GRADES = MappingProxyType(
    {
        name: grade
        for grade, names in {
            "A": "af_heart",
            "A-": "af_bella",
            "B-": "af_nicole bf_emma",
            "C+": "af_aoede af_kore af_sarah am_fenrir am_michael am_puck",
            "C": "af_alloy af_nova bf_isabella bm_fable bm_george",
            "C-": "af_sky",
            "D+": "bm_lewis",
            "D": "af_jessica af_river am_echo am_eric am_liam am_onyx bf_alice bf_lily bm_daniel",
            "D-": "am_santa",
            "F+": "am_adam",
        }.items()
        for name in names.split()
    }
)
"""The publisher's overall grade, where given (kokoro-js 1.2.1)."""
