"""What keeps a checkpoint from being restored into a graph: all of it, in one error."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from tinytf.framework import dtypes
from tinytf.framework.errors import InvalidArgumentError, NotFoundError, OpError
from tinytf.framework.spelling import did_you_mean
from tinytf.framework.summaries import type_text
from tinytf.framework.tensor_shape import TensorShape
from tinytf.resources.checkpoint_files.reader import Reader
from tinytf.resources.checkpoint_files.slices import Slice

#: So many names and problems are told.
_MOST = 20


class Wanted(NamedTuple):
    """A tensor that is to be restored, as the graph has it; `shape` None if that is not known."""

    name: str
    part: Slice | None
    dtype: dtypes.DType
    shape: TensorShape | None = None


def mismatch(reader: Reader, wanted: Iterable[Wanted]) -> OpError | None:
    """The error for everything that does not fit: NotFoundError if a name is missing.

    None if all fits.
    """
    missing, problems = [], []
    for one in wanted:
        stored = reader.tensors.get(one.name)
        if stored is None:
            near = did_you_mean(one.name, reader.tensors)
            missing.append(f"Key {one.name} not found in checkpoint.{near}")
            continue
        if stored.dtype != one.dtype.base_dtype:
            problems.append(
                f"tensor_name = {one.name}; expected dtype {_name(one.dtype)} does not equal "
                f"original dtype {_name(stored.dtype)}"
            )
        whole = one.shape if one.part is None else TensorShape.of(one.part.shape)
        if whole is not None and not TensorShape.of(stored.shape).is_compatible_with(whole):
            where = "the variable's shape" if one.part is None else "shape in shape_and_slice spec"
            problems.append(
                f"tensor_name = {one.name}; {where} {_sizes(whole)} does not match the shape "
                f"stored in checkpoint: {_sizes(TensorShape.of(stored.shape))}"
            )
    if missing:
        has = _some(sorted(reader.tensors), ", ")
        return NotFoundError(
            _some([*missing, *problems], "\n") + f"\nThe checkpoint {reader.prefix} has: {has}"
        )
    return InvalidArgumentError(_some(problems, "\n")) if problems else None


def _some(texts: list[str], between: str) -> str:
    more = [f"... and {len(texts) - _MOST} more"] if len(texts) > _MOST else []
    return between.join([*texts[:_MOST], *more])


def _name(dtype: dtypes.DType) -> str:
    return type_text(dtype.base_dtype).removeprefix("DT_").lower()


def _sizes(shape: TensorShape) -> str:
    return f"[{','.join('?' if size is None else str(size) for size in shape.sizes or ())}]"
