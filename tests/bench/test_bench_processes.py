from __future__ import annotations

import os
import sys

import pytest
from firstword.bench.processes import Program, ProgramError

ECHO = """
import json, sys
print("noise", flush=True)
for line in sys.stdin:
    print(line.strip(), flush=True)
"""


def program(source: str) -> Program:
    return Program("the peer", [sys.executable, "-c", source], os.environ)


def test_a_program_answers_each_object_with_one() -> None:
    with program(ECHO) as peer:
        assert peer.ask({"do": "stream"}) == {"do": "stream"}
        assert peer.ask({"do": "windows"}) == {"do": "windows"}


def test_an_error_of_a_peer_is_told_with_its_name() -> None:
    with program(ECHO) as peer, pytest.raises(ProgramError, match="the peer: no such voice"):
        peer.ask({"error": "no such voice"})


def test_a_peer_that_dies_is_told_with_its_last_words() -> None:
    dying = "import sys; sys.exit('no weights here')"
    with program(dying) as peer, pytest.raises(ProgramError, match="no weights here"):
        peer.hear()


def test_a_peer_may_have_nothing_to_say_yet() -> None:
    with program(ECHO) as peer:
        assert peer.line(30.0) == "noise"
        assert peer.heard(0.0) is None
        peer.say({"sentence": "Hello."})
        assert peer.heard(30.0) == {"sentence": "Hello."}


def test_a_peer_that_does_not_heed_sigterm_is_stopped_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("firstword.bench.processes.STOP_S", 0.5)
    stubborn = (
        "import os, signal, time\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "print(os.getpid(), flush=True)\n"
        "while True: time.sleep(1)"
    )
    peer = program(stubborn)
    process = int(peer.line(30.0))
    peer.stop()
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)
