"""The agent: a Strands agent behind Bedrock AgentCore's contract that speaks while it thinks."""

from typing import TYPE_CHECKING, Any

from firstword.agent.settings import Settings

if TYPE_CHECKING:
    from firstword.agent.app import create_app
    from firstword.agent.server import run

__all__ = ["Settings", "create_app", "run"]


def __getattr__(name: str) -> Any:
    # The application's libraries take seconds to import, which reading the settings need not.
    if name == "create_app":
        from firstword.agent.app import create_app

        return create_app
    if name == "run":
        from firstword.agent.server import run

        return run
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
