"""What a field may hold, read from its type: one rule for what comes in and what goes out.

A dataclass becomes a JSON object and back. ``Annotated`` types carry the ranges, ``wire`` in a
field's metadata its name where that is no Python name. ``null`` counts as absent.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import MISSING, dataclass, fields
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    TypeAliasType,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from firstword.protocol.values import (
    MisfitError,
    base64_samples,
    boolean,
    came,
    integer,
    json_object,
    listing,
    number,
    string,
    word,
)


@dataclass(frozen=True, slots=True)
class Between:
    """Both ends belong to the range; for a string they count its characters."""

    least: float
    most: float = math.inf


@dataclass(frozen=True, slots=True)
class OneOf:
    values: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Base64Samples:
    """Base64 (RFC 4648, section 4) of whole 16-bit samples."""


type Constraint = Between | OneOf | Base64Samples
type Convert = Callable[[Any], Any]
"""Gives the converted value, or raises MisfitError."""


@dataclass(frozen=True, slots=True)
class Shape:
    read: Convert
    write: Convert


@dataclass(frozen=True, slots=True)
class Slot:
    """One field of a dataclass: its name in Python and on the wire, and what it may hold."""

    name: str
    wire: str
    required: bool
    shape: Shape


def slots_of(cls: type) -> tuple[Slot, ...]:
    """The fields of a dataclass, in order."""
    if cls not in _SLOTS:
        _SLOTS[cls] = _read_slots(cls)
    return _SLOTS[cls]


def _read_slots(cls: type) -> tuple[Slot, ...]:
    hints = get_type_hints(cls, include_extras=True)
    return tuple(
        Slot(
            name=f.name,
            wire=f.metadata.get("wire", f.name),
            required=f.default is MISSING and f.default_factory is MISSING,
            shape=_shape(hints[f.name]),
        )
        for f in fields(cls)
    )


def read_object(cls: type, source: Mapping[str, Any]) -> Any:
    """An instance of a dataclass from a JSON object. Unknown names are passed over."""
    values = {}
    for slot in slots_of(cls):
        value = source.get(slot.wire)
        if value is not None:
            try:
                values[slot.name] = slot.shape.read(value)
            except MisfitError as misfit:
                raise misfit.inside(slot.wire) from None
        elif slot.required:
            raise MisfitError("is missing", slot.wire)
    return cls(**values)


def write_object(instance: Any) -> dict[str, Any]:
    """The JSON object of a dataclass's instance. Fields of None are left out."""
    target = {}
    for slot in slots_of(type(instance)):
        value = getattr(instance, slot.name)
        if value is not None:
            try:
                target[slot.wire] = slot.shape.write(value)
            except MisfitError as misfit:
                raise misfit.inside(slot.wire) from None
        elif slot.required:
            raise MisfitError("is missing", slot.wire)
    return target


def _shape(hint: Any) -> Shape:
    if isinstance(hint, TypeAliasType):
        return _shape(hint.__value__)
    origin, args = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _constrained(args[0], args[1])
    if origin in (Union, UnionType):
        return _shape(next(arg for arg in args if arg is not NoneType))
    if origin is Literal:
        return _same(lambda value: word(value, args))
    if origin is tuple:
        return _listed(args[0])
    if origin is dict:
        return _same(json_object)
    return _same(_SCALARS[hint])


def _same(convert: Convert) -> Shape:
    return Shape(read=convert, write=convert)


def _constrained(base: type, constraint: Constraint) -> Shape:
    match constraint:
        case OneOf(values):
            return _same(_chosen(_SCALARS[base], values))
        case Between():
            return _same(_bounded(base, constraint))
        case Base64Samples():
            return _same(lambda value: base64_samples(string(value)))


def _chosen(plain: Convert, values: tuple[int, ...]) -> Convert:
    def convert(value: Any) -> Any:
        if plain(value) not in values:
            raise MisfitError(f"must be one of {listing(values)}, got {came(value)}")
        return value

    return convert


def _bounded(base: type, limits: Between) -> Convert:
    plain, least, most = _SCALARS[base], limits.least, limits.most

    def convert(value: Any) -> Any:
        checked = plain(value)
        size = len(checked) if base is str else checked
        if not least <= size <= most:
            raise MisfitError(f"must be {_range(base, limits)}, got {came(value)}")
        return checked

    return convert


def _range(base: type, limits: Between) -> str:
    least, most = f"{limits.least:g}", f"{limits.most:g}"
    if base is str:
        return f"a string of {least} to {most} characters"
    kind = "an integer" if base is int else "a number"
    return f"{kind}, {least} or more" if limits.most == math.inf else f"{kind}, {least} to {most}"


def _listed(cls: type) -> Shape:
    def read_item(item: Any) -> Any:
        if not isinstance(item, dict):
            raise MisfitError(f"must be an object, got {came(item)}")
        return read_object(cls, item)

    def read(value: Any) -> tuple[Any, ...]:
        if not isinstance(value, list):
            raise MisfitError(f"must be an array of objects, got {came(value)}")
        return tuple(_each(value, read_item))

    def write_item(item: Any) -> dict[str, Any]:
        if not isinstance(item, cls):
            raise MisfitError(f"must be a {cls.__name__}, got {came(item)}")
        return write_object(item)

    def write(value: Any) -> list[Any]:
        if not isinstance(value, tuple):
            raise MisfitError(f"must be a tuple of {cls.__name__}, got {came(value)}")
        return list(_each(value, write_item))

    return Shape(read=read, write=write)


def _each(items: Iterable[Any], convert: Convert) -> Iterator[Any]:
    for i, item in enumerate(items):
        try:
            converted = convert(item)
        except MisfitError as misfit:
            raise misfit.inside(f"[{i}]") from None
        yield converted


_SCALARS: dict[Any, Convert] = {str: string, bool: boolean, int: integer, float: number}
_SLOTS: dict[type, tuple[Slot, ...]] = {}
