"""Seeing and checking values while a graph runs: `tf.Print`, `tf.print`, `tf.Assert`.

TensorFlow prints on the process's standard error, which a notebook does not show. Here everything
goes to Python's `sys.stdout`, so that it appears under the cell that called `run`.
"""

from __future__ import annotations

import logging
import os
import pprint
import sys
import threading
from typing import Any

import numpy as np

from tinytf.framework import nest, shape_inference
from tinytf.framework.dtypes import string
from tinytf.framework.files import op_errors
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import InferenceContext
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops.logging.tensor_text import first_elements
from tinytf.ops.strings.format import string_format
from tinytf.resources.manager import ResourceManager

# Print --------------------------------------------------------------------------------------------


_print_op = define_op(
    "Print",
    "input: T, data: U -> output: T",
    "T: type, U: list(type) >= 0, message: string = '', first_n: int = -1, summarize: int = 3",
    stateful=True,
    shape=shape_inference.unchanged,
)


class _Counter:
    """How often a Print has printed in a session."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._count = 0

    def one_of_first(self, limit: int) -> bool:
        """Count once more; False if there were `limit` already."""
        with self._lock:
            if self._count >= limit:
                return False
            self._count += 1
            return True


@_print_op.kernel
def _print_kernel(
    value: Any,
    *data: Any,
    message: bytes,
    first_n: int,
    summarize: int,
    node: Operation,
    resources: ResourceManager,
) -> Any:
    if first_n >= 0:
        counter = resources.of_node(node.name, _Counter, _Counter)
        if not counter.one_of_first(first_n):
            return value
    shown = "".join(f"[{first_elements(item, summarize)}]" for item in data)
    _write(message.decode("utf-8", "backslashreplace") + shown + "\n")
    return value


def _write(text: str) -> None:
    sys.stdout.write(text)  # one call: lines of several threads do not mix
    sys.stdout.flush()


@_print_op.gradient
def _print_gradient(op: Operation, gradient: Any) -> list[Any]:
    return [gradient] + [None] * (len(op.inputs) - 1)


def Print(
    input_: Any,
    data: Any,
    message: str | None = None,
    first_n: int | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Tensor:
    """`input_`, printing `data` whenever it is computed (TensorFlow: `tf.Print`).

    Unlike TensorFlow's, it prints to `sys.stdout`, so that a notebook shows it.

    Args:
      input_: the tensor to pass on.
      data: a list of tensors to print.
      message: printed before them.
      first_n: print only so many times in a session; by default always.
      summarize: how many elements of each tensor to print, 3 by default; negative for all.
      name: of the operation.

    Example:
      >>> x = tf.constant([1.0, 2.0])
      >>> x = tf.Print(x, [x, tf.shape(x)], message="x is ")
    """
    return _print_op(input_, data, name=name, message=message, first_n=first_n, summarize=summarize)


# PrintV2 ------------------------------------------------------------------------------------------


_print_v2 = define_op(
    "PrintV2",
    "input: string",
    "output_stream: string = 'stderr', end: string = '\\n'",
    stateful=True,
    no_gradient="it has no outputs",
)


@_print_v2.shape
def _print_v2_shape(c: InferenceContext) -> list[TensorShape]:
    stream = c.attrs["output_stream"].decode()
    if stream not in _STREAMS.values() and not stream.startswith("file://"):
        streams = ", ".join(dict.fromkeys(_STREAMS.values()))
        raise ValueError(
            f"Unknown output stream: {stream} is not in the list {streams}, or file://<filename>"
        )
    shape_inference.with_rank(c.input(0), 0)
    return []


@_print_v2.kernel
def _print_v2_kernel(text: Any, *, output_stream: bytes, end: bytes, resources: Any) -> tuple[()]:
    content = bytes(np.asarray(text).item()) if isinstance(text, np.ndarray) else bytes(text)
    line = content.decode("utf-8", "backslashreplace") + end.decode()
    stream = output_stream.decode()
    if stream.startswith("file://"):
        path = resources.files.path(stream)
        with op_errors(path), open(path, "a", encoding="utf-8") as file:
            file.write(line)
    elif stream.startswith("log("):
        level = getattr(logging, stream[len("log(") : -1].upper())
        logging.getLogger("tinytf").log(level, "%s", line.rstrip("\n"))
    else:
        _write(line)
    return ()


_STREAMS: dict[Any, str] = {
    "stdout": "stdout",
    "stderr": "stderr",
    logging.INFO: "log(info)",
    logging.info: "log(info)",
    logging.WARNING: "log(warning)",
    logging.warning: "log(warning)",
    logging.ERROR: "log(error)",
    logging.error: "log(error)",
}


def print(*inputs: Any, **kwargs: Any) -> Operation:
    """An operation that prints values when it runs (TensorFlow: `tf.print`).

    Unlike TensorFlow's, what goes to "stderr" is written to `sys.stdout` as well, so that a
    notebook shows it.

    Args:
      *inputs: tensors, Python values, and nested structures of them.
      output_stream: `sys.stdout`, `sys.stderr` (the default), a logging level or function of the
        module `logging`, or "file://path" to append to a file.
      summarize: how many elements to print at both ends of each dimension, 3 by default; -1: all.
      sep: between the inputs, " " by default.
      end: after the last one, a new line by default.
      name: of the operation.

    Raises:
      ValueError: for an unknown stream or another keyword argument.

    Example:
      >>> loss = tf.constant(0.5)
      >>> with tf.control_dependencies([tf.print("loss:", loss)]):
      ...     loss = tf.identity(loss)
    """
    output_stream = kwargs.pop("output_stream", sys.stderr)
    name = kwargs.pop("name", None)
    summarize = kwargs.pop("summarize", 3)
    separator = kwargs.pop("sep", " ")
    end = kwargs.pop("end", os.linesep)
    if kwargs:
        raise ValueError(f"Unrecognized keyword arguments for tf.print: {kwargs}")
    stream = _stream_name(output_stream)
    if len(inputs) == 1 and _is_text(inputs[0]):
        text = inputs[0]
    else:
        template, tensors, placeholder = _template(inputs, separator)
        text = string_format(
            template, tensors, placeholder, summarize, name=f"{name}_format" if name else None
        )
    return _print_v2(text, name=name, output_stream=stream, end=end)


def _stream_name(output_stream: Any) -> str:
    if isinstance(output_stream, str) and output_stream.startswith("file://"):
        return output_stream
    if output_stream is sys.stdout:
        return "stdout"
    if output_stream is sys.stderr:
        return "stderr"
    name = None if isinstance(output_stream, str) else _STREAMS.get(output_stream)
    if name is None:
        raise ValueError(
            f"Unsupported output stream, logging level, or file.{output_stream}. Supported "
            f"streams are sys.stdout, sys.stderr, tf.logging.info, tf.logging.warning, "
            f"tf.logging.error. File needs to be in the form of 'file://<filepath>'."
        )
    return name


def _is_text(value: Any) -> bool:
    return isinstance(value, Tensor) and value.dtype == string and value.shape.ndims == 0


def _template(inputs: tuple[Any, ...], separator: str) -> tuple[str, list[Tensor], str]:
    """The text with a placeholder for each tensor, the tensors, and the placeholder."""
    plain = " ".join(
        pprint.pformat(nest.map_structure(lambda leaf: "" if isinstance(leaf, Tensor) else leaf, i))
        for i in inputs
    )
    placeholder = "{}"
    while placeholder in plain:
        placeholder += "0"
    tensors: list[Tensor] = []
    templates = []
    for item in inputs:
        if isinstance(item, str):
            templates.append(item)
            continue
        leaves = nest.flatten(item)
        tensors.extend(leaf for leaf in leaves if isinstance(leaf, Tensor))
        marked = [placeholder if isinstance(leaf, Tensor) else leaf for leaf in leaves]
        templates.append(pprint.pformat(nest.pack_sequence_as(item, marked)))
    template = separator.join(templates).replace(f"'{placeholder}'", placeholder)
    return template, tensors, placeholder
