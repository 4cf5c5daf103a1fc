"""The scopes and collections of the default graph, as functions of the `tf` namespace."""

from __future__ import annotations

from contextlib import AbstractContextManager, ExitStack
from typing import Any

from tinytf.framework.scopes import ControlDependencies
from tinytf.framework.stacks import get_default_graph, graph_to_build_in


class name_scope:
    """A prefix for the names of the operations built inside (TensorFlow: `tf.name_scope`).

    Args:
      name: the prefix, made unique in the graph; None for `default_name`. A name that ends in "/"
        enters that very scope again.
      default_name: what to use when the caller of a function gave no name.
      values: the function's inputs: the scope is opened in their graph.

    Raises:
      TypeError: if `default_name` is not a string. ValueError: if there is neither a name nor a
        default one though `values` are given, or if the values are from several graphs.

    Example:
      >>> with tf.name_scope("layer1") as scope:
      ...     w = tf.constant(1.0, name="w")
      >>> w.name, scope
      ('layer1/w:0', 'layer1/')
    """

    def __init__(self, name: str | None, default_name: str | None = None, values: Any = None):
        if default_name is not None and not isinstance(default_name, str):
            raise TypeError(
                f"`default_name` type ({type(default_name)}) is not a string type. You likely "
                f"meant to pass this into the `values` kwarg."
            )
        if name is None and default_name is None and values is not None:
            raise ValueError(
                f"At least one of name ({name}) and default_name ({default_name}) must be provided."
            )
        self._name = default_name if name is None else name
        self._values = values
        self._entered: list[ExitStack] = []

    @property
    def name(self) -> str | None:
        """The name asked for."""
        return self._name

    def __enter__(self) -> str:
        graphs = {value.graph: value for value in self._values or () if hasattr(value, "graph")}
        if len(graphs) > 1 and not get_default_graph().building_function:
            first, second = list(graphs.values())[:2]
            raise ValueError(f"{second} must be from the same graph as {first}.")
        with ExitStack() as stack:
            graph = graph_to_build_in(next(iter(graphs), None) or get_default_graph())
            if graphs:
                stack.enter_context(graph.as_default())
            scope = stack.enter_context(graph.name_scope(self._name))
            self._entered.append(stack.pop_all())
        return scope

    def __exit__(self, *details: Any) -> None:
        self._entered.pop().__exit__(*details)


def op_scope(values: Any, name: str | None, default_name: str | None = None) -> name_scope:
    """The older form of `tf.name_scope`, with its arguments in another order.

    TensorFlow: `tf.op_scope`.

    Example:
      >>> with tf.op_scope([], None, "layer") as scope:
      ...     print(scope)
      layer/
    """
    return name_scope(name, default_name, values)


def device(device_name_or_function: Any) -> AbstractContextManager[None]:
    """Request a device for the operations built inside (TensorFlow: `tf.device`).

    Args:
      device_name_or_function: such as "/job:ps/task:0" or "/gpu:1", a `tf.DeviceSpec`, a function
        from operation to one of these, or None to forget the requests around.

    Example:
      >>> with tf.device("/cpu:0"):
      ...     c = tf.constant(1.0)
    """
    return get_default_graph().device(device_name_or_function)


def container(container_name: str) -> AbstractContextManager[str]:
    """Keep the state of what is built inside in this container (TensorFlow: `tf.container`).

    Example:
      >>> with tf.container("experiment"):
      ...     v = tf.Variable(1.0)
      >>> v.op.get_attr("container")  # b"experiment"
    """
    return get_default_graph().container(container_name)


def colocate_with(op: Any, ignore_existing: bool = False) -> AbstractContextManager[None]:
    """Put the operations built inside on the device of `op` (TensorFlow: `tf.colocate_with`).

    Example:
      >>> v = tf.Variable(1.0)
      >>> with tf.colocate_with(v.op):
      ...     c = tf.constant(2.0)
      >>> c.op.colocation_groups() == v.op.colocation_groups()  # True
    """
    return get_default_graph().colocate_with(op, ignore_existing)


def control_dependencies(control_inputs: Any) -> ControlDependencies:
    """Make the operations built inside wait for others (TensorFlow: `tf.control_dependencies`).

    Args:
      control_inputs: a list of operations or tensors; None forgets the dependencies around.

    Example:
      >>> v = tf.Variable(0.0)
      >>> with tf.control_dependencies([tf.assign(v, 1.0)]):
      ...     after = v.read_value()  # built inside: only that makes it wait
      >>> after  # 1.
    """
    return get_default_graph().control_dependencies(control_inputs)


def add_to_collection(name: Any, value: Any) -> None:
    """Append to a collection of the default graph (TensorFlow: `tf.add_to_collection`).

    Example:
      >>> tf.add_to_collection("sizes", 3)
      >>> tf.get_collection("sizes")  # [3]
    """
    get_default_graph().add_to_collection(name, value)


def add_to_collections(names: Any, value: Any) -> None:
    """Append to several collections of the default graph (TensorFlow: `tf.add_to_collections`).

    Example:
      >>> tf.add_to_collections(["sizes", "numbers"], 3)
      >>> tf.get_collection("sizes"), tf.get_collection("numbers")  # ([3], [3])
    """
    get_default_graph().add_to_collections(names, value)


def get_collection(key: Any, scope: str | None = None) -> list[Any]:
    """A copy of a collection of the default graph (TensorFlow: `tf.get_collection`).

    Args:
      key: such as `tf.GraphKeys.TRAINABLE_VARIABLES`.
      scope: only items whose name begins with a match of this pattern.

    Example:
      >>> v = tf.Variable(1.0)
      >>> tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES) == [v]  # True
    """
    return get_default_graph().get_collection(key, scope)


def get_collection_ref(key: Any) -> list[Any]:
    """A collection of the default graph itself (TensorFlow: `tf.get_collection_ref`).

    Example:
      >>> tf.get_collection_ref("sizes").append(3)
      >>> tf.get_collection("sizes")  # [3]
    """
    return get_default_graph().get_collection_ref(key)
