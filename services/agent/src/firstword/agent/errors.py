"""What can go wrong, whose doing it was, and what the client is told about it."""

from __future__ import annotations

from typing import Literal

from firstword.protocol import Error

type Author = Literal["client", "model", "speech", "server"]


class AgentError(Exception):
    """A failure with a code and a sentence that is safe to show.

    ``message`` never holds text of an exception, of a prompt or of an answer.
    """

    author: Author = "server"

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message

    def frame(self, request_id: str | None) -> Error:
        """The event that tells the client."""
        return Error(code=self.code, message=self.message, request_id=request_id)


class SettingsError(AgentError):
    """An environment variable has a value that cannot be used."""

    def __init__(self, variable: str, problem: str) -> None:
        super().__init__("bad_setting", f"{variable} {problem}")
        self.variable = variable


class RefusedError(AgentError):
    """The request cannot be served as it is: the client can do something about it."""

    author: Author = "client"


class ModelError(AgentError):
    """The language model did not give an answer, or not all of it."""

    author: Author = "model"


class VoiceError(AgentError):
    """The speech service did not say a sentence, or not all of it."""

    author: Author = "speech"
