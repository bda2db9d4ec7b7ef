"""The speech server's own process with a tone for a model: ``python tone_server.py``."""

import os
import sys

from firstword.tts.app import run
from firstword.tts.settings import Settings
from tts.serving.conftest import Kit

if __name__ == "__main__":
    kit = Kit(Settings.from_env(os.environ))
    sys.exit(run(kit.settings, lambda _: kit.parts))
