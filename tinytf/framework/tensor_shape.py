"""Static shapes with unknown dimensions and ranks.

Mirrors `tensorflow/python/framework/tensor_shape.py`.
A shape is a tuple of sizes, where `None` is a size not known while the graph is built, or
nothing at all (`None`) when not even the rank is known. `TensorShape` is immutable.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

Dims = tuple[int | None, ...] | None


class Dimension:
    """One size of a shape, perhaps unknown (TensorFlow 1.x: `tf.Dimension`).

    Arithmetic and comparison with an unknown dimension give an unknown result: `Dimension(None)`
    for arithmetic, `None` for comparison, as in TensorFlow 1.x.

    Example:
      >>> tf.Dimension(2) + 3, tf.Dimension(2) * tf.Dimension(None), tf.Dimension(2) == 2
      (Dimension(5), Dimension(None), True)
    """

    __slots__ = ("_value",)

    def __init__(self, value: Any):
        if value is None:
            self._value: int | None = None
        elif isinstance(value, Dimension):
            self._value = value._value
        else:
            self._value = _dimension_value(value)

    @property
    def value(self) -> int | None:
        """The size, or None."""
        return self._value

    def is_compatible_with(self, other: Any) -> bool:
        """Whether both could be the same size."""
        other = Dimension(other)
        return self._value is None or other._value is None or self._value == other._value

    def assert_is_compatible_with(self, other: Any) -> None:
        """Raise ValueError unless `is_compatible_with(other)`."""
        if not self.is_compatible_with(other):
            raise ValueError(f"Dimensions {self} and {other} are not compatible")

    def merge_with(self, other: Any) -> Dimension:
        """The more specific of the two; ValueError if they contradict each other."""
        other = Dimension(other)
        self.assert_is_compatible_with(other)
        return other if self._value is None else self

    def _combine(self, other: Any, function: Any) -> Any:
        try:
            other = Dimension(other)
        except (TypeError, ValueError):
            return NotImplemented
        if self._value is None or other._value is None:
            return Dimension(None)
        return Dimension(function(self._value, other._value))

    def _compare(self, other: Any, function: Any) -> Any:
        try:
            other = Dimension(other)
        except (TypeError, ValueError):
            return NotImplemented
        if self._value is None or other._value is None:
            return None
        return function(self._value, other._value)

    def __add__(self, other: Any) -> Any:
        return self._combine(other, lambda a, b: a + b)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self._combine(other, lambda a, b: a - b)

    def __rsub__(self, other: Any) -> Any:
        return self._combine(other, lambda a, b: b - a)

    def __mul__(self, other: Any) -> Any:
        return self._combine(other, lambda a, b: a * b)

    __rmul__ = __mul__

    def __floordiv__(self, other: Any) -> Any:
        return self._combine(other, lambda a, b: a // b)

    def __rfloordiv__(self, other: Any) -> Any:
        return self._combine(other, lambda a, b: b // a)

    def __mod__(self, other: Any) -> Any:
        return self._combine(other, lambda a, b: a % b)

    def __rmod__(self, other: Any) -> Any:
        return self._combine(other, lambda a, b: b % a)

    def __eq__(self, other: object) -> Any:
        return self._compare(other, lambda a, b: a == b)

    def __ne__(self, other: object) -> Any:
        return self._compare(other, lambda a, b: a != b)

    def __lt__(self, other: Any) -> Any:
        return self._compare(other, lambda a, b: a < b)

    def __le__(self, other: Any) -> Any:
        return self._compare(other, lambda a, b: a <= b)

    def __gt__(self, other: Any) -> Any:
        return self._compare(other, lambda a, b: a > b)

    def __ge__(self, other: Any) -> Any:
        return self._compare(other, lambda a, b: a >= b)

    def __int__(self) -> int:
        if self._value is None:
            raise TypeError("Dimension is unknown: it has no integer value")
        return self._value

    __index__ = __int__

    # An unknown dimension does not even equal itself: there is no hash to agree with that.
    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Dimension({self._value})"

    def __str__(self) -> str:
        return "?" if self._value is None else str(self._value)


def _dimension_value(value: Any) -> int:
    try:
        size = int(value.__index__())
    except (AttributeError, TypeError):  # a tensor raises the second
        swapped = ". Were type and shape swapped?" * hasattr(value, "as_numpy_dtype")
        raise TypeError(
            f"Dimension value must be integer or None or have an __index__ method, "
            f"got value '{value!r}' with type '{type(value)!r}'{swapped}"
        ) from None
    if size < 0:
        raise ValueError(f"Dimension {size} must be >= 0")
    return size


def dimension_value(dimension: Any) -> int | None:
    """The plain number behind a `Dimension`, an int or None.

    Example:
      >>> tf.dimension_value(tf.Dimension(3))  # 3
    """
    return dimension.value if isinstance(dimension, Dimension) else dimension


def dimension_at_index(shape: TensorShape, index: int) -> Dimension:
    """The size of one dimension of a shape whose rank may be unknown.

    Example:
      >>> tf.dimension_at_index(tf.TensorShape([2, None]), 0)
      Dimension(2)
    """
    return Dimension(None) if shape.dims is None else shape.dims[index]


class TensorShape:
    """The static shape of a tensor (TensorFlow: `tf.TensorShape`).

    Three kinds: fully known `(2, 3)`, partly known `(?, 3)`, and of unknown rank `<unknown>`.

    Args:
      dims: None (unknown rank), an int, a `TensorShape`, a `TensorShapeProto`, or an iterable
        of sizes (int, `Dimension` or None).

    Raises:
      TypeError: if a size is no integer. ValueError: if a size is negative.

    Example:
      >>> tf.TensorShape([None, 3]).merge_with([2, None])
      TensorShape([Dimension(2), Dimension(3)])
    """

    __slots__ = ("_dims",)

    def __init__(self, dims: Any):
        if isinstance(dims, TensorShape):
            self._dims: Dims = dims._dims
        elif dims is None:
            self._dims = None
        elif hasattr(dims, "unknown_rank"):  # a TensorShapeProto
            self._dims = (
                None
                if dims.unknown_rank
                else tuple(d.size if d.size >= 0 else None for d in dims.dim)
            )
        elif isinstance(dims, Iterable):
            self._dims = tuple(d if type(d) is int and d >= 0 else Dimension(d).value for d in dims)
        else:
            self._dims = (Dimension(dims).value,)

    @classmethod
    def of(cls, dims: Dims) -> TensorShape:
        """A shape from a tuple already known to be valid (no checks: for shape functions)."""
        shape = cls.__new__(cls)
        shape._dims = dims
        return shape

    @property
    def dims(self) -> list[Dimension] | None:
        """The sizes as `Dimension`s, or None for unknown rank."""
        return None if self._dims is None else [Dimension(d) for d in self._dims]

    @property
    def sizes(self) -> Dims:
        """The sizes as a plain tuple of int or None; None for unknown rank."""
        return self._dims

    @property
    def ndims(self) -> int | None:
        """The rank, or None."""
        return None if self._dims is None else len(self._dims)

    rank = ndims

    def as_list(self) -> list[int | None]:
        """The sizes as a list of int or None; ValueError if the rank is unknown."""
        if self._dims is None:
            raise ValueError("as_list() is not defined on an unknown TensorShape.")
        return list(self._dims)

    def as_proto(self) -> Any:
        """The shape as a `TensorShapeProto` (-1 for an unknown size)."""
        from tinytf.protos import tensor_pb2

        proto = tensor_pb2.TensorShapeProto()
        if self._dims is None:
            proto.unknown_rank = True
        else:
            for size in self._dims:
                proto.dim.add().size = -1 if size is None else size
        return proto

    def num_elements(self) -> int | None:
        """The product of all sizes, or None when one of them is unknown."""
        if self._dims is None:
            return None
        product = 1
        for size in self._dims:
            if size is None:
                return None
            product *= size
        return product

    def is_fully_defined(self) -> bool:
        """Whether rank and every size are known."""
        return self._dims is not None and None not in self._dims

    def is_compatible_with(self, other: Any) -> bool:
        """Whether some fully known shape satisfies both."""
        other = as_shape(other)
        if self._dims is None or other._dims is None:
            return True
        return len(self._dims) == len(other._dims) and all(
            a is None or b is None or a == b for a, b in zip(self._dims, other._dims, strict=True)
        )

    def assert_is_compatible_with(self, other: Any) -> None:
        """Raise ValueError unless `is_compatible_with(other)`."""
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {other} are incompatible")

    def merge_with(self, other: Any) -> TensorShape:
        """The shape that knows what either knows; ValueError if they contradict each other."""
        other = as_shape(other)
        if self._dims is None or other._dims == self._dims:
            return other
        if other._dims is None:
            return self
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {other} are not compatible")
        return TensorShape.of(
            tuple(b if a is None else a for a, b in zip(self._dims, other._dims, strict=True))
        )

    def most_specific_compatible_shape(self, other: Any) -> TensorShape:
        """What both agree on: a size only where they are equal (TensorFlow's own name for it)."""
        other = as_shape(other)
        if self._dims is None or other._dims is None or len(self._dims) != len(other._dims):
            return unknown_shape()
        return TensorShape.of(
            tuple(a if a == b else None for a, b in zip(self._dims, other._dims, strict=True))
        )

    def concatenate(self, other: Any) -> TensorShape:
        """This shape followed by `other`; unknown rank if either has it."""
        other = as_shape(other)
        if self._dims is None or other._dims is None:
            return unknown_shape()
        return TensorShape.of(self._dims + other._dims)

    def with_rank(self, rank: int) -> TensorShape:
        """This shape, known to have `rank`; ValueError if it has another."""
        if self._dims is None:
            return TensorShape.of((None,) * rank)
        if len(self._dims) != rank:
            raise ValueError(f"Shape {self} must have rank {rank}")
        return self

    def with_rank_at_least(self, rank: int) -> TensorShape:
        """This shape; ValueError if its rank is known and smaller than `rank`."""
        if self._dims is not None and len(self._dims) < rank:
            raise ValueError(f"Shape {self} must have rank at least {rank}")
        return self

    def with_rank_at_most(self, rank: int) -> TensorShape:
        """This shape; ValueError if its rank is known and greater than `rank`."""
        if self._dims is not None and len(self._dims) > rank:
            raise ValueError(f"Shape {self} must have rank at most {rank}")
        return self

    def assert_has_rank(self, rank: int) -> None:
        """Raise ValueError unless the rank is unknown or `rank`."""
        if self._dims is not None and len(self._dims) != rank:
            raise ValueError(f"Shape {self} must have rank {rank}")

    def assert_same_rank(self, other: Any) -> None:
        """Raise ValueError if both ranks are known and differ."""
        other = as_shape(other)
        if None not in (self.ndims, other.ndims) and self.ndims != other.ndims:
            raise ValueError(f"Shapes {self} and {other} must have the same rank")

    def assert_is_fully_defined(self) -> None:
        """Raise ValueError unless every size is known."""
        if not self.is_fully_defined():
            raise ValueError(f"Shape {self} is not fully defined")

    def __len__(self) -> int:
        if self._dims is None:
            raise ValueError("Cannot take the length of shape with unknown rank.")
        return len(self._dims)

    def __bool__(self) -> bool:
        return self._dims is not None

    def __iter__(self) -> Iterator[Dimension]:
        if self._dims is None:
            raise ValueError("Cannot iterate over a shape with unknown rank.")
        return (Dimension(d) for d in self._dims)

    def __getitem__(self, key: Any) -> Any:
        if self._dims is not None:
            return (
                TensorShape.of(self._dims[key])
                if isinstance(key, slice)
                else Dimension(self._dims[key])
            )
        if not isinstance(key, slice):
            return Dimension(None)
        start, stop = key.start or 0, key.stop
        if key.step is not None:
            raise ValueError("Steps are not yet handled for a shape of unknown rank.")
        if stop is None or start < 0 or stop < 0:
            return unknown_shape()
        return TensorShape.of((None,) * max(0, stop - start))

    def __add__(self, other: Any) -> TensorShape:
        return self.concatenate(other)

    def __radd__(self, other: Any) -> TensorShape:
        return as_shape(other).concatenate(self)

    def __eq__(self, other: object) -> bool:
        try:
            return self._dims == as_shape(other)._dims
        except (TypeError, ValueError):
            return NotImplemented

    def __hash__(self) -> int:
        return hash(self._dims)

    def __repr__(self) -> str:
        return f"TensorShape({self.dims!r})"

    def __str__(self) -> str:
        if self._dims is None:
            return "<unknown>"
        sizes = ["?" if d is None else str(d) for d in self._dims]
        return f"({sizes[0]},)" if len(sizes) == 1 else f"({', '.join(sizes)})"

    def __reduce__(self) -> tuple[Any, ...]:
        return TensorShape, (None if self._dims is None else list(self._dims),)


#: Values have 64 at most; without a limit a graph could ask for a tuple of any length.
_MAX_RANK = 1 << 16
_UNKNOWN = TensorShape(None)
_SCALAR = TensorShape(())


def as_shape(shape: Any) -> TensorShape:
    """`shape` as a `TensorShape` (itself when it is one)."""
    return shape if isinstance(shape, TensorShape) else TensorShape(shape)


def unknown_shape(rank: int | None = None) -> TensorShape:
    """A shape nothing is known about, or only its rank.

    Raises:
      ValueError: for a rank that only a malformed graph has.
    """
    if rank is None:
        return _UNKNOWN
    if rank > _MAX_RANK:
        raise ValueError(f"A shape of {rank} dimensions has too many dimensions (over {_MAX_RANK})")
    return TensorShape.of((None,) * rank)


def scalar() -> TensorShape:
    """The shape of a single number, `()`."""
    return _SCALAR
