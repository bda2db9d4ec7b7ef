"""What the speech server needs of a machine, tried for real."""

from __future__ import annotations

import importlib.util
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib import metadata

from firstword.tts.models import ModelFiles, ModelsError
from firstword.tts.models.manifest import FETCH_COMMAND, problems
from firstword.tts.models.pins import pins
from firstword.tts.settings import Settings

PACKAGES = ("numpy", "onnxruntime", "onnx", "av", "soxr", "misaki", "spacy", "starlette", "uvicorn")
INSTALL = "install them: uv sync --all-packages --all-extras"
PHRASE = "Hello there."


@dataclass(frozen=True, slots=True)
class Check:
    """One thing looked at. ``needed`` is False for what the product does without."""

    name: str
    ok: bool
    detail: str
    mend: str = ""
    needed: bool = True


def examine(settings: Settings) -> list[Check]:
    """All checks, in the order in which the parts need each other."""
    checks = [_python(), _packages(), _cores(settings), _models(settings), _espeak(), _codecs()]
    for name, look, mend in (
        ("g2p", _g2p, INSTALL),
        ("engine", lambda: _engine(settings), f"run `{FETCH_COMMAND}`"),
    ):
        checks.append(_tried(name, look, mend))
    return checks


def _tried(name: str, look: Callable[[], str], mend: str) -> Check:
    try:
        return Check(name, True, look())
    except Exception as error:  # noqa: BLE001 - whatever it is, the report says it
        return Check(name, False, f"{type(error).__name__}: {error}".splitlines()[0], mend)


def _python() -> Check:
    version = ".".join(map(str, sys.version_info[:3]))
    ok = sys.version_info[:2] == (3, 12)
    return Check("python", ok, version, "use Python 3.12: uv python install 3.12")


def _packages() -> Check:
    missing = [name for name in PACKAGES if not _installed(name)]
    detail = f"missing: {', '.join(missing)}" if missing else f"{len(PACKAGES)} of {len(PACKAGES)}"
    return Check("packages", not missing, detail, INSTALL)


def _installed(name: str) -> bool:
    try:
        metadata.version(name)
    except metadata.PackageNotFoundError:
        return False
    return True


def _cores(settings: Settings) -> Check:
    from firstword.tts.engines.threads import cpu_threads

    allowed = cpu_threads()
    used = settings.threads or allowed
    return Check("cores", True, f"{allowed} may be used, {used} are")


def _models(settings: Settings) -> Check:
    wrong = problems(settings.model_dir, pins())
    more = f" and {len(wrong) - 1} more" if len(wrong) > 1 else ""
    detail = f"{wrong[0]}{more}" if wrong else f"verified in {settings.model_dir}"
    return Check("models", not wrong, detail, f"run `{FETCH_COMMAND}`")


def _espeak() -> Check:
    found = all(importlib.util.find_spec(name) for name in ("phonemizer", "espeakng_loader"))
    return Check(
        "espeak",
        found,
        "speaks words that no dictionary has" if found else "unknown words are spelled by rule",
        "install the extra firstword-tts[espeak] (GPL-3)",
        needed=False,
    )


def _codecs() -> Check:
    from firstword.tts.audio.formats import CODECS, FORMATS

    try:
        import av

        lacking = [f for f, codec in CODECS.items() if codec.encoder not in av.codecs_available]
    except ImportError:
        lacking = list(CODECS)
    detail = f"cannot make {', '.join(lacking)}" if lacking else ", ".join(FORMATS)
    return Check("codecs", not lacking, detail, "install PyAV from its published wheels")


def _g2p() -> str:
    from firstword.tts.assembly import Reading, languages

    started = time.monotonic()
    reading = Reading(languages(), None)
    said = [u.phonemes for u in reading.utterances(PHRASE, "a")]
    return f"{PHRASE!r} is {' '.join(said)} (loaded in {time.monotonic() - started:.1f} s)"


def _engine(settings: Settings) -> str:
    from firstword.tts.assembly import engine, voices
    from firstword.tts.engines import SAMPLE_RATE, Utterance

    try:
        ModelFiles.open(settings.model_dir)
    except ModelsError:
        raise ModelsError("there are no model files to run it with") from None
    one = engine(settings)
    style = voices(settings).style("af_heart")
    one.warm_up()
    started = time.monotonic()
    samples = 0
    for block in one.synthesize(Utterance("həlˈO ðˈɛɹ.", ()), style, 1.0, "exact"):
        samples += block.samples.size
    factor = (time.monotonic() - started) / (samples / SAMPLE_RATE)
    return f"{one.about}; {one.version}, real-time factor {factor:.2f}"
