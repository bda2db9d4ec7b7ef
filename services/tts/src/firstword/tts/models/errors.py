"""What can go wrong with weights and voices, each with a code and what to do about it."""

from __future__ import annotations


class ModelsError(Exception):
    """The model files cannot be had or used. ``code`` is for machines, the text for people."""

    code = "models_failed"


class ModelsMissingError(ModelsError):
    """There is no complete set of model files in the folder."""

    code = "models_missing"


class ModelsCorruptError(ModelsError):
    """A file is not what its sha256 says."""

    code = "models_corrupt"


class SourceUnavailableError(ModelsError):
    """This source cannot give the file; another one may."""

    code = "models_unreachable"


class DiskError(ModelsError):
    """The folder cannot be written: full, read-only or not ours."""

    code = "models_disk"


class EngineUnavailableError(ModelsError):
    """What would run the model files is not there."""

    code = "engine_unavailable"


class VoiceError(ValueError):
    """A voice that cannot be spoken with. ``code`` is ``unknown_voice`` or ``bad_voice``."""

    def __init__(self, message: str, code: str = "bad_voice") -> None:
        super().__init__(message)
        self.code = code


class UnknownVoiceError(VoiceError):
    """No voice of that name; ``near`` holds the names that look like it."""

    def __init__(self, message: str, near: tuple[str, ...] = ()) -> None:
        super().__init__(message, "unknown_voice")
        self.near = near
