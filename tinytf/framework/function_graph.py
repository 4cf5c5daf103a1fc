"""The graph that a Python function draws when it is traced: what it takes from outside it captures.

TensorFlow: `_FuncGraph` in python/framework/function.py.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tinytf.framework import dtypes, handle_data
from tinytf.framework.graph import Graph
from tinytf.framework.op_def import OpDef
from tinytf.framework.operation import Operation
from tinytf.framework.stacks import get_default_graph
from tinytf.framework.tensor import Tensor


class FuncGraph(Graph):
    """The graph of a function's body.

    A tensor of another graph that an operation uses is replaced by a placeholder: one more argument
    of the function, which every call passes on.

    Args:
      name: of the function.
      by_value: copy what is used from outside, with all it depends on, instead.

    Attributes:
      outer_graph: the graph that was the default one before.
      inputs: the arguments, captured ones last. outputs: the results.
      captured: outer tensor -> the placeholder that stands for it.
    """

    building_function = True

    def __init__(self, name: str, by_value: bool = False):
        super().__init__()
        self.name = name
        self._by_value = by_value
        self.outer_graph: Graph = get_default_graph()
        self.inputs: list[Tensor] = []
        self.outputs: list[Tensor] = []
        self.captured: dict[Tensor, Tensor] = {}

    def capture(self, tensor: Tensor, name: str | None = None) -> Tensor:
        """The tensor of this graph that stands for one of another graph."""
        if tensor.graph is self:
            return tensor
        found = self.captured.get(tensor)
        if found is None and self._by_value:
            return self._copied(tensor.op).outputs[tensor.value_index]
        if found is None:
            with self.control_dependencies(None):  # an argument is there before everything else
                found = self.add_argument(tensor.dtype.base_dtype, tensor.shape, name)
            data = handle_data.handle_data(tensor)
            if data is not None:
                found.op.attrs["_handle_dtypes"] = (data.dtype,)
                found.op.attrs["_handle_shapes"] = (data.shape,)
            self.captured[tensor] = found
        return found

    def captured_inputs(self, schema: OpDef, inputs: list[Tensor]) -> list[Tensor]:
        """The inputs of a new operation, those of other graphs captured.

        Raises:
          TypeError: if a reference to a variable had to be captured: only values can be.
        """
        if all(tensor.op.graph is self for tensor in inputs):
            return inputs
        if schema.takes_references and any(t.dtype.is_ref for t in inputs if t.graph is not self):
            first = [arg for arg in schema.inputs if not arg.is_list]
            raise TypeError(
                f"In op '{schema.name}', input types "
                f"({[t.dtype.base_dtype for t in inputs]}) are not compatible with expected types "
                f"({[t.dtype for _, t in zip(first, inputs, strict=False)]}): a function gets the "
                f"values of variables, not references to them. To change a variable in a function, "
                f"make it with use_resource=True."
            )
        return [self.capture(tensor) for tensor in inputs]

    def _copied(self, op: Operation) -> Operation:
        """A copy of an operation, with all it depends on; of what two use, two copies."""
        is_placeholder = op.type in ("Placeholder", "PlaceholderV2")
        is_dataset = bool(op.outputs) and op.outputs[0].dtype is dtypes.variant
        if is_placeholder or (op.op_def.is_stateful and not is_dataset):
            kind = "placeholder" if is_placeholder else "stateful node"
            raise ValueError(
                f"Cannot capture a {kind} (name:{op.name}, type:{op.type}) by value.\n"
                f"{op.describe_origin()}"
            )
        inputs = [self._copied(tensor.op).outputs[tensor.value_index] for tensor in op.inputs]
        copy = self.create_op(op.type, inputs, name=op.name, attrs=dict(op.attrs))
        copy._frames = op._frames  # errors tell where the original was built
        self.captured.update(zip(op.outputs, copy.outputs, strict=True))
        return copy

    def add_argument(self, dtype: Any, shape: Any, name: str | None = None) -> Tensor:
        """One more argument: a placeholder."""
        attrs = {"dtype": dtype, "shape": shape}
        op = self.create_op("Placeholder", [], name=name or "Placeholder", attrs=attrs)
        self.inputs.append(op.outputs[0])
        return op.outputs[0]

    def _create(
        self, schema: Any, name: str, inputs: Iterable[Tensor], *args: Any, **kwargs: Any
    ) -> Operation:
        inside = tuple(
            tensor if tensor.op.graph is self else self.capture(tensor) for tensor in inputs
        )
        return super()._create(schema, name, inside, *args, **kwargs)
