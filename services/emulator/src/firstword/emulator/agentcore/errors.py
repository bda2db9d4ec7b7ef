"""AgentCore's errors, with the words in which AWS says them."""

from __future__ import annotations

from starlette.responses import Response

from firstword.emulator.sagemaker.errors import ServiceError


def answer(error: ServiceError, request_id: str) -> Response:
    """The error as an HTTP answer in AWS's JSON shape."""
    headers = {**error.headers, "x-amzn-requestid": request_id}
    return Response(error.body, error.status, headers)


def denied(action: str, arn: str) -> ServiceError:
    message = (
        f"User: arn:aws:iam::000000000000:user/emulated is not authorized to perform: "
        f"bedrock-agentcore:{action} on resource: {arn} "
        f"because no identity-based policy allows the bedrock-agentcore:{action} action"
    )
    return ServiceError("AccessDeniedException", 403, message)


def unknown_runtime(arn: str) -> ServiceError:
    message = f"No endpoint or agent found with qualifier 'DEFAULT' for agent '{arn}'"
    return ServiceError("ResourceNotFoundException", 404, message)


def throttled() -> ServiceError:
    return ServiceError("ThrottlingException", 429, "Rate exceeded")


def runtime_failed(status: int | None) -> ServiceError:
    """The container answered with an error, or (None) not at all. AWS does not pass its body on."""
    what = "An error occurred when starting the runtime."
    if status is not None:
        what = f"Received error ({status}) from runtime."
    message = f"{what} Please check your CloudWatch logs for more information."
    return ServiceError("RuntimeClientError", 424, message)


def invalid(message: str) -> ServiceError:
    return ServiceError("ValidationException", 400, message, {"reason": "FIELD_VALIDATION_FAILED"})
