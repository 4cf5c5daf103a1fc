"""What the property tests share: a computation on random arrays, done in every way there is.

numpy says what is right. The graph is built with as much or as little known about the shapes as
comes up, and is run by the executor and by the sequential evaluator, which also checks every
value on the way against its tensor's dtype and static shape.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import tinytf as tf
from tinytf.testing.evaluator import evaluate


def shapes(min_dims: int = 0, max_dims: int = 4, min_side: int = 0, max_side: int = 4) -> Any:
    """Small shapes, empty ones too."""
    return hnp.array_shapes(
        min_dims=min_dims, max_dims=max_dims, min_side=min_side, max_side=max_side
    )


def arrays(shape: Any = None, dtype: Any = np.int64, low: int = -9, high: int = 9) -> Any:
    """Small whole numbers: with them results are exact, in floats as well."""
    numbers = st.integers(low, high)
    kinds = np.dtype(dtype)
    return hnp.arrays(kinds, shapes() if shape is None else shape, elements=numbers)


def floats(shape: Any = None) -> Any:
    """Small whole numbers as float64."""
    return arrays(shape).map(lambda array: array.astype(np.float64))


@st.composite
def known_shapes(draw: Any, array: np.ndarray) -> Any:
    """What may be known about the shape of an array: all, some sizes, the rank, nothing."""
    kind = draw(st.sampled_from(["all", "some", "rank", "nothing"]))
    if kind == "nothing":
        return None
    keep = {"all": True, "rank": False}.get(kind)
    return [
        size if (draw(st.booleans()) if keep is None else keep) else None for size in array.shape
    ]


def agree(
    data: Any,
    build: Callable[..., Any],
    inputs: Sequence[np.ndarray],
    expected: Any,
    exact: bool = True,
) -> None:
    """Assert that a computation gives what numpy gives.

    Args:
      data: hypothesis' `st.data()`, for what is known about the shapes of the inputs.
      build: gets a tensor for each input, and gives a tensor or a list of them.
      inputs: their values.
      expected: the value, or the list of values.
      exact: False for results that rounding may change.
    """
    wanted = list(expected) if isinstance(expected, list | tuple) else [expected]
    with tf.Graph().as_default():
        # Everything known: the static shapes are those of the results, or leave something open.
        for tensor, value in zip(_listed(build(*map(tf.constant, inputs))), wanted, strict=True):
            assert tensor.shape.is_compatible_with(np.shape(value))
    with tf.Graph().as_default(), tf.Session() as session:
        statics = [data.draw(known_shapes(value), label="static shape") for value in inputs]
        given = [tf.placeholder(v.dtype, s) for v, s in zip(inputs, statics)]
        ys = _listed(build(*given))
        feed = dict(zip(given, inputs))
        by_executor = session.run(ys, feed)
        by_evaluator = evaluate(ys, feed)
        for tensor, mine, other, value in zip(ys, by_executor, by_evaluator, wanted, strict=True):
            _same(mine, value, exact)
            np.testing.assert_array_equal(mine, other)
            assert tensor.shape.is_compatible_with(np.shape(value)), "a wrong static shape"


def _listed(ys: Any) -> list[Any]:
    return list(ys) if isinstance(ys, list | tuple) else [ys]


def _same(mine: Any, value: Any, exact: bool) -> None:
    assert np.shape(mine) == np.shape(value)
    if exact:
        np.testing.assert_array_equal(mine, value)
    else:
        np.testing.assert_allclose(mine, value, rtol=1e-9, atol=1e-9)
