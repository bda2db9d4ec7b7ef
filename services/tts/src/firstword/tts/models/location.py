"""Where the model files lie."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from firstword.tts.models.manifest import MANIFEST_NAME

SAGEMAKER_DIR = Path("/opt/ml/model")
"""Where SageMaker mounts a model's artefacts."""


def model_dir(environ: Mapping[str, str]) -> Path:
    """``FIRSTWORD_MODEL_DIR``; else SageMaker's folder when it holds a manifest; else the cache."""
    if named := environ.get("FIRSTWORD_MODEL_DIR"):
        return Path(named).expanduser()
    if (SAGEMAKER_DIR / MANIFEST_NAME).is_file():
        return SAGEMAKER_DIR
    return cache_dir(environ)


def cache_dir(environ: Mapping[str, str]) -> Path:
    """``$XDG_CACHE_HOME/firstword``, by default ``~/.cache/firstword``."""
    root = environ.get("XDG_CACHE_HOME")
    return (Path(root) if root else Path.home() / ".cache") / "firstword"
