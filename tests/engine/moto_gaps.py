"""What moto 5 lacks or does otherwise than AWS, filled in while a test runs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

from moto.bedrockagentcorecontrol.models import AgentRuntime
from moto.core.utils import utcnow
from moto.ecr.models import ECRBackend
from moto.iam.access_control import IAMPolicy, PermissionResult
from moto.logs.exceptions import ValidationException
from moto.logs.models import DeliverySource, LogsBackend, logs_backends
from moto.s3.models import FakeBucket
from moto.sagemaker.exceptions import ValidationError
from moto.sagemaker.models import FakeEndpoint, FakeEndpointConfig, SageMakerModelBackend
from moto.sagemaker.responses import SageMakerResponse


@contextmanager
def filled() -> Iterator[None]:
    """The gaps are filled inside."""
    with ExitStack() as stack:
        for owner, name, new in _PATCHES:
            stack.enter_context(patch.object(owner, name, new, create=True))
        yield


def _any_instance_type(config: FakeEndpointConfig, instance_type: str) -> None:
    """moto's list is from 2020; the strict clients hold the type against botocore's."""


def _update_endpoint(response: SageMakerResponse) -> str:
    name = response._get_param("EndpointName")
    backend = response.sagemaker_backend
    config = backend.describe_endpoint_config(response._get_param("EndpointConfigName"))
    if name not in backend.endpoints:
        raise ValidationError(message=f"Could not find endpoint {name!r}.")
    endpoint: FakeEndpoint = backend.endpoints[name]
    endpoint.endpoint_config_name = config["EndpointConfigName"]
    endpoint.production_variants = endpoint._process_production_variants(
        config["ProductionVariants"]
    )
    endpoint.last_modified_time = utcnow()
    return json.dumps({"EndpointArn": endpoint.arn})


def _once(create: Callable[..., Any], collection: str, argument: str) -> Callable[..., Any]:
    """SageMaker refuses a second thing of the same name; moto overwrites the first."""

    def create_once(backend: SageMakerModelBackend, *args: Any, **kwargs: Any) -> Any:
        name = kwargs.get(argument) or args[0]
        if name in getattr(backend, collection):
            raise ValidationError(message=f"Cannot create already existing {argument} {name!r}.")
        return create(backend, *args, **kwargs)

    return create_once


def _permission(bucket: FakeBucket, action: str, resource: str) -> PermissionResult:
    """moto ignores conditions, so that "not without TLS" would forbid everything."""
    if bucket.policy is None:
        return PermissionResult.NEUTRAL
    document = json.loads(bucket.policy.decode())
    document["Statement"] = [s for s in document["Statement"] if not _only_without_tls(s)]
    return IAMPolicy(json.dumps(document)).is_action_permitted(action, resource)


def _only_without_tls(statement: dict[str, Any]) -> bool:
    condition = statement.get("Condition", {})
    return bool(condition.get("Bool", {}).get("aws:SecureTransport") == "false")


_delete_images = ECRBackend.batch_delete_image


def _batch_delete_image(
    backend: ECRBackend, name: str, registry: str | None, images: list[dict[str, str]]
) -> dict[str, Any]:
    """ECR keeps an image that a list of platforms refers to."""
    manifests = [json.loads(image.image_manifest) for image in backend.repositories[name].images]
    held = {each["digest"] for m in manifests for each in m.get("manifests", ())}
    free = [each for each in images if each.get("imageDigest") not in held]
    answer: dict[str, Any] = {"imageIds": [], "failures": []}
    if free:
        answer = _delete_images(backend, name, registry, free)
    answer["failures"] += [
        {
            "imageId": each,
            "failureCode": "ImageReferencedByManifestList",
            "failureReason": "Requested image referenced by manifest list",
        }
        for each in images
        if each not in free
    ]
    return answer


_put_source = LogsBackend.put_delivery_source
_RUNTIME_LOGS = ("APPLICATION_LOGS", "USAGE_LOGS", "TRACES")


def _put_delivery_source(
    backend: LogsBackend, name: str, resource_arn: str, log_type: str, tags: dict[str, str]
) -> DeliverySource:
    """AgentCore's runtimes deliver logs as well; moto's list of services is older."""
    if ":bedrock-agentcore:" not in resource_arn:
        return _put_source(backend, name, resource_arn, log_type, tags)
    if log_type not in _RUNTIME_LOGS:
        raise ValidationException(f"{log_type} is none of {', '.join(_RUNTIME_LOGS)}")
    known_arn = resource_arn.replace(":bedrock-agentcore:", ":bedrock:")
    source = _put_source(backend, name, known_arn, "APPLICATION_LOGS", tags)
    source.resource_arns, source.service = [resource_arn], "bedrock-agentcore"
    source.log_type = log_type
    return source


_new_runtime = AgentRuntime.__init__
_change_runtime = AgentRuntime.update


def _created_runtime(runtime: AgentRuntime, *args: Any, **kwargs: Any) -> None:
    """A runtime's id begins with its name, and its ARN holds no version."""
    _new_runtime(runtime, *args, **kwargs)
    runtime.agent_runtime_id = f"{runtime.agent_runtime_name}-{runtime.agent_runtime_id[:10]}"
    _right_arn(runtime)
    # AgentCore makes a log group for what the container prints, and never deletes it.
    group = f"/aws/bedrock-agentcore/runtimes/{runtime.agent_runtime_id}-DEFAULT"
    logs_backends[runtime.account_id][runtime.region_name].create_log_group(group, {})


def _updated_runtime(runtime: AgentRuntime, *args: Any, **kwargs: Any) -> None:
    runtime.agent_runtime_arn = "agent/x:1"
    _change_runtime(runtime, *args, **kwargs)
    _right_arn(runtime)


def _right_arn(runtime: AgentRuntime) -> None:
    runtime.agent_runtime_arn = (
        f"arn:aws:bedrock-agentcore:{runtime.region_name}:{runtime.account_id}"
        f":runtime/{runtime.agent_runtime_id}"
    )


_PATCHES: list[tuple[Any, str, Any]] = [
    (FakeEndpointConfig, "validate_instance_type", _any_instance_type),
    (SageMakerResponse, "update_endpoint", _update_endpoint),
    (FakeBucket, "get_permission", _permission),
    (ECRBackend, "batch_delete_image", _batch_delete_image),
    (LogsBackend, "put_delivery_source", _put_delivery_source),
    (AgentRuntime, "__init__", _created_runtime),
    (AgentRuntime, "update", _updated_runtime),
    *(
        (
            SageMakerModelBackend,
            create,
            _once(getattr(SageMakerModelBackend, create), collection, argument),
        )
        for create, collection, argument in (
            ("create_model", "_models", "model_name"),
            ("create_endpoint_config", "endpoint_configs", "endpoint_config_name"),
            ("create_endpoint", "endpoints", "endpoint_name"),
        )
    ),
]
