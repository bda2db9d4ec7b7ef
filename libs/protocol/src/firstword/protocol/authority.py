"""Who is meant and who asks: the values of the Host and Origin headers (RFC 9110, 6454)."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass

DEFAULT_PORTS = {"http": 80, "https": 443}

_AUTHORITY = re.compile(r"(\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9._-]{1,253})(?::([0-9]{1,5}))?")


@dataclass(frozen=True, slots=True)
class Authority:
    name: str
    port: int | None


@dataclass(frozen=True, slots=True)
class Origin:
    scheme: str
    name: str
    port: int


def parse_authority(value: str) -> Authority | None:
    match = _AUTHORITY.fullmatch(value)
    if match is None:
        return None
    name, port = match[1].lower(), match[2]
    if name.startswith("["):
        try:
            name = f"[{ipaddress.IPv6Address(name[1:-1])}]"
        except ValueError:
            return None
    if port is not None and int(port) > 65535:
        return None
    return Authority(name, None if port is None else int(port))


def parse_origin(value: str) -> Origin | None:
    scheme, separator, rest = value.lower().partition("://")
    authority = parse_authority(rest)
    if not separator or scheme not in DEFAULT_PORTS or authority is None:
        return None
    return Origin(scheme, authority.name, authority.port or DEFAULT_PORTS[scheme])


def host_name(name: str) -> str:
    bare = f"[{name}]" if ":" in name and not name.startswith("[") else name
    authority = parse_authority(bare)
    if authority is None or authority.port is not None:
        raise ValueError(f"a host must be a name or an address without port, got {name!r}")
    return authority.name


def listed_origin(value: str) -> Origin:
    origin = parse_origin(value)
    if origin is None:
        raise ValueError(f"an origin must look like http://127.0.0.1:8000, got {value!r}")
    return origin
