"""What both services tell about themselves: trace context, spans, log lines, EMF."""

from firstword.telemetry.emf import Emf, Metric
from firstword.telemetry.labels import Bounded
from firstword.telemetry.logs import configure, identified, printable, trail
from firstword.telemetry.settings import TelemetrySettings, TelemetrySettingsError
from firstword.telemetry.spans import NoSpans, Span, Spans
from firstword.telemetry.telemetry import Telemetry, open_telemetry
from firstword.telemetry.trace import TraceContext

__all__ = [
    "Bounded",
    "Emf",
    "Metric",
    "NoSpans",
    "Span",
    "Spans",
    "Telemetry",
    "TelemetrySettings",
    "TelemetrySettingsError",
    "TraceContext",
    "configure",
    "identified",
    "open_telemetry",
    "printable",
    "trail",
]
