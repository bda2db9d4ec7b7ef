"""Weights are complete, or refused with the reason."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from firstword.tts.models.errors import ModelsCorruptError

pytestmark = [pytest.mark.gpu, pytest.mark.model]


@pytest.fixture(scope="module")
def recovered(graph: Path) -> dict[str, Any]:
    import torch
    from firstword.tts.engines.torch.recover import recover

    return {name: torch.from_numpy(values) for name, values in recover(graph).items()}


def test_the_graph_holds_every_weight_and_no_other(
    recovered: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    from firstword.tts.engines.torch.weights import filled

    model = filled(recovered, "graph", 1.0)
    assert len(model.state_dict()) == len(recovered)
    assert not caplog.records
    assert not any(weight.requires_grad for weight in model.parameters())
    assert not model.training


@pytest.mark.parametrize("fault", ["absent", "misshapen", "no number"])
def test_a_weight_that_is_not_right_is_named(recovered: dict[str, Any], fault: str) -> None:
    from firstword.tts.engines.torch.weights import filled

    name = "decoder.generator.resblocks.3.convs1.0.weight"
    spoiled = dict(recovered)
    match fault:
        case "absent":
            del spoiled[name]
        case "misshapen":
            spoiled[name] = spoiled[name][:, :, :2]
        case _:
            spoiled[name] = spoiled[name] * float("nan")
    with pytest.raises(ModelsCorruptError, match=r"generator\.resblocks\.3\.convs1\.0"):
        filled(spoiled, "graph", 1.0)


def test_the_published_form_gives_the_same_weights(
    recovered: dict[str, Any], tmp_path: Path, snr: Callable[..., float]
) -> None:
    """Lengths and directions apart, under each module's name with the prefix of its training."""
    import torch
    from firstword.tts.engines.torch.weights import filled, from_published

    modules: dict[str, dict[str, Any]] = {"bert": {"module.pooler.bias": torch.zeros(768)}}
    for name, tensor in recovered.items():
        module, rest = name.split(".", 1)
        tensors = modules.setdefault(module, {})
        if tensor.ndim == 3 and rest.endswith(".weight") and "proj" not in rest:
            length = torch.linalg.vector_norm(tensor, dim=(1, 2), keepdim=True)
            tensors[f"module.{rest}_v"] = torch.where(length > 0, 2 * tensor, 1.0)
            tensors[f"module.{rest}_g"] = length
        else:
            tensors[f"module.{rest}"] = tensor
    modules["decoder"]["module.encode.norm1.norm.weight"] = torch.ones(514)
    path = tmp_path / "kokoro-v1_0.pth"
    torch.save(modules, path)
    model, right = from_published(path), filled(recovered, "graph", 1.0).state_dict()
    for name, weight in model.state_dict().items():
        assert snr(right[name], weight) > 120 or not np.any(np.asarray(right[name])), name


def test_a_scale_of_its_own_in_a_norm_is_refused() -> None:
    import torch
    from firstword.tts.engines.torch.weights import folded

    with pytest.raises(ModelsCorruptError, match="norm1"):
        folded({"decoder.encode.norm1.norm.weight": torch.full((514,), 1.5)})


def test_a_direction_without_its_length_is_refused() -> None:
    import torch
    from firstword.tts.engines.torch.weights import folded

    with pytest.raises(ModelsCorruptError, match="without its length"):
        folded({"decoder.F0_conv.weight_v": torch.ones(1, 1, 3)})


@pytest.mark.parametrize("content", [b"", b"not weights at all"])
def test_a_file_that_is_no_file_of_weights_is_refused(tmp_path: Path, content: bytes) -> None:
    from firstword.tts.engines.torch.weights import from_published

    path = tmp_path / "kokoro.pth"
    path.write_bytes(content)
    with pytest.raises(ModelsCorruptError, match=r"kokoro\.pth"):
        from_published(path)
