"""Assertions about ranks, shapes and types of tensors: what is known statically is checked at once.

See `checks` for those about values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from tinytf import ops
from tinytf.framework import dtypes
from tinytf.framework.constant_value import constant_value
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.operation import Operation
from tinytf.framework.stacks import get_default_graph
from tinytf.framework.tensor import Tensor
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.check.assert_op import Assert
from tinytf.ops.check.assert_values import message_prefix
from tinytf.ops.control_flow.cond import cond
from tinytf.ops.control_flow.grouping import group, with_dependencies
from tinytf.ops.control_flow.primitives import no_op
from tinytf.ops.math.comparison import equal, greater_equal
from tinytf.ops.math.logical import logical_or

# Ranks ------------------------------------------------------------------------------------------


class _Rule(NamedTuple):
    """What a rank has to be, compared to the given ones."""

    wording: str
    fits: Callable[[int, Sequence[Any]], bool]
    condition: Callable[[Tensor, Sequence[Tensor]], Tensor]


def _rank_is_one_of(actual: Tensor, given: Sequence[Tensor]) -> Tensor:
    if not given:
        return convert_to_tensor(False)
    result = equal(given[0], actual)
    for rank in given[1:]:
        result = logical_or(result, equal(rank, actual))
    return result


_EXACTLY = _Rule(
    "", lambda rank, given: rank == given[0], lambda rank, given: equal(rank, given[0])
)
_AT_LEAST = _Rule(
    " at least",
    lambda rank, given: rank >= given[0],
    lambda rank, given: greater_equal(rank, given[0]),
)
_ONE_OF = _Rule(" in", lambda rank, given: rank in given, _rank_is_one_of)


def _assert_rank(
    scope: str,
    rule: _Rule,
    x: Any,
    given: Sequence[Any],
    data: Any,
    summarize: Any,
    message: Any,
    name: Any,
) -> Operation:
    """Whether the rank of x fits the given ones: now if all is known, else in a run."""
    with op_scope(name, scope, (x, *given, *(data or []))):
        x = convert_to_tensor(x, name="x")
        ranks = [convert_to_tensor(rank, name="rank") for rank in given]
        prefix = message_prefix(message)
        if data is None:
            text = f"Tensor {x.name} must have rank{rule.wording}"
            data = [prefix, text, *ranks, "Received shape: ", ops.shape(x)]
        for rank in ranks:
            assert_type(rank, dtypes.int32)
        known = [constant_value(rank) for rank in ranks]
        if all(rank is not None for rank in known) and _check_now(rule, x, known, prefix):
            return no_op(name="static_checks_determined_all_ok")
        holds = rule.condition(ops.rank(x), ranks)
        for rank, value in zip(ranks, known, strict=True):
            if value is None:
                check = assert_rank(rank, 0, data=["Rank must be a scalar. Received rank: ", rank])
                holds = with_dependencies([check], holds)
        return Assert(holds, data, summarize=summarize)


def _check_now(rule: _Rule, x: Tensor, known: list[Any], prefix: str) -> bool:
    """Compare with ranks that are all known; False if that of x is not."""
    if any(np.ndim(rank) for rank in known):
        raise ValueError("Rank must be a scalar.")
    if x.shape.ndims is None:
        return False
    if not rule.fits(x.shape.ndims, known):
        shown = f"({', '.join(map(str, known))})" if rule is _ONE_OF else str(known[0])
        raise ValueError(
            f"{prefix}Tensor {x.name} must have rank{rule.wording} {shown}.  Received rank "
            f"{x.shape.ndims}, shape {x.shape}"
        )
    return True


def assert_rank(
    x: Any,
    rank: Any,
    data: Any = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """An operation that fails unless x has this rank (TensorFlow: `tf.assert_rank`).

    Args:
      x: a tensor.
      rank: an int, or a scalar int32 tensor.
      data, summarize, message: as of `tf.assert_equal`.
      name: a name scope, "assert_rank" by default.

    Raises:
      ValueError: at once, if the rank is known and another one.

    Example:
      >>> check = tf.assert_rank([[1, 2]], 2)
    """
    return _assert_rank("assert_rank", _EXACTLY, x, [rank], data, summarize, message, name)


def assert_rank_at_least(
    x: Any,
    rank: Any,
    data: Any = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """An operation that fails if x has a lower rank (TensorFlow: `tf.assert_rank_at_least`).

    Args, returns and errors as of `assert_rank`.

    Example:
      >>> check = tf.assert_rank_at_least([[1, 2]], 1)
    """
    return _assert_rank(
        "assert_rank_at_least", _AT_LEAST, x, [rank], data, summarize, message, name
    )


def assert_rank_in(
    x: Any,
    ranks: Sequence[Any],
    data: Any = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """An operation that fails unless x has one of several ranks (`tf.assert_rank_in`).

    Args, returns and errors as of `assert_rank`, with a list of ranks.

    Example:
      >>> check = tf.assert_rank_in([[1, 2]], [1, 2])
    """
    return _assert_rank("assert_rank_in", _ONE_OF, x, ranks, data, summarize, message, name)


def assert_scalar(tensor: Any, name: str | None = None, message: str | None = None) -> Tensor:
    """The tensor, which must be a single number statically (TensorFlow: `tf.assert_scalar`).

    Raises:
      ValueError: if it is not, or if its rank is not known.

    Example:
      >>> tf.assert_scalar(3)  # 3
    """
    with op_scope(name, "assert_scalar", (tensor,)) as scope:
        tensor = convert_to_tensor(tensor, name=scope)
        if tensor.shape.ndims != 0:
            raise ValueError(
                f"{message_prefix(message)}Expected scalar shape for {tensor.name}, saw shape: "
                f"{tensor.shape}."
            )
        return tensor


# Types ------------------------------------------------------------------------------------------


def assert_type(
    tensor: Any, tf_type: Any, message: str | None = None, name: str | None = None
) -> Operation:
    """Fail at once unless a tensor is of this dtype (TensorFlow: `tf.assert_type`).

    Args:
      tensor: the tensor.
      tf_type: a dtype.
      message: what to put in front of the error.
      name: a name scope, "assert_type" by default.

    Returns:
      an operation that does nothing.

    Raises:
      TypeError: if it is of another one.

    Example:
      >>> check = tf.assert_type([1, 2], tf.int32)
    """
    wanted = dtypes.as_dtype(tf_type)
    with op_scope(name, "assert_type", (tensor,)):
        tensor = convert_to_tensor(tensor, name="tensor")
        if tensor.dtype != wanted:
            raise TypeError(
                f"{message_prefix(message)}{tensor.name} must be of type {wanted!r}; got "
                f"{tensor.dtype!r}"
            )
        return no_op("statically_determined_correct_type")


def assert_integer(x: Any, message: str | None = None, name: str | None = None) -> Operation:
    """Fail at once unless a tensor is of an integer dtype (TensorFlow: `tf.assert_integer`).

    Raises:
      TypeError: if it is not.

    Example:
      >>> check = tf.assert_integer([1, 2])
    """
    with op_scope(name, "assert_integer", (x,)):
        x = convert_to_tensor(x, name="x")
        if not x.dtype.is_integer:
            raise TypeError(
                f'{message_prefix(message)}Expected "x" to be integer type.  Found: {x.name} of '
                f"dtype {x.dtype}"
            )
        return no_op("statically_determined_was_integer")


def assert_same_float_dtype(
    tensors: Iterable[Any] | None = None, dtype: Any = None
) -> dtypes.DType:
    """The one float dtype of several tensors (TensorFlow: `tf.assert_same_float_dtype`).

    Args:
      tensors: a list of tensors; None among them is passed over.
      dtype: the dtype they must have; by default that of the first one.

    Returns:
      the dtype; float32 if there is neither.

    Raises:
      ValueError: if two differ, or if it is no float.

    Example:
      >>> tf.assert_same_float_dtype([tf.constant(1.0), None])
      tf.float32
    """
    first = ""
    for tensor in tensors or ():
        if tensor is None:
            continue
        if dtype is None:
            dtype, first = tensor.dtype.base_dtype, f" as {tensor.name}"
        elif tensor.dtype.base_dtype != dtype:
            raise ValueError(
                f"{tensor.name}, type={tensor.dtype.base_dtype}, must be of the same type "
                f"({dtype}){first}."
            )
    if dtype is None:
        return dtypes.float32
    if not dtype.is_floating:
        raise ValueError(f"Expected floating point type, got {dtype}.")
    return dtype


def assert_proper_iterable(values: Any) -> None:
    """Fail at once for a tensor, array or text where a list is meant (`tf.assert_proper_iterable`).

    Raises:
      TypeError: if `values` is one of these, or nothing to iterate over.

    Example:
      >>> tf.assert_proper_iterable([tf.constant(1), tf.constant(2)])
    """
    if isinstance(values, Tensor | np.ndarray | bytes | str):
        raise TypeError(
            f'Expected argument "values" to be a "proper" iterable.  Found: {type(values)}'
        )
    if not hasattr(values, "__iter__"):
        raise TypeError(f'Expected argument "values" to be iterable.  Found: {type(values)}')


# Shapes -----------------------------------------------------------------------------------------


class _Constraint(NamedTuple):
    """A tensor, its sizes as far as they are known, and what they are to be."""

    x: Tensor
    from_the_end: bool
    sizes: Any
    symbols: tuple[Any, ...]


def assert_shapes(
    shapes: Any,
    data: Any = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """Check the sizes of several tensors against one another (`tf.debugging.assert_shapes`).

    Args:
      shapes: a list of (tensor, sizes), or a dictionary. A size is a number, a symbol such as
        "N", which stands for one size everywhere, or None or "." for any; "..." (Ellipsis) or
        "*" as the first one stands for any number of dimensions.
      data, summarize, message: as of `tf.assert_equal`.
      name: a name scope, "assert_shapes" by default.

    Raises:
      ValueError: at once, if known sizes do not agree, or the symbols are malformed.

    Example:
      >>> x, y = tf.zeros([3, 2]), tf.zeros([3])
      >>> check = tf.debugging.assert_shapes([(x, ("N", 2)), (y, ("N",))])
    """
    pairs = shapes.items() if isinstance(shapes, dict) else shapes
    prefix = message_prefix(message)
    with op_scope(name, "assert_shapes", (shapes, data)):
        converted = [(convert_to_tensor(x), sizes) for x, sizes in pairs if sizes is not None]
        constraints = [_constraint(x, sizes, prefix) for x, sizes in converted]
        how = {"data": data, "summarize": summarize, "message": message, "name": name}
        ranks = [check for c in constraints if (check := _rank_check(c, how)) is not None]
        checks: list[Operation] = []
        defined: dict[Any, tuple[Any, str]] = {}
        for constraint in constraints:
            for index, symbol in enumerate(constraint.symbols):
                if symbol is None or symbol == ".":
                    continue
                place = index - len(constraint.symbols) * constraint.from_the_end
                if symbol not in defined and not _is_number(symbol):
                    defined[symbol] = _size(constraint, place, ranks), _origin(constraint.x, place)
                    continue
                wanted = (int(symbol), "Specified explicitly") if _is_number(symbol) else None
                check = _size_check(
                    constraint, place, ranks, wanted or defined[symbol], prefix, data, summarize
                )
                checks += [] if check is None else [check]
    with get_default_graph().control_dependencies(ranks):
        return group(*checks)


def _origin(x: Tensor, place: int) -> str:
    return f"Specified by tensor {x.name} dimension {place}"


def _is_number(size: Any) -> bool:
    try:
        int(size)
    except (TypeError, ValueError):
        return False
    return True


def _constraint(x: Tensor, sizes: Any, prefix: str) -> _Constraint:
    if not hasattr(sizes, "__iter__") and not hasattr(sizes, "__getitem__"):
        raise ValueError(
            f"{prefix}Tensor {x.name}.  Specified shape must be an iterable.  An iterable has the "
            f"attribute `__iter__` or `__getitem__`.  Received specified shape: {sizes}"
        )
    symbols = tuple(sizes)
    for index, symbol in enumerate(symbols):
        if index and (symbol is Ellipsis or symbol == "*"):
            raise ValueError(
                f"{prefix}Tensor {x.name} specified shape index {index}.  Symbol `...` or `*` for "
                f"a variable number of unspecified dimensions is only allowed as the first entry"
            )
    from_the_end = bool(symbols) and (symbols[0] is Ellipsis or symbols[0] == "*")
    return _Constraint(x, from_the_end, _sizes(x), symbols[from_the_end:] or (1,))


def _sizes(x: Tensor) -> Any:
    """The sizes of a tensor: numbers where they are known; a number counts as one of size 1."""
    shape: Any = ops.shape(x)
    if x.shape.sizes is None:
        is_number = equal(ops.rank(x), 0)
        return cond(is_number, lambda: convert_to_tensor([1]), lambda: shape)
    return [shape[i] if n is None else n for i, n in enumerate(x.shape.sizes)] or (1,)


def _rank_check(constraint: _Constraint, how: dict[str, Any]) -> Operation | None:
    rank = len(constraint.symbols)
    if constraint.from_the_end:
        return None if rank == 1 else assert_rank_at_least(constraint.x, rank, **how)
    if rank == 1:
        return assert_rank_in(constraint.x, [0, 1], **how)
    return assert_rank(constraint.x, rank, **how)


def _size(constraint: _Constraint, place: int, ranks: Any) -> Any:
    with get_default_graph().control_dependencies(ranks):
        return constraint.sizes[place]


def _size_check(
    constraint: _Constraint,
    place: int,
    ranks: Any,
    wanted: tuple[Any, str],
    prefix: str,
    data: Any,
    summarize: Any,
) -> Operation | None:
    x, (size, origin) = constraint.x, wanted
    actual = _size(constraint, place, ranks)
    if _is_number(actual) and _is_number(size):
        if int(actual) != int(size):
            raise ValueError(
                f"{prefix}{origin}.  Tensor {x.name} dimension {place} must have size {size}.  "
                f"Received size {actual}, shape {x.shape}"
            )
        return None
    holds = equal(convert_to_tensor(actual), convert_to_tensor(size))
    if data is None:
        data = [
            prefix,
            origin,
            f"Tensor {x.name} dimension",
            place,
            "must have size",
            size,
            "Received shape: ",
            ops.shape(x),
        ]
    return Assert(holds, data, summarize=summarize)
