"""An `Operation`: a node of the graph."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from tinytf.framework import attr_value, call_site, dtypes
from tinytf.framework.device_spec import device_text
from tinytf.framework.op_def import OpDef
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import unknown_shape

if TYPE_CHECKING:
    from tinytf.framework.graph import Graph
    from tinytf.protos import node_def_pb2


class Operation:
    """A node that computes zero or more tensors from its inputs (TensorFlow: `tf.Operation`).

    Created by the op functions (`tf.add` ...) or `Graph.create_op`, never directly.

    Attributes:
      graph: the graph it belongs to.
      name: unique in the graph.
      op_def: the schema of its type.
      inputs: the tensors it consumes.
      control_inputs: operations that must have run before it, though it takes nothing from them.
      outputs: the tensors it produces.
      attrs: attribute values in Python's own types: DType, int, float, bool, bytes,
        TensorShape, numpy array (for tensors), tuple (for lists).
      device: the requested device, possibly partial or empty; canonical, unless a device
        function returned it.

    Example:
      >>> total = tf.add(3, 5, name="total").op
      >>> total.type, total.name, [tensor.name for tensor in total.inputs]
      ('AddV2', 'total', ['total/x:0', 'total/y:0'])
    """

    __slots__ = """
        __weakref__ _control_flow_context _controls _device _frames _id _inputs attrs graph name
        op_def outputs
    """.split()

    def __init__(
        self,
        graph: Graph,
        name: str,
        op_def: OpDef,
        inputs: tuple[Tensor, ...],
        control_inputs: tuple[Operation, ...],
        attrs: dict[str, Any],
        output_dtypes: Iterable[dtypes.DType],
        frames: call_site.Frames,
    ):
        self.graph = graph
        self._id = len(graph._by_name)
        self.name = name
        self.op_def = op_def
        self._inputs = inputs
        self._controls = control_inputs
        self.attrs = attrs
        unknown = unknown_shape()
        self.outputs = [Tensor(self, i, dtype, unknown) for i, dtype in enumerate(output_dtypes)]
        self._device = ""
        self._frames = frames
        self._control_flow_context: Any = None
        for tensor in inputs:
            _add_consumer(tensor, self)

    @property
    def type(self) -> str:
        """The op type, "MatMul" for example."""
        return self.op_def.name

    @property
    def control_inputs(self) -> list[Operation]:
        """The operations that must have run before it; a list of the caller's own."""
        return list(self._controls)

    @property
    def inputs(self) -> tuple[Tensor, ...]:
        """The tensors the operation consumes, in order."""
        return self._inputs

    @property
    def device(self) -> str:
        """The requested device, for example "/job:ps/task:1" or ""."""
        return self._device

    @property
    def traceback(self) -> list[call_site.Line]:
        """Where the operation was built: the user's frames, innermost first."""
        return call_site.resolve(self._frames)

    def describe_origin(self) -> str:
        """One or two lines for error messages: which op this is and the line that built it."""
        line = call_site.user_line(self._frames)
        where = f" was built at:\n  {line}" if line else " (built by an imported graph)"
        return f"{self.name} ({self.type}){where}"

    @property
    def node_def(self) -> node_def_pb2.NodeDef:
        """The node as TensorFlow's `NodeDef`."""
        return attr_value.node_def_of(self)

    def get_attr(self, name: str | bytes) -> Any:
        """The value of an attribute.

        Returns:
          DType, int, float, bool, bytes, a list of these; `TensorShapeProto` and `TensorProto`
          for shapes and tensors, as TensorFlow's `get_attr` gives them.

        Raises:
          ValueError: if the operation has no such attribute.
        """
        name = name.decode() if isinstance(name, bytes) else name
        if name not in self.attrs:
            raise ValueError(f"Operation '{self.name}' has no attr named '{name}'.")
        return attr_value.public_value(self.attrs[name])

    def colocation_groups(self) -> list[bytes]:
        """The groups (b"loc:@name") that must share a device; its own when none was given."""
        groups = self.attrs.get("_class")
        if groups is None:
            return [b"loc:@" + self.name.encode()]
        return [group for group in groups if group.startswith(b"loc:@")]

    def values(self) -> tuple[Tensor, ...]:
        """The outputs, as a tuple."""
        return tuple(self.outputs)

    def run(self, feed_dict: Any = None, session: Any = None) -> None:
        """Run the operation in `session` or the default session; ValueError if there is none."""
        from tinytf.framework.stacks import session_for

        session_for(self.graph, session, "execute operation", "run()").run(self, feed_dict)

    def _copy(self, inputs: tuple[Tensor, ...], control_inputs: tuple[Operation, ...]) -> Operation:
        """A node of the same name that the graph does not know: for optimisations to change."""
        copy = object.__new__(Operation)
        copy.graph, copy._id, copy.name, copy.op_def = self.graph, self._id, self.name, self.op_def
        copy._inputs, copy._controls, copy.attrs = inputs, control_inputs, self.attrs
        copy._device, copy._frames = self._device, self._frames
        copy._control_flow_context = self._control_flow_context
        copy.outputs = [Tensor(copy, t.value_index, t.dtype, t._shape) for t in self.outputs]
        return copy

    # Changes after creation: control flow contexts, import and gradients need them. Each one
    # invalidates compiled plans that contain the node; a finalized graph refuses it untouched.

    def _set_attr(self, name: str, value: Any) -> None:
        self.graph._check_not_finalized()
        self.attrs[name] = attr_value.from_public(value)
        self.graph._node_changed()

    def _set_device(self, device: Any) -> None:
        self.graph._check_not_finalized()
        self._device = device_text(device)
        self.graph._node_changed()

    def _update_input(self, index: int, tensor: Tensor) -> None:
        if tensor.graph is not self.graph:
            raise ValueError(f"{tensor} is from another graph than {self.name}")
        self.graph._check_not_finalized()
        old = self._inputs[index]
        inputs = list(self._inputs)
        inputs[index] = tensor
        self._inputs = tuple(inputs)
        if old not in self._inputs and old._consumers:
            old._consumers.remove(self)
        _add_consumer(tensor, self)
        self.graph._node_changed()

    def _add_control_inputs(self, ops: Iterable[Operation]) -> None:
        self.graph._check_not_finalized()
        new = [op for op in ops if op not in self._controls]
        for op in new:
            if op.graph is not self.graph:
                raise ValueError(f"{op.name} is from another graph than {self.name}")
        self._controls = (*self._controls, *new)
        self.graph._node_changed()

    def _add_control_input(self, op: Operation) -> None:
        self._add_control_inputs([op])

    def _remove_all_control_inputs(self) -> None:
        self.graph._check_not_finalized()
        self._controls = ()
        self.graph._node_changed()

    def _get_control_flow_context(self) -> Any:
        return self._control_flow_context

    def _set_control_flow_context(self, context: Any) -> None:
        self._control_flow_context = context

    def __repr__(self) -> str:
        return f"<tf.Operation {self.name!r} type={self.type}>"

    def __str__(self) -> str:
        return str(self.node_def)


def _add_consumer(tensor: Tensor, op: Operation) -> None:
    if not tensor._consumers:
        tensor._consumers = [op]
    elif tensor._consumers[-1] is not op:
        tensor._consumers.append(op)
