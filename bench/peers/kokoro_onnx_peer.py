# /// script
# requires-python = ">=3.12,<3.13"
# dependencies = ["kokoro-onnx==0.6.1"]
# [tool.uv]
# exclude-newer = "2026-11-28T00:00:00Z"
# ///
"""kokoro-onnx: ``kokoro_onnx_peer.py GRAPH VOICES``.

``{"do": "stream", "text", "voice"}`` is its own ``create_stream``; ``{"do": "sentences",
"sentences", "voice"}`` feeds it one sentence after another, the best a caller can do.
"""

from __future__ import annotations

import asyncio
import sys
import time
from typing import Any

from kokoro_onnx import Kokoro
from lines import sample, serve

kokoro = Kokoro(sys.argv[1], sys.argv[2])


def answer(asked: dict[str, Any]) -> dict[str, Any]:
    """One measurement."""
    texts = [asked["text"]] if asked["do"] == "stream" else asked["sentences"]
    return asyncio.run(spoken(texts, asked["voice"]))


async def spoken(texts: list[str], voice: str) -> dict[str, Any]:
    """All texts, one after another."""
    began, first, samples = time.perf_counter(), None, 0
    for text in texts:
        async for audio, _ in kokoro.create_stream(text, voice):
            first = first or time.perf_counter()
            samples += audio.size
    return sample(began, first or began, time.perf_counter(), samples)


serve(["kokoro-onnx", "onnxruntime"], answer)
