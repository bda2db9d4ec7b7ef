"""docs/protocol.md names every frame, every field and every code, and nothing else."""

from __future__ import annotations

import json
import re
from dataclasses import MISSING, fields
from pathlib import Path

import firstword.protocol
import pytest
from firstword.protocol import FRAME_TYPES, Word

PAGE = (Path(__file__).parents[2] / "docs" / "protocol.md").read_text(encoding="utf-8")
SOURCES = Path(firstword.protocol.__file__).parent.glob("*.py")
ROW = re.compile(r"^\| `(\w+)` \| (.+) \| (.+) \|$", re.MULTILINE)


def section(heading: str) -> str:
    [body] = re.findall(rf"^##+ {re.escape(heading)}\n(.*?)(?=^##|\Z)", PAGE, re.M | re.S)
    return str(body)


def documented(heading: str) -> dict[str, str]:
    return {name: default for name, _, default in ROW.findall(section(heading))}


def declared(cls: type) -> dict[str, str]:
    def default(value: object) -> str:
        if value is MISSING:
            return "required"
        return "absent" if value is None else f"`{json.dumps(value)}`"

    return {f.metadata.get("wire", f.name): default(f.default) for f in fields(cls)}


@pytest.mark.parametrize("name", FRAME_TYPES)
def test_each_frame_has_its_table_of_fields_and_defaults(name: str) -> None:
    assert documented(f"`{name}`") == declared(FRAME_TYPES[name])


def test_a_word_has_its_table() -> None:
    assert documented("word") == declared(Word)


def test_no_frame_is_documented_that_does_not_exist() -> None:
    assert set(re.findall(r"^### `(\w+)`$", PAGE, re.M)) == set(FRAME_TYPES)


def test_each_code_is_documented_and_each_documented_code_exists() -> None:
    raised: set[str] = set()
    for path in SOURCES:
        source = path.read_text(encoding="utf-8")
        raised |= set(re.findall(r"(?:Error|_Refusal)\(\s*(?:code=)?\"([a-z_]+)\"", source))
    assert set(re.findall(r"^\| `(\w+)` \|", section("Error codes"), re.M)) == raised
