"""The model against others of the same weights: the published package, and the packaged graph."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.model,
    pytest.mark.timeout(600),
    # The published package is older than the torch that it runs on.
    pytest.mark.filterwarnings("ignore"),
]

PHRASE = "jˈɛs, ðæt sˈWndz ɹˈIt."


@pytest.fixture(scope="module")
def published(model_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """``kokoro.KModel`` with the weights of the packaged graph."""
    import torch
    from firstword.bench.gpu_weights import CONFIG, published
    from firstword.tts.models import ModelFiles

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from kokoro import KModel

        path = tmp_path_factory.mktemp("published") / "kokoro.pth"
        torch.save(published(ModelFiles.open(model_folder)), path)
        return KModel(repo_id="hexgrad/Kokoro-82M", config=CONFIG, model=str(path)).eval()


@pytest.mark.parametrize(("voice", "speed"), [("af_heart", 1.0), ("bm_george", 1.25)])
def test_the_same_noise_gives_the_published_models_audio(
    published: Any,
    forwards: Any,
    line: Callable[..., Any],
    snr: Callable[..., float],
    monkeypatch: pytest.MonkeyPatch,
    voice: str,
    speed: float,
) -> None:
    """Ours counts the source's turns more exactly, so the two cannot be nearer than 40 dB or so."""
    import torch
    from firstword.tts.engines.torch.forwards import Stretch
    from firstword.tts.engines.torch.noise import gaussian

    asked = line(PHRASE, voice, speed)
    mix = published.decoder.generator.m_source.l_linear.weight[0]

    def shared(like: Any) -> Any:
        if like.shape[-1] == 1:
            return torch.zeros_like(like)
        noise = gaussian(torch.tensor([asked.seed]), like.shape[1])
        return noise[:, :, None] * (mix / mix.norm())

    monkeypatch.setattr("kokoro.istftnet.torch.randn_like", shared)
    right = published(PHRASE, torch.from_numpy(asked.row)[None], speed, return_output=True)
    [ready] = forwards.draw([asked])
    [sound] = forwards.hear([Stretch(ready, 0, ready.frames, None)])
    assert np.array_equal(right.pred_dur.numpy(), ready.durations)
    assert snr(right.audio, sound.samples) >= 38


def test_decoder_and_generator_are_those_of_the_packaged_graph(
    forwards: Any, model_folder: Path, line: Callable[..., Any], snr: Callable[..., float]
) -> None:
    """Fed with what ONNX Runtime makes on the way, each gives what ONNX Runtime gives next."""
    import torch
    from firstword.tts.engines.acoustic import OnnxAcoustic
    from firstword.tts.engines.front import Front
    from firstword.tts.engines.tensors import ACOUSTIC, FRONT
    from firstword.tts.engines.torch.model import Drawn
    from firstword.tts.engines.torch.prosody import Frames
    from firstword.tts.models import ModelFiles

    files, asked, model = ModelFiles.open(model_folder), line(PHRASE), forwards._model
    prosody = Front(files.path(FRONT), 1)(list(asked.tokens), asked.row, 1.0)
    right = OnnxAcoustic(files.path(ACOUSTIC), 1)(prosody, asked.row)
    count, row = torch.tensor([prosody.frames]), torch.from_numpy(asked.row)[None]
    frames = Frames(
        count,
        torch.from_numpy(prosody.text.T.copy())[None],
        torch.from_numpy(prosody.pitch)[None],
        torch.from_numpy(prosody.energy)[None],
    )
    with torch.inference_mode():
        features = model.decoder(frames, row[:, :128])
        given = Drawn(
            torch.from_numpy(right.features.T.copy())[None],
            torch.from_numpy(right.harmonics.T.copy())[None],
        )
        heard = model.audio(given, row, count)
    assert snr(right.features.T, features[0]) >= 80
    assert snr(right.samples, heard.samples[0]) >= 80


def test_the_text_stage_gives_the_durations_of_the_plain_graph(
    forwards: Any, graph: Path, line: Callable[..., Any]
) -> None:
    """The graph's own weights without the rounding of what they are multiplied with."""
    import onnx
    import onnxruntime
    from firstword.tts.engines.dequantise import dequantise
    from firstword.tts.engines.graphs import cut
    from firstword.tts.engines.tensors import DURATIONS

    plain = cut(dequantise(onnx.load(str(graph))), {}, [DURATIONS])
    session = onnxruntime.InferenceSession(
        plain.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    asked = line(PHRASE, "am_michael", 0.9)
    fed = {
        "tokens": np.array([[0, *asked.tokens, 0]], np.int64),
        "style": asked.row[None],
        "speed": np.array([0.9], np.float32),
    }
    [right] = session.run(None, fed)
    [ready] = forwards.draw([asked])
    assert np.array_equal(np.ravel(right), ready.durations)


def test_the_generator_in_half_precision_is_close(
    forwards: Any, graph: Path, line: Callable[..., Any], snr: Callable[..., float]
) -> None:
    from firstword.tts.engines.torch.device import Device
    from firstword.tts.engines.torch.forwards import Forwards, Stretch
    from firstword.tts.engines.torch.replay import Runner
    from firstword.tts.engines.torch.shapes import EXACT
    from firstword.tts.engines.torch.weights import from_graph

    model = from_graph(graph)
    model.generator.in_half()
    half = Forwards(model, Device("cpu"), EXACT, Runner())
    [ready] = forwards.draw([line("hˈI.")])
    [right] = forwards.hear([Stretch(ready, 0, ready.frames, None)])
    [other] = half.hear([Stretch(ready, 0, ready.frames, None)])
    assert snr(right.samples, other.samples) >= 40
