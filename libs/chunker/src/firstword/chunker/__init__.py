"""Text from a language model, in any pieces, to sentences fit to be spoken."""

from firstword.chunker.chunker import Sentence, SentenceChunker, split

__all__ = ["Sentence", "SentenceChunker", "split"]
