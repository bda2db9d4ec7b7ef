"""Whatever a frame holds and whatever bytes come."""

from __future__ import annotations

import base64
import json
from dataclasses import MISSING, fields
from itertools import pairwise
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeAliasType, get_args, get_origin, get_type_hints

import pytest
from firstword.protocol import (
    FRAME_TYPES,
    Frame,
    PcmAligner,
    RemoteProtocolError,
    Session,
    Word,
    decode,
    encode,
)
from firstword.protocol.shapes import Base64Samples, Between, OneOf
from hypothesis import given, settings
from hypothesis import strategies as st

TEXT = st.text(max_size=40)
INTEGERS = st.integers(-(2**53) + 1, 2**53 - 1)
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | INTEGERS | FLOATS | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=8,
)
TIMINGS = st.dictionaries(TEXT, st.none() | INTEGERS | FLOATS | TEXT, max_size=6)


def limited(base: type, constraint: Any) -> st.SearchStrategy[Any]:
    match constraint:
        case OneOf(values):
            return st.sampled_from(values)
        case Base64Samples():
            samples = st.binary(max_size=20).map(lambda b: b + b)
            return samples.map(lambda b: base64.b64encode(b).decode())
        case Between(least, most) if base is str:
            return st.text(min_size=int(least), max_size=int(min(most, 300)))
        case Between(least, most) if base is int:
            return st.integers(int(least), int(min(most, 2**53 - 1)))
        case Between(least, most):
            top = None if most == float("inf") else most
            return st.floats(least, top, allow_nan=False, allow_infinity=False)
    raise AssertionError(constraint)


def values(hint: Any) -> st.SearchStrategy[Any]:
    if isinstance(hint, TypeAliasType):
        return values(hint.__value__)
    origin, args = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return limited(args[0], args[1])
    if origin is UnionType:
        return st.none() | values(next(a for a in args if a is not NoneType))
    if origin is Literal:
        return st.sampled_from(args)
    if origin is tuple:
        return st.lists(frames(args[0]), max_size=3).map(tuple)
    if origin is dict:
        return TIMINGS
    return {str: TEXT, bool: st.booleans(), int: INTEGERS, float: FLOATS}[hint]


def frames(cls: type) -> st.SearchStrategy[Any]:
    hints = get_type_hints(cls, include_extras=True)
    given_always = {f.name: values(hints[f.name]) for f in fields(cls)}
    needed = {f.name for f in fields(cls) if f.default is MISSING}
    required = {n: s for n, s in given_always.items() if n in needed}
    optional = {n: s for n, s in given_always.items() if n not in needed}
    return st.fixed_dictionaries(required, optional=optional).map(lambda kwargs: cls(**kwargs))


ANY_FRAME: st.SearchStrategy[Frame] = st.one_of(*(frames(cls) for cls in FRAME_TYPES.values()))


@pytest.mark.parametrize("name", FRAME_TYPES)
@settings(deadline=None)
@given(data=st.data())
def test_every_frame_comes_back_as_it_was(name: str, data: st.DataObject) -> None:
    frame = data.draw(frames(FRAME_TYPES[name]))
    wire = encode(frame)
    assert json.loads(wire)["type"] == name
    assert "\n" not in wire
    assert decode(wire) == frame
    assert decode(wire.encode()) == frame


@settings(deadline=None)
@given(ANY_FRAME, st.dictionaries(TEXT.map(lambda name: f"x-{name}"), JSON, max_size=4))
def test_unknown_fields_change_nothing(frame: Frame, more: dict[str, Any]) -> None:
    assert decode(json.dumps({**more, **json.loads(encode(frame))})) == frame


def only_a_protocol_error(payload: str | bytes) -> None:
    try:
        frame = decode(payload)
    except RemoteProtocolError as error:
        told = error.frame()
        assert decode(encode(told)) == told, "the answer can be sent"
    else:
        assert decode(encode(frame)) == frame


@settings(deadline=None)
@given(st.binary(max_size=200) | st.text(max_size=200))
def test_random_payloads_raise_nothing_but_a_protocol_error(payload: str | bytes) -> None:
    only_a_protocol_error(payload)


@settings(deadline=None)
@given(JSON)
def test_random_json_raises_nothing_but_a_protocol_error(value: Any) -> None:
    only_a_protocol_error(json.dumps(value))


WIRE_NAMES = sorted(
    {f.metadata.get("wire", f.name) for c in FRAME_TYPES.values() for f in fields(c)}
)
ODD = JSON | st.sampled_from(
    [float("nan"), float("inf"), "\ud800", 10**30, True, [{}], {"a": "\udfff"}]
)


@settings(deadline=None)
@given(
    st.fixed_dictionaries(
        {},
        optional={"type": st.sampled_from([*FRAME_TYPES, "sing"]) | ODD}
        | {name: ODD | st.lists(frames(Word).map(repr), max_size=1) for name in WIRE_NAMES},
    )
)
def test_known_names_with_odd_values_raise_nothing_but_a_protocol_error(
    message: dict[str, Any],
) -> None:
    only_a_protocol_error(json.dumps(message))


@settings(deadline=None)
@given(st.lists(st.binary(max_size=80) | ANY_FRAME.map(lambda f: encode(f).encode()), max_size=12))
def test_random_messages_never_break_either_session(payloads: list[bytes]) -> None:
    for role in ("client", "server"):
        session = Session(role)
        for binary in (None, True, False):
            for payload in payloads:
                before = session.open_requests
                try:
                    session.receive(payload, binary=binary)
                except RemoteProtocolError as error:
                    told = error.frame()
                    assert decode(encode(told)) == told, "the answer can be sent"
                    assert session.open_requests == before


@settings(deadline=None)
@given(st.binary(max_size=60), st.lists(st.integers(0, 60), max_size=8))
def test_pcm_cut_anywhere_is_the_same_samples(data: bytes, cuts: list[int]) -> None:
    aligner = PcmAligner()
    edges = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    pieces = [aligner.feed(data[a:b]) for a, b in pairwise(edges)]
    assert all(len(piece) % 2 == 0 for piece in pieces)
    assert b"".join(pieces) == data[: len(data) - len(data) % 2]
    assert aligner.flush() == len(data) % 2
