"""``gpu``: the torch engine with 1 to 128 sessions at once, beside the plain torch package.

All sessions ask at the same moment for four sentences each: the worst case, and one in which the
order of service and the size of the batches matter. The phonemes are there; what is measured is the
scheduler and the engine. Runs on a CPU too, with a few short sessions: to try it.
"""

from __future__ import annotations

import json
import os
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from firstword.bench.figures import Findings, percentile
from firstword.bench.gpu_load import VOICES, Crowd, Load
from firstword.bench.runs import Talk
from firstword.bench.texts import FOUR_SENTENCES
from firstword.tts.assembly import voices
from firstword.tts.engines.windows import LONGEST
from firstword.tts.models import EngineUnavailableError, ModelFiles
from firstword.tts.settings import DeviceName, Precision, Settings

if TYPE_CHECKING:
    from firstword.tts.engines.torch.engine import TorchEngine

FIRST_AUDIO_S = 0.3
"""What 95 of 100 sessions must not wait longer than, for a load to count as served."""

FIRST_ALONE_S = 0.05
"""The same of a session that is alone, on an H200."""

MACHINES = {
    "NVIDIA A10G": "ml.g5.xlarge",
    "NVIDIA L4": "ml.g6.xlarge",
    "Tesla T4": "ml.g4dn.xlarge",
}
"""The smallest machine of SageMaker with that card."""

PRICES = Path("infra/prices.json")
PLAIN = "plain kokoro, one lock"


@dataclass(frozen=True, slots=True)
class Size:
    """How much is measured."""

    sessions: Sequence[int]
    batches: Sequence[int]
    text: str
    plain_sessions: int
    precisions: Sequence[Precision]
    """The first is measured whole, of the others only ``beside`` sessions."""

    beside: Sequence[int] = ()
    voices: Sequence[str] = VOICES
    unmeasured: int = 1
    """Runs before the measured ones."""


WHOLE = Size(
    (1, 8, 32, 64, 128), (1, 2, 4, 8, 16, 32, 64), FOUR_SENTENCES, 8, ("fp16", "fp32"), (1, 64)
)
TINY = Size((1, 2), (1, 2), "Thank you.", 2, ("fp32",), (), VOICES[:1], unmeasured=0)


def measure(
    runs: int, talk: Talk, device: DeviceName = "auto", price: float | None = None
) -> Findings:
    """The figures; ``price`` is dollars an hour of the machine.

    Raises:
        EngineUnavailableError: torch, kokoro or the graphics card is missing.
    """
    settings = Settings.from_env(os.environ)
    findings = Findings(charts=("first_audio_ms", "times_realtime"))
    size, made = _size(device), Bench(findings, talk, runs)
    for precision in size.precisions:
        made.engine(_engine(settings, device, precision, talk), precision, size, settings)
    made.plain(settings, size, device)
    made.conclude(size, price)
    return findings


def _size(device: DeviceName) -> Size:
    """All of it where there is a graphics card, else enough to see that it runs."""
    try:
        import torch
    except ImportError as error:
        raise EngineUnavailableError(f"no {error.name}: install firstword-bench[gpu]") from error
    return TINY if device == "cpu" or not torch.cuda.is_available() else WHOLE


def _engine(
    settings: Settings, device: DeviceName, precision: Precision, talk: Talk
) -> TorchEngine:
    from firstword.tts.engines.torch.opening import open_engine

    talk.say(f"loading torch, {precision}")
    asked = replace(settings.torch, device=device, precision=precision)
    files = ModelFiles.open(settings.model_dir)
    return open_engine(files, settings.cache_dir, asked, settings.threads)


class Bench:
    """What has been found so far."""

    def __init__(self, findings: Findings, talk: Talk, runs: int) -> None:
        self._findings = findings
        self._talk = talk
        self._runs = runs
        self._loads: dict[str, list[Load]] = {}
        self._card = "cpu"

    def engine(
        self, engine: TorchEngine, precision: Precision, size: Size, settings: Settings
    ) -> None:
        """The engine's figures, ``edf`` and ``fifo`` in turn."""
        began = time.perf_counter()
        engine.warm_up()
        self._card = engine.forwards.device.card
        details: dict[str, Any] = {
            "about": engine.about,
            "warm_up_s": round(time.perf_counter() - began, 1),
        }
        crowd = Crowd(engine, voices(settings), size.text, size.voices)
        first = precision == size.precisions[0]
        for _ in range(self._runs + size.unmeasured):
            for count in size.sessions if first else size.beside:
                for policy in ("edf", "fifo") if first else ("edf",):
                    load = crowd.ask(count, policy)
                    self._loads.setdefault(_case(precision, count, policy), []).append(load)
        for loads in self._loads.values():
            del loads[: len(loads) - self._runs]
        self._efficiency(engine, precision, size.batches, crowd)
        used, whole = engine.forwards.device.memory_bytes()
        details |= {"memory_used_gb": round(used / 1e9, 2), "memory_gb": round(whole / 1e9, 1)}
        runner = engine.forwards.runner
        details |= {"forwards_replayed": runner.replayed, "forwards_plain": runner.plain}
        self._findings.details[f"torch {precision}"] = details

    def _efficiency(
        self, engine: TorchEngine, precision: Precision, batches: Sequence[int], crowd: Crowd
    ) -> None:
        """The generator alone: windows of the longest kind, 1 to 64 in a forward."""
        stretch = crowd.stretch(LONGEST)
        seconds = (stretch.last - stretch.first) / 40
        for batch in batches:
            forwards = [stretch] * batch
            engine.forwards.hear(forwards)
            samples = []
            for _ in range(max(3, self._runs)):
                began = time.perf_counter()
                engine.forwards.hear(forwards)
                took_s = time.perf_counter() - began
                samples.append(
                    {"forward_ms": 1000 * took_s, "times_realtime": batch * seconds / took_s}
                )
            self._findings.add(f"torch {precision}, forward of {batch}", samples)

    def plain(self, settings: Settings, size: Size, device: DeviceName) -> None:
        """The published package, its pipeline behind one lock."""
        from firstword.bench.gpu_plain import PlainKokoro

        self._talk.say("loading the plain package")
        kokoro = PlainKokoro(ModelFiles.open(settings.model_dir), device)
        kokoro.ask(1, TINY.text)
        for _ in range(self._runs):
            self._loads.setdefault(PLAIN, []).append(kokoro.ask(size.plain_sessions, size.text))

    def conclude(self, size: Size, price: float | None) -> None:
        """Figures of all loads, ratios, cost and capacity."""
        findings = self._findings
        for case, loads in self._loads.items():
            findings.add(
                case, [{"first_audio_ms": 1000 * s} for load in loads for s in load.first_audio_s]
            )
            findings.add(case, [{"times_realtime": load.speed} for load in loads])
        best = size.precisions[0]
        crowd = [count for count in size.sessions if count <= 64][-1]
        case = _case(best, crowd, "edf")
        # The bars are for graphics cards.
        bar = None if self._card == "cpu" else 5
        findings.compare("throughput", case, PLAIN, "times_realtime", bar=bar, bar_is="least")
        efficiency = [
            findings.find(f"torch {best}, forward of {n}", "times_realtime").median
            for n in (size.batches[0], size.batches[-1])
        ]
        findings.notes.append(
            f"a forward of {size.batches[-1]} gives {efficiency[1] / efficiency[0]:.1f} times the "
            "audio of a forward of one in the same time"
        )
        for count, most_s in ((size.sessions[0], FIRST_ALONE_S), (crowd, FIRST_AUDIO_S)):
            first_s = self._late(_case(best, count, "edf"))
            holds = "" if bar is None else f", {'holds' if first_s <= most_s else 'MISSED'}"
            findings.notes.append(
                f"first audio of 95 of 100, sessions at once: {count}: {1000 * first_s:.0f} ms "
                f"(bar {1000 * most_s:.0f}{holds})"
            )
        served = [n for n in size.sessions if self._served(_case(best, n, "edf"))]
        findings.details["served_sessions"] = max(served, default=0)
        speed = findings.find(_case(best, max(served, default=crowd), "edf"), "times_realtime")
        self._capacity(speed.median)
        self._cost(case, price)

    def _served(self, case: str) -> bool:
        return self._late(case) <= FIRST_AUDIO_S

    def _late(self, case: str) -> float:
        """Seconds within which 95 of 100 sessions have their first audio."""
        return percentile([s for load in self._loads[case] for s in load.first_audio_s], 95)

    def _capacity(self, speed: float) -> None:
        """In the shape of ``infra/capacity.json``."""
        machine = MACHINES.get(self._card, self._card)
        self._findings.details["capacity"] = {
            "date": time.strftime("%Y-%m-%d", time.gmtime()),
            "source": f"firstword bench gpu on {self._card}",
            "machines": {machine: {"audio_s_per_s": float(f"{speed:.4g}")}},
        }

    def _cost(self, case: str, price: float | None) -> None:
        """Dollars for a million characters at full load."""
        dated = "given"
        if price is None:
            price, dated = _price(MACHINES.get(self._card, ""))
        if price is None:
            self._findings.notes.append(f"no price for a machine with {self._card}: give --price")
            return
        rate = statistics.median(load.characters / load.total_s for load in self._loads[case])
        cost = price / 3600 * 1e6 / rate
        self._findings.details["usd_per_million_characters"] = round(cost, 3)
        self._findings.notes.append(
            f"{cost:.2f} dollars for a million characters at {price} an hour (price {dated})"
        )


def _price(machine: str) -> tuple[float | None, str]:
    try:
        table = json.loads(PRICES.read_text("utf-8"))
    except OSError:
        return None, ""
    return table["machine_hour"].get(machine), f"of {table['date']}"


def _case(precision: Precision, sessions: int, policy: str) -> str:
    return f"torch {precision}, {sessions} sessions, {policy}"
