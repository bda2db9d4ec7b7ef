"""ONNX Runtime as it is used here: loaded late, since that takes time, and silent."""

from __future__ import annotations

import importlib
import os
from typing import Any


def onnx_runtime() -> Any:
    """The library. It is told, before it is loaded, not to report its use to its makers, unless
    ``ORT_DISABLE_TELEMETRY`` says otherwise."""
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    return importlib.import_module("onnxruntime")
