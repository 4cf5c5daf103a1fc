"""Fetches of any nesting: what they need, and how to put the answer together."""

from __future__ import annotations

import functools
import inspect
from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping
from typing import Any, cast

import numpy as np

from tinytf.framework import misplaced
from tinytf.framework.errors import InaccessibleTensorError
from tinytf.framework.graph import Graph
from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_value import short_repr
from tinytf.session.tensor_handles import HANDLE_TYPES

#: Puts the result together from the values of `FetchPlan.tensors`.
Builder = Callable[[list[Any]], Any]


class FetchPlan:
    """What `sess.run(fetches)` has to compute.

    Args:
      graph: the session's graph.
      made: what a handle becomes, of the fetch and its value.
      fetches: a tensor, operation, variable or name; or lists, tuples, named tuples, dicts and
        attrs/dataclass-free structures of these, nested at will.

    Attributes:
      tensors: what has to be computed, each once.
      targets: operations that only have to run.
      build: from the values of `tensors` to a result in the structure of `fetches`; None stands
        where an operation was asked for.

    Raises:
      TypeError: for something that is no fetch. ValueError: for what is not in the graph, or may
        not be fetched.
    """

    def __init__(
        self, graph: Graph, fetches: Any, made: Callable[[Tensor, Any], Any] | None = None
    ):
        self._graph = graph
        self._index: dict[Tensor, int] = {}
        self.targets: list[Operation] = []
        self.build: Builder = self._plan(fetches)
        handles = [(n, t) for t, n in self._index.items() if t.op.type in HANDLE_TYPES]
        if handles and made is not None:
            self.build = _with_handles(self.build, handles, made)

    @property
    def tensors(self) -> list[Tensor]:
        """The tensors to compute, in order."""
        return list(self._index)

    def _plan(self, fetch: Any) -> Builder:
        if fetch is None:
            raise TypeError(
                "Fetch argument None has invalid type <class 'NoneType'>. Cannot be None: this is "
                "what tf.gradients gives for something that y does not depend on, "
                "tf.summary.merge_all for a graph without summaries, and a Python function "
                "without `return`."
            )
        if isinstance(fetch, list):
            return self._plan_sequence(fetch, list)
        if isinstance(fetch, tuple):
            kind = type(fetch)
            if hasattr(kind, "_fields"):  # a named tuple takes its fields one by one
                return self._plan_sequence(fetch, lambda items: kind(*items))
            return self._plan_sequence(fetch, tuple)
        if isinstance(fetch, Mapping):
            keys, make = list(fetch), cast(Callable[..., Any], type(fetch))
            if isinstance(fetch, defaultdict):
                make = functools.partial(make, fetch.default_factory)
            return self._plan_sequence(
                list(fetch.values()), lambda items: make(zip(keys, items, strict=True))
            )
        expand = getattr(fetch, "_fetch_components", None)
        if expand is not None:  # IndexedSlices and the like: (components, how to rebuild)
            components, rebuild = expand()
            return self._plan_sequence(components, rebuild)
        return self._plan_leaf(fetch)

    def _plan_sequence(self, items: Any, make: Callable[[list[Any]], Any]) -> Builder:
        builders = [self._plan(item) for item in items]
        return lambda values: make([build(values) for build in builders])

    def _plan_leaf(self, fetch: Any) -> Builder:
        try:
            element = self._graph.as_graph_element(fetch, allow_tensor=True, allow_operation=True)
        except TypeError as error:
            # A number's repr depends on the version of numpy; its text does not.
            shown = fetch if isinstance(fetch, np.generic) else short_repr(fetch)
            raise TypeError(
                f"Fetch argument {shown} has invalid type {type(fetch)}, must be a string or "
                f"Tensor. ({error}){_hint(fetch)}"
            ) from None
        except ValueError as error:
            raise ValueError(
                f"Fetch argument {short_repr(fetch)} cannot be interpreted as a Tensor. ({error})"
                f"{_foreign_hint(fetch)}"
            ) from None
        except KeyError as error:
            raise ValueError(
                f"Fetch argument {short_repr(fetch)} cannot be interpreted as a Tensor. "
                f"({error.args[0]})"
            ) from None
        if not self._graph.is_fetchable(element):
            raise InaccessibleTensorError(
                f"Operation {getattr(element, 'op', element).name} has been marked as not "
                f"fetchable. Typically this happens when it is defined in another function or "
                f"code block. Fetch the result of the tf.cond or tf.while_loop instead."
            )
        if isinstance(element, Operation):
            if element not in self.targets:
                self.targets.append(element)
            return lambda values: None
        position = self._index.setdefault(element, len(self._index))
        return lambda values: values[position]


def _with_handles(
    build: Builder, handles: list[tuple[int, Tensor]], made: Callable[[Tensor, Any], Any]
) -> Builder:
    """`build` of values of which some are handles: each becomes one object, wherever it stands."""

    def built(values: list[Any]) -> Any:
        values = list(values)
        for number, tensor in handles:
            values[number] = made(tensor, values[number])
        return build(values)

    return built


def _hint(fetch: Any) -> str:
    """What to say of a dataset, and of what looks like the result of an earlier run."""
    if inspect.isroutine(fetch):
        return f" This is a function: call it, {fetch.__name__}(), and run what it returns."
    if isinstance(fetch, np.generic | np.ndarray | int | float):
        return (
            " This is a value already, perhaps the result of an earlier run that took the tensor's "
            "name, as in `x = sess.run(x)`: give results names of their own."
        )
    return misplaced.advice(fetch, misplaced.FETCHES, " ")


def _foreign_hint(fetch: Any) -> str:
    """What to say of a fetch from another graph than the session's."""
    op = getattr(fetch, "op", fetch)
    if not isinstance(op, Operation):
        return ""
    return (
        " It was built in another graph than the one this session was opened for. Open a session "
        f"after building it, or with graph=, and use that one.\n{op.describe_origin()}"
    )


def fetch_key(fetches: Any) -> Hashable:
    """A key under which the plan of equal fetches is found again; TypeError if there is none."""
    if isinstance(fetches, list | tuple):
        return type(fetches), tuple(map(fetch_key, fetches))
    if isinstance(fetches, Mapping):
        return type(fetches), tuple(fetches), tuple(map(fetch_key, fetches.values()))
    return fetches
