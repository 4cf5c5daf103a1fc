"""What the gradient checks are run on: one module for each family of ops.

A module has `CASES`: an op type -> its `Case`s. Most are made by `op`: the op on the given arrays,
of which floating (and complex) ones are differentiated, integers and booleans are constants.
Everything is in float64, where differences of values say something about a gradient. An op type
without a case of its own is checked on what its conformance case gives it.

A module may have these sets and tables as well:
  NO_DERIVATIVE: op types with a registered gradient that is always None.
  NO_SECOND_ORDER: op type -> words of the error when its gradient is differentiated again, for
    those that TensorFlow cannot differentiate twice either.
  CHECKED_ELSEWHERE: op type -> the test of a gradient that no difference of values can show.
"""

from __future__ import annotations

import dataclasses
import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import tinytf as tf
from tests.conformance.registry import all_cases


@dataclass
class Case:
    """One check: `build` gets a placeholder for each point, and gives one tensor or several.

    `first_order_only` says why the gradient's gradient is wrong here, in TensorFlow as well.
    `step` is how far the points are moved, and `atol` how far differences may be off: both larger
    for ops that compute in float32 alone.
    """

    build: Callable[..., Any]
    points: list[np.ndarray]
    rtol: float = 1e-5
    first_order_only: str = ""
    step: float = 1e-6
    atol: float = 1e-7


def op(op_type: str, *arguments: Any, outputs: Any = (0,), **attrs: Any) -> Case:
    """The op on these arguments; `outputs` says which of its outputs are differentiated."""
    arrays = [np.asarray(argument) for argument in arguments]
    points = [array for array in arrays if array.dtype.kind in "fc"]

    def build(*placeholders):
        given = iter(placeholders)
        inputs = [next(given) if a.dtype.kind in "fc" else tf.constant(a) for a in arrays]
        made = tf.get_default_graph().create_op(op_type, inputs, attrs=attrs)
        return [made.outputs[index] for index in outputs]

    return Case(build, points)


def program(build: Callable[..., Any], *points: Any) -> Case:
    """Several ops, built by a function of placeholders."""
    return Case(build, [np.asarray(point) for point in points])


def in_float32(build: Callable[..., Any], *points: Any) -> Case:
    """What is built of float32 tensors: as many digits as these have can be checked."""

    def build_between_casts(*placeholders):
        built = build(*[tf.cast(x, tf.float32) for x in placeholders])
        ys = built if isinstance(built, list | tuple) else [built]
        return [tf.cast(y, tf.float64) for y in ys]

    case = program(build_between_casts, *points)
    return dataclasses.replace(case, rtol=1e-2, step=1e-2, atol=2e-3)


def first_order(case: Case, why: str) -> Case:
    """The case, for the gradient but not for the gradient's own."""
    return dataclasses.replace(case, first_order_only=why)


def numbers(*shape: int, low: float = 0.3, high: float = 1.7, seed: int = 0) -> np.ndarray:
    """Different numbers between two bounds, no two of them close."""
    count = int(np.prod(shape))
    values = low + (high - low) * (np.arange(count) + 0.37) / max(count, 1)
    return np.random.default_rng(seed).permutation(values).reshape(shape)


def signed(*shape: int, seed: int = 1) -> np.ndarray:
    """Numbers of both signs, away from zero."""
    sign = np.where(np.arange(int(np.prod(shape))) % 3 == 0, -1.0, 1.0).reshape(shape)
    return numbers(*shape, seed=seed) * sign


def complexes(*shape: int) -> np.ndarray:
    """Complex numbers away from zero and from the negative real axis."""
    return numbers(*shape, seed=2) + 1j * signed(*shape, seed=3)


def ints(*values: Any) -> np.ndarray:
    """A constant: int32."""
    return np.array(values, np.int32)


X = signed(2, 3)
P = numbers(2, 3)
ROW = numbers(3, seed=5)
COLUMN = numbers(2, 1, seed=6)
C = complexes(2, 3)
MATRIX = numbers(3, 4)
IMAGES = signed(2, 3, 2, 2)


def unary(op_type: str, *points: np.ndarray, **attrs: Any) -> list[Case]:
    return [op(op_type, point, **attrs) for point in points]


def binary(op_type: str, x: np.ndarray = X, y: np.ndarray = P) -> list[Case]:
    """Equal shapes, and broadcasting in both directions."""
    return [
        op(op_type, x, y),
        op(op_type, x, ROW),
        op(op_type, COLUMN, y),
        op(op_type, ROW, COLUMN),
    ]


def of_result(op_type: str, first: np.ndarray = P, second: np.ndarray = X) -> list[Case]:
    return [op(op_type, first, second)]


def reduction(op_type: str, x: np.ndarray) -> list[Case]:
    return [
        op(op_type, x, ints(0)),
        op(op_type, x, ints(0, 1), keep_dims=True),
        op(op_type, x, ints(-1)),
        op(op_type, x, np.zeros([0], np.int32)),
    ]


def of_conformance(op_type: str) -> list[Case]:
    """A check on what an op is given in its first conformance case that succeeds."""
    for case in all_cases():
        if op_type not in case.op_types or case.error is not None:
            continue
        with tf.Graph().as_default() as graph, tf.Session() as sess:
            program = case.program(tf)
            for operation in program.setup:
                sess.run(operation)
            made = next((o for o in graph.get_operations() if o.type == op_type), None)
            if made is None:  # in a function or in TensorFlow's graph only
                continue
            arrays = sess.run(list(made.inputs), program.feeds()[0])
        types = {arg.type_attr for arg in (*made.op_def.inputs, *made.op_def.outputs)}
        attrs = {name: value for name, value in made.attrs.items() if name not in types}
        wide = [a.astype(np.float64) if a.dtype.kind == "f" else a for a in arrays]
        floats = [output.dtype.is_floating or output.dtype.is_complex for output in made.outputs]
        return [op(op_type, *wide, outputs=np.flatnonzero(floats), **attrs)]
    return []


def collected(what: str) -> dict[str, Any]:
    """The tables of this name of all modules here, joined."""
    joined: dict[str, Any] = {}
    for module in pkgutil.iter_modules(__path__):
        table = getattr(importlib.import_module(f"{__name__}.{module.name}"), what, {})
        entries = table if isinstance(table, dict) else dict.fromkeys(table)
        assert not set(joined) & set(entries), f"{module.name} lists {what} of another module"
        joined |= entries
    return joined
