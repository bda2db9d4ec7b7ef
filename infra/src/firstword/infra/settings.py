"""All settings of a stack: frozen, read once from its configuration and handed down."""

from __future__ import annotations

from dataclasses import dataclass, field

from firstword.infra.keys import Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Which environment this is and where it lies. ``account`` of None: whoever's keys are used."""

    environment: str
    kind: Kind
    region: str
    account: str | None
    tags: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundationSettings:
    """Of the stack that keeps what outlives the others. Times in days."""

    place: Place
    log_retention_days: int
    old_version_days: int
    images_kept: int
    force_destroy: bool
    callers: tuple[str, ...]
    vpc_only: bool
    zones: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Hours:
    """Other limits of the fleet; ``when`` as Application Auto Scaling writes it."""

    name: str
    when: str
    zone: str
    least: int
    most: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetSettings:
    """How many machines. None: to be computed from the capacity file."""

    instance_type: str
    peak_sessions: int
    sessions_per_instance: int | None
    least: int
    most: int | None
    hours: tuple[Hours, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class HostSettings:
    """What SageMaker does around the container. Times in seconds."""

    inference_ami: str
    startup_timeout_s: int
    download_timeout_s: int
    network_isolation: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeechSettings:
    """What the speech server's container is told. ``max_wait_s`` in seconds."""

    engine: str
    quality: str
    max_wait_s: float
    log_level: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EndpointSettings:
    """Of the stack that speaks. ``image`` of None: built from this tree."""

    place: Place
    fleet: FleetSettings
    host: HostSettings
    speech: SpeechSettings
    image: str | None
    weights_sha256: str
    alarm_email: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class JwtSettings:
    """Whose tokens let a caller in."""

    discovery_url: str
    audiences: tuple[str, ...]
    clients: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentSettings:
    """Of the stack that thinks. ``image`` of None: built from this tree. Times in seconds."""

    place: Place
    image: str | None
    llm_id: str
    voice: str
    log_level: str
    idle_timeout_s: int
    max_lifetime_s: int
    jwt: JwtSettings | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalSettings:
    """Of an environment on one Docker host. ``model_folder`` of None: a volume of its own."""

    environment: str
    speech: SpeechSettings
    voice: str
    llm: str
    llm_id: str | None
    llm_base_url: str | None
    gpu: bool
    page_host: str
    page_port: int
    page_token: str | None = field(repr=False)
    model_folder: str | None


type Settings = FoundationSettings | EndpointSettings | AgentSettings | LocalSettings
