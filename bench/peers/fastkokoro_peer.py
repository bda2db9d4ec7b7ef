# /// script
# requires-python = ">=3.12,<3.13"
# dependencies = ["fastkokoro[cpu]==0.7.0"]
# [tool.uv]
# exclude-newer = "2026-11-28T00:00:00Z"
# ///
"""fastkokoro: ``fastkokoro_peer.py GRAPH VOICES CACHE``.

``{"do": STRATEGY, "text", "voice"}`` streams with that strategy of its own: ``sentence`` is its
default, ``adaptive`` the one meant for a fast first chunk.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from dataclasses import replace
from typing import Any

os.environ["FASTKOKORO_MODEL_PATH"], os.environ["FASTKOKORO_VOICES_PATH"] = sys.argv[1:3]
os.environ["FASTKOKORO_CACHE_DIR"] = sys.argv[3]

from fastkokoro import FastKokoro  # noqa: E402
from lines import sample, serve  # noqa: E402

engine = FastKokoro()


def answer(asked: dict[str, Any]) -> dict[str, Any]:
    """One measurement."""
    engine.settings = replace(engine.settings, stream_strategy=asked["do"])
    return asyncio.run(spoken(asked["text"], asked["voice"]))


async def spoken(text: str, voice: str) -> dict[str, Any]:
    """The text as its stream gives it."""
    began, first, size = time.perf_counter(), None, 0
    async for data in engine.create_stream(text, voice=voice):
        first = first or time.perf_counter()
        size += len(data)
    return sample(began, first or began, time.perf_counter(), size // 2)


serve(["fastkokoro", "onnxruntime"], answer)
