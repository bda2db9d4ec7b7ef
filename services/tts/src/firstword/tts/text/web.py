"""Addresses and names of the networked world."""

from __future__ import annotations

import re

from firstword.tts.text.identifiers import identifier, symbol_by_symbol
from firstword.tts.text.numerals import Accent, cardinal, digits
from firstword.tts.text.rule import Rule, Say, parts, spelled

# Country codes that are English words (in, it, is, at, be, no, so, us, me) are left out: a missing
# space after a full stop is far more common.
_TOP = (
    "com|org|net|edu|gov|mil|int|info|biz|app|dev|io|ai|xyz|cloud|online|site|tech|blog|news|shop"
)
_COUNTRIES = "uk|de|fr|eu|ca|au|jp|cn|ch|nl|se|es|br|ru|pl|dk|fi|ie|nz|za|mx|kr|co|tv|gg|ly|fm"
_HOST = (
    rf"(?:(?:[A-Za-z0-9](?:[A-Za-z0-9-]{{0,62}})\.)+(?:{_TOP})(?:\.(?:{_COUNTRIES}))?"
    rf"|(?:[a-z0-9][a-z0-9-]{{0,62}}\.)+(?:{_COUNTRIES}))(?![\w-])"
)
_EXTENSIONS = (
    "py|pyi|ipynb|js|jsx|mjs|ts|tsx|json|jsonl|yaml|yml|toml|md|rst|txt|csv|tsv|pdf|docx?|xlsx?|pptx?"
    "|png|jpe?g|gif|svg|webp|bmp|mp3|mp4|wav|flac|ogg|opus|mov|avi|mkv|html?|css|scss|sh|bat|ps1|c|h"
    "|cc|cpp|hpp|cs|java|kt|rs|go|rb|php|swift|lua|sql|xml|ini|cfg|conf|env|lock|log|zip|gz|tgz|tar"
    "|bz2|xz|7z|exe|dll|so|dylib|bin|iso|dmg|deb|rpm|whl|onnx|pt|pth|safetensors|gguf"
)
_READ = "log lock zip tar bin swift java go mov env conf lua whl json yaml toml bat gif jpeg jpg"
_EXTENSION_WORDS = frozenset(_READ.split())
_PATH = re.compile(r"[/\\]")


def _url(match: re.Match[str], accent: Accent) -> Say:
    """Host and path; the scheme, "www." and the query are for machines."""
    address = re.split(r"[?#]", match["rest"], maxsplit=1)[0]
    address = address.removeprefix("www.").rstrip("/")
    host, *path = address.split("/")
    return " slash ".join([_host(host, accent), *(_file(step, accent) for step in path if step)])


def _host(host: str, accent: Accent) -> str:
    name, _, port = host.partition(":")
    labels = name.split(".")
    said = [identifier(label, accent) for label in labels[:-1]]
    said.append(_top(labels[-1], accent) if len(labels) > 1 else identifier(labels[-1], accent))
    if name.replace(".", "").isdecimal():
        said = [digits(label) for label in labels]
    spoken = " dot ".join(said)
    return f"{spoken} colon {identifier(port, accent)}" if port else spoken


def _top(label: str, accent: Accent) -> str:
    known = label.lower() in ("co", "me") or len(label) > 2
    return identifier(label, accent) if known else spelled(label)


def _email(match: re.Match[str], accent: Accent) -> Say:
    return f"{identifier(match['user'], accent)} at {_host(match['host'], accent)}"


def _domain(match: re.Match[str], accent: Accent) -> Say:
    return _url(match, accent)


def _file(name: str, accent: Accent) -> str:
    """One step of a path: words without dashes, and the extension after a dot."""
    stem, dot, extension = name.rpartition(".")
    if not dot or not re.fullmatch(_EXTENSIONS, extension, re.IGNORECASE):
        return identifier(name.replace("_", " ").replace("-", " "), accent)
    lower = extension.lower()
    said = identifier(lower, accent) if lower in _EXTENSION_WORDS else _spelled(lower)
    plain = identifier(stem.replace("_", " ").replace("-", " "), accent)
    return f"{plain} dot {said}".strip()


def _spelled(extension: str) -> str:
    """ "mp3" is "M P three"."""
    return " ".join(digits(c) if c.isdecimal() else c.upper() for c in extension)


def _file_name(match: re.Match[str], accent: Accent) -> Say:
    return _file(match[0], accent)


def _path(match: re.Match[str], accent: Accent) -> Say:
    written = match[0]
    steps = _PATH.split(written)
    join = " backslash " if "\\" in written else " slash "
    head = steps[0]
    first = {"~": "home", ".": "dot", "..": "dot dot", "": ""}.get(head)
    said = [identifier(head, accent) if first is None else first]
    said += [_file(step, accent) for step in steps[1:] if step]
    return join.join(said).strip()


def _address(match: re.Match[str], accent: Accent) -> Say:
    said = " dot ".join(digits(octet) for octet in match["octets"].split("."))
    if match["port"]:
        said += f" colon {identifier(match['port'], accent)}"
    if match["bits"]:
        said += f" slash {cardinal(match['bits'], accent)}"
    return said


def _groups(match: re.Match[str], _accent: Accent) -> Say:
    """Hardware and IPv6 addresses and UUIDs, with a breath between groups."""
    groups = re.split("[:-]", match[0])
    return ", ".join(symbol_by_symbol(group) for group in groups if group)


def _hashtag(match: re.Match[str], accent: Accent) -> Say:
    name = match["name"]
    kind = "number" if any(c.isdecimal() for c in name[:3]) and name.isupper() else "hashtag"
    return f"{kind} {identifier(name, accent, marks=False)}"


def _handle(match: re.Match[str], accent: Accent) -> Say:
    return f"at {identifier(match['name'], accent)}"


def _version(match: re.Match[str], accent: Accent) -> Say:
    numbers = " point ".join(cardinal(step, accent) for step in match["numbers"].split("."))
    said = f"version {numbers}" if match["v"] else numbers
    return f"{said} {identifier(match['tail'], accent, marks=False)}" if match["tail"] else said


def _named_version(match: re.Match[str], accent: Accent) -> Say:
    major, minor = match["major"], match["minor"]
    return parts(match, number=f"{cardinal(major, accent)} point {cardinal(minor, accent)}")


_TAGS = (
    "a|b|i|u|s|p|br|hr|em|strong|small|sub|sup|code|pre|kbd|q|span|div|ul|ol|li|h[1-6]|table|tr|td|th"
    "|img|details|summary|speak|break|emphasis|prosody|say-as|voice|phoneme|audio|mark|spell|think"
)

_URL_END = r"[^\s<>\"\x00]*[^\s<>\"\x00.,;:!?)\]}'*_]"
_VERSIONED = (
    "Python|Node|Node\\.js|Java|JDK|Ruby|PHP|Perl|Go|Rust|Ubuntu|Debian|Fedora|Android|iOS|macOS"
    "|Windows|Kubernetes|Django|Rails|React|Postgres|PostgreSQL|MySQL|CUDA|Chrome|Firefox|HTTP|TLS"
    "|[Vv]ersions?|[Rr]elease|v\\."
)

RULES = (
    Rule(
        "tag",
        re.compile(
            r"<!--[^\x00]{0,1000}?-->"
            rf"|</?(?:{_TAGS})\s?/?>|</[A-Za-z][\w:-]{{0,30}}>|<[A-Za-z][\w:-]{{0,30}}\s?/>"
            rf"|<[A-Za-z][\w:-]{{0,30}}(?:\s+[\w:-]{{1,40}}\s?=\s?(?:\"[^\"<>]*\"|'[^'<>]*'|[^\s\"'<>]+))+\s?/?>"
        ),
        lambda _match, _accent: "",
    ),
    Rule(
        "e-mail",
        re.compile(
            r"(?:mailto:)?(?<![\w.+-])(?P<user>[A-Za-z0-9][\w.+-]{0,63})"
            r"@(?P<host>(?:[A-Za-z0-9-]{1,63}\.)+[A-Za-z]{2,24})(?![\w-])"
        ),
        _email,
    ),
    Rule(
        "url",
        re.compile(rf"(?:\b(?:https?|ftp|file|wss?)://|(?=\bwww\.))(?P<rest>{_URL_END})"),
        _url,
    ),
    Rule(
        "ip address",
        re.compile(
            r"(?<![\w.])(?P<octets>\d{1,3}(?:\.\d{1,3}){3})(?::(?P<port>\d{1,5}))?"
            r"(?:/(?P<bits>\d{1,2}))?(?![\w/]|\.\d)"
        ),
        _address,
    ),
    Rule(
        "hexadecimal groups",
        re.compile(
            r"(?<![\w:.-])(?:(?:[0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}"
            r"|[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"
            r"|(?:[0-9A-Fa-f]{1,4}:){7}[0-9A-Fa-f]{1,4}"
            r"|(?:[0-9A-Fa-f]{1,4}:){1,6}:(?:[0-9A-Fa-f]{1,4}(?::[0-9A-Fa-f]{1,4}){0,5})?)(?![\w:-])"
        ),
        _groups,
    ),
    Rule(
        "hash",
        re.compile(r"(?<![\w-])(?=[a-f]{0,40}\d)(?=\d{0,40}[a-f])[0-9a-f]{7,64}(?![\w-])"),
        lambda match, _accent: symbol_by_symbol(match[0]),
    ),
    Rule(
        "domain",
        re.compile(rf"(?<![\w.@/-])(?P<rest>{_HOST}(?::\d{{2,5}}(?!\d))?(?:/(?:{_URL_END})?)?)"),
        _domain,
    ),
    Rule(
        "local host",
        re.compile(r"\b(?P<rest>localhost:\d{2,5}(?:/(?:" + _URL_END + r")?)?)"),
        _domain,
    ),
    Rule(
        "file",
        re.compile(
            rf"(?<![\w./\\@-])[\w-]{{1,64}}(?:\.[\w-]{{1,32}}){{0,3}}\.(?:{_EXTENSIONS})(?![\w-])"
        ),
        _file_name,
    ),
    Rule(
        "dotted name",
        re.compile(
            r"(?<![\w.@/-])(?!(?:[A-Za-z]\.)+[A-Za-z]\b)[A-Za-z_]\w{0,40}(?:\.[a-z_]\w{1,40}){1,6}"
        ),
        lambda match, accent: identifier(match[0].replace("_", " "), accent),
    ),
    Rule(
        "path",
        re.compile(
            r"(?<![\w/.~])(?:~|\.{1,2})?(?:/[\w.@+-]*[\w@+-]){1,40}/?(?![\w/])"
            r"|(?<![\w\\])[A-Z]:(?:\\[\w.@+-]*[\w@+-]){1,40}\\?"
            rf"|(?<![\w/.~])(?:[\w.-]{{1,64}}/){{1,40}}[\w-]{{1,64}}\.(?:{_EXTENSIONS})(?![\w-])"
        ),
        _path,
    ),
    Rule(
        "colour",
        re.compile(
            r"(?<![\w&#])#(?P<digits>(?=[0-9A-Fa-f]{0,5}\d)(?:[0-9A-Fa-f]{6}|[0-9A-Fa-f]{3}))\b"
        ),
        lambda match, _accent: f"hash {symbol_by_symbol(match['digits'])}",
    ),
    Rule("hashtag", re.compile(r"(?<![\w&#/])#(?P<name>[^\W\d_]\w{0,63})"), _hashtag),
    Rule("handle", re.compile(r"(?<![\w@])@(?P<name>[A-Za-z_][\w.-]{0,62}\w|[A-Za-z])"), _handle),
)

VERSIONS = (
    Rule(
        "version",
        re.compile(
            r"(?<![\w.])(?:(?P<v>[vV])\.?)?(?P<numbers>\d{1,5}(?:\.\d{1,5}){2,5})"
            r"(?:[-.]?(?P<tail>(?:alpha|beta|rc|dev|a|b|post)[-.]?\d{0,4}))?(?![\w]|\.\d)"
        ),
        _version,
    ),
    Rule(
        "short version",
        re.compile(
            r"(?<![\w.])(?P<v>[vV])\.?(?P<numbers>\d{1,5}(?:\.\d{1,5})?)(?P<tail>)(?![\w]|\.\d)"
        ),
        _version,
    ),
    Rule(
        "version of a product",
        re.compile(
            rf"\b(?:{_VERSIONED})\s(?P<number>(?P<major>\d{{1,3}})\.(?P<minor>[1-9]\d?))(?!\w|\.\d|%)"
        ),
        _named_version,
    ),
)
