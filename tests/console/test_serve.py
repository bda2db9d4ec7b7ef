"""``firstword serve`` with stand-ins for its parts, and the commands that are handed on."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import sys
from pathlib import Path

import httpx
import pytest
from console_stage import PART, Command, Outcome, firstword, gone
from firstword.console import checks
from firstword.console.checks import own_checks, program_checks

STAND_INS = f"""
import sys
from firstword.console import __main__, parts
part = (sys.executable, {PART!r})
parts.TTS_PROGRAM = (*part, "port", "FIRSTWORD_TTS_PORT", *TTS)
parts.AGENT_PROGRAM = (*part, "port", "FIRSTWORD_AGENT_PORT", *AGENT)
sys.exit(__main__.main())
"""


async def serve(
    *arguments: str, cwd: Path, tts: tuple[str, ...] = (), agent: tuple[str, ...] = ()
) -> Command:
    program = STAND_INS.replace("TTS)", f"{tts!r})", 1).replace("*TTS", f"*{tts!r}")
    program = program.replace("*AGENT", f"*{agent!r}")
    ports = ["--port", "0", "--agent-port", "0", "--tts-port", "0"]
    return await Command.start("serve", *ports, *arguments, cwd=cwd, program=("-c", program))


def ids(folder: Path) -> list[int]:
    return [int(text) for name in ("tts", "agent") for text in (folder / name).read_text().split()]


@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 0)], ids=["ctrl-c", "sigterm"]
)
async def test_one_signal_stops_all_of_it(
    tmp_path: Path, number: signal.Signals, status: int
) -> None:
    families = [("family", str(tmp_path / name)) for name in ("tts", "agent")]
    command = await serve(cwd=tmp_path, tts=families[0], agent=families[1])
    ready = re.fullmatch(r"ready: (http://127\.0\.0\.1:\d+)", await command.line())
    assert ready is not None
    async with httpx.AsyncClient(trust_env=False) as client:
        assert "<title>Firstword</title>" in (await client.get(ready[1])).text
    command.interrupt(number)
    done = await command.end()
    assert done.status == status
    assert "Traceback" not in done.err
    for pid in ids(tmp_path):
        await gone(pid)


async def test_a_part_that_dies_ends_all_with_its_last_lines(tmp_path: Path) -> None:
    command = await serve(cwd=tmp_path, agent=("dies",))
    done = await command.end()
    assert done.status == 1
    assert "agent stopped with status 3. Its last lines:" in done.err
    assert "no such file: weights.bin" in done.err
    assert done.out == ""


async def test_beyond_loopback_a_token_is_made_up_and_wanted(tmp_path: Path) -> None:
    command = await serve("--host", "0.0.0.0", cwd=tmp_path)
    ready = re.fullmatch(
        r"ready: http://127\.0\.0\.1:(\d+)/\?token=([\w-]{20,})", await command.line()
    )
    assert ready is not None
    async with httpx.AsyncClient(trust_env=False) as client:
        base = f"http://127.0.0.1:{ready[1]}/"
        assert (await client.get(base)).status_code == 403
        assert (await client.get(base, params={"token": ready[2]})).status_code == 200
    command.interrupt()
    await command.end()


async def test_verbose_shows_what_the_parts_print(tmp_path: Path) -> None:
    command = await serve("--verbose", cwd=tmp_path, tts=("dies",))
    done = await command.end()
    assert "speech server: loading the weights\n" in done.err


async def test_a_port_in_use_is_said_with_what_to_do(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = await firstword("serve", "--port", port, cwd=tmp_path)
    assert done.status == 1
    assert f"port {port} is in use" in done.err
    assert "--port (0 picks a free one)" in done.err.replace("\n", " ")


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--wire", "carrier-pigeon"], "sagemaker"),
        (["--port", "9000", "--tts-port", "9000"], "must differ"),
        (["--port", "70000"], "0 to 65535"),
        (["--port", "web"], "0 to 65535"),
    ],
)
async def test_wrong_usage_of_serve_is_status_2(
    tmp_path: Path, arguments: list[str], complaint: str
) -> None:
    done = await firstword("serve", *arguments, cwd=tmp_path)
    assert done.status == 2
    assert complaint in done.err


async def test_weights_that_are_missing_are_fetched_once_and_it_goes_on(tmp_path: Path) -> None:
    program = tmp_path / "tts.py"
    program.write_text(
        f"""
import runpy, sys
from pathlib import Path
fetched = Path({str(tmp_path / "fetched")!r})
if sys.argv[1:] == ["models", "verify"]:
    sys.exit(0 if fetched.exists() else 1)
if sys.argv[1:] == ["models", "fetch"]:
    fetched.touch()
    sys.exit(0)
if not fetched.exists():
    sys.exit("the weights are missing")
sys.argv = [{PART!r}, "port", "FIRSTWORD_TTS_PORT"]
runpy.run_path({PART!r}, run_name="__main__")
"""
    )
    main = STAND_INS.replace("*AGENT", "").replace(
        'parts.TTS_PROGRAM = (*part, "port", "FIRSTWORD_TTS_PORT", *TTS)',
        "from firstword.console import models\n"
        f"parts.TTS_PROGRAM = models.TTS_PROGRAM = (sys.executable, {str(program)!r})",
    )
    ports = ["--port", "0", "--agent-port", "0", "--tts-port", "0"]
    command = await Command.start("serve", *ports, cwd=tmp_path, program=("-c", main))
    assert (await command.line()).startswith("ready: "), (await command.end()).err
    command.interrupt()
    done = await command.end()
    assert "Fetching them" in done.err
    assert (tmp_path / "fetched").exists()


async def handed_on(tmp_path: Path, body: str, *arguments: str, typed: str = "") -> Outcome:
    program = tmp_path / "tts.py"
    program.write_text(f"import sys\n{body}\n")
    main = (
        "import sys\nfrom firstword.console.commands import programs\n"
        f"programs.TTS_PROGRAM = (sys.executable, {str(program)!r})\n"
        "from firstword.console import __main__\nsys.exit(__main__.main())"
    )
    command = await Command.start(*arguments, cwd=tmp_path, program=("-c", main))
    return await command.end(typed)


async def test_say_voices_and_models_keep_arguments_streams_and_status(tmp_path: Path) -> None:
    body = "print(sys.argv[1:]); print(sys.stdin.read(), file=sys.stderr); sys.exit(7)"
    arguments = ["say", "-o", "x.wav", "--", "-text-"]
    done = await handed_on(tmp_path, body, *arguments, typed="typed")
    assert done.status == 7
    assert done.out.strip() == str(arguments)
    assert done.err.strip() == "typed"


async def test_a_program_that_was_interrupted_is_status_130(tmp_path: Path) -> None:
    body = "import os, signal; os.kill(os.getpid(), signal.SIGINT); signal.pause()"
    body = "import signal; signal.signal(signal.SIGINT, signal.SIG_DFL)\n" + body
    assert (await handed_on(tmp_path, body, "models", "fetch")).status == 130


async def test_help_names_every_command(tmp_path: Path) -> None:
    done = await firstword("--help", cwd=tmp_path)
    assert done.status == 0
    for command in ("talk", "serve", "say", "voices", "models", "doctor"):
        assert f"\n    {command} " in done.out


async def test_no_command_is_wrong_usage(tmp_path: Path) -> None:
    assert (await firstword(cwd=tmp_path)).status == 2
    assert (await firstword("sing", cwd=tmp_path)).status == 2


def speaks(report: object, status: int = 0) -> tuple[str, ...]:
    """A program whose ``doctor --json`` prints that."""
    text = report if isinstance(report, str) else json.dumps(report)
    return (sys.executable, "-c", f"import sys; print({text!r}); sys.exit({status})")


def test_the_parts_own_findings_are_taken_over() -> None:
    found = {"name": "weights", "ok": False, "needed": True, "detail": "none", "mend": "fetch"}
    (check,) = program_checks("speech server", speaks({"ok": False, "checks": [found]}, 1))
    assert check.as_dict() == {"part": "speech server", **found}
    assert check.mark == "MISSING"


def test_what_the_console_starts_itself_is_not_missed() -> None:
    found = {"name": "speech service", "ok": False, "detail": "not running", "mend": "start it"}
    report = speaks({"ok": False, "checks": [found]}, 1)
    (check,) = program_checks("agent", report, optional=("speech service",))
    assert not check.needed
    assert check.mark == "absent"


def test_a_part_that_cannot_be_asked_is_a_finding() -> None:
    (check,) = program_checks("agent", (sys.executable, "-c", "raise SystemExit('no module')"))
    assert (check.ok, check.needed) == (False, True)
    assert "no module" in check.detail


def test_the_consoles_own_findings_never_make_it_unusable(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        monkeypatch.setattr(checks, "PORTS", (("page", port, "--port"),))
        found = own_checks({"PATH": str(tmp_path)}, browser=lambda: None)
    assert [(check.name, check.ok) for check in found] == [
        ("sound", False),
        ("browser", False),
        (f"port {port}", False),
    ]
    assert not any(check.needed for check in found)
    assert all(check.mend or "--port" in check.detail for check in found)


def test_every_option_and_setting_of_the_console_is_documented() -> None:
    text = (Path(__file__).parents[2] / "docs" / "operations.md").read_text()
    import argparse

    from firstword.console.__main__ import COMMANDS

    for module in COMMANDS:
        parser = argparse.ArgumentParser()
        module.add(parser)
        options = [o for action in parser._actions for o in action.option_strings if "--" in o]
        for option in options:
            assert option == "--help" or f"`{option}" in text, f"{module.NAME} {option}"
    for setting in (
        "FIRSTWORD_AGENTCORE_ENDPOINT_URI",
        "FIRSTWORD_START_TIMEOUT_S",
        "FIRSTWORD_LOG_LEVEL",
        "NO_COLOR",
    ):
        assert f"`{setting}`" in text
    assert os.fspath(text)
