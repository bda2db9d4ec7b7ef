"""The table of all stack settings: which stack has them, what they may hold, their defaults."""

from __future__ import annotations

from firstword.infra.keys import ALL, AWS, IMAGE, Key, Room, by_kind
from firstword.infra.schema_endpoint import ENDPOINT
from firstword.infra.values import choice, flag, integer, one_of, tags, text, texts

RETENTION_DAYS = (1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 3653)
"""What CloudWatch Logs offers."""

_EVERYWHERE = (
    Key("kind", ALL, choice("dev", "prod", "local"), "dev, prod or local", required=True),
    Key(
        "region",
        AWS,
        text(r"[a-z]{2}(-[a-z]+)+-\d", "an AWS region such as us-west-2"),
        "the AWS region",
        required=True,
    ),
    Key(
        "account",
        AWS,
        text(r"\d{12}", "an AWS account: twelve digits in quotes"),
        "the only account that this stack may be deployed to; any, when left out",
        example='"123456789012"',
    ),
    Key("tags", AWS, tags, "further tags on every resource", (), example="{CostCenter: voice}"),
    Key(
        "logLevel",
        ("endpoint", "agent", "local"),
        choice("debug", "info", "warning", "error"),
        "how much the services log; never prompts, sentences or audio",
        "info",
    ),
)

_FOUNDATION = (
    Key(
        "logRetentionDays",
        ("foundation",),
        one_of(RETENTION_DAYS),
        "days that logs are kept",
        by_kind(14, 90),
    ),
    Key(
        "oldVersionDays",
        ("foundation",),
        integer(1, 3650),
        "days that overwritten and deleted weights are kept",
        by_kind(7, 30),
    ),
    Key(
        "imagesKept",
        ("foundation",),
        integer(2, 1000),
        "newest images kept in each repository",
        by_kind(10, 30),
    ),
    Key(
        "forceDestroy",
        ("foundation",),
        flag,
        "let `pulumi destroy` delete weights and images too; needs an `up` before it counts",
        False,
    ),
    Key(
        "callers",
        ("foundation",),
        texts(r"arn:aws[a-z-]*:iam::\d{12}:(root|(role|user)/.+)", "an IAM principal's ARN"),
        "who may take the caller's role; left out: who may by policies of the account",
        (),
        example='["arn:aws:iam::123456789012:role/web"]',
    ),
    Key(
        "vpcOnly",
        ("foundation",),
        flag,
        "speech server and agent in a network without a way to the internet",
        by_kind(False, True),
    ),
    Key(
        "zones",
        ("foundation",),
        texts(r"[a-z]{2}(-[a-z]+)+-\d[a-z]", "an availability zone such as us-west-2a"),
        "the network's zones; left out: the region's first two. AgentCore does not know all",
        (),
        example="[us-west-2a, us-west-2b]",
    ),
)

_SPEECH = (
    Key(
        "engine",
        ("endpoint", "local"),
        choice("auto", "onnx", "torch"),
        "what runs the model: torch on a GPU, onnx on processors",
        {"dev": "torch", "prod": "torch", "local": "auto"},
    ),
    Key(
        "quality",
        ("endpoint", "local"),
        choice("auto", "fast", "exact"),
        "what a request's auto means",
        "auto",
    ),
    Key(
        "voice",
        ("agent", "local"),
        text(r"[A-Za-z0-9_()+.]{1,200}", "a voice's name or a blend"),
        "the voice when none is asked for",
        "af_heart",
    ),
)

_AGENT = (
    Key(
        "agentImage",
        ("agent",),
        text(IMAGE, "an image by digest: REPOSITORY@sha256:..."),
        "an agent image that exists already (arm64); left out: built from this tree",
        example="123456789012.dkr.ecr.us-west-2.amazonaws.com/firstword/dev/agent@sha256:...",
    ),
    Key(
        "llmId",
        ("agent", "local"),
        text(r"[A-Za-z0-9.:/_\-]{1,300}", "a model's id"),
        "the language model; on AWS a Bedrock model or inference profile",
        {
            "dev": "global.anthropic.claude-haiku-4-5-20251001-v1:0",
            "prod": "global.anthropic.claude-haiku-4-5-20251001-v1:0",
            "local": None,
        },
        example="llama3.2",
    ),
    Key(
        "idleTimeoutS",
        ("agent",),
        integer(60, 28_800),
        "seconds after which an unused session of the runtime ends",
        900,
    ),
    Key(
        "maxLifetimeS",
        ("agent",),
        integer(60, 28_800),
        "seconds after which any session of the runtime ends",
        28_800,
    ),
    Key(
        "jwtDiscoveryUrl",
        ("agent",),
        text(r"https://.+/\.well-known/openid-configuration", "https://.../openid-configuration"),
        "callers bring a token of this issuer; left out: they sign with AWS credentials",
        example="https://login.example.com/.well-known/openid-configuration",
    ),
    Key(
        "jwtAudiences",
        ("agent",),
        texts(r".+", "an audience"),
        "audiences let in",
        (),
        example="[web]",
    ),
    Key(
        "jwtClients",
        ("agent",),
        texts(r".+", "a client id"),
        "clients let in",
        (),
        example="[web-app]",
    ),
)

_LOCAL = (
    Key(
        "llm",
        ("local",),
        choice("local", "openai"),
        "who thinks: the small model in the agent's container, or a server with OpenAI's protocol",
        "local",
    ),
    Key(
        "llmBaseUrl",
        ("local",),
        text(r"https?://.+", "a URL"),
        "that server, for llm openai",
        example="http://host.docker.internal:11434/v1",
    ),
    Key("gpu", ("local",), flag, "give the speech server the host's NVIDIA cards", False),
    Key(
        "pageHost",
        ("local",),
        text(r"[A-Za-z0-9.:\-]+", "an address of the host"),
        "where the page listens",
        "127.0.0.1",
    ),
    Key("pagePort", ("local",), integer(1, 65_535), "the page's port", 8000),
    Key(
        "pageToken",
        ("local",),
        text(r"[A-Za-z0-9._~\-]{16,200}", "16 or more letters, digits, '.', '_', '~' and '-'"),
        "what callers must bring where pageHost is not the host itself; set it with --secret",
    ),
    Key(
        "modelFolder",
        ("local",),
        text(r"/.*", "an absolute path"),
        "a folder of the Docker host that `firstword models fetch` has filled; left out: a volume "
        "that is filled at the first start",
    ),
)

KEYS: tuple[Key, ...] = (*_EVERYWHERE, *_FOUNDATION, *ENDPOINT, *_SPEECH, *_AGENT, *_LOCAL)


def keys_of(room: Room) -> tuple[Key, ...]:
    """The settings that a stack may have, in the order of the table."""
    return tuple(key for key in KEYS if room in key.rooms)
