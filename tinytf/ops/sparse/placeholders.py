"""Sparse tensors that are fed."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.framework import dtypes
from tinytf.framework.constant_value import constant_value_as_shape
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.sparse_tensor import SparseTensor
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import as_shape, unknown_shape
from tinytf.ops.array.placeholder import placeholder, placeholder_with_default


def sparse_placeholder(dtype: Any, shape: Any = None, name: str | None = None) -> SparseTensor:
    """A sparse tensor to be fed (TensorFlow: `tf.sparse_placeholder`).

    Args:
      dtype: of its elements.
      shape: of the whole; None, for single sizes also -1, if it is not known.
      name: in front of the names of three placeholders.

    Returns:
      a `SparseTensor`; feed it a `SparseTensorValue`, or a tuple of its three parts.

    Example:
      >>> x = tf.sparse_placeholder(tf.float32)
      >>> sess.run(x.values, {x: ([[0, 1]], [4.0], [1, 2])})
      array([4.], dtype=float32)
    """
    names = [None if name is None else f"{name}/{p}" for p in ("shape", "values", "indices")]
    default_name = None if name is None else f"{name}/shape_default"
    rank: int | None = None
    known = unknown_shape()
    if shape is None:
        dense_shape = placeholder(dtypes.int64, shape=[None], name=names[0])
    elif isinstance(shape, Tensor):
        rank = shape.shape.dims[0].value if shape.shape.dims else None
        known = constant_value_as_shape(shape)
        dense_shape = placeholder_with_default(shape, shape=shape.shape, name=names[0])
    else:
        if isinstance(shape, list | tuple):
            shape = [None if size == -1 else size for size in shape]
        known = as_shape(shape)
        rank = known.ndims
        sizes = np.array([-1 if n is None else n for n in known.as_list()], np.int64)
        default = convert_to_tensor(sizes, name=default_name)
        dense_shape = placeholder_with_default(default, shape=[rank], name=names[0])
    values = placeholder(dtype, shape=[None], name=names[1])
    indices = placeholder(dtypes.int64, shape=[None, rank], name=names[2])
    fed = SparseTensor(indices, values, dense_shape)
    fed.set_shape(known)
    return fed
