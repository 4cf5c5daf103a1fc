"""`tf.saved_model.utils`: tensors of a graph as `TensorInfo`, and back."""

from __future__ import annotations

from typing import Any

from tinytf.framework.collection_protos import prepend_scope
from tinytf.framework.dtypes import as_dtype
from tinytf.framework.graph import Graph
from tinytf.framework.sparse_tensor import SparseTensor
from tinytf.framework.stacks import get_default_graph
from tinytf.ops.base.arguments import having
from tinytf.protos.meta_graph_pb2 import TensorInfo


def build_tensor_info(tensor: Any) -> TensorInfo:
    """Name, type and shape of a tensor (TensorFlow: `tf.saved_model.build_tensor_info`).

    Args:
      tensor: a `Tensor`, a variable or a `SparseTensor`.

    Example:
      >>> info = tf.saved_model.build_tensor_info(tf.placeholder(tf.float32, [None], "x"))
      >>> info.name, tf.as_dtype(info.dtype)
      ('x:0', tf.float32)
    """
    having(tensor, "dtype", f"Signatures are of tensors themselves; this is {tensor!r}.")
    shape = tensor.get_shape().as_proto()
    info = TensorInfo(dtype=as_dtype(tensor.dtype).as_datatype_enum, tensor_shape=shape)
    if isinstance(tensor, SparseTensor):
        info.coo_sparse.values_tensor_name = tensor.values.name
        info.coo_sparse.indices_tensor_name = tensor.indices.name
        info.coo_sparse.dense_shape_tensor_name = tensor.dense_shape.name
    else:
        info.name = tensor.name
    return info


def get_tensor_from_tensor_info(
    tensor_info: Any, graph: Graph | None = None, import_scope: str | None = None
) -> Any:
    """The tensor that is meant (TensorFlow: `tf.saved_model.get_tensor_from_tensor_info`).

    Args:
      tensor_info: a `TensorInfo`. graph: by default the default graph.
      import_scope: the name scope that the graph was imported into.

    Returns:
      a `Tensor`, or a `SparseTensor`.

    Raises:
      KeyError: if the graph has no such tensor. ValueError: if the `TensorInfo` names none.

    Example:
      >>> x = tf.constant(1.0)
      >>> tf.saved_model.get_tensor_from_tensor_info(tf.saved_model.build_tensor_info(x)) is x
      True
    """
    graph = graph or get_default_graph()

    def named(name: str) -> Any:
        return graph.get_tensor_by_name(prepend_scope(name, import_scope))

    encoding = tensor_info.WhichOneof("encoding")
    if encoding == "name":
        return named(tensor_info.name)
    if encoding == "coo_sparse":
        parts = tensor_info.coo_sparse
        return SparseTensor(
            named(parts.indices_tensor_name),
            named(parts.values_tensor_name),
            named(parts.dense_shape_tensor_name),
        )
    raise ValueError(
        f"Invalid TensorInfo.encoding: {encoding}. Expected `coo_sparse`, or `name` for a dense "
        f"tensor; tensors of several parts (ragged ones) are not in tinytf."
    )
