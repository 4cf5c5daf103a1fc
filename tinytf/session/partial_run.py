"""The rules of partial runs: each announced tensor is fed, or fetched, once."""

from __future__ import annotations

from typing import Any

from tinytf.framework.errors import InvalidArgumentError
from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
from tinytf.session.backend import PartialStep
from tinytf.session.fetches import FetchPlan


class PartialRun:
    """A step that goes on from call to call: what may still be fed and fetched.

    Args:
      step: the backend's. feeds, fetches, targets: all that was announced.
    """

    def __init__(
        self,
        step: PartialStep,
        feeds: list[Tensor],
        fetches: list[Tensor],
        targets: list[Operation],
    ):
        self.step = step
        #: announced and not used yet
        self._to_feed: dict[Any, bool] = dict.fromkeys(feeds, True)
        self._to_fetch: dict[Any, bool] = dict.fromkeys([*fetches, *targets], True)

    @property
    def is_over(self) -> bool:
        """Whether everything was fed and fetched."""
        return not any(self._to_feed.values()) and not any(self._to_fetch.values())

    def check(self, feeds: dict[Tensor, Any], plan: FetchPlan) -> None:
        """Use up what a call feeds and fetches; InvalidArgumentError for what it may not."""
        self._use(self._to_feed, feeds, "feed", "fed")
        self._use(self._to_fetch, [*plan.tensors, *plan.targets], "fetch", "fetched")

    @staticmethod
    def _use(table: dict[Any, bool], items: Any, what: str, past: str) -> None:
        for item in items:
            if item not in table:
                text = f"The {what} {item.name} was not specified in partial_run_setup."
            elif not table[item]:
                text = f"The {what} {item.name} has already been {past}."
            else:
                continue
            raise InvalidArgumentError(text, getattr(item, "op", item))
        for item in items:
            table[item] = False
