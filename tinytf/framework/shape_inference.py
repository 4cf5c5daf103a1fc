"""What a shape function sees, and the rules many of them share.

A shape function receives an `InferenceContext` and returns the static shape of the op's single
output, or a list with one shape for each output. It raises ValueError with the rule that is
broken; the graph adds the node and its input shapes to the message, in TensorFlow's format.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tinytf.framework.constant_value import constant_value, constant_value_as_shape
from tinytf.framework.graph_versions import PRODUCER
from tinytf.framework.tensor_shape import Dims, TensorShape, scalar, unknown_shape

if TYPE_CHECKING:
    import numpy as np

    from tinytf.framework.op_def import OpDef
    from tinytf.framework.tensor import Tensor


class InferenceContext:
    """The node being built, as its shape function sees it.

    Attributes:
      op_def: the schema.
      inputs: the input tensors, in order (list arguments flattened).
      attrs: attribute values: DType, int, float, bool, bytes, TensorShape, numpy array, tuple.
      output_count: how many outputs the node has.
      producer: the version of the GraphDef that the graph is of.
    """

    __slots__ = ("attrs", "inputs", "op_def", "output_count", "producer")

    def __init__(
        self,
        op_def: OpDef,
        inputs: Sequence[Tensor],
        attrs: dict[str, Any],
        output_count: int,
        producer: int = PRODUCER,
    ):
        self.op_def = op_def
        self.inputs = inputs
        self.attrs = attrs
        self.output_count = output_count
        self.producer = producer

    def input(self, index: int) -> TensorShape:
        """The static shape of an input."""
        return self.inputs[index].shape

    def shapes(self) -> list[TensorShape]:
        """The static shapes of all inputs."""
        return [tensor.shape for tensor in self.inputs]

    def constant(self, index: int) -> np.ndarray | None:
        """The value of an input if it is known while the graph is built, else None."""
        return constant_value(self.inputs[index])

    def shape_value(self, index: int) -> TensorShape:
        """An input that *holds* a shape (an int vector), as far as its elements are known."""
        return constant_value_as_shape(self.inputs[index])


class RecordingContext(InferenceContext):
    """Also remembers the values that a shape function asked for, for the message of its error."""

    __slots__ = ("_shapes", "_values")

    def __init__(self, *args: Any):
        super().__init__(*args)
        self._values: dict[int, np.ndarray] = {}
        self._shapes: dict[int, TensorShape] = {}

    def constant(self, index: int) -> np.ndarray | None:
        value = super().constant(index)
        if value is not None:
            self._values[index] = value
        return value

    def shape_value(self, index: int) -> TensorShape:
        shape = super().shape_value(index)
        if shape.sizes is not None:
            self._shapes[index] = shape
        return shape

    def values_used(self) -> str:
        """Such as " and with computed input tensors: input[1] = <5>"; "" if none was known."""
        text = ""
        known = sorted((i, v) for i, v in self._values.items() if i not in self._shapes)
        if known:
            listed = ", ".join(f"input[{i}] = <{_summary(value)}>" for i, value in known)
            text += f" and with computed input tensors: {listed}"
        if self._shapes:
            partial = sorted(self._shapes.items())
            listed = ", ".join(f"input[{i}] = {brackets(shape)}" for i, shape in partial)
            text += f" and with input tensors computed as partial shapes: {listed}"
        return text


def _summary(value: np.ndarray) -> str:
    """Elements apart by spaces, as TensorFlow's messages have them; at most ten of a vector."""
    if value.ndim > 1:
        return "".join(f"[{_summary(row)}]" for row in value)
    items = [str(item) for item in value.ravel()[:10].tolist()]
    return " ".join(items) + ("..." if value.size > 10 else "")


# Rules that are themselves shape functions: register them directly. --------------------------


def unchanged(c: InferenceContext) -> TensorShape:
    """The output has the shape of the first input."""
    return c.input(0)


def same_as_all_inputs(c: InferenceContext) -> TensorShape:
    """All inputs and the output have one shape."""
    shape = c.input(0)
    for other in c.shapes()[1:]:
        shape = merge(shape, other)
    return shape


def is_scalar(c: InferenceContext) -> TensorShape:
    """The output is a single number, whatever the inputs are."""
    return scalar()


def no_outputs(c: InferenceContext) -> list[TensorShape]:
    """The op has no outputs."""
    return []


def unknown(c: InferenceContext) -> list[TensorShape]:
    """Nothing is known about any output."""
    return [unknown_shape()] * c.output_count


def broadcast(c: InferenceContext) -> TensorShape:
    """Two inputs combined under numpy's broadcasting rules."""
    return broadcast_shapes(c.input(0), c.input(1))


# Building blocks. -----------------------------------------------------------------------------


def merge(first: TensorShape, second: TensorShape) -> TensorShape:
    """`merge_with`, with the message TensorFlow's shape functions give.

    Raises:
      ValueError: "Dimension 0 in both shapes must be equal, but are 2 and 3. Shapes are ...".
    """
    a, b = first.sizes, second.sizes
    if a is None or b is None or len(a) == len(b):
        for index, (x, y) in enumerate(zip(a or (), b or (), strict=False)):
            if x is not None and y is not None and x != y:
                raise ValueError(
                    f"Dimension {index} in both shapes must be equal, but are {x} and {y}. "
                    f"Shapes are {brackets(first)} and {brackets(second)}."
                )
        return first.merge_with(second)
    raise ValueError(f"Shapes must be equal rank, but are {len(a)} and {len(b)}")


def merge_dimension(first: int | None, second: int | None) -> int | None:
    """One size out of two that must be equal."""
    if first is not None and second is not None and first != second:
        raise ValueError(f"Dimensions must be equal, but are {first} and {second}")
    return second if first is None else first


def with_rank(shape: TensorShape, rank: int) -> TensorShape:
    """`shape`, which must have this rank.

    Raises:
      ValueError: "Shape must be rank 2 but is rank 1".
    """
    if shape.sizes is not None and len(shape.sizes) != rank:
        raise ValueError(f"Shape must be rank {rank} but is rank {len(shape.sizes)}")
    return shape.with_rank(rank)


def with_rank_at_least(shape: TensorShape, rank: int) -> TensorShape:
    """`shape`, which must have at least this rank."""
    if shape.sizes is not None and len(shape.sizes) < rank:
        raise ValueError(f"Shape must be at least rank {rank} but is rank {len(shape.sizes)}")
    return shape


def broadcast_shapes(first: TensorShape, second: TensorShape) -> TensorShape:
    """The static result of broadcasting two shapes, as far as it can be known.

    Raises:
      ValueError: "Dimensions must be equal, but are 3 and 4".
    """
    a, b = first.sizes, second.sizes
    if a is None or b is None:
        return unknown_shape()
    if a == b:
        if None not in a:
            return first
        return TensorShape.of(a if len(a) == 0 else tuple(map(_broadcast_dimension, a, b)))
    if len(a) < len(b):
        a = (1,) * (len(b) - len(a)) + a
    else:
        b = (1,) * (len(a) - len(b)) + b
    return TensorShape.of(tuple(map(_broadcast_dimension, a, b)))


def _broadcast_dimension(a: int | None, b: int | None) -> int | None:
    if a is None or b is None:
        # An unknown size could be 1; a known size above 1 then decides, a 1 does not.
        known = b if a is None else a
        return known if known is not None and known > 1 else None
    if a == b or b == 1:
        return a
    if a == 1:
        return b
    raise ValueError(f"Dimensions must be equal, but are {a} and {b}")


def brackets(shape: TensorShape) -> str:
    """A shape as TensorFlow's C++ messages write it: "[?,3]", "<unknown>"."""
    dims: Dims = shape.sizes
    if dims is None:
        return "<unknown>"
    return "[" + ",".join("?" if d is None else str(d) for d in dims) + "]"
