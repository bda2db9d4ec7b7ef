"""What AWS's errors mean for a sentence: whether to try again, and what to tell.

A ConnectionLostError may be mended by another connection, a VoiceError not. Messages say what to
do; they hold the names of the endpoint and of the permission, and nothing of AWS's own text.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from firstword.agent.errors import VoiceError
from firstword.agent.voice_link import ConnectionLostError
from firstword.agent.voice_settings import SageMakerSettings

type Fault = ConnectionLostError | VoiceError

_CODE = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,63}")

THROTTLED = frozenset(
    {"ThrottlingException", "ThrottledException", "TooManyRequestsException", "Throttling"}
)
EXPIRED = frozenset({"ExpiredTokenException", "ExpiredToken", "RequestExpired"})
UNKNOWN_CALLER = frozenset(
    {
        "UnrecognizedClientException",
        "InvalidSignatureException",
        "SignatureDoesNotMatch",
        "MissingAuthenticationTokenException",
        "InvalidClientTokenId",
    }
)
DENIED = frozenset({"AccessDeniedException", "AccessDenied", "NotAuthorized"})
MISSING = frozenset({"ValidationException", "ValidationError", "InputValidationError"})
NOT_OFFERED = frozenset({"UnknownOperationException", "UnknownOperation", "NotFoundException"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An error as a service tells it. Statuses are HTTP's; ``model_*`` is the container's."""

    name: str
    status: int | None = None
    message: str = ""
    retry_after_s: float = 0.0
    model_status: int | None = None
    model_code: str | None = None
    model_message: str = ""


class Faults:
    """Words the faults of one endpoint, reached by one operation."""

    def __init__(self, settings: SageMakerSettings, operation: str) -> None:
        self._endpoint = settings.endpoint
        self._region = settings.region
        self._permission = f"sagemaker:{operation}"

    def of(self, answer: Answer) -> Fault:
        """The fault that an error of the service is."""
        if answer.name in THROTTLED or (answer.status == 429 and not answer.model_status):
            starting = answer.name == "ModelNotReadyException"
            code = "speech_starting" if starting else "speech_throttled"
            return self._passing(code, self._throttled(answer), answer)
        if answer.name in EXPIRED:
            return ConnectionLostError(self.no_credentials("have run out"))
        if answer.name in UNKNOWN_CALLER:
            return self.no_credentials("are not accepted")
        if answer.name in DENIED or answer.status in (401, 403):
            return VoiceError(
                "speech_denied",
                f"The agent may not use the speech endpoint {self._endpoint}: allow its role "
                f"{self._permission} on it.",
            )
        if answer.model_status is not None or answer.name in ("ModelError", "ModelStreamError"):
            return self._model_fault(answer)
        if answer.name in NOT_OFFERED or answer.status in (404, 405, 421):
            return self.not_offered()
        if answer.name in MISSING or answer.status == 400:
            return self._refused(answer)
        return self._passing("speech_unavailable", self._unavailable(), answer)

    def no_credentials(self, problem: str = "are missing") -> VoiceError:
        """The agent cannot say who it is."""
        message = (
            f"The agent's AWS credentials {problem}: give its process a role, or set a profile "
            "or AWS_ACCESS_KEY_ID and its companions."
        )
        return VoiceError("speech_credentials", message)

    def not_offered(self) -> VoiceError:
        """This runtime has no such operation."""
        message = (
            f"SageMaker's runtime in {self._region} does not offer {self._permission[10:]}: "
            "choose another region, or set FIRSTWORD_WIRE_FALLBACK=http."
        )
        return VoiceError("speech_not_offered", message)

    def unreachable(self, pause_s: float = 0.0) -> ConnectionLostError:
        """No connection to the runtime."""
        message = (
            f"SageMaker's runtime in {self._region} cannot be reached: check the network, "
            "AWS_REGION, FIRSTWORD_SAGEMAKER_ENDPOINT_URI and what certificates are trusted."
        )
        return ConnectionLostError(VoiceError("speech_unavailable", message), pause_s)

    def silent(self) -> ConnectionLostError:
        """The runtime took the call and does not answer it."""
        message = (
            f"The speech endpoint {self._endpoint} did not answer in time: see whether it is "
            "InService, and its log."
        )
        return ConnectionLostError(VoiceError("speech_timeout", message))

    def _refused(self, answer: Answer) -> Fault:
        # Of the common error only the name arrives; our calls differ in nothing but the endpoint.
        common = answer.name in ("ValidationException", "ValidationError")
        if common or "not found" in answer.message.lower():
            message = (
                f"There is no speech endpoint {self._endpoint} in {self._region}: check "
                "FIRSTWORD_SAGEMAKER_ENDPOINT and AWS_REGION, or deploy it."
            )
            return VoiceError("speech_endpoint_missing", message)
        message = (
            f"SageMaker refused the call of the speech endpoint {self._endpoint} as invalid; "
            "see whether its container takes bidirectional streams."
        )
        return VoiceError("speech_refused", message)

    def _model_fault(self, answer: Answer) -> Fault:
        code = container_code(answer.model_message) or answer.model_code
        if code == "request_stale":
            message = "The sentence waited for too long on its way to the speech service."
            return VoiceError("speech_stale", message)
        if code == "queue_saturated" or answer.model_status in (429, 503):
            return self._passing("speech_saturated", self._saturated(), answer)
        told = f", code {code}" if code else f", status {answer.model_status or 0}"
        message = (
            f"The speech container of {self._endpoint} failed{told}: its log, "
            f"/aws/sagemaker/Endpoints/{self._endpoint}, has the details."
        )
        error = VoiceError("speech_model_error", message)
        of_the_request = code is not None and 400 <= (answer.model_status or 0) < 500
        return error if of_the_request else ConnectionLostError(error, answer.retry_after_s)

    def _passing(self, code: str, message: str, answer: Answer) -> ConnectionLostError:
        return ConnectionLostError(VoiceError(code, message), answer.retry_after_s)

    def _throttled(self, answer: Answer) -> str:
        if answer.name == "ModelNotReadyException":
            return f"The speech endpoint {self._endpoint} is still starting; try again in a minute."
        return (
            f"SageMaker throttles the calls of {self._endpoint}: try again in a moment, or have "
            "its quota raised."
        )

    def _saturated(self) -> str:
        return (
            f"The speech endpoint {self._endpoint} has all it can do: try again in a moment, or "
            "give it more instances."
        )

    def _unavailable(self) -> str:
        return f"The speech endpoint {self._endpoint} is not available now; try again in a moment."


def container_code(body: str) -> str | None:
    """The code of the speech container's JSON error; None where it is not one."""
    try:
        code = json.loads(body)["error"]["code"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return code if isinstance(code, str) and _CODE.fullmatch(code) else None
