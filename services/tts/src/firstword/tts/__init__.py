"""Kokoro-82M as a speech server: text in, audio out, from the first clause on.

``create_app(settings) -> Starlette`` is the whole of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from firstword.tts.app import create_app

__all__ = ["create_app"]


def __getattr__(name: str) -> Any:
    """Importing a part of the package must not import its web server."""
    if name == "create_app":
        from firstword.tts.app import create_app

        return create_app
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
