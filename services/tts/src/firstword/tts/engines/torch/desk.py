"""Where sessions' items wait for each other: a ticket each, many served in one forward."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any


class Desk[I, R]:
    """Work of one kind. ``carry`` does it for any number of items; ``most`` go together."""

    def __init__(self, carry: Callable[[Sequence[I]], Sequence[R]], most: Callable[[], int]):
        self.carry = carry
        self._most = most

    @property
    def most(self) -> int:
        """Items that may go together now."""
        return self._most()

    def ticket(self, kind: Hashable, size: int, item: I) -> ItemTicket[I, R]:
        """For ``item``; see ``engines.Ticket`` for ``kind`` and ``size``."""
        return ItemTicket(self, kind, size, item)


class ItemTicket[I, R]:
    """One item's place: served together with others, or alone when its result is wanted first."""

    def __init__(self, desk: Desk[I, R], kind: Hashable, size: int, item: I) -> None:
        self.desk = desk
        self.kind = kind
        self.size = size
        self.item = item
        self.done = False
        self._made: R | None = None
        self._error: Exception | None = None

    @property
    def most(self) -> int:
        """Tickets of its kind that may be served together now."""
        return self.desk.most

    def serve(self, others: Sequence[Any] = ()) -> None:
        """Do it, and ``others`` of its kind with it. A failure is every ticket's own result."""
        together = [each for each in (self, *others) if not each.done]
        try:
            made = self.desk.carry([each.item for each in together])
        except Exception as error:  # noqa: BLE001 - raised again where the result is asked for
            for each in together:
                each.settle(None, error)
        else:
            for each, one in zip(together, made, strict=True):
                each.settle(one, None)

    def settle(self, made: R | None, error: Exception | None) -> None:
        """Its result, or why there is none."""
        self._made, self._error, self.done = made, error, True

    def result(self) -> R:
        """What was made; does it now if nobody has.

        Raises:
            Exception: what serving it raised.
        """
        if not self.done:
            self.serve()
        if self._error is not None:
            raise self._error
        made: Any = self._made
        return made
