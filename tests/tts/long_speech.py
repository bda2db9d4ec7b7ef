"""A process that speaks for minutes and tells what it holds on to, one JSON object a minute.

``python long_speech.py MODEL_FOLDER MINUTES``; a minute is one of speech.
"""

from __future__ import annotations

import gc
import json
import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import cycle
from pathlib import Path

from firstword.tts.assembly import assemble
from firstword.tts.engines import SAMPLE_RATE
from firstword.tts.settings import Settings
from firstword.tts.speech import SpeechJob

TEXTS = (
    (
        "When the committee that had been appointed in the spring to look into the state of the "
        "old bridge finally met in the town hall on a wet evening in November, most of those who "
        "had called for it had long moved away, and the few who were left agreed to wait."
    ),
    "Yes.",
    "The next train to the airport leaves in ten minutes.",
    (
        "Sunlight looks white to us, but it is made of all the colours of the rainbow. On its way "
        "to the ground it meets the small molecules of the air."
    ),
    "Please wait a moment, while I look that up for you.",
    (
        "It cost $29.50 on May 3rd, 2021. Nobody asked why. The shop has been closed since then, "
        "and the street is quiet."
    ),
    "Good morning, and thank you for calling.",
)
VOICES = ("af_heart", "bm_george", "am_michael", "af_bella(2)+bf_emma(1)", "bf_emma")


def jobs() -> Iterator[SpeechJob]:
    """Texts, voices and qualities in turn: 7, 5 and 2 of them, so that all of them meet."""
    texts, voices, qualities = cycle(TEXTS), cycle(VOICES), cycle(("exact", "fast"))
    while True:
        yield SpeechJob(next(texts), next(voices), 1.0, next(qualities))


def held() -> dict[str, int]:
    """Resident bytes, threads (those of native code too) and open files of this process."""
    gc.collect()
    resident = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    return {
        "resident": resident * os.sysconf("SC_PAGE_SIZE"),
        "threads": len(os.listdir("/proc/self/task")),
        "files": len(os.listdir("/proc/self/fd")),
    }


def main(folder: Path, minutes: int) -> None:
    parts = assemble(replace(Settings.from_env(os.environ), model_dir=folder))
    samples = told = 0
    for job in jobs():
        speaker = parts.early if job.quality == "fast" else parts.whole
        samples += sum(chunk.samples.size for chunk in speaker.speak(job))
        if samples >= (told + 1) * 60 * SAMPLE_RATE:
            told += 1
            sys.stdout.write(json.dumps({"minute": told, **held()}) + "\n")
            sys.stdout.flush()
        if told == minutes:
            return


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
