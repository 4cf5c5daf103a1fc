"""Python's operators for tensors: `a + b`, `-a`, `a @ b`, `a < b`, `a[1:]`.

They are attached when this module is imported, so that what a `Tensor` is does not depend on any
op. `==` is not among them: as in TensorFlow 1.x a tensor equals only itself (`tf.equal` compares).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.sparse_tensor import SparseTensor
from tinytf.framework.tensor import Tensor
from tinytf.ops.array.slice import getitem
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.linalg.matmul import matmul
from tinytf.ops.math.arithmetic import multiply, subtract, typed_add
from tinytf.ops.math.bitwise import bitwise_and, bitwise_or, bitwise_xor, invert
from tinytf.ops.math.comparison import greater, greater_equal, less, less_equal
from tinytf.ops.math.division import floordiv, floormod, truediv
from tinytf.ops.math.logical import logical_and, logical_not, logical_or, logical_xor
from tinytf.ops.math.power import pow
from tinytf.ops.math.sign import absolute, negative
from tinytf.ops.sparse.elementwise import dense_times_sparse

#: function(x, y, name) -> Tensor
Binary = Callable[[Any, Any, str], Tensor]


def _logical_or_bitwise(operator: str, logical: Binary, bitwise: Callable[..., Tensor]) -> Binary:
    """`&`, `|`, `^`: logic for bool, bits for integers."""

    def function(x: Any, y: Any, name: str) -> Tensor:
        dtype = x.dtype if isinstance(x, Tensor) else y.dtype
        if dtype.base_dtype is dtypes.bool_ and logical is not logical_xor:
            return logical(x, y, name)
        with op_scope(name, operator, (x, y)) as scope:
            if dtype.base_dtype is dtypes.bool_:
                return logical(x, y, scope)
            return bitwise(x, y)  # within the scope, under its own name: as TensorFlow names it

    return function


def _multiply(x: Any, y: Any, name: str) -> Any:
    """`*`: a dense tensor times a sparse one is a sparse one."""
    if isinstance(y, SparseTensor):
        return dense_times_sparse(x, y, name)
    return multiply(x, y, name)


#: operator -> its function. The operator is also the default name of the node.
_BINARY: dict[str, Binary] = {
    "add": typed_add,
    "sub": subtract,
    "mul": _multiply,
    "truediv": truediv,
    "floordiv": floordiv,
    "mod": floormod,
    "pow": pow,
    "matmul": lambda x, y, name: matmul(x, y, name=name),
    "and": _logical_or_bitwise("and", logical_and, bitwise_and),
    "or": _logical_or_bitwise("or", logical_or, bitwise_or),
    "xor": _logical_or_bitwise("xor", logical_xor, bitwise_xor),
}


def _forward(operator: str, function: Binary) -> Callable[[Any, Any], Any]:
    """`x + y`, where x is a tensor."""
    reflected = f"__r{operator}__"

    def method(x: Any, y: Any) -> Any:
        try:
            return function(x, y, operator)
        except (TypeError, ValueError):
            # y may be of a class that knows what to do with a tensor.
            if isinstance(y, Tensor) or not hasattr(type(y), reflected):
                raise
            try:
                result = getattr(y, reflected)(x)
            except (TypeError, ValueError):
                result = NotImplemented
            if result is NotImplemented:
                raise
            return result

    return method


def _reflected(operator: str, function: Binary) -> Callable[[Any, Any], Any]:
    """`x + y`, where y is a tensor and x is not: x takes its dtype."""

    def method(y: Any, x: Any) -> Any:
        with op_scope(None, operator, (y,)) as scope:
            x = convert_to_tensor(x, y.dtype.base_dtype, name="x")
            return function(x, y, scope)

    return method


def _named(name: str, method: Callable[..., Any], like: Any) -> Callable[..., Any]:
    method.__name__ = name
    method.__doc__ = like.__doc__
    return method


def attach_operators(cls: type) -> None:
    """Give a class Python's operators, computed by nodes of the graph.

    Args:
      cls: `Tensor`, or a class whose objects convert to tensors and have a `dtype`. It must not
        expect `==` to compare.
    """
    is_tensor = issubclass(cls, Tensor)

    def as_tensor(value: Any) -> Any:
        return value if is_tensor else convert_to_tensor(value)

    for operator, function in _BINARY.items():
        forward, reflected = _forward(operator, function), _reflected(operator, function)
        if not is_tensor:
            forward = _converting(forward, as_tensor)
            reflected = _converting(reflected, as_tensor)
        setattr(cls, f"__{operator}__", _named(f"__{operator}__", forward, function))
        setattr(cls, f"__r{operator}__", _named(f"__r{operator}__", reflected, function))
    others: tuple[tuple[str, Any], ...] = (
        ("__lt__", less),
        ("__le__", less_equal),
        ("__gt__", greater),
        ("__ge__", greater_equal),
        ("__neg__", negative),
        ("__abs__", absolute),
        ("__invert__", _invert),
        ("__getitem__", getitem),
    )
    for name, other in others:
        setattr(cls, name, other if is_tensor else _converting(other, as_tensor))


def _converting(method: Callable[..., Any], convert: Callable[[Any], Any]) -> Callable[..., Any]:
    def converted(self: Any, *others: Any) -> Any:
        return method(convert(self), *others)

    return converted


def _invert(x: Any) -> Tensor:
    """`~x`: not for bool, every bit the other way round for integers."""
    return logical_not(x) if x.dtype.base_dtype is dtypes.bool_ else invert(x)


attach_operators(Tensor)
