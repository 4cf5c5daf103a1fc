"""Is a gradient right? Compare what `tf.gradients` builds with differences of the values.

A derivative is what the result changes by when an input changes a little. So for every element of
every input: move it a little up and a little down, and see by how much a weighted sum of the
outputs changes. In float64 the two agree to about nine digits; a gradient that is wrong by a
thousandth is caught.

    >>> x = tf.placeholder(tf.float64, [2, 3])
    >>> check_gradients(tf.tanh(x), [x], [np.ones([2, 3])])

TensorFlow: `tf.test.compute_gradient_error`, which returns the error; this one says where it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.indexed_slices import IndexedSlices
from tinytf.framework.tensor import Tensor
from tinytf.ops.array.constant import constant
from tinytf.ops.gradients.gradients import gradients
from tinytf.testing.evaluator import evaluate

#: (fetches, {tensor: value}) -> values
Evaluate = Callable[[list[Any], dict[Any, Any]], Sequence[Any]]


@dataclass(frozen=True)
class Mismatch:
    """One element of a gradient that is wrong.

    Attributes:
      op: the name and type of the operation whose result was differentiated.
      input: the name of the tensor it was differentiated with respect to.
      index: of the element.
      got: what `tf.gradients` says. wanted: what the differences say.

    Example:
      >>> print(tinytf.testing.gradient_checker.Mismatch("y (Mul)", "x:0", (1,), 2.0, 3.0))
      d y (Mul) / d x:0[1]: got 2.0, wanted 3.0
    """

    op: str
    input: str
    index: tuple[int, ...]
    got: Any
    wanted: Any

    def __str__(self) -> str:
        return (
            f"d {self.op} / d {self.input}{list(self.index)}: got {self.got!r}, "
            f"wanted {self.wanted!r}"
        )


def check_gradients(
    y: Any,
    xs: Any,
    values: Sequence[Any],
    *,
    feeds: dict[Any, Any] | None = None,
    step: float = 1e-6,
    rtol: float = 1e-5,
    atol: float = 1e-7,
    seed: int = 0,
    run: Evaluate | None = None,
) -> None:
    """AssertionError unless the gradients of `y` with respect to `xs` are right at a point.

    Args:
      y: a tensor or a list of tensors of type float64 (or complex128).
      xs: a tensor or a list of tensors that can be fed, of the same types.
      values: the point: one array for each x. It should be away from kinks (relu at 0).
      feeds: values of other tensors.
      step: how far an element is moved up and down.
      rtol, atol: how far the two may be apart.
      seed: of the weights that the outputs get, so that mistakes do not cancel out.
      run: evaluates tensors, `lambda fetches, feeds: sess.run(fetches, feeds)` for example; by
        default `tinytf.testing.evaluator`.

    Raises:
      AssertionError: listing the wrong elements: operation, input, index, both numbers.
      TypeError: for tensors of lower precision, where differences say nothing.

    Example:
      >>> x = tf.constant([1.0, 2.0], tf.float64)
      >>> tinytf.testing.gradient_checker.check_gradients(tf.square(x), x, [[1.0, 2.0]])
    """
    found = gradient_mismatches(
        y, xs, values, feeds=feeds, step=step, rtol=rtol, atol=atol, seed=seed, run=run
    )
    if found:
        shown = "\n  ".join(map(str, found[:10]))
        more = f"\n  and {len(found) - 10} more" if len(found) > 10 else ""
        raise AssertionError(f"wrong gradients:\n  {shown}{more}")


def gradient_mismatches(
    y: Any,
    xs: Any,
    values: Sequence[Any],
    *,
    feeds: dict[Any, Any] | None = None,
    step: float = 1e-6,
    rtol: float = 1e-5,
    atol: float = 1e-7,
    seed: int = 0,
    run: Evaluate | None = None,
) -> list[Mismatch]:
    """The elements of the gradients that are wrong; arguments as for `check_gradients`.

    Example:
      >>> x = tf.constant(2.0, tf.float64)
      >>> y = x * tf.stop_gradient(x)  # as if x * x had a wrong gradient
      >>> wrong = tinytf.testing.gradient_checker.gradient_mismatches(y, x, [2.0])
      >>> [round(one.wanted / one.got, 3) for one in wrong]  # [2.]
    """
    ys = list(y) if isinstance(y, list | tuple) else [y]
    inputs = list(xs) if isinstance(xs, list | tuple) else [xs]
    for tensor in (*ys, *inputs):
        _check_precision(tensor)
    run = run or _evaluate
    fed = {**(feeds or {}), **dict(zip(inputs, map(_array_for, inputs, values), strict=True))}
    numbers = np.random.default_rng(seed)
    outputs = [np.asarray(value) for value in run(ys, fed)]
    weights = [_random_like(value, numbers) for value in outputs]
    with ys[0].graph.as_default():
        built = gradients(ys, inputs, grad_ys=[constant(w, w.dtype) for w in weights])
        dense = [convert_to_tensor(g) if isinstance(g, IndexedSlices) else g for g in built]
    computed = iter(run([g for g in dense if g is not None], fed))
    found: list[Mismatch] = []
    for tensor, gradient in zip(inputs, dense, strict=True):
        got = np.zeros(fed[tensor].shape, fed[tensor].dtype)
        if gradient is not None:
            got = np.asarray(next(computed))
        wanted = _differences(run, ys, weights, fed, tensor, step)
        found += _compare(ys[0], tensor, got, wanted, rtol, atol)
    return found


def _evaluate(fetches: list[Any], feeds: dict[Any, Any]) -> Sequence[Any]:
    return evaluate(fetches, feeds) if fetches else []


def _check_precision(tensor: Tensor) -> None:
    if tensor.dtype.base_dtype.name not in ("float64", "complex128"):
        raise TypeError(
            f"{tensor.name} is {tensor.dtype.name}: differences of so few digits say nothing about "
            f"a gradient. Build the graph with tf.float64."
        )


def _array_for(tensor: Tensor, value: Any) -> np.ndarray:
    return np.array(value, tensor.dtype.as_numpy_dtype)


def _random_like(value: np.ndarray, numbers: np.random.Generator) -> np.ndarray:
    weights = np.asarray(numbers.uniform(0.5, 1.5, value.shape))
    if np.iscomplexobj(value):
        weights = weights + 1j * numbers.uniform(0.5, 1.5, value.shape)
    return np.asarray(weights, value.dtype)


def _differences(
    run: Evaluate,
    ys: list[Tensor],
    weights: list[np.ndarray],
    feeds: dict[Any, Any],
    tensor: Tensor,
    step: float,
) -> np.ndarray:
    """The gradient of the weighted sum of `ys` by central differences.

    For complex numbers with TensorFlow's convention: the gradient is conj(df/dz), of the real
    part of sum(conj(weight) * y).
    """
    point = feeds[tensor]
    wanted = np.zeros(point.shape, point.dtype)
    directions = [step, 1j * step] if np.iscomplexobj(point) else [step]
    for index in np.ndindex(point.shape):
        for direction in directions:
            totals = []
            for sign in (1, -1):
                moved = point.copy()
                moved[index] += sign * direction
                results = run(ys, {**feeds, tensor: moved})
                totals.append(
                    sum(
                        float(np.real(np.sum(np.conj(w) * value)))
                        for w, value in zip(weights, results, strict=True)
                    )
                )
            slope = (totals[0] - totals[1]) / (2 * step)
            wanted[index] += slope * (direction / step)
    return wanted


def _compare(
    y: Tensor, tensor: Tensor, got: np.ndarray, wanted: np.ndarray, rtol: float, atol: float
) -> list[Mismatch]:
    what = f"{y.op.name} ({y.op.type})"
    if got.shape != wanted.shape:
        return [Mismatch(what, tensor.name, (), f"shape {got.shape}", f"shape {wanted.shape}")]
    wrong = ~np.isclose(got, wanted, rtol, atol)
    return [
        Mismatch(what, tensor.name, tuple(map(int, index)), got[tuple(index)], wanted[tuple(index)])
        for index in np.argwhere(wrong)
    ]
