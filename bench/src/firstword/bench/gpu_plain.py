"""The published torch package as its users run it: one pipeline, one lock, a thread a session."""

from __future__ import annotations

import threading
import time
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from firstword.bench.gpu_load import Load
from firstword.tts.engines import SAMPLE_RATE
from firstword.tts.models import EngineUnavailableError, ModelFiles
from firstword.tts.settings import DeviceName
from firstword.tts.text import G2P

VOICE = "af_heart"
REPOSITORY = "hexgrad/Kokoro-82M"
"""Named so that the package is quiet; nothing is fetched from it."""


class PlainKokoro:
    """``KPipeline`` over ``KModel`` with the weights of the packaged graph.

    Its dictionary is loaded by our own text part, since its constructor would download another.

    Raises:
        EngineUnavailableError: the package is not installed.
    """

    def __init__(self, files: ModelFiles, device: DeviceName) -> None:
        try:
            import torch
            from kokoro import KModel, KPipeline
        except ImportError as error:
            raise EngineUnavailableError(
                f"no {error.name}: install firstword-bench[gpu]"
            ) from error
        from firstword.bench.gpu_weights import CONFIG, published

        usable = torch.cuda.is_available() and device != "cpu"
        self.device = "cuda" if usable else "cpu"
        with TemporaryDirectory() as folder, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            path = Path(folder) / "kokoro.pth"
            torch.save(published(files), path)
            model = KModel(repo_id=REPOSITORY, config=CONFIG, model=str(path))
        pipeline = KPipeline.__new__(KPipeline)
        pipeline.repo_id, pipeline.lang_code, pipeline.voices = REPOSITORY, "a", {}
        pipeline.model = model.to(self.device).eval()
        pipeline.g2p = G2P("a").english
        self._pipeline: Any = pipeline
        raw = torch.frombuffer(
            bytearray((files.folder / "voices" / f"{VOICE}.bin").read_bytes()), dtype=torch.float32
        )
        self._pack = raw.reshape(510, 1, 256)
        self._lock = threading.Lock()

    def ask(self, sessions: int, text: str) -> Load:
        """All at once, one after another through the lock."""
        load, began = Load(sessions * len(text)), time.perf_counter()

        def session() -> None:
            with self._lock:
                samples = [len(one.audio) for one in self._pipeline(text, voice=self._pack)]
                load.first_audio_s.append(time.perf_counter() - began)
            load.audio_s += sum(samples) / SAMPLE_RATE

        threads = [threading.Thread(target=session) for _ in range(sessions)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        load.total_s = time.perf_counter() - began
        return load
