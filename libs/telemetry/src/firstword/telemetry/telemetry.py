"""Everything that a service is handed to tell about itself, opened once by its process."""

from __future__ import annotations

import asyncio
import importlib
import logging
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

from firstword.telemetry.emf import Emf, Metric
from firstword.telemetry.settings import TelemetrySettings, TelemetrySettingsError
from firstword.telemetry.spans import NoSpans, Spans

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Telemetry:
    """Where spans and embedded metrics go; by default nowhere."""

    spans: Spans = field(default_factory=NoSpans)
    emf: Emf | None = None

    async def keep_reporting(self, read: Callable[[], Iterable[Metric]]) -> None:
        """For ever: write gauges at the interval that is set. Returns at once without EMF."""
        while self.emf is not None:
            await asyncio.sleep(self.emf.interval_s)
            self.emf.put(read())


@contextmanager
def open_telemetry(settings: TelemetrySettings, service: str) -> Iterator[Telemetry]:
    """Telemetry for the life of the process; what is still to be sent is sent at its end.

    Where ``opentelemetry-instrument`` has set up tracing before us, that is used as it is. Where
    spans cannot be exported the log says so: the platform may have set the variables, and a
    service that only cannot be watched is better than none.
    """
    emf = Emf(settings, service) if settings.emf else None
    with ExitStack() as closing:
        try:
            spans = _spans(settings, service, closing)
        except TelemetrySettingsError as error:
            logger.error("variable=<%s> | spans are not exported: %s", error.variable, error)
            spans = NoSpans()
        yield Telemetry(spans, emf)


def _spans(settings: TelemetrySettings, service: str, closing: ExitStack) -> Spans:
    # OpenTelemetry takes a noticeable part of a second to import, which nobody need wait for.
    if "opentelemetry.sdk.trace" not in sys.modules and not settings.otlp:
        return NoSpans()
    try:
        otel = importlib.import_module("firstword.telemetry.otel")
        spans: Spans | None = otel.instrumented()
        if spans is None and settings.otlp:
            spans = closing.enter_context(otel.exported(service))
    except ModuleNotFoundError as error:
        problem = f"is set, but {error.name} is not installed: the extra `otlp` brings it"
        raise TelemetrySettingsError("OTEL_EXPORTER_OTLP_ENDPOINT", problem) from None
    return spans or NoSpans()
