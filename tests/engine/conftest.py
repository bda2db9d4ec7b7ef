"""The real Pulumi CLI, moto, and a fresh site for each test."""

from __future__ import annotations

import itertools
import logging
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from engine.aws_world import Account, moto_server
from engine.site import Site, opened


@pytest.fixture(scope="session")
def pulumi() -> Path:
    """The folder of the CLI; the test fails where there is none."""
    found = shutil.which("pulumi")
    if found is None:
        pytest.fail('no pulumi on PATH: export PATH="$(tools/pulumi/build):$PATH"')
    return Path(found).parent


@pytest.fixture(scope="session")
def aws_url() -> Iterator[str]:
    """moto's address. Its log of requests is no news."""
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    with moto_server() as url:
        yield url


@pytest.fixture
def sites(pulumi: Path, aws_url: str, tmp_path: Path) -> Iterator[Callable[..., Site]]:
    """``sites(environment="dev", region="us-west-2", account=None)``: one more site."""
    numbers = itertools.count()
    with ExitStack() as stack:

        def make(
            environment: str = "dev", region: str = "us-west-2", account: str | None = None
        ) -> Site:
            folder = tmp_path / str(next(numbers))
            place = Account.fresh(aws_url, region, account)
            return stack.enter_context(opened(folder, pulumi, place, environment))

        yield make


@pytest.fixture
def site(sites: Callable[..., Site]) -> Site:
    """The environment dev in an account of its own."""
    return sites()
