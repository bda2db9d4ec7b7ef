"""Our chunker as the agent sets it: tokens in, sentences out as soon as they are certain."""

from __future__ import annotations

import json
import sys

from firstword.chunker import Sentence, SentenceChunker
from lines import say

say({"ready": True, "versions": {}})
chunker = SentenceChunker(first_clause_words=4)
for line in sys.stdin:
    token = json.loads(line)["token"]
    found: list[Sentence] = chunker.flush() if token is None else chunker.feed(token)
    for sentence in found:
        if sentence.spoken:
            say({"sentence": sentence.spoken})
    if token is None:
        say({"sentence": None})
        chunker = SentenceChunker(first_clause_words=4)
