"""``say TEXT -o FILE``: speech into a file."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from firstword.tts.commands.outcome import CommandError, Exit, UsageError

if TYPE_CHECKING:
    from firstword.tts.audio import Format
    from firstword.tts.engines import EngineQuality
    from firstword.tts.speech import Chunk, Samples

SUFFIXES: Mapping[str, Format] = {
    ".wav": "wav",
    ".pcm": "pcm",
    ".raw": "pcm",
    ".mp3": "mp3",
    ".opus": "opus",
    ".ogg": "opus",
    ".aac": "aac",
    ".flac": "flac",
    ".ulaw": "mulaw",
    ".mulaw": "mulaw",
    ".alaw": "alaw",
}
SLOWEST, FASTEST = 0.5, 2.0


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describe the command."""
    parser = commands.add_parser("say", help="speak a text into a file")
    parser.add_argument("text", help="what to say; - reads it from standard input")
    parser.add_argument(
        "-o", "--output", required=True, metavar="FILE", help="- writes to standard output"
    )
    parser.add_argument("--voice", default="af_heart", help="a name or a blend (see voices)")
    parser.add_argument("--speed", type=float, default=1.0, help=f"{SLOWEST} to {FASTEST}")
    parser.add_argument("--format", help="by default what the file's suffix says")
    parser.add_argument("--sample-rate", type=int, default=24_000, metavar="HZ")
    parser.add_argument("--quality", choices=("auto", "fast", "exact"), default="auto")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Speak."""
    format_, rate = _format(options), _rate(options)
    if not SLOWEST <= options.speed <= FASTEST:
        raise UsageError(f"--speed must be {SLOWEST} to {FASTEST}, got {options.speed:g}")
    text = sys.stdin.read() if options.text == "-" else options.text
    chunks = _speak(text, options, environ)

    started = time.monotonic()
    heard = _Heard(chunks)
    if options.output == "-":
        _to_stream(sys.stdout.buffer, format_, rate, heard)
    else:
        _to_file(Path(options.output), format_, rate, heard)
    took = time.monotonic() - started
    if heard.seconds:
        factor = took / heard.seconds
        sys.stderr.write(f"{heard.seconds:.2f} s of speech in {took:.2f} s (RTF {factor:.2f})\n")
    else:
        sys.stderr.write("nothing in the text can be spoken: the audio is empty\n")
    return Exit.DONE


class _Heard:
    """The chunks' samples, and how much of them there was."""

    def __init__(self, chunks: Iterable[Chunk]) -> None:
        self._chunks = chunks
        self.seconds = 0.0

    def __iter__(self) -> Iterator[Samples]:
        from firstword.tts.engines import SAMPLE_RATE

        for chunk in self._chunks:
            self.seconds += chunk.samples.size / SAMPLE_RATE
            yield chunk.samples


def _speak(text: str, options: argparse.Namespace, environ: Mapping[str, str]) -> Iterator[Chunk]:
    from firstword.tts.assembly import assemble
    from firstword.tts.settings import Settings
    from firstword.tts.speech import SpeechJob

    # Nobody waits for the first sample of a file: auto is the better of the two.
    quality: EngineQuality = "fast" if options.quality == "fast" else "exact"
    job = SpeechJob(text, options.voice, options.speed, quality)
    return assemble(Settings.from_env(environ)).whole.speak(job)


def _format(options: argparse.Namespace) -> Format:
    from firstword.tts.audio import format_named

    if options.format:
        try:
            return format_named(options.format)
        except ValueError as error:
            raise UsageError(f"--format: {error}") from error
    if options.output == "-":
        return "wav"
    suffix = Path(options.output).suffix.lower()
    if suffix not in SUFFIXES:
        known = ", ".join(SUFFIXES)
        raise UsageError(f"cannot tell a format from {suffix or 'no suffix'!r}: use {known}")
    return SUFFIXES[suffix]


def _rate(options: argparse.Namespace) -> int:
    from firstword.tts.audio import SAMPLE_RATES

    rate: int = options.sample_rate
    if rate not in SAMPLE_RATES:
        allowed = ", ".join(map(str, SAMPLE_RATES))
        raise UsageError(f"--sample-rate must be one of {allowed}, got {rate}")
    return rate


def _to_stream(stream: BinaryIO, format_: Format, rate: int, blocks: Iterable[Samples]) -> None:
    from firstword.tts.audio import encoder

    one = encoder(format_, rate)
    for block in blocks:
        stream.write(one.encode(block))
        stream.flush()
    stream.write(one.finish())
    stream.flush()


def _to_file(path: Path, format_: Format, rate: int, blocks: Iterable[Samples]) -> None:
    from firstword.protocol import wav_header
    from firstword.tts.models.files import new_file

    if not path.parent.is_dir():
        raise CommandError(f"there is no folder {path.parent}")
    try:
        with new_file(path) as temporary, temporary.open("wb") as file:
            _to_stream(file, format_, rate, blocks)
            if format_ == "wav":
                header = wav_header(rate, file.tell() - len(wav_header(rate, 0)))
                file.seek(0)
                file.write(header)
    except OSError as error:
        raise CommandError(f"{path} cannot be written: {error.strerror}") from error
