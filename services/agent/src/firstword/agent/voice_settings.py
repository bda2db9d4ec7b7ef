"""How the speech service is reached: which wire, which endpoint, and how long it may take."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast, get_args

from firstword.agent.environment import Environment
from firstword.agent.errors import SettingsError

type Wire = Literal["websocket", "sagemaker", "http"]
type FallBack = Literal["off", "http"]

SPEECH_PATH = "/invocations-bidirectional-stream"
VOICE_PATTERN = re.compile(r"[A-Za-z0-9_()+.]{1,200}")
"""Characters of a voice or a blend; whether it exists is the speech service's to say."""

STREAM_PORT = 8443
"""Where SageMaker serves bidirectional streams; its other operations are on 443."""

_ENDPOINT = re.compile(r"[A-Za-z0-9](?:-*[A-Za-z0-9]){0,62}")
_REGION = re.compile(r"[a-z]{2,3}(?:-[a-z]+)+-[0-9]{1,2}")
_SUFFIXES = {"cn-": "amazonaws.com.cn", "us-iso-": "c2s.ic.gov", "us-isob-": "sc2s.sgov.gov"}
"""DNS suffixes of the partitions that have another one than ``amazonaws.com``."""

_AWS = (".amazonaws.com", *(f".{suffix}" for suffix in _SUFFIXES.values()))


@dataclass(frozen=True, slots=True, kw_only=True)
class SageMakerSettings:
    """The endpoint, and where its runtime is. Times in seconds.

    ``stream_uri`` serves bidirectional streams by HTTP/2, ``http_uri`` the operations that boto3
    knows; ``stream_ca_files`` and ``http_ca_file`` name the certificates to trust there instead of
    the system's. The first answer to a new stream is waited for ``accept_s``; where it is still
    outstanding the stream is used all the same, and must answer ``first_response_s`` after the
    first message.
    """

    endpoint: str
    region: str
    stream_uri: str
    http_uri: str
    stream_ca_files: tuple[Path, ...] = ()
    http_ca_file: Path | None = None
    accept_s: float = 1.0
    first_response_s: float = 5.0
    credentials_s: float = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class VoiceSettings:
    """How the speech service is reached. Times in seconds.

    ``batch_wire`` carries replies of mode batch, where it is another one. ``fall_back`` speaks for
    ``fall_back_s`` where streams through SageMaker are not to be had.
    ``first_frame_s`` is long because a machine without a GPU may need many seconds for a long
    sentence that arrives in one piece. A service that is silent for ``stall_s`` in a sentence gets
    a new connection (None: never); ``first_frame_s`` and ``receive_s`` end the sentence.
    ``attempts`` bounds the connections made for one sentence, ``retries_per_turn`` all that a turn
    tries again. A connection is renewed after ``renew_s``, between sentences. ``fade_s`` is how
    much is said twice, and faded over, where a sentence goes on after a loss.
    """

    wire: Wire = "websocket"
    batch_wire: Wire | None = None
    fall_back: FallBack = "off"
    fall_back_s: float = 300.0
    url: str = "ws://127.0.0.1:8081" + SPEECH_PATH
    sagemaker: SageMakerSettings | None = None
    voice: str = "af_heart"
    open_s: float = 5.0
    first_frame_s: float = 60.0
    receive_s: float = 60.0
    stall_s: float | None = None
    send_s: float = 10.0
    close_s: float = 2.0
    cancel_s: float = 3.0
    idle_s: float = 30.0
    renew_s: float = 25 * 60.0
    attempts: int = 3
    retries_per_turn: int = 12
    fade_s: float = 0.005
    buffer_bytes: int = 512 * 1024


def read_voice(read: Environment) -> VoiceSettings:
    """The settings that the environment gives.

    Raises:
        SettingsError: a value cannot be used. It names the variable.
    """
    wire = cast(Wire, read.choice("FIRSTWORD_WIRE", get_args(Wire.__value__), "websocket"))
    renew_s = read.number("FIRSTWORD_WIRE_RENEW_S", 1500.0, 1.0, 3600.0)
    if wire == "websocket":
        return VoiceSettings(url=_speech_url(read), voice=_voice(read), renew_s=renew_s)
    return VoiceSettings(
        wire=wire,
        batch_wire=_batch_wire(read, wire),
        fall_back=_fall_back(read, wire),
        sagemaker=_sagemaker(read, wire),
        voice=_voice(read),
        first_frame_s=30.0,
        receive_s=30.0,
        stall_s=10.0,
        renew_s=renew_s,
    )


def runtime_host(region: str, *, fips: bool) -> str:
    """The host name of SageMaker's runtime in a region."""
    suffix = next((s for start, s in _SUFFIXES.items() if region.startswith(start)), None)
    return f"runtime{'-fips' if fips else ''}.sagemaker.{region}.{suffix or 'amazonaws.com'}"


def _sagemaker(read: Environment, wire: str) -> SageMakerSettings:
    region = _region(read, wire)
    stream_uri, http_uri = _uris(read, region)
    return SageMakerSettings(
        endpoint=_endpoint(read, wire),
        region=region,
        stream_uri=stream_uri,
        http_uri=http_uri,
        stream_ca_files=tuple(_ca_files(read)),
        http_ca_file=next(iter(_ca_files(read)), None),
    )


def _endpoint(read: Environment, wire: str) -> str:
    name = "FIRSTWORD_SAGEMAKER_ENDPOINT"
    endpoint = read.text(name)
    if endpoint is None:
        raise SettingsError(name, f"is not set; FIRSTWORD_WIRE={wire} needs an endpoint's name")
    if _ENDPOINT.fullmatch(endpoint) is None:
        problem = f"is {endpoint!r}; it must be 1 to 63 letters, digits and inner hyphens"
        raise SettingsError(name, problem)
    return endpoint


def _region(read: Environment, wire: str) -> str:
    region = read.text("AWS_REGION") or read.text("AWS_DEFAULT_REGION")
    if region is None:
        raise SettingsError("AWS_REGION", f"is not set; FIRSTWORD_WIRE={wire} needs a region")
    if _REGION.fullmatch(region) is None:
        raise SettingsError("AWS_REGION", f"is {region!r}; it must be a region, as us-east-1")
    return region


def _uris(read: Environment, region: str) -> tuple[str, str]:
    """Where streams and where the other operations are: AWS's addresses, or one of one's own."""
    name = "FIRSTWORD_SAGEMAKER_ENDPOINT_URI"
    own = read.text(name)
    if own is None:
        fips = read.choice("AWS_USE_FIPS_ENDPOINT", ("true", "false"), "false") == "true"
        host = runtime_host(region, fips=fips)
        return f"https://{host}:{STREAM_PORT}", f"https://{host}"
    parts = read.url(name, own, ("https",))
    if parts.path not in ("", "/") or parts.query or parts.fragment or "@" in parts.netloc:
        raise SettingsError(name, f"is {own!r}; it must be https://HOST[:PORT] and no more")
    uri = f"https://{parts.netloc}"
    if parts.port is None:
        return f"{uri}:{STREAM_PORT}", uri
    # On AWS that port has streams only; one's own runtime serves both on the port that is named.
    streams_only = parts.port == STREAM_PORT and (parts.hostname or "").endswith(_AWS)
    return uri, f"https://{parts.hostname}" if streams_only else uri


def _batch_wire(read: Environment, wire: str) -> Wire | None:
    name = "FIRSTWORD_BATCH_WIRE"
    chosen = read.choice(name, (wire, "http"), wire)
    return None if chosen == wire else cast(Wire, chosen)


def _ca_files(read: Environment) -> list[Path]:
    """Our own setting, else those that AWS's clients go by, the more particular one first."""
    own = read.text("FIRSTWORD_SAGEMAKER_CA_FILE")
    names = ("AWS_CA_BUNDLE", "SSL_CERT_FILE") if own is None else ("FIRSTWORD_SAGEMAKER_CA_FILE",)
    found = []
    for name in names:
        text = read.text(name)
        if text is not None:
            if not Path(text).is_file():
                raise SettingsError(name, f"is {text!r}; there is no such file")
            found.append(Path(text))
    return found


def _fall_back(read: Environment, wire: str) -> FallBack:
    name = "FIRSTWORD_WIRE_FALLBACK"
    chosen = cast(FallBack, read.choice(name, get_args(FallBack.__value__), "off"))
    if chosen != "off" and wire != "sagemaker":
        raise SettingsError(name, f"is {chosen!r}; only FIRSTWORD_WIRE=sagemaker has a fall-back")
    return chosen


def _speech_url(read: Environment) -> str:
    name = "FIRSTWORD_TTS_URL"
    url = read.text(name) or "ws://127.0.0.1:8081"
    parts = read.url(name, url, ("ws", "wss"))
    return parts._replace(path=SPEECH_PATH).geturl() if parts.path in ("", "/") else url


def _voice(read: Environment) -> str:
    name = "FIRSTWORD_VOICE"
    voice = read.text(name) or "af_heart"
    if VOICE_PATTERN.fullmatch(voice) is None:
        raise SettingsError(name, f"is {voice!r}; it must be a voice's name, such as af_heart")
    return voice
