"""Resizing as operations: bilinear, nearest neighbour, bicubic, by area; and their gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tinytf.framework.array_types import Array
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import OpCard, define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import InferenceContext, with_rank
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops.base.shape_rules import shown
from tinytf.ops.image.shapes import shape_of
from tinytf.ops.image.taps import Taps, spread, taps
from tinytf.ops.nn.relu import widened

_KINDS = "int8, uint8, int16, uint16, int32, int64"
_CORNERS = "align_corners: bool = false"
_BOTH = f"{_CORNERS}, half_pixel_centers: bool = false"


def resized_shape(
    c: InferenceContext, images: TensorShape, size: int, batch: int | None = None
) -> TensorShape:
    """[batch, height, width, channels] with the height and width that input `size` holds."""
    sizes = with_rank(images, 4).sizes or (None,) * 4
    wanted = with_rank(c.input(size), 1).sizes or (None,)
    if wanted[0] not in (None, 2):
        raise ValueError(f"Dimension must be 2 but is {wanted[0]}")
    height, width = c.shape_value(size).sizes or (None, None)
    return TensorShape.of((sizes[0] if batch is None else batch, height, width, sizes[3]))


def _check(image: Array, name: str, half_pixel_centers: bool, align_corners: bool) -> None:
    if half_pixel_centers and align_corners:
        raise invalid("If half_pixel_centers is True, align_corners must be False.")
    if image.ndim != 4:
        raise invalid(f"{name} must be 4-dimensional{shown(image)}")


def _both_taps(
    method: str, shape: Any, size: Any, align_corners: bool, half_pixel_centers: bool
) -> tuple[Taps, Taps]:
    """The taps of rows and of columns, for images [batch, height, width, channels]."""
    rows, columns = (
        taps(method, shape[axis], size[axis - 1], align_corners, half_pixel_centers)
        for axis in (1, 2)
    )
    return rows, columns


# ResizeBilinear, ResizeNearestNeighbor, ResizeBicubic, ResizeArea ---------------------------------


def _taken(image: Any, found: Taps, tap: int, axis: int, xp: Any) -> tuple[Any, Any]:
    """Pixels along an axis, and their weights in a shape that multiplies them."""
    shape = [1] * 4
    shape[axis] = -1
    weights = xp.asarray(found.weights[:, tap].reshape(shape).astype(image.dtype))
    return xp.take(image, xp.asarray(found.indices[:, tap]), axis), weights


def _bilinear(image: Any, rows: Taps, columns: Taps, xp: Any) -> Any:
    used, where = np.unique(rows.indices, return_inverse=True)
    image = xp.take(image, xp.asarray(used), 1).astype(np.float32)
    rows = rows._replace(indices=where.reshape(rows.indices.shape))
    for axis, found in ((2, columns), (1, rows)):
        before, _ = _taken(image, found, 0, axis, xp)
        after, share = _taken(image, found, 1, axis, xp)
        image = before + (after - before) * share  # a constant stays what it is
    return image


def _nearest(image: Any, rows: Taps, columns: Taps, xp: Any) -> Any:
    image = xp.take(image, xp.asarray(rows.indices[:, 0]), 1)
    return xp.take(image, xp.asarray(columns.indices[:, 0]), 2)


def _weighted(image: Any, found: Taps, axis: int, xp: Any) -> Any:
    total: Any = 0
    for tap in range(found.indices.shape[1]):
        pixels, weights = _taken(image, found, tap, axis, xp)
        total = total + pixels * weights
    return total


def _bicubic(image: Any, rows: Taps, columns: Taps, xp: Any) -> Any:
    image = _weighted(image.astype(np.float32), rows, 1, xp)
    return _weighted(image, columns, 2, xp)


def _area(image: Any, rows: Taps, columns: Taps, xp: Any) -> Any:
    image = _weighted(image.astype(np.float32), columns, 2, xp)
    share = np.float32(1) / (rows.scale * columns.scale)
    return share * _weighted(image, rows, 1, xp)


def _resizer(
    op_type: str, method: str, compute: Callable[..., Any], kinds: str, attrs: str, out: str
) -> OpCard:
    card = define_op(
        op_type,
        f"images: T, size: int32 -> resized_images: {out}",
        f"T: {{{_KINDS}, {kinds}}}",
        attrs,
        shape=lambda c: resized_shape(c, c.input(0), 1),
    )

    def kernel(images: Array, size: Array, *, attrs: dict[str, Any], xp: Any) -> Any:
        corners, half = attrs["align_corners"], attrs.get("half_pixel_centers", False)
        _check(images, "input", half, corners)
        if not images.shape[3]:
            raise invalid("image must have at least one channel")
        if not images.shape[1] or not images.shape[2]:
            raise invalid("input image must be of non-zero size")
        if size.ndim != 1:
            raise invalid(f"shape_t must be 1-dimensional{shown(size)}")
        if len(size) != 2:
            raise invalid(f"shape_t must have two elements{shown(size)}")
        if min(wanted := size.tolist()) <= 0:
            raise invalid(f"output dimensions must be positive: size is {wanted}")
        return compute(images, *_both_taps(method, images.shape, wanted, corners, half), xp)

    card.kernel(kernel)
    return card


_FLOATS = "half, float, double, bfloat16"
bilinear_op = _resizer(
    "ResizeBilinear",
    "bilinear",
    _bilinear,
    "bfloat16, half, float, double, bfloat16",
    _BOTH,
    "float",
)
nearest_op = _resizer("ResizeNearestNeighbor", "nearest", _nearest, _FLOATS, _BOTH, "T")
bicubic_op = _resizer("ResizeBicubic", "bicubic", _bicubic, _FLOATS, _BOTH, "float")
area_op = _resizer("ResizeArea", "area", _area, _FLOATS, _CORNERS, "float")
# TensorFlow has no gradient for ResizeArea: to ask for one is an error there and here.


# ResizeBilinearGrad, ResizeNearestNeighborGrad, ResizeBicubicGrad ---------------------------------


def _spread(
    method: str, grads: Any, size: Any, corners: bool, half: bool, xp: Any, kind: Any
) -> Any:
    """The gradient of each pixel of the image: of all of the result that it is in."""
    if min(grads.shape[1:3]) <= 0:
        raise invalid("resized dimensions must be positive")
    if min(size) <= 0:
        raise invalid("original dimensions must be positive")
    result = grads.astype(kind, copy=False)
    for axis in (1, 2):
        found = spread(method, size[axis - 1], grads.shape[axis], corners, half)
        result = _weighted(result, found, axis, xp)
    return result


def _gradient_card(forward: OpCard, method: str, kinds: str) -> OpCard:
    card = define_op(
        f"{forward.op_def.name}Grad",
        "grads: float, original_image: T -> output: T",
        f"T: {{{kinds}}}",
        _BOTH,
        shape=lambda c: c.input(1),
    )

    @card.kernel
    def kernel(grads: Any, original_image: Any, *, attrs: dict[str, Any], xp: Any) -> Any:
        corners, half = attrs["align_corners"], attrs["half_pixel_centers"]
        _check(grads, "input_grad", half, corners)
        _check(original_image, "original_image", half, corners)
        kind = original_image.dtype
        wide = np.float64 if kind == np.float64 else np.float32
        size = original_image.shape[1:3]
        return _spread(method, grads, size, corners, half, xp, wide).astype(kind, copy=False)

    @forward.gradient
    def gradient(op: Operation, gradient: Tensor) -> list[Any]:
        image = op.inputs[0]
        if image.dtype not in (card.op_def.attrs["T"].allowed or ()):
            return [None, None]
        return [card(gradient, image, **_attrs(op)), None]

    return card


def _attrs(op: Operation) -> dict[str, Any]:
    return {name: op.attrs[name] for name in ("align_corners", "half_pixel_centers")}


_gradient_card(bilinear_op, "bilinear", "float, bfloat16, half, double")
_gradient_card(bicubic_op, "bicubic", "float, double")

_nearest_grad = define_op(
    "ResizeNearestNeighborGrad",
    "grads: T, size: int32 -> output: T",
    "T: {uint8, int8, int32, half, float, double, bfloat16}",
    _BOTH,
    shape=lambda c: resized_shape(c, c.input(0), 1),
)


@_nearest_grad.kernel
def _nearest_grad_kernel(grads: Array, size: Array, *, attrs: dict[str, Any], xp: Any) -> Any:
    corners, half = attrs["align_corners"], attrs["half_pixel_centers"]
    _check(grads, "input", half, corners)
    wide = widened(grads)
    result = _spread("nearest", wide, size.tolist(), corners, half, xp, wide.dtype)
    return result.astype(grads.dtype, copy=False)


@nearest_op.gradient
def _nearest_gradient(op: Operation, gradient: Tensor) -> list[Any]:
    image = op.inputs[0]
    size: Any = (image.shape.sizes or (None,) * 4)[1:3]
    size = list(size) if None not in size else shape_of(image)[1:3]
    return [_nearest_grad(gradient, size, **_attrs(op)), None]
