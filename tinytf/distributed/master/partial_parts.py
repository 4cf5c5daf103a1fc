"""Partial runs on a cluster: a step whose feeds arrive in several requests.

Every task runs its part as one step, on a thread of its own, from the first request to the last.
What is fed is received like any other tensor when it comes, and what is fetched is sent; so the
requests of a master only put values into the rendezvous and wait for others to appear there.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from typing import Any

from tinytf.distributed.master.graph_parts import GraphParts
from tinytf.framework.cancellation import CancellationManager
from tinytf.framework.errors import InvalidArgumentError
from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor


class ClusterPartialStep:
    """A partial run over several tasks, as the master sees it; see `PartialStep`.

    Args:
      parts: what each task runs. feeds, fetches: of the whole run. call: runs a request on a
        task's part: (task, step number, fed values by key, keys to fetch, whether it is the last,
        cancellation) -> values by key, for all tasks at once.
      cancellation: of the run. clean_up: lets all tasks forget a step, by its number.
    """

    def __init__(
        self,
        parts: GraphParts,
        feeds: Sequence[Tensor],
        fetches: Sequence[Tensor],
        call: Callable[..., dict[str, dict[str, Any]]],
        cancellation: CancellationManager,
        clean_up: Callable[[int], None],
    ):
        self._parts, self._call, self._cancellation = parts, call, cancellation
        self._feeds, self._fetches = list(feeds), list(fetches)
        self._step_id = secrets.randbits(56) + 1
        self._fed: set[Tensor] = set()
        self._left = set(fetches)
        self._begun = False
        # However it ends before its last request: every task forgets its part.
        cancellation.register(lambda: clean_up(self._step_id))

    def run(
        self, feeds: dict[Tensor, Any], fetches: Sequence[Tensor], targets: Sequence[Operation]
    ) -> list[Any]:
        """See `PartialStep.run`."""
        self._fed.update(feeds)
        for tensor in fetches:
            self._check(tensor)
        self._left.difference_update(fetches)
        is_last = not self._left and len(self._fed) == len(self._feeds)
        requests: dict[str, tuple[dict[str, Any], dict[str, Tensor]]] = {}
        for task, part in self._parts.parts.items():
            given = {
                key: feeds[self._feeds[n]]
                for key, n in part.feeds.items()
                if self._feeds[n] in feeds
            }
            wanted = {
                key: self._fetches[n]
                for key, n in part.fetches.items()
                if self._fetches[n] in fetches
            }
            if given or wanted or is_last or not self._begun:
                requests[task] = given, wanted
        self._begun = True
        answers = self._call(self._step_id, requests, is_last, self._cancellation)
        by_tensor = {
            tensor: answers[task][key]
            for task, (_, wanted) in requests.items()
            for key, tensor in wanted.items()
        }
        return [by_tensor[tensor] for tensor in fetches]

    def _check(self, fetch: Tensor) -> None:
        """Complain about a fetch that needs what has not been fed yet."""
        missing, seen, pending = set[Tensor](), set[Operation](), [fetch]
        while pending:
            tensor = pending.pop()
            if tensor in self._feeds:
                if tensor not in self._fed:
                    missing.add(tensor)
            elif tensor.op not in seen:
                seen.add(tensor.op)
                pending.extend(tensor.op.inputs)
                pending.extend(t for c in tensor.op.control_inputs for t in c.outputs[:1])
        if missing:
            names = ", ".join(sorted(tensor.name for tensor in missing))
            raise InvalidArgumentError(
                f"Fetch {fetch.name} can't be computed from the feeds that have been fed so far. "
                f"Not fed yet: {names}.",
                fetch.op,
            )
