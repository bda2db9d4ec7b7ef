"""Whether the agent is at work, which AgentCore asks at ``/ping`` before it ends a session."""

from __future__ import annotations

from collections.abc import Callable

from starlette.types import ASGIApp, Receive, Scope, Send


class Activity:
    """Counts what is being served. ``changed`` is called as the first begins and the last ends."""

    def __init__(self) -> None:
        self.changed: Callable[[], object] | None = None
        self._served = 0

    @property
    def busy(self) -> bool:
        return self._served > 0

    def enter(self) -> None:
        """Something more is being served."""
        self._served += 1
        self._tell(self._served == 1)

    def leave(self) -> None:
        """It has ended."""
        self._served -= 1
        self._tell(self._served == 0)

    def _tell(self, changed: bool) -> None:
        if changed and self.changed is not None:
            self.changed()


class ActivityMeter:
    """ASGI middleware. Every POST until its answer has ended, and every open socket, is work."""

    def __init__(self, app: ASGIApp, activity: Activity) -> None:
        self._app = app
        self._activity = activity

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "websocket" and scope.get("method") != "POST":
            await self._app(scope, receive, send)
            return
        self._activity.enter()
        try:
            await self._app(scope, receive, send)
        finally:
            self._activity.leave()
