"""Checkpoints as operations: what a `tf.train.Saver` adds to the graph. A server saves its own.

Mirrors tensorflow/core/kernels/save_restore_v2_ops.cc, save_op.cc and restore_op.cc.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.framework import dtypes
from tinytf.framework.errors import InvalidArgumentError, NotFoundError, invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.shape_inference import InferenceContext, with_rank
from tinytf.framework.step_context import StepContext
from tinytf.framework.tensor_shape import TensorShape, unknown_shape
from tinytf.ops.base.shape_rules import shown
from tinytf.ops.strings.string_cards import NO_DERIVATIVE, string_array, texts
from tinytf.resources.checkpoint_files import bundle, v1
from tinytf.resources.checkpoint_files.mismatches import Wanted, mismatch
from tinytf.resources.checkpoint_files.slices import Slice, parse

_FILES = "it is about files"


def _text(value: Any) -> str:
    return texts(value)[0].decode("utf-8", "surrogateescape")


def _check_vectors(c: InferenceContext, count: int, vectors: int, message: str = "") -> None:
    """Check a scalar, and as many vectors after it, which have `count` elements."""
    with_rank(c.input(0), 0)
    for index in range(1, vectors + 1):
        [size] = with_rank(c.input(index), 1).as_list()
        if size is not None and size != count:
            raise ValueError(message or f"Dimension must be {count} but is {size}")


# SaveV2, SaveSlices, Save -------------------------------------------------------------------------


def _saved(names: Any, slices: Any, tensors: Any, types: Any) -> list[Any]:
    """(name, slice or None, value, type) of each tensor.

    Raises:
      InvalidArgumentError: if a slice does not parse or is not of the tensor's shape.
    """
    result = []
    specs = texts(slices) if slices is not None else [b""] * len(tensors)
    for name, spec, value, dtype in zip(texts(names), specs, tensors, types, strict=True):
        part = parse(spec.decode()) if spec else None
        if part is not None and part.sizes != np.shape(value):
            raise invalid(
                f"Slice in shape_and_slice specification does not match the shape of the tensor "
                f"to  save: {spec.decode()}, tensor: {shown(value)}"
            )
        result.append((name, part, value, dtype))
    return result


save_v2 = define_op(
    "SaveV2",
    "prefix: string, tensor_names: string, shape_and_slices: string, tensors: dtypes",
    "dtypes: list(type) >= 1",
    stateful=True,
    no_gradient=_FILES,
)


@save_v2.shape
def _save_v2_shape(c: InferenceContext) -> list[TensorShape]:
    _check_vectors(c, len(c.attrs["dtypes"]), 2)
    return []


@save_v2.kernel
def _save_v2_kernel(
    prefix: Any, names: Any, slices: Any, *tensors: Any, dtypes: Any, resources: Any
) -> tuple[()]:
    saved = _saved(names, slices, tensors, dtypes)
    bundle.write_bundle(resources.files.path(_text(prefix)), saved)
    return ()


save_slices = define_op(
    "SaveSlices",
    "filename: string, tensor_names: string, shapes_and_slices: string, data: T",
    "T: list(type) >= 1",
    stateful=True,
    no_gradient=_FILES,
)


@save_slices.shape
def _save_slices_shape(c: InferenceContext) -> list[TensorShape]:
    _check_vectors(c, len(c.attrs["T"]), 2)
    return []


@save_slices.kernel
def _save_slices_kernel(
    filename: Any, names: Any, slices: Any, *data: Any, T: Any, resources: Any
) -> tuple[()]:
    v1.write_v1(resources.files.path(_text(filename)), _saved(names, slices, data, T))
    return ()


_save = define_op(
    "Save",
    "filename: string, tensor_names: string, data: T",
    "T: list(type) >= 1",
    stateful=True,
    no_gradient=_FILES,
)


@_save.shape
def _save_shape(c: InferenceContext) -> list[TensorShape]:
    _check_vectors(c, len(c.attrs["T"]), 1)
    return []


@_save.kernel
def _save_kernel(filename: Any, names: Any, *data: Any, T: Any, resources: Any) -> tuple[()]:
    v1.write_v1(resources.files.path(_text(filename)), _saved(names, None, data, T))
    return ()


# RestoreV2, RestoreSlice, Restore -----------------------------------------------------------------


def _slice_shape(spec: bytes) -> TensorShape:
    try:
        return TensorShape.of(parse(spec.decode()).sizes) if spec else unknown_shape()
    except InvalidArgumentError as error:
        raise ValueError(error.message) from None


restore_v2 = define_op(
    "RestoreV2",
    "prefix: string, tensor_names: string, shape_and_slices: string -> tensors: dtypes",
    "dtypes: list(type) >= 1",
    stateful=True,
    no_gradient=_FILES,
)


@restore_v2.shape
def _restore_v2_shape(c: InferenceContext) -> list[TensorShape]:
    count = len(c.attrs["dtypes"])
    _check_vectors(c, count, 2, "The number of shape_and_slice doesn't match tensor outputs.")
    specs = c.constant(2)
    return [unknown_shape()] * count if specs is None else list(map(_slice_shape, texts(specs)))


@restore_v2.kernel
def _restore_v2_kernel(
    step: StepContext, prefix: Any, names: Any, slices: Any, *, dtypes: Any, resources: Any
) -> list[Any]:
    reader = v1.open_checkpoint(_text(prefix), resources.files)
    wanted = [
        Wanted(name.decode(), parse(spec.decode()) if spec else None, dtype)
        for name, spec, dtype in zip(texts(names), texts(slices), dtypes, strict=True)
    ]
    if error := mismatch(reader, wanted):
        raise error
    return reader.read_all([(one.name, one.part) for one in wanted])


def _read_v1(pattern: Any, name: Any, part: Slice | None, dt: dtypes.DType, resources: Any) -> Any:
    reader = v1.V1Reader(_text(pattern), resources.files)
    key = _text(name)
    if key not in reader.tensors:
        raise NotFoundError(f'Tensor name "{key}" not found in checkpoint files {_text(pattern)}')
    if error := mismatch(reader, [Wanted(key, part, dt)]):
        raise error
    return reader.read(key, part)


_restore_slice = define_op(
    "RestoreSlice",
    "file_pattern: string, tensor_name: string, shape_and_slice: string -> tensor: dt",
    "dt: type, preferred_shard: int = -1",
    stateful=True,
    no_gradient=_FILES,
)


@_restore_slice.shape
def _restore_slice_shape(c: InferenceContext) -> TensorShape:
    for shape in c.shapes():
        with_rank(shape, 0)
    spec = c.constant(2)
    return unknown_shape() if spec is None else _slice_shape(texts(spec)[0])


@_restore_slice.kernel
def _restore_slice_kernel(
    step: StepContext, pattern: Any, name: Any, spec: Any, *, dt: Any, resources: Any
) -> Any:
    text = _text(spec)
    return _read_v1(pattern, name, parse(text) if text else None, dt, resources)


_restore = define_op(
    "Restore",
    "file_pattern: string, tensor_name: string -> tensor: dt",
    "dt: type, preferred_shard: int = -1",
    stateful=True,
    no_gradient=_FILES,
)


@_restore.shape
def _restore_shape(c: InferenceContext) -> TensorShape:
    for shape in c.shapes():
        with_rank(shape, 0)
    return unknown_shape()


@_restore.kernel
def _restore_kernel(step: StepContext, pattern: Any, name: Any, *, dt: Any, resources: Any) -> Any:
    return _read_v1(pattern, name, None, dt, resources)


# MergeV2Checkpoints -------------------------------------------------------------------------------

merge_v2_checkpoints = define_op(
    "MergeV2Checkpoints",
    "checkpoint_prefixes: string, destination_prefix: string",
    "delete_old_dirs: bool = true, allow_missing_files: bool = false",
    stateful=True,
    no_gradient=_FILES,
)


@merge_v2_checkpoints.shape
def _merge_shape(c: InferenceContext) -> list[TensorShape]:
    with_rank(c.input(0), 1)
    with_rank(c.input(1), 0)
    return []


@merge_v2_checkpoints.kernel
def _merge_kernel(
    prefixes: Any,
    destination: Any,
    *,
    delete_old_dirs: bool,
    allow_missing_files: bool,
    resources: Any,
) -> tuple[()]:
    files = resources.files
    parts = [prefix.decode("utf-8", "surrogateescape") for prefix in texts(prefixes)]
    place = files.path(_text(destination))
    bundle.merge_bundles(parts, place, delete_old_dirs, allow_missing_files, files)
    return ()


# ShardedFilename, ShardedFilespec -----------------------------------------------------------------


def _scalars(c: InferenceContext) -> TensorShape:
    for shape in c.shapes():
        with_rank(shape, 0)
    return TensorShape.of(())


sharded_filename = define_op(
    "ShardedFilename",
    "basename: string, shard: int32, num_shards: int32 -> filename: string",
    shape=_scalars,
    no_gradient=NO_DERIVATIVE,
)


@sharded_filename.kernel
def _sharded_filename_kernel(basename: Any, shard: Any, num_shards: Any) -> np.ndarray:
    name = b"%s-%05d-of-%05d" % (texts(basename)[0], int(shard), int(num_shards))
    return string_array([name], ())


sharded_filespec = define_op(
    "ShardedFilespec",
    "basename: string, num_shards: int32 -> filename: string",
    shape=_scalars,
    no_gradient=NO_DERIVATIVE,
)


@sharded_filespec.kernel
def _sharded_filespec_kernel(basename: Any, num_shards: Any) -> np.ndarray:
    return string_array([b"%s-?????-of-%05d" % (texts(basename)[0], int(num_shards))], ())
