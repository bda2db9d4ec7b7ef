"""What AWS says when a runtime cannot be used, in words that say what to do."""

from __future__ import annotations

from botocore import exceptions as aws  # type: ignore[import-untyped]
from urllib3 import exceptions as http

from firstword.console.agentcore.runtime import SILENCE_S, Runtime, RuntimeFailure

INVOKE = "bedrock-agentcore:InvokeAgentRuntime"
INVOKE_SOCKET = "bedrock-agentcore:InvokeAgentRuntimeWithWebSocketStream"

_NO_CREDENTIALS = (
    aws.NoCredentialsError,
    aws.PartialCredentialsError,
    aws.CredentialRetrievalError,
    aws.ProfileNotFound,
    aws.SSOError,
    aws.TokenRetrievalError,
)
_REJECTED = frozenset(
    {
        "ExpiredTokenException",
        "IncompleteSignatureException",
        "InvalidSignatureException",
        "MissingAuthenticationTokenException",
        "UnrecognizedClientException",
    }
)
_PASSING = frozenset(
    {"InternalServerException", "RetryableConflictException", "ServiceUnavailableException"}
)


def failure_of(error: Exception, runtime: Runtime) -> RuntimeFailure | None:
    """What an error of AWS's client means; None for one that is not of its kind."""
    match error:
        case RuntimeFailure():
            return error
        case aws.ClientError():
            said = error.response.get("Error", {})
            return refusal(said.get("Code", ""), said.get("Message", ""), runtime, INVOKE)
        case aws.ReadTimeoutError() | http.ReadTimeoutError():
            message = f"the runtime said nothing for {SILENCE_S:.0f} s"
            return RuntimeFailure("silent", message, passing=True)
        case http.HTTPError():
            return RuntimeFailure("lost", "the runtime was lost in mid-answer", passing=True)
        case aws.HTTPClientError() | aws.ConnectionError():
            return unreachable(runtime)
        case _ if isinstance(error, _NO_CREDENTIALS):
            return no_credentials()
        case aws.BotoCoreError():
            return RuntimeFailure("failed", f"AWS's client failed: {type(error).__name__}")
        case _:
            return None


def refusal(name: str, said: str, runtime: Runtime, action: str) -> RuntimeFailure:
    """What an error answer of the data plane means, by its name."""
    match name:
        case "AccessDeniedException":
            return RuntimeFailure(
                "access_denied",
                f"AWS refused: these credentials need {action} on {runtime.arn} and on "
                f"{runtime.arn}/runtime-endpoint/DEFAULT",
            )
        case "ResourceNotFoundException":
            return RuntimeFailure(
                "unknown_runtime",
                f"there is no runtime {runtime.arn}: `firstword status ENV` names the deployed one",
            )
        case "ThrottlingException" | "ServiceQuotaExceededException":
            message = f"AWS takes no more requests for now: {said}"
            return RuntimeFailure("throttled", message, passing=True)
        case "RuntimeClientError":
            message = f"the agent's container failed: {said} Its log group is {runtime.log_group}"
            return RuntimeFailure("runtime_failed", message, passing=True)
        case _ if name in _REJECTED:
            message = f"AWS does not accept these credentials ({name}): get new ones and try again"
            return RuntimeFailure("bad_credentials", message)
        case _:
            return RuntimeFailure(
                "refused", f"AWS refused: {name}: {said}", passing=name in _PASSING
            )


def no_credentials() -> RuntimeFailure:
    """There is nothing to sign with."""
    message = "no AWS credentials were found: set AWS_PROFILE, or run `aws sso login`"
    return RuntimeFailure("no_credentials", message)


def unreachable(runtime: Runtime) -> RuntimeFailure:
    """The data plane does not answer."""
    where = runtime.endpoint or f"the data plane of AgentCore in {runtime.region}"
    return RuntimeFailure("unreachable", f"{where} cannot be reached", passing=True)
