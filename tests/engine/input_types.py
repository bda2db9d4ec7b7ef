"""What a Pulumi package accepts, read from its own input types.

The engine hands a provider whatever names a program wrote: a misspelt key in a nested dict reaches
it unchanged. The Python packages know every name, so the stand-in asks them.
"""

from __future__ import annotations

import enum
import inspect
import types
import typing
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module

from pulumi import _types
from pulumi.runtime.rpc import UNKNOWN

type Property = str | float | bool | Sequence[Property] | Mapping[str, Property] | None
type Properties = dict[str, Property]

PACKAGES = {"aws": "pulumi_aws", "docker": "pulumi_docker", "docker-build": "pulumi_docker_build"}

_PLAIN: dict[type, tuple[type, ...]] = {
    str: (str,),
    bool: (bool,),
    int: (int, float),
    float: (int, float),
}
"""Which values stand for which type on the wire."""


@cache
def args_class(token: str) -> type:
    """The input type of a resource: ``aws:s3/bucket:Bucket`` gives ``pulumi_aws.s3.BucketArgs``."""
    package, module, name = token.split(":")
    folder = module.split("/")[0]
    place = PACKAGES[package] + ("" if folder == "index" else f".{folder}")
    module_of_resource = import_module(getattr(import_module(place), name).__module__)
    # Called Init where a nested type has taken the plain name.
    found: type = getattr(module_of_resource, f"{name}InitArgs", None) or getattr(
        module_of_resource, f"{name}Args"
    )
    return found


def known(token: str) -> frozenset[str]:
    """The inputs that a resource has."""
    return frozenset(_types.input_type_types(args_class(token)))


def complaints(token: str, inputs: Mapping[str, Property]) -> list[tuple[str, str]]:
    """(property path, what is wrong with it) for everything that the package would not take."""
    return list(_object(args_class(token), inputs, ""))


def _object(cls: type, value: Mapping[str, Property], path: str) -> Iterator[tuple[str, str]]:
    names = _types.input_type_types(cls)
    for name in sorted(set(value) - set(names) - {"__defaults"}):
        yield path + name, f"is no property of {cls.__name__}; there are {', '.join(sorted(names))}"
    for name in sorted(required(cls) - {n for n, v in value.items() if v is not None}):
        yield path + name, f"is required by {cls.__name__}"
    for name, wanted in names.items():
        if name in value:
            yield from _value(wanted, value[name], path + name)


@cache
def required(cls: type) -> frozenset[str]:
    """The wire names that an input type cannot do without."""
    names = _types.input_type_py_to_pulumi_names(cls)
    parameters = list(inspect.signature(cls).parameters.values())
    return frozenset(names[p.name] for p in parameters if p.default is inspect.Parameter.empty)


def _value(wanted: object, value: Property, path: str) -> Iterator[tuple[str, str]]:
    if value is None or value == UNKNOWN:
        return
    choices = list(_choices(wanted))
    faults = [list(_one(choice, value, path)) for choice in choices]
    if faults and all(faults):
        yield from min(faults, key=len)


def _choices(wanted: object) -> Iterator[object]:
    """The types that a value may have, without ``None`` and the plumbing of ``Input``."""
    origin = typing.get_origin(wanted)
    if origin in (typing.Union, types.UnionType):
        members = typing.get_args(wanted)
        objects = any(isinstance(m, type) and _types.is_input_type(m) for m in members)
        for member in members:
            # An input type's own alternative is a dict of the same names, not any dict.
            if objects and (member is dict or typing.get_origin(member) is Mapping):
                continue
            yield from _choices(member)
    elif wanted is type(None) or getattr(origin, "__name__", "") in ("Output", "Awaitable"):
        return
    else:
        yield wanted


def _one(wanted: object, value: Property, path: str) -> Iterator[tuple[str, str]]:
    origin = typing.get_origin(wanted)
    if origin is not None:
        yield from _many(origin, typing.get_args(wanted)[-1], value, path)
    elif isinstance(wanted, type) and _types.is_input_type(wanted):
        if isinstance(value, Mapping):
            yield from _object(wanted, value, path + ".")
        else:
            yield path, f"is a {type(value).__name__} where {wanted.__name__} is wanted"
    elif isinstance(wanted, type):
        yield from _plain(wanted, value, path)


def _many(origin: type, item: object, value: Property, path: str) -> Iterator[tuple[str, str]]:
    if issubclass(origin, Mapping):
        if isinstance(value, Mapping):
            for key, each in value.items():
                yield from _value(item, each, f"{path}[{key}]")
        else:
            yield path, f"is a {type(value).__name__} where a mapping is wanted"
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for number, each in enumerate(value):
            yield from _value(item, each, f"{path}[{number}]")
    else:
        yield path, f"is a {type(value).__name__} where a list is wanted"


def _plain(wanted: type, value: Property, path: str) -> Iterator[tuple[str, str]]:
    if issubclass(wanted, enum.Enum):
        if value not in {member.value for member in wanted}:
            yield path, f"is {value!r}, which is no {wanted.__name__}"
    elif wanted in _PLAIN:
        right = isinstance(value, _PLAIN[wanted]) and (
            wanted is bool or not isinstance(value, bool)
        )
        if not right:
            yield path, f"is a {type(value).__name__} where a {wanted.__name__} is wanted"
