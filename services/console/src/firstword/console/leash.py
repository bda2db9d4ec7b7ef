"""A child process on a leash: when the parent is gone, however it went, the child goes too.

Run as a script, in a session of its own, with standard input a pipe whose other end only the
parent holds: ``leash.py GRACE_S PROGRAM [ARG ...]``. The end of that pipe is the news of the
parent's death, on every POSIX system and also after SIGKILL. Then the whole process group is asked
to stop, and after ``GRACE_S`` seconds it is killed. The leash ends with the program's own status.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from types import FrameType


def _note(_number: int, _frame: FrameType | None) -> None:
    """Do nothing: a signal to the group is for the program, whose end the leash waits for.

    A handler, not SIG_IGN: an ignored signal would stay ignored in the program.
    """


def _end_group_with_parent(grace_s: float) -> None:
    while os.read(0, 4096):
        pass
    os.killpg(0, signal.SIGTERM)
    time.sleep(grace_s)
    os.killpg(0, signal.SIGKILL)


def main(arguments: list[str]) -> int:
    """Run the program and give its status: 128 + N where signal N ended it."""
    grace_s, *command = arguments
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, _note)
    program = subprocess.Popen(command, stdin=subprocess.DEVNULL)
    threading.Thread(target=_end_group_with_parent, args=(float(grace_s),), daemon=True).start()
    status = program.wait()
    return status if status >= 0 else 128 - status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
