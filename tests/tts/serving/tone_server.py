"""A speech server process whose model is a tone. Each line on standard input lets blocks through.

``python tone_server.py [broken | slow]`` with the settings in the environment.
"""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))

from firstword.tts.app import create_app
from firstword.tts.parts import Parts
from firstword.tts.server import serve
from firstword.tts.settings import Settings

from tests.tts.serving.conftest import Kit


def main() -> int:
    kit = Kit(Settings.from_env(os.environ))
    gate = kit.hold()

    def listen() -> None:
        for line in sys.stdin:
            gate.release(int(line))

    def build(_: Settings) -> Parts:
        if "broken" in sys.argv:
            raise FileNotFoundError("no weights")
        if "slow" in sys.argv:
            threading.Event().wait()
        return kit.parts

    threading.Thread(target=listen, daemon=True).start()
    return serve(create_app(kit.settings, build), kit.settings)


if __name__ == "__main__":
    sys.exit(main())
