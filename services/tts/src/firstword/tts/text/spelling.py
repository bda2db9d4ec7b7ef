"""English letters to sounds by rule: what is left when no dictionary knows a word.

Rough on purpose. It is used where eSpeak NG is not installed, so that a name is said somehow
rather than left out.
"""

from __future__ import annotations

import re

_RULES: tuple[tuple[str, str], ...] = (
    (r"tion(?=s?$)", "ʃən"),
    (r"sion(?=s?$)", "ʒən"),
    (r"ture(?=s?$)", "ʧəɹ"),
    (r"^kn|^gn|^pn", "n"),
    (r"^wr", "ɹ"),
    (r"^ps", "s"),
    (r"^x", "z"),
    (r"eigh", "A"),
    (r"igh", "I"),
    (r"ough|eau", "O"),
    (r"augh|aw|au", "ɔ"),
    (r"tch|ch", "ʧ"),
    (r"sch|sh", "ʃ"),
    (r"th", "θ"),
    (r"ph", "f"),
    (r"wh", "w"),
    (r"ck|cc(?![eiy])", "k"),
    (r"ng(?=s?$)", "ŋ"),
    (r"n(?=k)", "ŋ"),
    (r"dge?", "ʤ"),
    (r"qu", "kw"),
    (r"ee|ea|ie", "i"),
    (r"oo|ue|ew|ui", "u"),
    (r"ou|ow", "W"),
    (r"oi|oy", "Y"),
    (r"ai|ay|ei", "A"),
    (r"oa|oe$", "O"),
    (r"ey$|y$", "i"),
    (r"ar", "ɑɹ"),
    (r"er|or$", "əɹ"),
    (r"or", "ɔɹ"),
    (r"ir|ur", "ɜɹ"),
    (r"a(?=[^aeiouy]e$)", "A"),
    (r"e(?=[^aeiouy]e$)", "i"),
    (r"i(?=[^aeiouy]e$)|y(?=[^aeiouy]e$)", "I"),
    (r"o(?=[^aeiouy]e$)|o$", "O"),
    (r"u(?=[^aeiouy]e$)|u$", "u"),
    (r"(?<=[aeiouy][^aeiouy])e$", ""),
    (r"(?<=[^aeiouy])le$", "ᵊl"),
    (r"i$", "i"),
    (r"a$", "ə"),
    (r"c(?=[eiy])", "s"),
    (r"g(?=[eiy])", "ʤ"),
    (r"^y", "j"),
    (r"([b-df-hj-np-tv-z])\1", r"\1"),
    (r"x", "ks"),
)
_LETTERS = dict(zip("abcdefghijklmnopqrstuvwyz", "æbkdɛfɡhɪʤklmnɑpkɹstʌvwɪz", strict=True))
_COMPILED = tuple((re.compile(pattern), sound) for pattern, sound in _RULES)
_VOWELS = frozenset("AIOQWYiuæɑɒɔəɛɜɪʊʌᵊ")
_BRITISH = (
    (re.compile(r"ɑɹ(?![AIOQWYiuæɑɔəɛɜɪʊʌ])"), "ɑː"),
    (re.compile(r"ɔɹ(?![AIOQWYiuæɑɔəɛɜɪʊʌ])"), "ɔː"),
    (re.compile(r"ɜɹ(?![AIOQWYiuæɑɔəɛɜɪʊʌ])"), "ɜː"),
    (re.compile(r"əɹ(?![AIOQWYiuæɑɔəɛɜɪʊʌ])"), "ə"),
    (re.compile(r"([iuɔ])(?!ː)"), r"\1ː"),
    (re.compile(r"O"), "Q"),
    (re.compile(r"æ"), "a"),
    (re.compile(r"ɑ(?!ː)"), "ɒ"),
)


def sound_out(word: str, *, british: bool) -> str:
    """Phonemes for a word of Latin letters, its first vowel stressed; "" when it has no vowel."""
    letters = re.sub(r"[^a-z]", "", word.lower())
    said: list[str] = []
    at = 0
    while at < len(letters):
        sound, length = _next_sound(letters, at)
        said.append(sound)
        at += length
    first = next((i for i, sound in enumerate(said) if sound and sound[0] in _VOWELS), None)
    if first is None:
        return ""
    phonemes = "".join([*said[:first], "ˈ", *said[first:]])
    if british:
        for pattern, sound in _BRITISH:
            phonemes = pattern.sub(sound, phonemes)
    return phonemes


def _next_sound(letters: str, at: int) -> tuple[str, int]:
    for pattern, sound in _COMPILED:
        match = pattern.match(letters, at)
        if match:
            if match.re.groups:
                return _LETTERS.get(letters[at], "ks"), match.end() - at
            return sound, match.end() - at
    return _LETTERS[letters[at]], 1
