"""Operations that only order others: `tf.group`, `tf.tuple`, `with_dependencies`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tinytf.framework import nest
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.indexed_slices import IndexedSlices, convert_to_tensor_or_indexed_slices
from tinytf.framework.operation import Operation
from tinytf.framework.sparse_tensor import SparseTensor
from tinytf.framework.stacks import get_default_graph, graph_to_build_in
from tinytf.framework.tensor import Tensor
from tinytf.ops.array.identity import identity
from tinytf.ops.control_flow.primitives import no_op


def with_dependencies(
    dependencies: Iterable[Any], output_tensor: Any, name: str | None = None
) -> Any:
    """`output_tensor`, available only when `dependencies` have run.

    TensorFlow: `control_flow_ops.with_dependencies`.

    Args:
      dependencies: operations or tensors.
      output_tensor: a tensor, `SparseTensor` or `IndexedSlices`.
      name: a name for the identity that waits.
    """
    dependencies = list(dependencies)
    graph = get_default_graph()
    name = name or "control_dependency"
    with graph.colocate_with(output_tensor), graph.control_dependencies(dependencies):
        if isinstance(output_tensor, SparseTensor):
            with graph.name_scope(name):
                return identity(output_tensor)
        value = convert_to_tensor_or_indexed_slices(output_tensor)
        if isinstance(value, IndexedSlices):
            values = identity(value.values, name=name)
            return IndexedSlices(values, value.indices, value.dense_shape)
        return identity(value, name=name)


def group(*inputs: Any, **kwargs: Any) -> Operation:
    """An operation that is done when all `inputs` are (TensorFlow: `tf.group`).

    Args:
      *inputs: operations, tensors, variables, or nested structures of them.
      name: "group_deps" by default.

    Returns:
      a `NoOp`; when the inputs are on several devices, one for each of them and one for all.

    Raises:
      TypeError: for an input that is nothing of that. ValueError: for another keyword argument.

    Example:
      >>> w, b = tf.Variable(1.0), tf.Variable(2.0)
      >>> train = tf.group(w.assign_add(0.5), b.assign_sub(0.5))
    """
    name = kwargs.pop("name", None)
    name = "group_deps" if name is None else name
    if kwargs:
        raise ValueError("Unknown keyword arguments: " + ", ".join(kwargs))
    by_device: dict[str, list[Any]] = {}
    for item in nest.flatten(inputs, expand_composites=True):
        if not hasattr(item, "device"):
            raise TypeError(
                f"'inputs' should be zero or more (nested) Tensors. Received '{item}' with type "
                f"'{type(item)}'."
            )
        by_device.setdefault(item.device or "", []).append(_awaited(item))
    first = next((item for items in by_device.values() for item in items), None)
    graph = get_default_graph() if first is None else graph_to_build_in(first.graph)
    with graph.as_default():
        if not by_device:
            return no_op(name=name)
        if len(by_device) == 1:
            device, items = next(iter(by_device.items()))
            return _wait_for(items, device, name)
        with graph.name_scope(name) as scope:
            waiting = [_wait_for(by_device[d], d, None) for d in sorted(by_device)]
            with graph.control_dependencies(waiting):
                return no_op(name=scope)


def _awaited(item: Any) -> Any:
    """Of an assignment to a resource variable the operation; of the variable its handle.

    To wait for either reads nothing.
    """
    return getattr(item, "_as_control_input", None) or getattr(item, "handle", item)


def _wait_for(items: list[Any], device: str, name: str | None) -> Operation:
    graph = get_default_graph()
    with graph.control_dependencies(items), graph.device(device):
        return no_op(name=name)


def tuple(
    tensors: Iterable[Any], name: str | None = None, control_inputs: Iterable[Any] | None = None
) -> list[Any]:
    """The same tensors, each available only when all of them are (TensorFlow: `tf.tuple`).

    Args:
      tensors: tensors, `SparseTensor`, `IndexedSlices`, operations or None.
      name: a name scope, "tuple" by default.
      control_inputs: operations or tensors to wait for as well.

    Returns:
      a list as long as `tensors`; None stays None.

    Raises:
      ValueError: if there is nothing but None. TypeError: for a control input of another kind.

    Example:
      >>> tf.tuple([tf.constant(1), tf.constant(2)])  # [1, 2]
    """
    graph = get_default_graph()
    with graph.name_scope("tuple" if name is None else name):
        values = [
            value
            if value is None or isinstance(value, Tensor | IndexedSlices | SparseTensor | Operation)
            else convert_to_tensor(value)
            for value in tensors
        ]
        gates = [
            value if isinstance(value, Operation) else value.op
            for value in values
            if value is not None
        ]
        for control in control_inputs or ():
            if not isinstance(control, Tensor | Operation):
                raise TypeError(
                    f"'control_inputs' must only contain Operation or Tensor. "
                    f"Received: {type(control)}"
                )
            gates.append(control.op if isinstance(control, Tensor) else control)
        if not gates:
            raise ValueError(f"'tensors' must have at least one Tensor. Received: {values}.")
        gate = group(*sorted(set(gates), key=lambda op: op._id))
        return [_gated(value, gate) for value in values]


def _gated(value: Any, gate: Operation) -> Any:
    if value is None:
        return None
    if isinstance(value, Operation):
        with value.graph.control_dependencies([gate]):
            return group(value)
    return with_dependencies([gate], value)
