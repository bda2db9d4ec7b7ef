"""When torch runs the model: looked at without importing it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from firstword.tts.app import create_service
from firstword.tts.engines.choice import FORWARD_WORKERS, torch_runs
from firstword.tts.settings import Settings, SettingsError, TorchSettings


@pytest.mark.parametrize(("driver", "installed"), [(True, True), (True, False), (False, True)])
def test_auto_is_torch_where_both_driver_and_package_are_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, driver: bool, installed: bool
) -> None:
    card = tmp_path / "nvidiactl"
    if driver:
        card.touch()
    found = object() if installed else None
    monkeypatch.setattr("importlib.util.find_spec", lambda name: found if name == "torch" else None)
    assert torch_runs("auto", card) == (driver and installed)
    assert torch_runs("torch", card)
    assert not torch_runs("onnx", card)


def test_nobody_imports_torch_to_find_out() -> None:
    before = "torch" in sys.modules
    torch_runs("auto", Path("/"))
    assert ("torch" in sys.modules) == before


def test_beside_torch_workers_ready_what_goes_into_the_next_forward() -> None:
    def workers(settings: Settings) -> int:
        return create_service(settings).scheduler._workers

    places = {"model_dir": Path(), "cache_dir": Path()}
    assert workers(Settings(**places, engine="torch")) == FORWARD_WORKERS
    assert workers(Settings(**places, engine="torch", workers=5)) == 5
    assert workers(Settings(**places, engine="onnx")) == 1


def test_its_settings_are_read() -> None:
    environ = {
        "FIRSTWORD_TTS_DEVICE": "cuda",
        "FIRSTWORD_TTS_PRECISION": "fp16",
        "FIRSTWORD_TTS_WEIGHTS": "/weights/kokoro-v1_0.pth",
    }
    wanted = TorchSettings("cuda", "fp16", Path("/weights/kokoro-v1_0.pth"))
    assert Settings.from_env(environ).torch == wanted
    with pytest.raises(SettingsError, match="FIRSTWORD_TTS_PRECISION"):
        Settings.from_env({"FIRSTWORD_TTS_PRECISION": "fp8"})
