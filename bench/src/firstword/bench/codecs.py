"""``codecs``: what 24 clips cost on the wire in each format, and what is left of the words."""

from __future__ import annotations

import base64
import time
from collections.abc import Sequence

import httpx

from firstword.bench.ear import Ear, errors, words
from firstword.bench.figures import Findings, Sample
from firstword.bench.processes import speech_server
from firstword.bench.runs import Talk
from firstword.bench.texts import CLIPS
from firstword.protocol import duration_s, wav_header
from firstword.tts.engines.threads import cpu_threads

FORMATS = ("pcm", "mp3", "aac", "opus")
SAMPLE_RATE = 24_000
_TIMEOUT_S = 120.0


def measure(runs: int, talk: Talk, clips: Sequence[str] = CLIPS) -> Findings:
    """Each clip in each format ``runs`` times, the formats in turn; words are checked once.

    Of sizes, a clip is one value; of delays, a clip's median over the runs is.
    """
    findings = Findings(charts=("size_bytes", "bitrate_kbps", "first_byte_ms", "wer_percent"))
    findings.details.update(clips=list(clips), sample_rate=SAMPLE_RATE)
    talk.say("loading Whisper, starting the service")
    ear = Ear(cpu_threads())
    samples: dict[str, list[Sample]] = {name: [] for name in FORMATS}
    wrong = dict.fromkeys(FORMATS, 0)
    with speech_server() as url, httpx.Client(trust_env=False, timeout=_TIMEOUT_S) as client:
        _fetch(client, url, clips[0], "pcm")
        with talk.steps("codecs", len(clips)) as begin:
            for clip in clips:
                begin(f"{len(words(clip))} words")
                for name, (sample, audio) in in_all_formats(client, url, clip, runs).items():
                    samples[name].append(sample)
                    wrong[name] += errors(clip, ear.write_down(audio))
    said = sum(len(words(clip)) for clip in clips)
    for name in FORMATS:
        findings.add(name, samples[name])
        findings.add(name, [{"wer_percent": 100 * wrong[name] / said}])
    for name in FORMATS[1:]:
        findings.compare("bytes", name, "pcm", "size_bytes")
        findings.compare("first byte", name, "pcm", "first_byte_ms")
    return findings


def in_all_formats(
    client: httpx.Client, url: str, clip: str, runs: int
) -> dict[str, tuple[Sample, bytes]]:
    delays: dict[str, list[float]] = {name: [] for name in FORMATS}
    audio: dict[str, bytes] = {}
    for _ in range(runs):
        for name in FORMATS:
            delay_s, audio[name] = _fetch(client, url, clip, name)
            delays[name].append(1000 * delay_s)
    seconds = duration_s(len(audio["pcm"]) // 2, SAMPLE_RATE)
    found: dict[str, tuple[Sample, bytes]] = {}
    for name, data in audio.items():
        sample = {
            "size_bytes": len(data),
            "base64_bytes": len(base64.b64encode(data)),
            "bitrate_kbps": 8 * len(data) / seconds / 1000,
            "first_byte_ms": sorted(delays[name])[runs // 2],
        }
        heard = wav_header(SAMPLE_RATE, len(data)) + data if name == "pcm" else data
        found[name] = (sample, heard)
    return found


def _fetch(client: httpx.Client, url: str, text: str, name: str) -> tuple[float, bytes]:
    """Seconds to the first byte of the body, and the body."""
    body = {"text": text, "format": name, "sample_rate": SAMPLE_RATE, "stream": True}
    began = time.perf_counter()
    with client.stream("POST", f"{url}/invocations", json=body) as response:
        response.raise_for_status()
        parts = []
        first = None
        for data in response.iter_raw():
            first = first or time.perf_counter()
            parts.append(data)
    return (first or time.perf_counter()) - began, b"".join(parts)
