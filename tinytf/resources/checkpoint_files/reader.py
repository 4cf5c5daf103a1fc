"""What is in a checkpoint, of either format."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from tinytf.framework import dtypes
from tinytf.framework.errors import (
    DataLossError,
    NotFoundError,
    ResourceExhaustedError,
    UnimplementedError,
    invalid,
)
from tinytf.resources.checkpoint_files.slices import Slice, whole

#: A tensor of more elements is large, as for TensorFlow; so many of them are read at a time. Small
#: ones stay with the calling thread, whose heap has the memory that their predecessors had.
_LARGE, _THREADS = 1 << 24, 8


@dataclass
class Stored:
    """A tensor of a checkpoint.

    Attributes:
      dtype, shape: of the whole.
      slices: which it was saved in; none for one that was saved in one piece.
    """

    dtype: dtypes.DType
    shape: tuple[int, ...]
    slices: tuple[Slice, ...] = ()


class Reader:
    """A checkpoint that is read; its formats are subclasses.

    Attributes:
      prefix: what it was asked for. tensors: what it has, by name.
    """

    tensors: dict[str, Stored]

    def __init__(self, prefix: str):
        self.prefix = prefix
        self.tensors = {}

    def stored(self, name: str) -> Stored:
        """What is said of a tensor; NotFoundError if it is not there."""
        found = self.tensors.get(name)
        if found is None:
            raise NotFoundError(f"Key {name} not found in checkpoint {self.prefix}")
        return found

    def read(self, name: str, part: Slice | None = None) -> np.ndarray:
        """A tensor, or a slice of it, however it was saved.

        Raises:
          NotFoundError: if it is not there, or a part of it was never saved.
          InvalidArgumentError: if the slice is of a tensor of another shape.
          DataLossError: if the files are damaged.
        """
        stored = self.stored(name)
        if part is not None and part.shape != stored.shape:
            raise invalid(
                f"tensor_name = {name}; shape in shape_and_slice spec {_shown(part.shape)} does "
                f"not match the shape stored in checkpoint: {_shown(stored.shape)}"
            )
        with self.damage(f"the tensor {name}"):
            if not stored.slices:
                value = self._read_piece(name, stored, None)
                everything = whole(stored.shape).common(part) if part is not None else None
                if part is None:
                    return value
                return value[everything[0]] if everything else value[:0].reshape(part.sizes)
            return self._joined(name, stored, part or whole(stored.shape))

    def read_all(self, wanted: Sequence[tuple[str, Slice | None]]) -> list[np.ndarray]:
        """Several tensors or slices, large ones at the same time; errors as of `read`, the first.

        Args:
          wanted: (name, slice or None) of each.
        """
        large = [self._elements(*one) > _LARGE for one in wanted]
        if sum(large) < 2:
            return [self.read(*one) for one in wanted]
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(min(sum(large), _THREADS), "tinytf-restore") as pool:
            reads = [
                pool.submit(self.read, *one).result if is_large else partial(self.read, *one)
                for one, is_large in zip(wanted, large, strict=True)
            ]
            try:
                return [read() for read in reads]
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise

    def _elements(self, name: str, part: Slice | None) -> int:
        return part.elements if part is not None else math.prod(self.stored(name).shape)

    def _joined(self, name: str, stored: Stored, wanted: Slice) -> np.ndarray:
        for piece in stored.slices:
            if (piece.starts, piece.sizes) == (wanted.starts, wanted.sizes):
                return self._read_piece(name, stored, piece)  # as it was saved
        result = np.empty(wanted.sizes, stored.dtype.as_numpy_dtype)
        filled = 0
        for piece in stored.slices:
            if common := wanted.common(piece):
                result[common[0]] = self._read_piece(name, stored, piece)[common[1]]
                filled += result[common[0]].size
        if filled < wanted.elements:
            raise NotFoundError(
                f"Key {name}: its slices in the checkpoint {self.prefix} have only {filled} of "
                f"the {wanted.elements} elements that are wanted"
            )
        return result

    def _read_piece(self, name: str, stored: Stored, piece: Slice | None) -> np.ndarray:
        raise NotImplementedError

    @contextmanager
    def damage(self, where: str) -> Iterator[None]:
        """What goes wrong in the block is told with the checkpoint's name."""
        from google.protobuf.message import DecodeError

        try:
            yield
        except (DecodeError, ValueError, TypeError, OverflowError) as error:
            raise DataLossError(self._damaged(where, error)) from None
        except DataLossError as error:
            raise DataLossError(self._damaged(where, error.message)) from None
        except UnimplementedError as error:
            raise UnimplementedError(f"{self.prefix}: {where}: {error.message}") from None
        except MemoryError as error:
            raise ResourceExhaustedError(f"{self.prefix}: {where}: {error}") from None

    def _damaged(self, where: str, why: Any) -> str:
        return (
            f"{self.prefix}: the checkpoint is damaged, incomplete or no checkpoint at all. Of "
            f"{where}: {why}. tf.train.get_checkpoint_state(folder).all_model_checkpoint_paths "
            f"names older ones"
        )


def _shown(shape: tuple[int, ...]) -> str:
    return f"[{','.join(map(str, shape))}]"


def shape_of(message: Any) -> tuple[int, ...]:
    """The sizes of a `TensorShapeProto`; ValueError if they are none of a tensor in memory."""
    sizes = tuple(dim.size for dim in message.dim)
    if message.unknown_rank or any(size < 0 for size in sizes):
        raise ValueError(f"{list(sizes)} is not the shape of a tensor")
    return sizes
