"""Environments to plan."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from infra.environments import Environment, write_models
from infra.planning import Plan


@pytest.fixture(scope="session")
def plans(tmp_path_factory: pytest.TempPathFactory) -> list[Plan]:
    """All stacks of a small open environment and of a closed production one."""
    models = write_models(tmp_path_factory.mktemp("models"))
    return [
        plan
        for kind in ("dev", "prod")
        for plan in Environment(models, name=kind, kind=kind).everything()
    ]


@pytest.fixture
def models(tmp_path: Path) -> Path:
    return write_models(tmp_path / "models")


@pytest.fixture
def environment(models: Path) -> Callable[..., Environment]:
    def make(**choices: str) -> Environment:
        return Environment(models, **choices)

    return make


@pytest.fixture
def dev(models: Path) -> Environment:
    return Environment(models)


@pytest.fixture
def prod(models: Path) -> Environment:
    return Environment(models, name="prod", kind="prod")
