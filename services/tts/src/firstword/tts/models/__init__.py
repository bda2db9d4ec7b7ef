"""Weights and voices: where they come from, where they lie, whether they are whole."""

from firstword.tts.models.errors import (
    DiskError,
    EngineUnavailableError,
    ModelsCorruptError,
    ModelsError,
    ModelsMissingError,
    SourceUnavailableError,
    UnknownVoiceError,
    VoiceError,
)
from firstword.tts.models.location import cache_dir, model_dir
from firstword.tts.models.manifest import ModelFiles

__all__ = [
    "DiskError",
    "EngineUnavailableError",
    "ModelFiles",
    "ModelsCorruptError",
    "ModelsError",
    "ModelsMissingError",
    "SourceUnavailableError",
    "UnknownVoiceError",
    "VoiceError",
    "cache_dir",
    "model_dir",
]
