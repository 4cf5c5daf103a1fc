"""Whole files: reading, writing, finding. `tf.read_file`, `tf.write_file`, `tf.matching_files`."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from tinytf.framework import files, shape_inference
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import InferenceContext
from tinytf.framework.step_context import StepContext
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops.base.shape_rules import shown
from tinytf.ops.strings.string_cards import NO_DERIVATIVE, string_array, texts
from tinytf.resources import file_system


def _scalar_inputs(c: InferenceContext) -> list[TensorShape]:
    for shape in c.shapes():
        shape_inference.with_rank(shape, 0)
    return [TensorShape.of(())] * c.output_count


# ReadFile -----------------------------------------------------------------------------------------

_read_file = define_op(
    "ReadFile",
    "filename: string -> contents: string",
    shape=_scalar_inputs,
    no_gradient=NO_DERIVATIVE,
)


@_read_file.kernel
def _read_file_kernel(step: StepContext, filename: Any, *, resources: Any) -> Any:
    # It takes the step: a file is read when the graph runs, never while it is built.
    if np.ndim(filename):
        raise invalid(f"Input filename tensor must be scalar, but had shape: {shown(filename)}")
    path = resources.files.path(texts(filename)[0])
    return string_array([file_system.read(path)], ())


def read_file(filename: Any, name: str | None = None) -> Tensor:
    r"""The content of a file (TensorFlow: `tf.read_file`, `tf.io.read_file`).

    Args:
      filename: a single string. name: of the operation.

    Raises:
      NotFoundError: in a run, if there is no such file. FailedPreconditionError: for a folder.

    Example:
      >>> with open("pixels.bin", "wb") as file:
      ...     file.write(b"\x01\x02")
      2
      >>> tf.decode_raw(tf.read_file("pixels.bin"), tf.uint8)  # [1, 2]
    """
    return _read_file(filename, name=name)


# WriteFile ----------------------------------------------------------------------------------------

_write_file = define_op(
    "WriteFile",
    "filename: string, contents: string",
    stateful=True,
    shape=_scalar_inputs,
    no_gradient=NO_DERIVATIVE,
)


@_write_file.kernel
def _write_file_kernel(filename: Any, contents: Any, *, resources: Any) -> tuple[()]:
    if np.ndim(filename):
        raise invalid(f"Input filename tensor must be scalar, but had shape: {shown(filename)}")
    if np.ndim(contents):
        raise invalid(f"Contents tensor must be scalar, but had shape: {shown(contents)}")
    path = resources.files.path(texts(filename)[0])
    if folder := os.path.dirname(path):
        file_system.make_folders(folder)
    files.write_file(path, texts(contents)[0])
    return ()


def write_file(filename: Any, contents: Any, name: str | None = None) -> Operation:
    """Write a file at one stroke (TensorFlow: `tf.write_file`, `tf.io.write_file`).

    A file that is there is replaced: whoever reads it finds the old or the new content, never a
    part. Folders are made as they are needed.

    Args:
      filename, contents: single strings. name: of the operation.

    Raises:
      tf.errors.OpError: in a run, if the file system refuses.

    Example:
      >>> sess.run(tf.write_file("out/greeting.txt", "hello"))
    """
    return _write_file(filename, contents, name=name)


# MatchingFiles ------------------------------------------------------------------------------------

_matching_files = define_op(
    "MatchingFiles", "pattern: string -> filenames: string", no_gradient=NO_DERIVATIVE
)


@_matching_files.shape
def _matching_files_shape(c: InferenceContext) -> TensorShape:
    sizes = c.input(0).sizes
    if sizes is not None and len(sizes) > 1:
        raise ValueError(f"Shape must be at most rank 1 but is rank {len(sizes)}")
    return TensorShape.of((None,))


@_matching_files.kernel
def _matching_files_kernel(step: StepContext, pattern: Any, *, resources: Any) -> np.ndarray:
    if np.ndim(pattern) > 1:
        raise invalid(
            f"Input patterns tensor must be scalar or vector, but had shape: {shown(pattern)}"
        )
    found = [path for one in texts(pattern) for path in resources.files.glob(one)]
    return string_array(sorted(found), (len(found),))


def matching_files(pattern: Any, name: str | None = None) -> Tensor:
    """The names of the files that a pattern matches, sorted (TensorFlow: `tf.matching_files`).

    Args:
      pattern: a string or a vector of them: "*" stands for any text within a name, "?" for a
        character, "[ab]" for one of these.
      name: of the operation.

    Returns:
      a vector of strings; empty if there are none.

    Example:
      >>> for name in ("b.csv", "a.csv"):
      ...     sess.run(tf.write_file(f"logs/{name}", "1,2"))
      >>> tf.matching_files("logs/*.csv")  # [b"logs/a.csv", b"logs/b.csv"]
    """
    return _matching_files(pattern, name=name)
