"""Why something is not done: one error for all doors, each of which words it in its own shape."""

from __future__ import annotations

from firstword.tts.policy import SaturatedError

STATUS = {
    "invalid_json": 400,
    "invalid_request": 400,
    "empty_text": 400,
    "request_stale": 408,
    "request_timeout": 408,
    "too_large": 413,
    "unknown_voice": 422,
    "bad_voice": 422,
    "unsupported_language": 422,
    "slow_reader": 408,
    "synthesis_failed": 500,
    "starting": 503,
    "failed": 503,
    "draining": 503,
    "queue_saturated": 503,
    "too_many_sessions": 503,
}
"""Codes and their HTTP status. Any other code is a fault of the request: 400."""


class RefusedError(Exception):
    """Not done. ``code`` is for programs and one of ``STATUS``, the text for people.

    ``param`` is the field at fault, where there is one.
    """

    def __init__(
        self, code: str, message: str, *, param: str | None = None, retry_after_s: int | None = None
    ) -> None:
        super().__init__(message)
        self.code = code
        self.param = param
        self.retry_after_s = retry_after_s

    @property
    def status(self) -> int:
        """The HTTP status."""
        return STATUS.get(self.code, 400)


def saturated(error: SaturatedError) -> RefusedError:
    """More is waiting than can be served: when to come back."""
    message = f"{error}; try again in {error.retry_after_s} s"
    return RefusedError("queue_saturated", message, retry_after_s=error.retry_after_s)
