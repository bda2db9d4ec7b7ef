"""What a voice's normalisations measure on the average: given these, any stretch of an utterance
can be rendered before the rest of it is known.

An utterance is a mixture of speech and of the silence around it, and half of a short one is
silence. So means and mean squares lie on a straight line over the share of silence.

A table for the English voices comes with the package (``averages.npz``, written by
``scripts/measure_voices.py``); those of other voices and of blends are measured at their first use
and kept in a folder.
"""

from __future__ import annotations

import hashlib
import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firstword.tts.engines import Style
from firstword.tts.engines.vocoder.moments import Moments
from firstword.tts.engines.vocoder.steps import Steps, finish

_log = logging.getLogger(__name__)

TABLE = "averages.npz"

TEXTS = (
    "ðə mjuzˈiəm ˈOpənz æt nˈIn ɪn ðə mˈɔɹnɪŋ, ænd klˈOzɪz æt sˈɪks.",
    "wˌʌt wʊd ju lˈIk tə nˈO əbˌWt ðə wˈɛðəɹ?",
    "ʃi hæd ʤˈʌst fˈɪnɪʃt ðə lˈɛTəɹ wɛn sˈʌmbˌɑdi nˈɑkt.",
    "jˈɛs, ðæt sˈWndz ɹˈIt tə mˌi.",
    "həlˈO.",
    "ˌʌv kˈɔɹs.",
    "ɡˈʊd ˈivnɪŋ.",
    "wˈʌn mˈOmᵊnt, plˈiz.",
    "ˌI kæn dˈu ðˈæt.",
    "wˈɛl, nˌɑt tədˈA.",
)
"""Phonemes of sentences like those of a conversation, and of shorter ones, more of them silence."""

SILENCE = 0.1, 0.3
"""The shares of silence for which the averages are kept: about those of the two kinds."""

LITTLE = 0.05
"""The share down to which the line is followed; upwards it ends at the greater of the two, since
what is extrapolated there can be very wrong."""

LEAST = 0.1
"""No variance on the line is less than so much of the smaller of the two."""

MEASURED = 64
"""Styles outside the table that are remembered; callers may name any number of blends."""

KEPT = 1024
"""Files in the folder (74 KB each) above which no more are written."""


class Measurement(NamedTuple):
    """What one utterance measures, rendered whole, and the share of its frames that are silence."""

    moments: Moments
    silence: float


type Measure = Callable[[str, Style], Steps[Measurement]]
"""What an utterance of these phonemes measures when it is said with this style, in steps."""

type Rounded = NDArray[np.float16]
"""(4, channels): mean and standard deviation at either `SILENCE`, as the table holds them."""

_ROWS = 4

type Channels = NDArray[np.float64]


class Average:
    """A voice's averages."""

    def __init__(self, rounded: Rounded) -> None:
        first, second, third, fourth = rounded.astype(np.float64)
        self._ends = Moments(first, second), Moments(third, fourth)

    def at(self, silence: float) -> Moments:
        """Those of an utterance of which that share is silence."""
        low, high = SILENCE
        part = (min(max(silence, LITTLE), high) - low) / (high - low)
        mean, square = (
            (1 - part) * little + part * much
            for little, much in zip(*(_powers(end) for end in self._ends), strict=True)
        )
        least = LEAST * np.minimum(*(end.deviation**2 for end in self._ends))
        return Moments(mean, np.sqrt(np.maximum(square - mean**2, least)))


class Averages:
    """Averages by style. Safe from several threads; those who ask for one voice at a time measure
    it together."""

    def __init__(self, table: Mapping[str, Rounded], folder: Path, measure: Measure) -> None:
        self._table = table
        self._measured: dict[str, Rounded] = {}
        self._measuring: dict[str, _Measuring] = {}
        self._folder = folder
        self._measure = measure
        self._lock = threading.Lock()

    def of(self, style: Style) -> Average:
        """The averages of ``style``, now."""
        return finish(self.in_steps(style))

    def in_steps(self, style: Style) -> Steps[Average]:
        """The averages of ``style``. One that is new is measured now, some seconds of work with
        pauses in which other work may be done."""
        name = key(style)
        known = self._table.get(name)
        if known is None:
            known = yield from self._new(name, style)
        return Average(known)

    def _new(self, name: str, style: Style) -> Steps[Rounded]:
        with self._lock:
            known = self._measured.pop(name, None)
            if known is not None:
                self._measured[name] = known
                return known
            measuring = self._measuring.setdefault(name, _Measuring(self._kept(name, style)))
            measuring.waiting += 1
        try:
            while (found := measuring.step()) is None:
                yield
        finally:
            with self._lock:
                measuring.waiting -= 1
                if not measuring.waiting:
                    # Half a measurement that nobody waits for would keep its memory.
                    measuring.close()
                if measuring.over and self._measuring.get(name) is measuring:
                    del self._measuring[name]
        with self._lock:
            self._measured[name] = found
            if len(self._measured) > MEASURED:
                del self._measured[next(iter(self._measured))]
        return found

    def _kept(self, name: str, style: Style) -> Steps[Rounded]:
        path = self._folder / f"{name}.npy"
        try:
            kept = np.load(path, allow_pickle=False)
            if kept.dtype == np.float16 and kept.ndim == 2 and len(kept) == _ROWS:
                return np.asarray(kept, np.float16)
        except (OSError, ValueError):
            pass
        found = yield from average(self._measure, style)
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            if sum(1 for _ in self._folder.iterdir()) >= KEPT:
                return found
            whole = path.with_suffix(f".{threading.get_ident()}.npy")
            np.save(whole, found)
            whole.replace(path)
        except OSError as error:
            _log.warning("folder=<%s>, error=<%s> | averages are not kept", self._folder, error)
        return found


class _Measuring:
    """One measurement that all who wait for it advance, a step at a time."""

    def __init__(self, steps: Steps[Rounded]) -> None:
        self._steps = steps
        self._found: Rounded | None = None
        self._lock = threading.Lock()
        self.over = False
        """Whether it was found, failed or was given up."""
        self.waiting = 0
        """Those who advance it; changed under the lock of `Averages`."""

    def close(self) -> None:
        """Give it up; nobody may be in `step`."""
        self.over = True
        self._steps.close()

    def step(self) -> Rounded | None:
        """Do some of it; what was found, once it is."""
        with self._lock:
            if self._found is not None:
                return self._found
            if self.over:
                raise RuntimeError("the voice could not be measured")
            self.over = True
            try:
                next(self._steps)
            except StopIteration as end:
                self._found = end.value
                return self._found
            self.over = False
            return None


def key(style: Style) -> str:
    """What a style (510, 256) is known by: 24 hexadecimal digits of its sha256."""
    return hashlib.sha256(np.ascontiguousarray(style, np.float32).data).hexdigest()[:24]


def average(measure: Measure, style: Style) -> Steps[Rounded]:
    """The line through what `TEXTS` measure, by least squares, at `SILENCE`."""
    found: list[Measurement] = []
    for text in TEXTS:
        measurement = yield from measure(text, style)
        found.append(measurement)
    shares = [one.silence for one in found]
    least = LEAST * np.min([one.moments.deviation**2 for one in found], axis=0)
    means, squares = zip(*(_powers(one.moments) for one in found), strict=True)
    rows = []
    for silence in SILENCE:
        mean, square = _on_line(shares, means, silence), _on_line(shares, squares, silence)
        rows += [mean, np.sqrt(np.maximum(square - mean**2, least))]
    return np.stack(rows).astype(np.float16)


def _powers(moments: Moments) -> tuple[Channels, Channels]:
    """Mean and mean square."""
    return moments.mean, moments.mean**2 + moments.deviation**2


def _on_line(places: Sequence[float], values: Sequence[Channels], place: float) -> Channels:
    """The straight line through ``values`` by least squares, at ``place``.

    Not by numpy's least squares: the threads of its linear algebra would spin beside our kernels.
    """
    middle, mean = np.mean(places), np.mean(values, axis=0)
    away = np.array(places) - middle
    spread = np.sum(away**2)
    if not spread:
        return np.asarray(mean)
    slope = np.sum([x * (value - mean) for x, value in zip(away, values, strict=True)], axis=0)
    return np.asarray(mean + slope / spread * (place - middle))


def shipped() -> dict[str, Rounded]:
    """The table of the package, by `key`."""
    with (
        resources.files(__package__).joinpath(TABLE).open("rb") as file,
        np.load(file, allow_pickle=False) as table,
    ):
        return dict(zip(table["keys"].tolist(), table["averages"], strict=True))


def write_table(path: Path, averages: Mapping[str, Rounded]) -> None:
    """Write a table that `shipped` reads."""
    np.savez_compressed(
        path, keys=np.array(list(averages)), averages=np.stack(list(averages.values()))
    )
