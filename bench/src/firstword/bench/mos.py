"""How natural speech sounds: DNSMOS, a network's guess of what listeners would say (1 to 5).

The models are those of Microsoft's DNS challenge (Reddy et al., DNSMOS P.835, ICASSP 2022), as
the package ``speechmos`` carries them; what they hear is worked out here.
"""

from __future__ import annotations

from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from firstword.bench.ear import EAR_RATE, EarError

type Samples = NDArray[np.float32]

WINDOW = 144_160
"""Samples (9.01 s) that are judged at once; what is shorter is repeated until it has as many."""

_FFT, _HOP, _MELS = 321, 160, 120
_LINEAR_HZ, _LINEAR_MELS, _LOG_STEP = 1000.0, 15.0, np.log(6.4) / 27
_FLOOR, _RANGE_DB = 1e-10, 80.0
_OVERALL = (-0.06766283, 1.11546468, 0.04602535)
"""The network's third output to the listeners' scale."""


class Opinion(NamedTuple):
    """Mean opinion scores from 1 to 5."""

    overall: float
    """P.835: signal and background together."""
    p808: float
    """P.808: one question, how good it sounds."""


class Mos:
    """Judges speech at 16 kHz as the package's own code does, but for short clips: those are heard
    in one window. Needs the extra ``ear``; no network.

    Raises:
        EarError: the models are not installed.
    """

    def __init__(self, threads: int) -> None:
        import onnxruntime  # type: ignore[import-untyped]

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        folder = _models()

        def session(name: str) -> Any:
            path = str(folder / f"{name}.onnx")
            return onnxruntime.InferenceSession(path, options, ["CPUExecutionProvider"])

        self._p835, self._p808 = session("sig_bak_ovr"), session("model_v8")
        self._mels = mel_filters()

    def judge(self, audio: Samples) -> Opinion:
        """What is thought of float32 (samples,), -1 to 1, at ``EAR_RATE``: the mean over windows
        of 9.01 s, a second apart.

        Raises:
            ValueError: no sample.
        """
        if not audio.size:
            raise ValueError("there is nothing to be judged: no sample")
        if audio.size < WINDOW:
            audio = np.resize(audio, WINDOW)
        starts = [EAR_RATE * second for second in range(max(1, audio.size // EAR_RATE - 9))]
        heard = np.stack([audio[start : start + WINDOW] for start in starts]).astype(np.float32)
        spectra = np.stack([self._spectrum(one) for one in heard])
        raw = self._p835.run(None, {"input_1": heard})[0][:, 2]
        p808 = self._p808.run(None, {"input_1": spectra})[0]
        return Opinion(float(np.mean(np.polyval(_OVERALL, raw))), float(np.mean(p808)))

    def _spectrum(self, window: Samples) -> Samples:
        """(900, 120): mel bands of frames 10 ms apart, 0 dB at the loudest, (dB + 40) / 40."""
        half = _FFT // 2
        padded = np.pad(window[:-_HOP], half)
        frames = np.lib.stride_tricks.sliding_window_view(padded, _FFT)[::_HOP]
        hann = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(_FFT) / _FFT)
        power = np.abs(np.fft.rfft(frames * hann, axis=1)) ** 2 @ self._mels
        decibel = 10 * np.log10(np.maximum(power, _FLOOR) / max(float(power.max()), _FLOOR))
        decibel = np.maximum(decibel, -_RANGE_DB)
        return np.asarray((decibel + 40) / 40, np.float32)


def mel_filters() -> NDArray[np.float64]:
    """(161, 120): power at the frequencies of a frame to power in mel bands of equal area.

    Slaney's scale (Auditory Toolbox, 1998): linear up to 1 kHz, logarithmic above.
    """
    top = _LINEAR_MELS + np.log(EAR_RATE / 2 / _LINEAR_HZ) / _LOG_STEP
    mels = np.linspace(0, top, _MELS + 2)
    above = _LINEAR_HZ * np.exp(_LOG_STEP * (mels - _LINEAR_MELS))
    edges = np.where(mels < _LINEAR_MELS, mels * _LINEAR_HZ / _LINEAR_MELS, above)
    hertz = np.fft.rfftfreq(_FFT, 1 / EAR_RATE)[:, np.newaxis]
    rising = (hertz - edges[:-2]) / (edges[1:-1] - edges[:-2])
    falling = (edges[2:] - hertz) / (edges[2:] - edges[1:-1])
    filters = np.maximum(0, np.minimum(rising, falling)) * 2 / (edges[2:] - edges[:-2])
    return np.asarray(filters, np.float64)


def _models() -> Path:
    """The folder of the models in the installed package, which itself is never imported."""
    try:
        found = metadata.distribution("speechmos").locate_file("speechmos/dnsmos_models")
    except metadata.PackageNotFoundError:
        raise EarError("speechmos") from None
    return Path(str(found))
