"""The speech pipeline put together from settings: which files, which engine, which G2P."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from firstword.tts.engines import Engine, Utterance
from firstword.tts.engines.choice import torch_runs
from firstword.tts.models import EngineUnavailableError, ModelFiles
from firstword.tts.models.voices import Voices
from firstword.tts.settings import Settings
from firstword.tts.speech import Speaker

if TYPE_CHECKING:
    from firstword.tts.text import G2P

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Assembly:
    """What a server or a command speaks with."""

    early: Speaker
    """Lets the first clause of a text go ahead of its sentence: someone waits for it."""

    whole: Speaker
    """Says whole sentences only."""

    voices: Voices
    engine: Engine


def assemble(settings: Settings) -> Assembly:
    """Load everything; takes seconds.

    Raises:
        ModelsError: the model files are missing or broken.
    """
    from firstword.tts.text import FIRST_CLAUSE_WORDS

    rack = voices(settings)
    one = engine(settings)
    spoken = languages()
    early = Speaker(Reading(spoken, FIRST_CLAUSE_WORDS), one, rack)
    return Assembly(early, Speaker(Reading(spoken, None), one, rack), rack, one)


def voices(settings: Settings) -> Voices:
    """The voices of the settings' model folder.

    Raises:
        ModelsMissingError: there is no whole set of model files.
    """
    return Voices(ModelFiles.open(settings.model_dir).folder)


def engine(settings: Settings) -> Engine:
    """The engine that the settings name.

    Raises:
        EngineUnavailableError: what it runs on is not here.
        ModelsMissingError: there is no whole set of model files.
    """
    files = ModelFiles.open(settings.model_dir)
    if torch_runs(settings.engine):
        try:
            return _torch(files, settings)
        except EngineUnavailableError as error:
            if settings.engine == "torch":
                raise
            _log.warning("error=<%s> | no graphics card, the processor runs the model", error)
    if settings.engine == "onnx":
        from firstword.tts.engines.onnx import OnnxEngine

        return OnnxEngine.open(files, settings.threads)
    from firstword.tts.engines.cpu import CpuEngine

    return CpuEngine.open(files, settings.cache_dir, settings.threads)


def _torch(files: ModelFiles, settings: Settings) -> Engine:
    try:
        from firstword.tts.engines.torch.opening import open_engine
    except ImportError as error:
        raise EngineUnavailableError(
            f"FIRSTWORD_ENGINE=torch needs {error.name}: install firstword-tts[gpu]"
        ) from error
    asked = settings.torch
    if settings.engine == "auto":
        asked = replace(asked, device="cuda")
    return open_engine(files, settings.cache_dir, asked, settings.threads)


def languages() -> dict[str, G2P]:
    """Graphemes to phonemes of every installed language, by the first letter of its voices."""
    from firstword.tts.text import G2P, Tagger, languages

    tagger = Tagger()
    return {letter: G2P(letter, tagger=tagger) for letter in languages()}


class Reading:
    """Text to utterances at one pace: ``first_clause_words`` as ``text.utterances`` takes it."""

    def __init__(self, spoken: Mapping[str, G2P], first_clause_words: int | None) -> None:
        self._spoken = spoken
        self._first_clause_words = first_clause_words

    def utterances(self, text: str, language: str) -> Iterator[Utterance]:
        """``text`` as a voice of ``language`` reads it."""
        from firstword.tts.text import utterances

        g2p = self._spoken[language]
        return utterances(text, g2p, first_clause_words=self._first_clause_words)
