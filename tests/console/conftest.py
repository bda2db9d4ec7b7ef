"""An agent that speaks the turn wire as each test says, and the command line as a process."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio

sys.path.append(str(Path(__file__).parent))

from console_stage import FakeAgent
from loopback import served


@pytest_asyncio.fixture
async def agent() -> AsyncIterator[FakeAgent]:
    """The scripted agent, listening; ``agent.url``."""
    fake = FakeAgent()
    async with served(fake.app()) as fake.url:
        yield fake
