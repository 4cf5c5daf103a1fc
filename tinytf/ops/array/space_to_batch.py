"""Blocks of an image moved into the batch, or into the channels, and back."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework import dtypes
from tinytf.framework.array_types import Array
from tinytf.framework.constant_value import constant_value
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import OpCard, define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import InferenceContext, merge, with_rank, with_rank_at_least
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape, unknown_shape
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.base.shape_rules import divide_evenly, shown

# What the moves share ---------------------------------------------------------------------------


def _block_of(c: InferenceContext) -> np.ndarray | None:
    """The sizes of a block, as far as they are known; the number of them always is."""
    if "block_size" in c.attrs:
        return np.full(2, c.attrs["block_size"])
    if c.input(1).ndims != 1 or c.input(1).sizes[0] is None:  # type: ignore[index]
        raise ValueError(
            "block_shape must have rank 1."
            if c.input(1).ndims != 1
            else "block_shape must have known size."
        )
    return c.constant(1)


def _moved_shape(c: InferenceContext, what: str, into_batch: bool) -> TensorShape:
    border = len(c.inputs) - 1
    block = _block_of(c)
    count: int = 2 if border == 1 else c.input(1).sizes[0]  # type: ignore[index, assignment]
    source = with_rank(c.input(0), 4) if border == 1 else with_rank_at_least(c.input(0), count + 1)
    merge(c.input(border), TensorShape.of((count, 2)))
    if source.sizes is None:
        return unknown_shape(4 if border == 1 else None)
    borders = c.constant(border)
    sizes: list[int | None] = list(source.sizes)
    if block is not None and (block < 1).any():
        raise ValueError("block_shape must be positive")
    if borders is not None and (borders < 0).any():
        raise ValueError(f"{what} cannot be negative")
    for dim in range(count):
        size, factor = sizes[dim + 1], None if block is None else int(block[dim])
        sizes[0] = _scaled(sizes[0], factor, into_batch)
        around = None if borders is None else int(borders[dim].sum())
        if size is None or factor is None or around is None:
            sizes[dim + 1] = None
        elif into_batch:
            sizes[dim + 1] = divide_evenly(size + around, factor)
        else:
            sizes[dim + 1] = _cropped(
                size * factor, *([] if borders is None else borders[dim].tolist())
            )
    return TensorShape.of(tuple(sizes))


def _scaled(size: int | None, factor: int | None, up: bool) -> int | None:
    if size is None or factor is None:
        return None
    return size * factor if up else divide_evenly(size, factor)


def _cropped(size: int, *crops: int) -> int:
    for crop in crops:
        if size < crop:
            raise ValueError(f"Negative dimension size caused by subtracting {crop} from {size}")
        size -= crop
    return size


def _check(input: Any, block: Any, borders: Any, what: str) -> tuple[list[int], list[list[int]]]:
    if block.ndim != 1:
        raise invalid(f"block_shape rank should be 1 instead of {block.ndim}")
    count = block.size
    if borders.shape != (count, 2):
        raise invalid(f"{what} should have shape [{count}, 2] instead of {shown(borders)}")
    if input.ndim < count + 1:
        raise invalid(f"input rank should be >= {count + 1} instead of {input.ndim}")
    if (block < 1).any():
        wrong = int(np.argmax(block < 1))
        raise invalid(
            f"All values in block_shape must be positive, got value, {block[wrong]} at index "
            f"{wrong}."
        )
    if (borders < 0).any():
        raise invalid(f"{what.capitalize()} must be non-negative")
    return block.tolist(), borders.tolist()


def _into_batch(input: Any, block: Any, paddings: Any) -> np.ndarray:
    factors, pairs = _check(input, block, paddings, "paddings")
    count = len(factors)
    rest = [(0, 0)] * (input.ndim - count - 1)
    filler = {"constant_values": b""} if input.dtype == object else {}
    padded = np.pad(input, [(0, 0), *pairs, *rest], **filler)  # type: ignore[call-overload]
    split: list[int] = [padded.shape[0]]
    for dim, (size, factor) in enumerate(zip(padded.shape[1:], factors)):
        if size % factor:
            raise invalid(
                f"padded_shape[{dim}]={size} is not divisible by block_shape[{dim}]={factor}"
            )
        split += [size // factor, factor]
    split += padded.shape[count + 1 :]
    spaces = [1 + 2 * dim for dim in range(count)]
    last = range(2 * count + 1, len(split))
    moved = padded.reshape(split).transpose([s + 1 for s in spaces] + [0, *spaces, *last])
    batch = padded.shape[0] * math.prod(factors)
    return moved.reshape(batch, *[split[s] for s in spaces], *padded.shape[count + 1 :])


def _out_of_batch(input: Any, block: Any, crops: Any) -> np.ndarray:
    factors, pairs = _check(input, block, crops, "crops")
    count, product = len(factors), math.prod(factors)
    if input.shape[0] % product:
        raise invalid(
            f"Input batch dimension ({input.shape[0]}) is not divisible by product of block sizes "
            f"({product})"
        )
    batch, rest = input.shape[0] // product, input.shape[count + 1 :]
    sizes = [size * factor for size, factor in zip(input.shape[1:], factors)]
    index = [slice(None)]
    for dim, (size, (before, after)) in enumerate(zip(sizes, pairs)):
        if size - before - after < 0:
            raise invalid(f"cropped_shape[{dim}]={size - before - after} must be non-negative")
        index.append(slice(before, size - after))
    split = input.reshape(*factors, batch, *input.shape[1:])
    order = [count]
    for dim in range(count):
        order += [count + 1 + dim, dim]
    moved = split.transpose(order + list(range(2 * count + 1, split.ndim)))
    return moved.reshape(batch, *sizes, *rest)[tuple(index)]


# SpaceToBatchND, BatchToSpaceND -----------------------------------------------------------------


def _move(op_type: str, border: str) -> OpCard:
    kind = f"T{border}"
    return define_op(
        op_type,
        f"input: T, block_shape: Tblock_shape, {border}: {kind} -> output: T",
        "T: type, Tblock_shape: {int32, int64} = DT_INT32",
        f"{kind}: {{int32, int64}} = DT_INT32",
    )


_space_to_batch_nd = _move("SpaceToBatchND", "paddings")
_batch_to_space_nd = _move("BatchToSpaceND", "crops")
_space_to_batch_nd.kernel(_into_batch)
_batch_to_space_nd.kernel(_out_of_batch)


@_space_to_batch_nd.gradient
def _space_to_batch_nd_gradient(op: Operation, gradient: Any) -> list[Any]:
    return [batch_to_space_nd(gradient, op.inputs[1], op.inputs[2]), None, None]


@_batch_to_space_nd.gradient
def _batch_to_space_nd_gradient(op: Operation, gradient: Any) -> list[Any]:
    return [space_to_batch_nd(gradient, op.inputs[1], op.inputs[2]), None, None]


def space_to_batch_nd(
    input: Any, block_shape: Any, paddings: Any, name: str | None = None
) -> Tensor:
    """Elements of blocks spread over the batch (TensorFlow: `tf.space_to_batch_nd`).

    Args:
      input: [batch, n space dimensions, ...].
      block_shape: the size of a block along each space dimension, an integer vector.
      paddings: [n, 2]: how many zeros are put before and after; then blocks must fit.
      name: of the operation.

    Returns:
      [batch * block size, ...]: the first elements of all blocks come first, then the second ones.

    Raises:
      ValueError, InvalidArgumentError: if the blocks do not fit.

    Example:
      >>> tf.space_to_batch_nd([[1, 2, 3, 4]], [2], [[0, 0]])  # [[1, 3], [2, 4]]
    """
    return _space_to_batch_nd(input, block_shape, paddings, name=name)


def batch_to_space_nd(input: Any, block_shape: Any, crops: Any, name: str | None = None) -> Tensor:
    """The opposite of `space_to_batch_nd` (TensorFlow: `tf.batch_to_space_nd`).

    Args:
      input: [batch, n space dimensions, ...].
      block_shape: the size of a block along each space dimension, an integer vector.
      crops: [n, 2]: how many elements are cut off before and after.
      name: of the operation.

    Raises:
      ValueError, InvalidArgumentError: if the batch is no multiple of the block.

    Example:
      >>> tf.batch_to_space_nd([[1, 3], [2, 4]], [2], [[0, 0]])  # [[1, 2, 3, 4]]
    """
    return _batch_to_space_nd(input, block_shape, crops, name=name)


@_space_to_batch_nd.shape
def _space_to_batch_shape(c: InferenceContext) -> TensorShape:
    return _moved_shape(c, "paddings", True)


@_batch_to_space_nd.shape
def _batch_to_space_shape(c: InferenceContext) -> TensorShape:
    return _moved_shape(c, "crops", False)


# SpaceToBatch, BatchToSpace ---------------------------------------------------------------------

# The first versions, with square blocks in two dimensions; old graphs have these nodes.
_space_to_batch = define_op(
    "SpaceToBatch",
    "input: T, paddings: Tpaddings -> output: T",
    "T: type, Tpaddings: {int32, int64} = DT_INT32, block_size: int >= 2",
    shape=_space_to_batch_shape,
)
_batch_to_space = define_op(
    "BatchToSpace",
    "input: T, crops: Tidx -> output: T",
    "T: type, block_size: int >= 2, Tidx: {int32, int64} = DT_INT32",
    shape=_batch_to_space_shape,
)


def _of_images(input: Any) -> Any:
    if input.ndim != 4:
        raise invalid(f"Input rank should be: 4instead of: {input.ndim}")
    return input


@_space_to_batch.kernel
def _space_to_batch_kernel(input: Array, paddings: Array, *, block_size: int) -> np.ndarray:
    return _into_batch(_of_images(input), np.full(2, block_size), paddings)


@_batch_to_space.kernel
def _batch_to_space_kernel(input: Array, crops: Array, *, block_size: int) -> np.ndarray:
    return _out_of_batch(_of_images(input), np.full(2, block_size), crops)


@_space_to_batch.gradient
def _space_to_batch_gradient(op: Operation, gradient: Any) -> list[Any]:
    return [batch_to_space(gradient, op.inputs[1], op.attrs["block_size"]), None]


@_batch_to_space.gradient
def _batch_to_space_gradient(op: Operation, gradient: Any) -> list[Any]:
    return [space_to_batch(gradient, op.inputs[1], op.attrs["block_size"]), None]


def space_to_batch(
    input: Any,
    paddings: Any,
    block_size: int | None = None,
    name: str | None = None,
    block_shape: int | None = None,
) -> Tensor:
    """`space_to_batch_nd` for images and square blocks (TensorFlow 1.x: `tf.space_to_batch`).

    Args:
      input: [batch, height, width, channels].
      paddings: [2, 2]. block_size: of the blocks, 2 or more.
      name: of the operation.
      block_shape: another name of `block_size`.

    Raises:
      ValueError, InvalidArgumentError: if the blocks do not fit.

    Example:
      >>> tf.space_to_batch(tf.ones([1, 4, 4, 1]), [[0, 0], [0, 0]], 2).shape  # (4, 2, 2, 1)
    """
    return _of_squares(_space_to_batch_nd, input, paddings, block_size, block_shape, name)


def batch_to_space(
    input: Any,
    crops: Any,
    block_size: int | None = None,
    name: str | None = None,
    block_shape: int | None = None,
) -> Tensor:
    """`batch_to_space_nd` for images and square blocks (TensorFlow 1.x: `tf.batch_to_space`).

    Args:
      input: [batch, height, width, channels].
      crops: [2, 2]. block_size: of the blocks, 2 or more.
      name: of the operation.
      block_shape: another name of `block_size`.

    Raises:
      ValueError, InvalidArgumentError: if the batch is no multiple of the block.

    Example:
      >>> tf.batch_to_space(tf.ones([4, 2, 2, 1]), [[0, 0], [0, 0]], 2).shape  # (1, 4, 4, 1)
    """
    return _of_squares(_batch_to_space_nd, input, crops, block_size, block_shape, name)


def _of_squares(
    card: OpCard, input: Any, borders: Any, block_size: Any, block_shape: Any, name: str | None
) -> Tensor:
    size = ops.deprecated_lookup("block_shape", block_shape, "block_size", block_size)
    result = card(input, np.array([size, size], dtype=np.int64), borders, name=name)
    result.set_shape(result.shape.with_rank(4))
    return result


def required_space_to_batch_paddings(
    input_shape: Any, block_shape: Any, base_paddings: Any = None, name: str | None = None
) -> tuple[Any, Any]:
    """What `space_to_batch_nd` needs so that blocks fit, and `batch_to_space_nd` to undo it.

    TensorFlow: `tf.required_space_to_batch_paddings`.

    Args:
      input_shape: the sizes of the n space dimensions, an int32 vector.
      block_shape: likewise of a block; the number of them must be known.
      base_paddings: [n, 2]: paddings that are wanted in any case.
      name: of the operations' scope.

    Returns:
      paddings [n, 2] and crops [n, 2].

    Raises:
      ValueError: if the shapes do not fit.

    Example:
      >>> paddings, crops = tf.required_space_to_batch_paddings([5], [2])
      >>> paddings  # [[0, 1]]
    """
    with op_scope(name, "required_space_to_batch_paddings", (input_shape, block_shape)):
        sizes: Any = convert_to_tensor(input_shape, dtype=dtypes.int32, name="input_shape")
        block: Any = convert_to_tensor(block_shape, dtype=dtypes.int32, name="block_shape")
        block.shape.assert_is_fully_defined()
        block.shape.assert_has_rank(1)
        count = block.shape.sizes[0]
        if count == 0:
            return ops.zeros([0, 2], dtypes.int32), ops.zeros([0, 2], dtypes.int32)
        sizes.shape.assert_is_compatible_with([count])
        if base_paddings is None:
            base: Any = ops.zeros([count, 2], dtypes.int32)
        else:
            base = convert_to_tensor(base_paddings, dtype=dtypes.int32, name="base_paddings")
            base.shape.assert_is_compatible_with([count, 2])
        known = [constant_value(tensor) for tensor in (block, sizes, base)]
        if all(value is not None for value in known):
            block, sizes, base = known
        start, end = base[:, 0], base[:, 1]
        missing = (block - (sizes + start + end) % block) % block
        end = end + missing
        paddings = [[start[i], end[i]] for i in range(count)]
        crops = [[0, missing[i]] for i in range(count)]
        return ops.stack(paddings, name="paddings"), ops.stack(crops, name="crops")


# SpaceToDepth, DepthToSpace ---------------------------------------------------------------------

_FORMATS = "data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'"
_space_to_depth = define_op(
    "SpaceToDepth", "input: T -> output: T", "T: type, block_size: int >= 2", _FORMATS
)
_depth_to_space = define_op(
    "DepthToSpace", "input: T -> output: T", "T: type, block_size: int >= 2", _FORMATS
)


def _depth_shape(c: InferenceContext, to_depth: bool) -> TensorShape:
    layout, block = c.attrs["data_format"], c.attrs["block_size"]
    rank = 5 if layout == b"NCHW_VECT_C" else 4
    sizes = with_rank(c.input(0), rank).sizes
    if sizes is None:
        return unknown_shape(rank)
    result = list(sizes)
    height = 1 if layout == b"NHWC" else 2
    depth = 3 if layout == b"NHWC" else 1
    factor = block * block
    if not to_depth and rank == 5:
        _scaled(sizes[depth], factor, False)
    for dim, by in ((height, block), (height + 1, block), (depth, factor)):
        result[dim] = _scaled(sizes[dim], by, to_depth == (dim == depth))
    return TensorShape.of(tuple(result))


@_space_to_depth.shape
def _space_to_depth_shape(c: InferenceContext) -> TensorShape:
    return _depth_shape(c, True)


@_depth_to_space.shape
def _depth_to_space_shape(c: InferenceContext) -> TensorShape:
    return _depth_shape(c, False)


def _channels_last(data_format: bytes, op_type: str) -> None:
    if data_format != b"NHWC":
        raise invalid(
            f"Only NHWC data_format supported on CPU for {op_type}. Got {data_format.decode()}"
        )


@_space_to_depth.kernel
def _space_to_depth_kernel(input: Array, *, block_size: int, data_format: bytes) -> np.ndarray:
    _channels_last(data_format, "SpaceToDepth")
    if input.ndim != 4:
        raise invalid(f"Input rank should be 4 instead of {input.ndim}")
    batch, height, width, depth = input.shape
    if height % block_size or width % block_size:
        raise invalid(
            f"Image width {width} and height {height} should be divisible by block_size: "
            f"{block_size}"
        )
    rows, columns = height // block_size, width // block_size
    split = input.reshape(batch, rows, block_size, columns, block_size, depth)
    return split.transpose(0, 1, 3, 2, 4, 5).reshape(batch, rows, columns, depth * block_size**2)


@_depth_to_space.kernel
def _depth_to_space_kernel(input: Array, *, block_size: int, data_format: bytes) -> np.ndarray:
    _channels_last(data_format, "DepthToSpace")
    if input.ndim != 4:
        raise invalid(f"Input rank should be: 4 instead of: {input.ndim}")
    batch, height, width, depth = input.shape
    if depth % block_size**2:
        raise invalid(f"Input depth dimension {depth} should be divisible by: {block_size**2}")
    channels = depth // block_size**2
    split = input.reshape(batch, height, width, block_size, block_size, channels)
    return split.transpose(0, 1, 3, 2, 4, 5).reshape(
        batch, height * block_size, width * block_size, channels
    )


def _depth_gradient(op: Operation, gradient: Any) -> Tensor:
    layout = op.attrs["data_format"].decode()
    if layout == "NCHW_VECT_C":
        raise ValueError(
            f"Cannot compute {op.type} gradient with NCHW_VECT_C. NCHW_VECT_C requires qint8 data "
            f"type."
        )
    inverse = depth_to_space if op.type == "SpaceToDepth" else space_to_depth
    return inverse(gradient, op.attrs["block_size"], data_format=layout)


_space_to_depth.gradient(_depth_gradient)
_depth_to_space.gradient(_depth_gradient)


def space_to_depth(
    input: Any, block_size: int, name: str | None = None, data_format: str = "NHWC"
) -> Tensor:
    """Blocks of an image moved into its channels (TensorFlow: `tf.space_to_depth`).

    Args:
      input: [batch, height, width, channels].
      block_size: of the square blocks, 2 or more; height and width must be multiples.
      name: of the operation.
      data_format: "NHWC". The others are for GPUs.

    Returns:
      [batch, height / block_size, width / block_size, channels * block_size ** 2].

    Raises:
      ValueError, InvalidArgumentError: if the blocks do not fit.

    Example:
      >>> tf.space_to_depth([[[[1], [2]], [[3], [4]]]], 2)  # [[[[1, 2, 3, 4]]]]
    """
    return _space_to_depth(input, name=name, block_size=block_size, data_format=data_format)


def depth_to_space(
    input: Any, block_size: int, name: str | None = None, data_format: str = "NHWC"
) -> Tensor:
    """The opposite of `space_to_depth` (TensorFlow: `tf.depth_to_space`); arguments as there.

    Example:
      >>> tf.depth_to_space([[[[1, 2, 3, 4]]]], 2)  # [[[[1], [2]], [[3], [4]]]]
    """
    return _depth_to_space(input, name=name, block_size=block_size, data_format=data_format)
