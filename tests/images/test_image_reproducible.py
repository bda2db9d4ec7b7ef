"""The same tree gives the same layers, whenever it is built."""

from __future__ import annotations

import pytest
from images.docker_engine import Engine

pytestmark = [pytest.mark.docker, pytest.mark.timeout(1800)]


@pytest.mark.parametrize(("service", "target"), [("agent", "agent"), ("console", "console")])
def test_a_build_without_a_cache_gives_the_same_layers(
    engine: Engine, request: pytest.FixtureRequest, service: str, target: str
) -> None:
    first = engine.image(request.getfixturevalue(f"{service}_image"))["RootFS"]["Layers"]
    tag = f"firstword-{service}:again"
    try:
        engine.build(service, tag, "--target", target, "--no-cache")
        assert engine.image(tag)["RootFS"]["Layers"] == first
    finally:
        engine("image", "rm", "--force", tag)
