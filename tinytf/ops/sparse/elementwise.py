"""A sparse tensor and a dense one, element by element: `sparse * dense`, `sparse / dense`.

Only the elements that the sparse tensor has take part, so the result has its places. The dense
tensor is broadcast to its shape, not the other way round.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import OpCard, define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import InferenceContext, with_rank
from tinytf.framework.sparse_tensor import SparseTensor
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops.array.gather_nd import gather_nd
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.base.shape_rules import shown, shown_list
from tinytf.ops.math.cast import cast
from tinytf.ops.math.division import as_fractions, truncated_quotient
from tinytf.ops.math.power import square
from tinytf.ops.sparse import parts
from tinytf.ops.sparse.add import sparse_add

# SparseDenseCwiseAdd, SparseDenseCwiseMul, SparseDenseCwiseDiv ------------------------------------


def _card(kind: str, combine: Callable[[Any, Any], Any]) -> OpCard:
    card = define_op(
        f"SparseDenseCwise{kind}",
        parts.arguments("sp_") + ", dense: T -> output: T",
        "T: numbertype",
    )

    @card.shape
    def shape(c: InferenceContext) -> TensorShape:
        places = with_rank(c.input(0), 2).sizes
        return TensorShape.of((None if places is None else places[0],))

    @card.kernel
    def kernel(indices: Any, values: Any, shape: Any, dense: Any) -> Any:
        _check(indices, values, shape, dense)
        rank = dense.ndim
        columns = indices[:, len(shape) - rank :].T
        places = tuple(c if n != 1 else 0 for c, n in zip(columns, dense.shape, strict=True))
        return combine(values, dense[places])

    return card


def _check(indices: Any, values: Any, shape: Any, dense: Any) -> None:
    if np.ndim(indices) != 2:
        raise invalid(f"Input sp_indices should be a matrix but received shape: {shown(indices)}")
    if np.ndim(values) != 1 or np.ndim(shape) != 1:
        raise invalid(
            "Inputs sp_values and sp_shape should be vectors but received shapes: "
            f"{shown(values)} and {shown(shape)}"
        )
    if len(indices) != len(values):
        raise invalid(
            "The first dimension of values and indices should match. "
            f"({len(values)} vs. {len(indices)})"
        )
    if len(shape) != indices.shape[1]:
        raise invalid(
            "Number of dimensions must match second dimension of indices. "
            f"Got {len(shape)} dimensions, indices shape: {shown(indices)}"
        )
    sizes = shape[max(len(shape) - dense.ndim, 0) :]
    fits = dense.ndim <= len(shape)
    if not fits or not all(n in (1, m) and n <= m for n, m in zip(dense.shape, sizes)):
        raise invalid(
            "SparseDenseBinaryOpShared broadcasts dense to sparse only; got incompatible shapes: "
            f"{shown_list(shape.tolist())} vs. {shown(dense)}"
        )
    if not 1 <= len(shape) <= 5:
        raise invalid(
            "Only tensors with ranks between 1 and 5 are currently supported.  Tensor rank: "
            f"{len(shape)}"
        )
    if parts.outside(indices, shape).any():
        raise invalid("Provided indices are out-of-bounds w.r.t. dense side with broadcasted shape")


def _quotient(x: Any, y: Any) -> Any:
    return truncated_quotient(x, y) if x.dtype.kind in "iu" else np.divide(x, y)


_add = _card("Add", np.add)
_mul = _card("Mul", np.multiply)
_div = _card("Div", _quotient)


@_add.gradient
def _add_gradient(op: Operation, gradient: Any) -> Any:
    raise NotImplementedError("Gradient for SparseDenseCwiseAdd is not implemented.")


def _gradients(op: Operation, gradient: Any, parts_of: Callable[..., Any]) -> list[Any]:
    """`parts_of(gradient, values, dense)` gives what the values get, and the dense elements."""
    indices, values, shape, dense = op.inputs
    sizes: Any = cast(ops.shape(dense), dtypes.int64)
    rank: Any = ops.size(shape)
    more = ops.expand_dims(rank - ops.size(sizes), 0)
    wide = ops.concat([ops.ones(more, dtypes.int64), sizes], 0)
    places: Any = indices // (shape // wide)  # type: ignore[operator]
    places = ops.slice(places, ops.concat([[0], more], 0), [-1, -1])
    of_values, of_dense = parts_of(gradient, values, gather_nd(dense, places))
    spread = SparseTensor(places, of_dense, sizes)
    return [None, of_values, None, sparse_add(ops.zeros_like(dense), spread)]


@_mul.gradient
def _mul_gradient(op: Operation, gradient: Any) -> list[Any]:
    return _gradients(op, gradient, lambda g, x, y: (g * y, g * x))


@_div.gradient
def _div_gradient(op: Operation, gradient: Any) -> list[Any]:
    return _gradients(op, gradient, lambda g, x, y: (g / y, g * (-x / square(y))))


# Python's operators -------------------------------------------------------------------------------


def sparse_dense_cwise_add(sparse: SparseTensor, dense: Any) -> SparseTensor:
    """The elements that there are plus those of a dense tensor; for gradients."""
    return sparse.with_values(_add(*parts.parts_of(sparse), dense))


def _operator(default_name: str, card: OpCard, fractions: bool) -> Callable[[Any, Any], Any]:
    def method(x: SparseTensor, y: Any) -> SparseTensor:
        with op_scope(None, default_name, parts.parts_of(x)) as scope:
            dense: Tensor = convert_to_tensor(y, dtype=x.dtype.base_dtype, name="y")
            values = x.values
            if fractions:
                values, dense = as_fractions(values, dense, f"__{default_name}__")
            result = card(x.indices, values, x.dense_shape, dense, name=scope)
            return SparseTensor(x.indices, result, x.dense_shape)

    method.__name__ = f"__{default_name}__"
    method.__doc__ = f"`{default_name}` of the elements that there are with those of a tensor."
    return method


def dense_times_sparse(dense: Tensor, sparse: SparseTensor, name: str) -> SparseTensor:
    """`dense * sparse`: a sparse tensor, as `sparse * dense`."""
    with op_scope(None, name, [dense]) as scope:
        return sparse.with_values(_mul(*parts.parts_of(sparse), dense, name=scope))


def attach() -> None:
    """Give `SparseTensor` the operators that TensorFlow's has: `*` and `/`."""
    for name, card in (("mul", _mul), ("div", _div), ("truediv", _div)):
        method = _operator(name, card, fractions=name == "truediv")
        setattr(SparseTensor, f"__{name}__", method)


attach()
