"""The pinned files of the package itself."""

from __future__ import annotations

import re

from firstword.tts.models.catalogue import GENDERS, GRADES, LANGUAGES
from firstword.tts.models.derive import STEPS, recipe_keys
from firstword.tts.models.pins import pins


def test_the_parts_make_up_the_graph() -> None:
    assert sum(part.size for part in pins().parts) == pins().graph.size == 92_361_271


def test_every_file_has_a_sha256() -> None:
    assert all(re.fullmatch("[0-9a-f]{64}", f.sha256) for f in pins().files)
    assert all(re.fullmatch("[0-9a-f]{64}", part.sha256) for part in pins().parts)
    assert len({f.sha256 for f in pins().files}) == len(pins().files), "no file is there twice"


def test_all_voices_have_a_language_and_a_gender() -> None:
    assert len(pins().voices) == 54
    assert all(name[0] in LANGUAGES and name[1] in GENDERS for name in pins().voices)
    english = {name for name in pins().voices if name[0] in "ab"}
    assert english == set(GRADES)
    assert len(english) == 28


def test_a_recipe_depends_on_the_graph_and_on_the_steps_before() -> None:
    first = recipe_keys("graph one")
    assert first == recipe_keys("graph one")
    assert not set(first.values()) & set(recipe_keys("graph two").values())
    assert len(set(first.values())) == len(STEPS)
