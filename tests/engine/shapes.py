"""Pulumi's properties as parameters of an AWS call, by the names in botocore's own models.

pulumi-aws spells AWS's names with a small first letter, makes lists plural and gives tags and
dimensions as mappings. That is undone here; what has no counterpart is refused. Values are held
against the model too, which botocore itself does not do: enums, patterns, lengths and ranges.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import regex
from botocore.model import ListShape, MapShape, Shape, StructureShape
from engine.provider import RefusedError

type Parameters = dict[str, Any]

_PAIRS = ({"Key", "Value"}, {"Name", "Value"}, {"key", "value"}, {"TagKey", "TagValue"})


def parameters(
    shape: StructureShape, properties: Mapping[str, Any], names: Mapping[str, str] | None = None
) -> Parameters:
    """Parameters of a call whose input is ``shape``; ``names`` renames properties of the top."""
    renamed = {(names or {}).get(name, name): value for name, value in properties.items()}
    found: Parameters = _converted(shape, renamed, "")
    return found


def check(shape: Shape, value: Any, path: str = "") -> None:
    """Refused when a value breaks a rule of the model."""
    for fault in _faults(shape, value, path):
        raise RefusedError(f"ValidationException: {fault}")


def _converted(shape: Shape, value: Any, path: str) -> Any:
    if isinstance(shape, StructureShape):
        return _structure(shape, _only(value, path) if isinstance(value, list) else value, path)
    if isinstance(shape, ListShape):
        if isinstance(value, Mapping) and (pair := _pair(shape.member)):
            return [{pair[0]: key, pair[1]: item} for key, item in value.items()]
        items = value if isinstance(value, list) else [value]
        return [_converted(shape.member, item, f"{path}[{n}]") for n, item in enumerate(items)]
    if isinstance(shape, MapShape):
        return {key: _converted(shape.value, item, f"{path}[{key}]") for key, item in value.items()}
    return _scalar(shape, value)


def _structure(shape: StructureShape, value: Mapping[str, Any], path: str) -> Parameters:
    members = {_plain(name): name for name in shape.members}
    found: Parameters = {}
    for name, item in value.items():
        plain = _plain(name)
        real = next((members[p] for p in (plain, *_singular(plain)) if p in members), None)
        if real is None:
            raise RefusedError(
                f"{path}{name} has no counterpart in {shape.name}: {sorted(members)}"
            )
        if item is not None:
            found[real] = _converted(shape.members[real], item, f"{path}{name}.")
    return found


def _scalar(shape: Shape, value: Any) -> Any:
    if shape.type_name in ("integer", "long"):
        return int(float(value))
    if shape.type_name in ("double", "float"):
        return float(value)
    if shape.type_name == "string" and not isinstance(value, str):
        return json.dumps(value) if isinstance(value, (dict, list)) else str(value)
    return value


def _plain(name: str) -> str:
    return name.replace("_", "").lower()


def _singular(plain: str) -> Iterator[str]:
    yield plain.removesuffix("s")
    if plain.endswith("ies"):
        yield plain.removesuffix("ies") + "y"
    yield plain + "s"


def _only(items: list[Any], path: str) -> Any:
    if len(items) != 1:
        raise RefusedError(f"{path} holds {len(items)} items where AWS takes one")
    return items[0]


def _pair(shape: Shape) -> tuple[str, str] | None:
    """The two names of what AWS lists and Pulumi gives as a mapping: tags, dimensions."""
    members = sorted(shape.members) if isinstance(shape, StructureShape) else []
    return (members[0], members[1]) if set(members) in _PAIRS else None


def _faults(shape: Shape, value: Any, path: str) -> Iterator[str]:
    if isinstance(shape, StructureShape):
        for name, item in value.items():
            if name in shape.members:
                yield from _faults(shape.members[name], item, f"{path}.{name}")
    elif isinstance(shape, ListShape):
        yield from _length(shape, len(value), path)
        for number, item in enumerate(value):
            yield from _faults(shape.member, item, f"{path}[{number}]")
    elif isinstance(shape, MapShape):
        for key, item in value.items():
            yield from _faults(shape.key, key, f"{path} key")
            yield from _faults(shape.value, item, f"{path}[{key}]")
    elif isinstance(value, str):
        yield from _text(shape, value, path)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield from _length(shape, value, path)


def _text(shape: Shape, value: str, path: str) -> Iterator[str]:
    yield from _length(shape, len(value), path)
    choices = shape.metadata.get("enum")
    if choices and value not in choices:
        yield f"{path} is {value!r}, which is none of {', '.join(choices)}"
    pattern = shape.metadata.get("pattern")
    if pattern and not _matches(pattern, value):
        yield f"{path} is {value!r}, which does not match {pattern}"


def _matches(pattern: str, value: str) -> bool:
    try:
        return bool(regex.fullmatch(pattern, value, regex.DOTALL))
    except regex.error:
        # Ranges over halves of surrogate pairs are Java's own.
        return True


def _length(shape: Shape, size: float, path: str) -> Iterator[str]:
    low, high = shape.metadata.get("min"), shape.metadata.get("max")
    if low is not None and size < float(low):
        yield f"{path} is {size} (its value or length), below {low}"
    if high is not None and size > float(high):
        yield f"{path} is {size} (its value or length), above {high}"
