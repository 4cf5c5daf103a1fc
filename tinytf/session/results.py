"""Values into a plan and out of it: feeds in their slots, fetches as the caller's own arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.framework.errors import InvalidArgumentError, OpError, with_operation
from tinytf.runtime.plan import Plan


def place_feeds(plan: Plan, feeds: list[Any]) -> list[Any]:
    """The values that a run of a plan starts from, feeds in their slots."""
    values = plan.root.values.copy()
    for slot, value in zip(plan.feed_slots, feeds, strict=True):
        if slot >= 0:
            values[slot] = value
    return values


def finish(plan: Plan, values: list[Any]) -> list[Any]:
    """The fetched values, as arrays and numpy scalars that belong to the caller."""
    results: list[Any] = []
    owners: set[int] = set()
    for fetch in plan.fetches:
        value = values[fetch.slot]
        if value is None:
            raise InvalidArgumentError(
                f"Retval[{len(results)}] does not have value: {fetch.tensor.name} lies on a path "
                f"of a tf.cond that was not taken.\n{fetch.tensor.op.describe_origin()}",
                fetch.tensor.op,
            )
        try:
            if fetch.take is not None:
                value = fetch.take(value)
            result = detach(value)
            if isinstance(result, np.ndarray):
                owner = id(result if result.base is None else result.base)
                if owner in owners:  # another fetch is a view of the same memory
                    result = result.copy()
                owners.add(owner)
        except (OpError, MemoryError) as error:
            raise with_operation(error, fetch.tensor.op) from None
        results.append(result)
    return results


def detach(value: Any) -> Any:
    """A value that shares no memory with state, constants or feeds; 0-d arrays become scalars."""
    if not isinstance(value, np.ndarray):
        return value
    if value.ndim == 0:
        return value[()]
    base = value.base
    if value.flags.writeable and (
        base is None or (isinstance(base, np.ndarray) and base.flags.writeable)
    ):
        return value
    return value.copy()
