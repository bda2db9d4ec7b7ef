"""``firstword talk``: one question, heard and read."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import AsyncGenerator
from contextlib import aclosing, nullcontext
from dataclasses import dataclass
from pathlib import Path

from firstword.console.agentcore.options import add_runtime, runtime_complaint
from firstword.console.agentcore.runtime import Runtime
from firstword.console.conversation import Listener
from firstword.console.models import with_models
from firstword.console.parts import AGENT, Script, local_parts
from firstword.console.playback import Player, Program, find_player
from firstword.console.recording import Recording
from firstword.console.settings import Settings
from firstword.console.starting import started
from firstword.console.stopping import INTERRUPTED, run_until_signal
from firstword.console.supervisor import Urls
from firstword.console.terminal import Terminal
from firstword.console.timeline import Event, Timeline
from firstword.console.timeline_view import timeline_view, verdict
from firstword.console.turn import Question, ask
from firstword.console.wire import add_wire, chosen_wire, wire_complaint

NAME = "talk"
HELP = "ask the agent one question and hear the answer"
DEFAULT_OUT = Path("answer.wav")


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("prompt", metavar="PROMPT", help="the question; - reads standard input")
    parser.add_argument(
        "--mode",
        choices=("bidi", "batch"),
        default="bidi",
        help="bidi speaks while it writes, batch writes first (default: bidi)",
    )
    parser.add_argument("--voice", metavar="V", help="a name (af_heart) or a blend")
    parser.add_argument(
        "--speed", metavar="S", type=_speed, default=1.0, help="0.5 to 2 (default: 1)"
    )
    parser.add_argument(
        "-o",
        "--out",
        metavar="FILE",
        type=Path,
        help=f"write a WAV file (without a sound device: {DEFAULT_OUT})",
    )
    parser.add_argument("--answer", metavar="FILE", type=Path, help="say this text, do not think")
    parser.add_argument(
        "--tokens-per-second", metavar="N", type=_rate, help="how fast --answer is written"
    )
    parser.add_argument("--agent", metavar="URL", help="use an agent that already runs there")
    add_wire(parser)
    add_runtime(parser, "use the deployed agent of that name")
    parser.add_argument(
        "--json", action="store_true", help="print the events, one JSON object a line"
    )


def check(options: argparse.Namespace) -> str | None:
    """What is wrong with the options together, if anything."""
    if (complaint := runtime_complaint(options) or wire_complaint(options)) is not None:
        return complaint
    answer: Path | None = options.answer
    if options.runtime_arn is not None and options.agent is not None:
        return "--agent and --runtime-arn name two agents: leave one out"
    if options.tokens_per_second is not None and answer is None:
        return "--tokens-per-second is the rate of an --answer, which is missing"
    if answer is not None and (options.agent or options.runtime_arn) is not None:
        return "--answer needs an agent of its own: leave out --agent and --runtime-arn"
    if answer is not None and not answer.is_file():
        return f"--answer: there is no file {answer}"
    out: Path | None = options.out
    if out is not None and not out.absolute().parent.is_dir():
        return f"--out: there is no folder {out.absolute().parent}"
    return None


def run(options: argparse.Namespace, settings: Settings, terminal: Terminal) -> int:
    """Ask; give the exit status."""
    prompt = sys.stdin.read() if options.prompt == "-" else options.prompt
    question = Question(prompt.strip(), options.mode, options.voice, options.speed)
    if not question.prompt:
        terminal.fail("the question is empty")
        return 2
    return with_models(
        lambda: run_until_signal(
            lambda: _talk(options, question, settings, terminal), on_term=INTERRUPTED
        ),
        terminal,
    )


async def _talk(
    options: argparse.Namespace, question: Question, settings: Settings, terminal: Terminal
) -> int:
    program = find_player(settings.environ)
    out: Path | None = options.out or (None if program else DEFAULT_OUT)

    to = _Outputs(program, out, options.json)

    async def turn(urls: Urls) -> None:
        await _turn(ask(urls[AGENT], question), question.speed, to, terminal)

    if options.runtime_arn is not None:
        await _turn(_runtime_events(options, question, settings), question.speed, to, terminal)
        return 0
    if options.agent is not None:
        await turn({AGENT: options.agent.rstrip("/")})
        return 0
    script = Script(options.answer, options.tokens_per_second) if options.answer else None
    with chosen_wire(options.wire, settings) as wire:
        parts = local_parts(settings, tts_port=0, agent_port=0, script=script, wire=wire)
        await started(parts, turn, terminal)
    return 0


@dataclass(frozen=True, slots=True)
class _Outputs:
    """Where the reply goes besides the words on the terminal."""

    program: Program | None
    file: Path | None
    as_json: bool


def _runtime_events(
    options: argparse.Namespace, question: Question, settings: Settings
) -> AsyncGenerator[Event]:
    # AWS's client is slow to import.
    from firstword.console.agentcore.stream import ask_runtime

    runtime = Runtime.parse(options.runtime_arn, options.region, settings.agentcore_endpoint)
    return ask_runtime(runtime, question)


async def _turn(
    asked: AsyncGenerator[Event], speed: float, to: _Outputs, terminal: Terminal
) -> None:
    listener = Listener(
        words=terminal.murmur if to.as_json else terminal.write,
        lines=terminal.line if to.as_json else None,
        player=Player(to.program, speed) if to.program else None,
        recording=Recording(to.file) if to.file else None,
    )
    try:
        with listener.recording or nullcontext():
            async with aclosing(asked) as events:
                async for event in events:
                    await listener.take(event)
        _tell(listener.timeline(), to, terminal)
        await listener.finish()
    finally:
        await listener.stop()


def _tell(timeline: Timeline, to: _Outputs, terminal: Terminal) -> None:
    if to.as_json:
        terminal.murmur("\n")
        terminal.line(json.dumps(timeline.event()))
    else:
        terminal.line()
    terminal.talk.print(timeline_view(timeline))
    terminal.say(verdict(timeline))
    if to.file is not None:
        why = "" if to.program else " (no sound device was found: firstword doctor)"
        terminal.say(f"wrote {to.file}{why}")


def _speed(text: str) -> float:
    value = float(text)
    if not 0.5 <= value <= 2:
        raise argparse.ArgumentTypeError(f"must be 0.5 to 2, got {text}")
    return value


def _rate(text: str) -> float:
    value = float(text)
    if not 0 < value < 1e6:
        raise argparse.ArgumentTypeError(f"must be above 0, got {text}")
    return value
