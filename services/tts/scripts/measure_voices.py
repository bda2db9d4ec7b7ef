"""Write the table of voice averages that the package ships.

Run with the model files fetched: ``python services/tts/scripts/measure_voices.py``. It takes some
minutes; the table changes only where the model, `averages.TEXTS` or the way of averaging do.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np
from firstword.tts.engines import averages
from firstword.tts.engines.cpu import CpuEngine
from firstword.tts.engines.vocoder.steps import finish
from firstword.tts.models import ModelFiles, cache_dir, model_dir
from firstword.tts.models.pins import pins

ENGLISH = ("a", "b")
"""First letters of the voices that speak it."""


def main() -> int:
    files = ModelFiles.open(model_dir(os.environ))
    engine = CpuEngine.open(files, cache_dir(os.environ))
    found = {}
    for name, voice in sorted(pins().voices.items()):
        if not name.startswith(ENGLISH):
            continue
        style = np.fromfile(files.folder / voice.path, np.float32).reshape(-1, 256)
        found[averages.key(style)] = finish(averages.average(engine.measure, style))
        print(name, file=sys.stderr)  # noqa: T201
    averages.write_table(Path(averages.__file__).with_name(averages.TABLE), found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
