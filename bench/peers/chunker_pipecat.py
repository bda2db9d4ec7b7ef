# /// script
# requires-python = ">=3.12,<3.13"
# dependencies = ["pipecat-ai==1.14.0"]
# [tool.uv]
# exclude-newer = "2026-11-28T00:00:00Z"
# ///
"""Pipecat's aggregator of sentences, as its TTS services use it.

Tokens in, sentences out; a token of null ends a text.
"""

from __future__ import annotations

import asyncio
import json
import sys
from importlib import metadata

from lines import say
from pipecat.utils.text.simple_text_aggregator import SimpleTextAggregator


async def main() -> None:
    """Answer until the input ends."""
    aggregator = SimpleTextAggregator()
    say({"ready": True, "versions": {"pipecat-ai": metadata.version("pipecat-ai")}})
    for line in sys.stdin:
        token = json.loads(line)["token"]
        if token is not None:
            async for sentence in aggregator.aggregate(token):
                say({"sentence": sentence.text})
        else:
            rest = await aggregator.flush()
            if rest is not None:
                say({"sentence": rest.text})
            say({"sentence": None})


asyncio.run(main())
