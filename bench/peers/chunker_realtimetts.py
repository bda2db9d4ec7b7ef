# /// script
# requires-python = ">=3.12,<3.13"
# dependencies = ["stream2sentence==1.1.0"]
# [tool.uv]
# exclude-newer = "2026-11-28T00:00:00Z"
# ///
"""RealtimeTTS's chunker, stream2sentence, with the arguments that ``TextToAudioStream.play`` gives.

Tokens in, sentences out; a token of null ends a text.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from importlib import metadata

from lines import say
from stream2sentence import generate_sentences


def tokens() -> Iterator[str]:
    """One text's tokens, as they arrive."""
    for line in sys.stdin:
        token = json.loads(line)["token"]
        if token is None:
            return
        yield token
    sys.exit(0)


say({"ready": True, "versions": {"stream2sentence": metadata.version("stream2sentence")}})
while True:
    sentences = generate_sentences(
        tokens(),
        context_size=12,
        context_size_look_overhead=12,
        minimum_sentence_length=10,
        minimum_first_fragment_length=10,
        quick_yield_single_sentence_fragment=True,
        cleanup_text_links=True,
        cleanup_text_emojis=True,
        language="en",
        sentence_fragment_delimiters=".?!;:,\n…。—",
        force_first_fragment_after_words=30,
    )
    for sentence in sentences:
        say({"sentence": sentence})
    say({"sentence": None})
