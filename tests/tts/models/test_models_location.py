"""Where model files are looked for."""

from __future__ import annotations

from pathlib import Path

import pytest
from firstword.tts.models import cache_dir, location, model_dir


def test_the_setting_comes_first(tmp_path: Path) -> None:
    environ = {"FIRSTWORD_MODEL_DIR": str(tmp_path), "XDG_CACHE_HOME": "/elsewhere"}
    assert model_dir(environ) == tmp_path


def test_the_users_cache_is_the_default() -> None:
    assert model_dir({"XDG_CACHE_HOME": "/x"}) == Path("/x/firstword")
    assert cache_dir({}) == Path.home() / ".cache" / "firstword"


@pytest.mark.parametrize("holds", [True, False])
def test_sagemakers_folder_counts_when_it_holds_a_manifest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, holds: bool
) -> None:
    monkeypatch.setattr(location, "SAGEMAKER_DIR", tmp_path)
    if holds:
        (tmp_path / "manifest.json").write_text("{}")
    expected = tmp_path if holds else Path("/x/firstword")
    assert model_dir({"XDG_CACHE_HOME": "/x"}) == expected
