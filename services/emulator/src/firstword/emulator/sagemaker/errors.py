"""AWS's errors, as a service writes them: a name, a status, a message and sometimes members."""

from __future__ import annotations

import json
from collections.abc import Mapping

JSON = "application/json"


class ServiceError(Exception):
    """The answer to a request that fails as a whole. See restJson1 in Smithy's specification."""

    def __init__(
        self, name: str, status: int, message: str, members: Mapping[str, str | int] | None = None
    ) -> None:
        super().__init__(f"{name}: {message}")
        self.name = name
        self.status = status
        self.message = message
        self.members = dict(members or {})

    @property
    def headers(self) -> dict[str, str]:
        return {"content-type": JSON, "x-amzn-errortype": self.name}

    @property
    def body(self) -> bytes:
        # Modelled errors spell it Message, the common ones message; both readers find theirs.
        content = {"Message": self.message, "message": self.message, **self.members}
        return json.dumps(content).encode()


class StreamError(Exception):
    """What ends a stream that has begun. ``modelled`` ones are in the operation's own union."""

    def __init__(
        self, name: str, message: str, *, code: str | None = None, modelled: bool = True
    ) -> None:
        super().__init__(f"{name}: {message}")
        self.name = name
        self.message = message
        self.code = code
        self.modelled = modelled


def unknown_endpoint(name: str) -> ServiceError:
    message = f"Endpoint {name} of account 000000000000 not found."
    return ServiceError("ValidationException", 400, message)


def unknown_operation(method: str, path: str) -> ServiceError:
    return ServiceError("UnknownOperationException", 404, f"There is no {method} {path}.")


def model_not_ready() -> ServiceError:
    message = "The model is not ready for inference requests: its /ping does not answer 200."
    return ServiceError("ModelNotReadyException", 429, message)


def model_error(status: int, original: str, why: str = "") -> ServiceError:
    """The container answered with an error, or not at all (``status`` 0 then)."""
    message = why or (
        f'Received client error ({status}) from primary with message "{original}".'
        if status < 500
        else f'Received server error ({status}) from primary with message "{original}".'
    )
    members: dict[str, str | int] = {"OriginalStatusCode": status, "OriginalMessage": original}
    return ServiceError("ModelError", 424, message, members)


def throttled(status: int = 400) -> ServiceError:
    return ServiceError("ThrottlingException", status, "Rate exceeded")


def unavailable() -> ServiceError:
    return ServiceError("ServiceUnavailable", 503, "The service is currently unavailable.")


def denied(action: str, endpoint: str) -> ServiceError:
    resource = f"arn:aws:sagemaker:us-east-1:000000000000:endpoint/{endpoint.lower()}"
    message = (
        f"User: arn:aws:iam::000000000000:user/emulated is not authorized to perform: "
        f"sagemaker:{action} on resource: {resource} "
        f"because no identity-based policy allows the sagemaker:{action} action"
    )
    return ServiceError("AccessDeniedException", 403, message)
