"""``python -m firstword.bench.worker WHAT``: the product or plain ONNX Runtime as a peer.

One JSON object a line: ``{"do": "windows" | "exact", "text": ...}`` in, the sample out. The first
line out says that it is ready, and with which versions.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence

from firstword.bench.plain import PlainEngine, Weights, graph
from firstword.bench.room import Room
from firstword.tts.models import ModelFiles
from firstword.tts.settings import Settings


def room(what: str, environ: Mapping[str, str]) -> Room:
    """``product``, ``int8`` or ``fp32``."""
    if what == "product":
        return Room.load(environ)
    weights: Weights = "fp32" if what == "fp32" else "int8"
    settings = Settings.from_env(environ)
    path = graph(ModelFiles.open(settings.model_dir), weights, environ)
    return Room.around(PlainEngine(path, weights), settings)


def main(arguments: Sequence[str]) -> int:
    """Answer until the input ends."""
    (what,) = arguments
    one = room(what, os.environ)
    _say({"ready": what, "versions": {"engine": one.engine.version}})
    for line in sys.stdin:
        asked = json.loads(line)
        speak = one.windows if asked["do"] == "windows" else one.exact
        _say(dict(speak(asked["text"])))
    return 0


def _say(answer: Mapping[str, object]) -> None:
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
