"""Marks inside a line: emphasis, links, code, tags, pictographs, to the words alone."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, field

from firstword.chunker.characters import EMOJI
from firstword.chunker.emphasis import Emphasis
from firstword.chunker.word_lists import listed

_TOKEN = re.compile(
    rf"""
      \\(?P<escape>[!-/:-@\[-`{{-~])
    | (?P<ticks>`+)
    | <(?P<address>[A-Za-z][A-Za-z0-9+.-]{{1,20}}:[^\s<>]+|[^\s<>@]+@[^\s<>]+)>
    | (?P<comment><!--.*?(?:-->|\Z))
    | (?P<tag></?(?P<name>[A-Za-z][\w:-]*)(?:\s[^<>]*)?/?>)
    | (?P<note>\[\^[^\]\s]{{1,40}}\])
    | (?P<opener>!?\[)
    | \](?P<target>\((?:[^()\s]|\([^()\s]*\))*(?:\s+(?:"[^"]*"|'[^']*'))?\s*\)|\[[^\[\]]{{0,80}}\])
    | (?P<closer>\])
    | (?P<run>\*+|_+|~~+)
    | (?P<entity>&(?:\#\d{{1,7}}|\#[xX][0-9a-fA-F]{{1,6}}|[A-Za-z]\w{{1,30}});)
    | (?P<keycap>[0-9]\ufe0f?\u20e3)
    | (?P<picture>{EMOJI}|(?<!\S)(?:[:;]['’]?-?[()DPpOo|/\\*]+|=[()D]|<3|[xX]D)(?=[\s.,!?]|\Z))
    """,
    re.VERBOSE | re.DOTALL,
)
_MARKS = re.compile(rf"[\\`<\[\]*_&:;=\u20e3]|~~|[xX]D|{EMOJI}")
_SPACE = re.compile(r"\s+")
_BREAKS = listed("br p div li ul ol tr td th table hr h1 h2 h3 h4 h5 h6 blockquote")
_HTML = _BREAKS | listed(
    """
    a abbr b big cite code del em font i img ins kbd mark q s samp small span strong sub sup tt u
    var break emphasis phoneme prosody say-as speak voice
    """
)
_BEFORE_CLOSING = frozenset(".,!?;:…)。！？，、")


def words_of(text: str, emphasis: Emphasis) -> str:
    """``text`` without its marks, its white space single; ``emphasis`` goes from call to call."""
    if _MARKS.search(text):
        text = _Inline(text, emphasis).read()
    return _SPACE.sub(" ", text).strip()


@dataclass
class _Inline:
    text: str
    emphasis: Emphasis
    pieces: list[str] = field(default_factory=list)
    brackets: list[int] = field(default_factory=list)
    """The pieces that hold an opening bracket whose end is not found yet."""

    def read(self) -> str:
        self.emphasis.begin(self.pieces)
        at = 0
        while match := _TOKEN.search(self.text, at):
            self.pieces.append(self.text[at : match.start()])
            at = self._token(match)
        self.pieces.append(self.text[at:])
        self.emphasis.end()
        return "".join(self.pieces)

    def _token(self, match: re.Match[str]) -> int:
        """Put what a token says; the index to read on from."""
        kind = match.lastgroup
        if kind == "ticks":
            return self._code(match)
        if kind == "run":
            self.emphasis.add(self.text, match.start(), match.end())
        elif kind == "opener":
            self.brackets.append(len(self.pieces))
            self.pieces.append(match[0])
        elif kind == "target":
            self._target(match)
        elif kind in {"tag", "name"}:
            self._tag(match)
        elif kind == "picture":
            self._picture(match)
        else:
            self._plain(kind, match)
        return match.end()

    def _plain(self, kind: str | None, match: re.Match[str]) -> None:
        if kind == "closer":
            if self.brackets:
                self.brackets.pop()
            self.pieces.append("]")
        elif kind in {"escape", "address"}:
            self.pieces.append(match[kind])
        elif kind == "entity":
            self.pieces.append(html.unescape(match[0]))
        elif kind == "keycap":
            self.pieces.append(match[0][0])

    def _code(self, match: re.Match[str]) -> int:
        """Inline code is said as it stands; backticks without a partner are not said."""
        ticks = match[0]
        end = re.compile(rf"(?<!`){ticks}(?!`)").search(self.text, match.end())
        if end is None:
            return match.end()
        self.pieces.append(self.text[match.end() : end.start()].strip())
        return end.end()

    def _target(self, match: re.Match[str]) -> None:
        """A link's end: its text is said, where it leads to is not."""
        opener = self.brackets.pop() if self.brackets else None
        if match["target"].startswith("["):
            label = "" if opener is None else "".join(self.pieces[opener + 1 :])
            if not any(c.isalpha() for c in label):
                self.pieces.append(match[0])
                return
        if opener is not None:
            self.pieces[opener] = ""

    def _tag(self, match: re.Match[str]) -> None:
        name = match["name"].lower()
        glued = match.start() > 0 and self.text[match.start() - 1].isalnum()
        if glued and name not in _HTML and not match[0].startswith("</"):
            self.pieces.append(match[0])
        elif name in _BREAKS:
            self.pieces.append(" ")

    def _picture(self, match: re.Match[str]) -> None:
        """A pictograph leaves no gap before a mark: ``I love it 😍.`` is ``I love it.``"""
        after = self.text[match.end() : match.end() + 1]
        if after and after not in _BEFORE_CLOSING:
            return
        for index in reversed(range(len(self.pieces))):
            self.pieces[index] = self.pieces[index].rstrip()
            if self.pieces[index]:
                return
