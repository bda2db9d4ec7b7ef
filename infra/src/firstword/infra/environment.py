"""The environment variables that the services are given: the only contract between them and us.

What a service reads and is not given stands in ``LEFT_TO_THE_SERVICE`` with the reason; a test
compares both with what the services' own settings read.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from firstword.infra.names import metric_namespace
from firstword.infra.settings import (
    AgentSettings,
    EndpointSettings,
    LocalSettings,
    Place,
    SpeechSettings,
)

PORT = "8080"
"""Where SageMaker and AgentCore expect a container to listen."""

SAGEMAKER_MODEL_DIR = "/opt/ml/model"
"""Where SageMaker puts the files of a model."""

LOCAL_CACHE = "/var/cache"
"""Where the speech server's image has a folder for what it compiles, so that it can be kept."""

LEFT_TO_THE_SERVICE: Mapping[str, str] = MappingProxyType(
    {
        "FIRSTWORD_TTS_WORKERS": "one run of the model already uses the whole machine",
        "FIRSTWORD_TTS_THREADS": "all cores of the machine are the speech server's",
        "FIRSTWORD_TTS_POLICY": "other policies are yardsticks for measurements",
        "FIRSTWORD_TTS_MAX_TEXT_CHARS": "the default is a bound against mistakes",
        "FIRSTWORD_TTS_MAX_MESSAGE_BYTES": "the default is below SageMaker's own bound",
        "FIRSTWORD_TTS_MAX_REQUESTS": "the default is a bound against mistakes",
        "FIRSTWORD_TTS_MAX_SESSIONS": "the work owed decides, not the number of sockets",
        "FIRSTWORD_TTS_MAX_JOBS": "the work owed decides, not the number of jobs",
        "FIRSTWORD_TTS_MAX_REQUEST_AGE_S": "the default fits SageMaker's 60 s",
        "FIRSTWORD_TTS_MAX_SESSION_BYTES": "the default is a bound against slow readers",
        "FIRSTWORD_TTS_MAX_WHOLE_BYTES": "the default is a bound against mistakes",
        "FIRSTWORD_TTS_SEND_TIMEOUT_S": "the default is a bound against slow readers",
        "FIRSTWORD_TTS_DRAIN_S": "the default fits the 30 s between SIGTERM and SIGKILL",
        "FIRSTWORD_FIRST_CLAUSE_WORDS": "a matter of taste, the same everywhere",
        "FIRSTWORD_LLM_API_KEY": "Bedrock is paid for by the runtime's role",
        "FIRSTWORD_LLM_BASE_URL": "Bedrock's address follows from the region",
        "FIRSTWORD_LLM_TOOLS": "on for Bedrock's models by itself",
        "FIRSTWORD_LLM_MAX_TOKENS": "the default fits a spoken answer",
        "FIRSTWORD_LLM_TEMPERATURE": "a matter of taste, the same everywhere",
        "FIRSTWORD_MAX_CONVERSATIONS": "AgentCore gives each session a machine of its own",
        "FIRSTWORD_CONVERSATION_AGE_S": "the runtime's own lifetimes end a session",
        "FIRSTWORD_SCRIPT_FILE": "for demonstrations without a model",
        "FIRSTWORD_SCRIPT_TOKENS_PER_SECOND": "for demonstrations without a model",
        "FIRSTWORD_TTS_URL": "the wire on AWS is SageMaker's",
        "FIRSTWORD_SAGEMAKER_ENDPOINT_URI": "AWS's own address for the region",
        "FIRSTWORD_EMF_INTERVAL_S": "CloudWatch keeps one value a minute",
        "OPENAI_API_KEY": "Bedrock is paid for by the runtime's role",
        "AWS_DEFAULT_REGION": "AWS_REGION says it",
        "AWS_USE_FIPS_ENDPOINT": "an account that must have it sets it by hand",
        "AWS_CA_BUNDLE": "AWS's certificates are checked with the image's own bundle",
        "SSL_CERT_FILE": "AWS's certificates are checked with the image's own bundle",
        "FIRSTWORD_SAGEMAKER_CA_FILE": "AWS's certificates are checked with the image's own bundle",
        "FIRSTWORD_BATCH_WIRE": "the same wire for both modes",
        "FIRSTWORD_WIRE_RENEW_S": "the default is below what SageMaker lets a session last",
        "FIRSTWORD_WIRE_FALLBACK": "a wire that fails is to be heard of, not to be hidden",
        "FIRSTWORD_TTS_DEVICE": "the engine takes the graphics card where there is one",
        "FIRSTWORD_TTS_PRECISION": "the default sounds best",
        "FIRSTWORD_TTS_WEIGHTS": "the weights come with the model folder",
        "OTEL_EXPORTER_OTLP_ENDPOINT": "spans go to whom the operator names",
        "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "spans go to whom the operator names",
        "OTEL_EXPORTER_OTLP_PROTOCOL": "spans go to whom the operator names",
        "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL": "spans go to whom the operator names",
        "OTEL_SDK_DISABLED": "spans go to whom the operator names",
        "OTEL_TRACES_EXPORTER": "spans go to whom the operator names",
        "XDG_CACHE_HOME": "the images name a folder themselves",
    }
)


def speech_environment(speech: SpeechSettings) -> dict[str, str]:
    """What any speech server's container is told."""
    return {
        "FIRSTWORD_TTS_HOST": "0.0.0.0",  # noqa: S104 - the container's own network
        "FIRSTWORD_TTS_PORT": PORT,
        "FIRSTWORD_ENGINE": speech.engine,
        "FIRSTWORD_QUALITY": speech.quality,
        "FIRSTWORD_TTS_MAX_WAIT_S": f"{speech.max_wait_s:g}",
        "FIRSTWORD_LOG_LEVEL": speech.log_level,
    }


def telemetry_environment(place: Place) -> dict[str, str]:
    """Log lines that CloudWatch can search, and metrics in them, apart for each environment."""
    return {
        "FIRSTWORD_LOG_FORMAT": "json",
        "FIRSTWORD_EMF": "on",
        "FIRSTWORD_EMF_NAMESPACE": metric_namespace(place.environment),
    }


def endpoint_environment(settings: EndpointSettings) -> dict[str, str]:
    """What the speech server's container on SageMaker is told."""
    return (
        speech_environment(settings.speech)
        | telemetry_environment(settings.place)
        | {"FIRSTWORD_MODEL_DIR": SAGEMAKER_MODEL_DIR}
    )


def agent_environment(settings: AgentSettings, endpoint_name: str) -> dict[str, str]:
    """What the agent's container on AgentCore is told."""
    return {
        "FIRSTWORD_AGENT_HOST": "0.0.0.0",  # noqa: S104 - the container's own network
        "FIRSTWORD_AGENT_PORT": PORT,
        "FIRSTWORD_WIRE": "sagemaker",
        "FIRSTWORD_SAGEMAKER_ENDPOINT": endpoint_name,
        "FIRSTWORD_LLM": "bedrock",
        "FIRSTWORD_LLM_ID": settings.llm_id,
        "FIRSTWORD_VOICE": settings.voice,
        "FIRSTWORD_LOG_LEVEL": settings.log_level,
        "AWS_REGION": settings.place.region,
        **telemetry_environment(settings.place),
    }


def local_speech_environment(settings: LocalSettings) -> dict[str, str]:
    """What the speech server's container on one Docker host is told."""
    return speech_environment(settings.speech) | {
        "FIRSTWORD_MODEL_DIR": SAGEMAKER_MODEL_DIR,
        "XDG_CACHE_HOME": LOCAL_CACHE,
    }


def local_agent_environment(settings: LocalSettings, speech_url: str) -> dict[str, str]:
    """What the agent's container there is told."""
    optional = {
        "FIRSTWORD_LLM_ID": settings.llm_id,
        "FIRSTWORD_LLM_BASE_URL": settings.llm_base_url,
    }
    return {
        "FIRSTWORD_AGENT_HOST": "0.0.0.0",  # noqa: S104 - the container's own network
        "FIRSTWORD_AGENT_PORT": PORT,
        "FIRSTWORD_WIRE": "websocket",
        "FIRSTWORD_TTS_URL": speech_url,
        "FIRSTWORD_LLM": settings.llm,
        "FIRSTWORD_VOICE": settings.voice,
        "FIRSTWORD_LOG_LEVEL": settings.speech.log_level,
        **{name: value for name, value in optional.items() if value is not None},
    }
