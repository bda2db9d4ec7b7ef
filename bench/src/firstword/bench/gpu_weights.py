"""The weights of the packaged graph as the published package wants them, and its configuration."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from firstword.tts.models import ModelFiles
from firstword.tts.models.pins import GRAPH
from firstword.tts.text.vocabulary import TOKENS

CONFIG: Mapping[str, Any] = {
    "istftnet": {
        "upsample_kernel_sizes": [20, 12],
        "upsample_rates": [10, 6],
        "gen_istft_hop_size": 5,
        "gen_istft_n_fft": 20,
        "resblock_dilation_sizes": [[1, 3, 5], [1, 3, 5], [1, 3, 5]],
        "resblock_kernel_sizes": [3, 7, 11],
        "upsample_initial_channel": 512,
    },
    "dropout": 0.2,
    "hidden_dim": 512,
    "max_dur": 50,
    "n_layer": 3,
    "n_mels": 80,
    "n_token": 178,
    "style_dim": 128,
    "text_encoder_kernel_size": 5,
    "plbert": {
        "hidden_size": 768,
        "num_attention_heads": 12,
        "intermediate_size": 2048,
        "max_position_embeddings": 512,
        "num_hidden_layers": 12,
        "dropout": 0.1,
    },
    "vocab": dict(TOKENS),
}
"""``config.json`` of hexgrad/Kokoro-82M (Apache-2.0)."""


def published(files: ModelFiles) -> dict[str, dict[str, Any]]:
    """Tensors by module and name, with the lengths and directions of weight normalisation."""
    import torch

    from firstword.tts.engines.torch.recover import recover

    modules: dict[str, dict[str, Any]] = {}
    for name, values in recover(files.path(GRAPH)).items():
        module, rest = name.split(".", 1)
        tensors, tensor = modules.setdefault(module, {}), torch.from_numpy(values)
        if not _normalised(name) or tensor.ndim != 3:
            tensors[rest] = tensor
            continue
        length = torch.linalg.vector_norm(tensor, dim=(1, 2), keepdim=True)
        # A filter of zeros has no direction: any will do.
        tensors[f"{rest}_v"] = torch.where(length > 0, tensor, 1.0)
        tensors[f"{rest}_g"] = length
    return modules


def _normalised(name: str) -> bool:
    """Whether the published model normalises this weight."""
    plain = ("F0_proj.weight", "N_proj.weight")
    return (
        name.endswith(".weight")
        and not name.endswith(plain)
        and ".generator.noise_convs." not in name
    )
