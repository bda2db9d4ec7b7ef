"""ALBERT as the model uses it: one layer run twelve times (Lan et al. 2019, arXiv:1909.11942)."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

LAYERS = 12
HEADS = 12
HIDDEN = 768
_EMBEDDED = 128
_INNER = 2048
_POSITIONS = 512
_EPSILON = 1e-12


class Albert(nn.Module):
    """Tokens (batch, time) -> (batch, time, HIDDEN). The names are those of the published file."""

    def __init__(self, symbols: int) -> None:
        super().__init__()
        self.embeddings = _Embeddings(symbols)
        layer = nn.ModuleDict({"albert_layers": nn.ModuleList([_Layer()])})
        self.encoder = nn.ModuleDict(
            {
                "embedding_hidden_mapping_in": nn.Linear(_EMBEDDED, HIDDEN),
                "albert_layer_groups": nn.ModuleList([layer]),
            }
        )

    def forward(self, tokens: Tensor, mask: Tensor) -> Tensor:
        """``mask`` (batch, 1, time)."""
        x = self.encoder["embedding_hidden_mapping_in"](self.embeddings(tokens))
        seen = mask[:, None].bool()
        layer = self.get_submodule("encoder.albert_layer_groups.0.albert_layers.0")
        for _ in range(LAYERS):
            x = layer(x, seen)
        hidden: Tensor = x
        return hidden


class _Embeddings(nn.Module):
    def __init__(self, symbols: int) -> None:
        super().__init__()
        self.word_embeddings = nn.Embedding(symbols, _EMBEDDED)
        self.position_embeddings = nn.Embedding(_POSITIONS, _EMBEDDED)
        self.token_type_embeddings = nn.Embedding(2, _EMBEDDED)
        self.LayerNorm = nn.LayerNorm(_EMBEDDED, eps=_EPSILON)

    def forward(self, tokens: Tensor) -> Tensor:
        places = torch.arange(tokens.shape[1], device=tokens.device)
        x = self.word_embeddings(tokens) + self.position_embeddings(places)
        normal: Tensor = self.LayerNorm(x + self.token_type_embeddings.weight[0])
        return normal


class _Layer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.attention = _Attention()
        self.ffn = nn.Linear(HIDDEN, _INNER)
        self.ffn_output = nn.Linear(_INNER, HIDDEN)
        self.full_layer_layer_norm = nn.LayerNorm(HIDDEN, eps=_EPSILON)

    def forward(self, x: Tensor, seen: Tensor) -> Tensor:
        attended = self.attention(x, seen)
        inner = functional.gelu(self.ffn(attended), approximate="tanh")
        normal: Tensor = self.full_layer_layer_norm(self.ffn_output(inner) + attended)
        return normal


class _Attention(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.query = nn.Linear(HIDDEN, HIDDEN)
        self.key = nn.Linear(HIDDEN, HIDDEN)
        self.value = nn.Linear(HIDDEN, HIDDEN)
        self.dense = nn.Linear(HIDDEN, HIDDEN)
        self.LayerNorm = nn.LayerNorm(HIDDEN, eps=_EPSILON)

    def forward(self, x: Tensor, seen: Tensor) -> Tensor:
        """``seen`` (batch, 1, 1, time): which tokens there are."""
        query, key, value = (
            each(x).unflatten(2, (HEADS, -1)).transpose(1, 2)
            for each in (self.query, self.key, self.value)
        )
        mixed = functional.scaled_dot_product_attention(query, key, value, attn_mask=seen)
        normal: Tensor = self.LayerNorm(self.dense(mixed.transpose(1, 2).flatten(2)) + x)
        return normal
