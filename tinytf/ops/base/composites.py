"""Functions of one tensor, given a `SparseTensor`: they take its elements, or all its parts."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from tinytf.framework import nest
from tinytf.framework.indexed_slices import IndexedSlices
from tinytf.framework.sparse_tensor import SparseTensor
from tinytf.framework.stacks import get_default_graph

F = TypeVar("F", bound=Callable[..., Any])


def of_sparse_values(default: str | None) -> Callable[[F], F]:
    """Let a function `(x, name=None)` that gives 0 for 0 take a `SparseTensor` (decorator).

    Args:
      default: the name that the function's operation has by default. TensorFlow takes a name for
        an attempt with the whole first, so that later names are others; None where it does not.
    """

    def decorate(function: F) -> F:
        @functools.wraps(function)
        def taking_sparse(x: Any, name: str | None = None) -> Any:
            if not isinstance(x, SparseTensor):
                return function(x, name)
            if default is not None:
                get_default_graph().unique_name(name or default)
            return SparseTensor(x.indices, function(x.values, name), x.dense_shape)

        return taking_sparse  # type: ignore[return-value]

    return decorate


def of_all_parts(function: F) -> F:
    """Let a function `(input, name=None)` take a `SparseTensor` or `IndexedSlices` (decorator).

    What it gives for each of the tensors in it is put together again; they do without the name.
    """

    @functools.wraps(function)
    def taking_parts(input: Any, name: str | None = None) -> Any:
        if not isinstance(input, SparseTensor | IndexedSlices):
            return function(input, name)
        return nest.map_structure(function, input, expand_composites=True)

    return taking_parts  # type: ignore[return-value]
