"""Room of text: what is written becomes what is said, as phonemes with their places."""

from firstword.tts.text.g2p import G2P, Phonemes, Tagger
from firstword.tts.text.installed import Language, languages, refusal
from firstword.tts.text.room import FIRST_CLAUSE_WORDS, TARGET, utterances

__all__ = [
    "FIRST_CLAUSE_WORDS",
    "G2P",
    "TARGET",
    "Language",
    "Phonemes",
    "Tagger",
    "languages",
    "refusal",
    "utterances",
]
