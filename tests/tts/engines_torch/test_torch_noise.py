"""The source's noise: by counting, so the same wherever and with whomever it is made."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.gpu


def test_noise_depends_on_the_seed_and_the_place_alone() -> None:
    import torch
    from firstword.tts.engines.torch.noise import gaussian

    alone = gaussian(torch.tensor([7]), 1000)
    beside = gaussian(torch.tensor([3, 7, 9]), 5000)
    assert torch.equal(alone[0], beside[1, :1000])
    assert not torch.equal(beside[0], beside[1])


def test_noise_is_normal_and_white() -> None:
    import torch
    from firstword.tts.engines.torch.noise import gaussian

    noise = gaussian(torch.tensor([1, 2]), 200_000)
    assert abs(noise.mean()) < 0.01
    assert abs(noise.std() - 1) < 0.01
    assert abs((noise.abs() > 1.96).float().mean() - 0.05) < 0.003
    for lag in (1, 2, 300):
        assert abs((noise[:, lag:] * noise[:, :-lag]).mean()) < 0.01
    assert abs((noise[0] * noise[1]).mean()) < 0.01


def test_a_seed_belongs_to_what_is_said_with_which_voice_and_how_fast() -> None:
    from firstword.tts.engines.torch.noise import seed_of

    seeds = {
        seed_of(*asked)
        for asked in (("a", "v", 1.0), ("b", "v", 1.0), ("a", "w", 1.0), ("a", "v", 1.1))
    }
    assert len(seeds) == 4
    assert seed_of("a", "v", 1.0) in seeds
    assert all(0 <= seed < 2**32 for seed in seeds)
