"""The inside of a `tf.while_loop`: a subgraph that runs again and again, in a frame of its own.

Each loop variable goes around this cycle; all share one LoopCond, the condition on the Merges:

    initial value ─► Enter ─► Merge ─► Switch ─► Identity ─► body ─► NextIteration ─┐
                                ▲         └────► Exit ─► final value                │
                                └───────────────────────────────────────────────────┘

Mirrors tensorflow/python/ops/while_loop.py and `WhileContext`, without control flow v2.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tinytf.framework import nest
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.graph import Graph
from tinytf.framework.indexed_slices import IndexedSlices, convert_to_tensor_or_indexed_slices
from tinytf.framework.operation import Operation
from tinytf.framework.sparse_tensor import SparseTensor
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops.array.identity import identity
from tinytf.ops.control_flow import contexts, primitives
from tinytf.ops.control_flow.contexts import ControlFlowContext
from tinytf.ops.control_flow.indexed_slices import as_indexed_slices
from tinytf.ops.tensor_array.tensor_array import TensorArray, flow_of, with_flow


class WhileContext(ControlFlowContext):
    """The inside of a loop, while the graph is built (TensorFlow: `WhileContext`).

    Attributes:
      maximum_iterations, parallel_iterations, swap_memory: as given to `while_loop`.
      pivot: the LoopCond.
      pivot_for_pred, pivot_for_body: what operations without inputs wait for, in the condition
        and in the body.
      loop_enters, loop_exits: of the loop variables.
    """

    def __init__(
        self,
        graph: Graph,
        maximum_iterations: Any = None,
        parallel_iterations: int = 10,
        back_prop: bool = True,
        swap_memory: bool = False,
        name: str = "while_context",
        gradient_state: Any = None,
    ):
        super().__init__(graph, name)
        self.maximum_iterations = maximum_iterations
        self.parallel_iterations = parallel_iterations
        self._back_prop = back_prop
        self.swap_memory = swap_memory
        self._gradient_state = gradient_state
        self.pivot: Tensor | None = None
        self.pivot_for_pred: Tensor | None = None
        self.pivot_for_body: Tensor | None = None
        self.loop_enters: list[Any] = []
        self.loop_exits: list[Any] = []

    def is_while_context(self) -> bool:
        """True: it is a loop."""
        return True

    def while_context(self) -> WhileContext:
        """The context itself."""
        return self

    @property
    def gradient_state(self) -> Any:
        """For a gradient loop: what connects it to its forward loop; otherwise None."""
        return self._gradient_state

    @property
    def back_prop(self) -> bool:
        """Whether gradients go through the loop."""
        return self._back_prop

    def control_pivot(self) -> Tensor | None:
        """The pivot of the part that is being built: the body, or before it the condition."""
        return self.pivot_for_pred if self.pivot_for_body is None else self.pivot_for_body

    # Bringing values in -----------------------------------------------------------------------

    def add_value(self, tensor: Tensor) -> Tensor:
        """What stands for `tensor` in the loop: a constant Enter, if it is from outside."""
        if tensor in self._values or tensor.op._control_flow_context is self:
            return self._inside.get(tensor, tensor)
        self._values.add(tensor)
        saved = self._from_forward_loop(tensor)
        if saved is not None:
            self._inside[tensor] = saved
            return saved
        outside = tensor if self.outer is None else self.outer.add_value(tensor)
        with self.graph.control_dependencies(None):
            result = primitives.enter(
                outside, self.name, is_constant=True, parallel_iterations=self.parallel_iterations
            )
        self.graph.prevent_feeding(result)
        self._adopt_enter(result.op)
        self._values.add(result)
        self._inside[tensor] = result
        return result

    def _from_forward_loop(self, tensor: Tensor) -> Tensor | None:
        """In a gradient loop: the history of a value of its forward loop."""
        current = self.graph._scopes.flow
        loop = None if current is None else current.while_context()
        if loop is None or loop.gradient_state is None:
            return None
        origin = contexts.output_context(tensor.op)
        source = None if origin is None else origin.while_context()
        if source is not loop.gradient_state.forward_context:
            return None
        return loop.gradient_state.real_value(tensor)

    def _adopt_enter(self, op: Operation) -> None:
        """Make an Enter one of this loop; it was built without any scope.

        It gets the control inputs that the scopes around the loop ask for.
        """
        controls = self.graph._current_control_inputs(op.inputs)
        outer_loop = None if self.outer is None else self.outer.while_context()
        kept = []
        for control in controls:
            # Those of contexts around this loop, up to the next loop.
            origin, context = contexts.output_context(control), self.outer
            while context is not origin:
                if context is None or context is outer_loop:
                    break
                context = context.outer
            else:
                kept.append(control)
        op._set_control_flow_context(self)
        if kept:
            op._add_control_inputs(kept)
        for scope in self.graph._scopes.controls:
            scope.seen.add(op)

    # Operations -------------------------------------------------------------------------------

    def place(self, op: Operation) -> None:
        """Adopt an operation, or leave it to the forward loop.

        The latter in a gradient loop, for the shape of a forward value: it is smaller to keep
        than the value.
        """
        context: ControlFlowContext = self
        if op.type in ("Shape", "Size", "Rank") and self.gradient_state is not None:
            source = op.inputs[0].op
            if contexts.while_context_of(source) is self.gradient_state.forward_context:
                context = source._control_flow_context
                op._set_control_flow_context(context)
        context.adopt(op)

    def adopt(self, op: Operation) -> None:
        """Make an operation one of the loop: bring its inputs in, let it wait for the loop."""
        if op.inputs:
            for index, tensor in enumerate(op.inputs):
                inside = self.add_value(tensor)
                if inside is not tensor:
                    op._update_input(index, inside)
            outside = self.remove_external_control_edges(op)
            # Loop invariants alone would let it run in iterations that do not take place.
            free = all(contexts.is_constant_enter(tensor.op) for tensor in op.inputs)
        else:
            outside = self.remove_external_control_edges(op)
            free = True
        if free and not op.control_inputs:
            op._add_control_input(self._pivot_op())
        self._values.update(op.outputs)
        if outside:
            op._add_control_inputs(self._controls_as_data(outside))
        if self.outer is not None or op.type not in primitives.EXITS:
            self.graph.prevent_fetching(op)
            for tensor in op.outputs:
                self.graph.prevent_feeding(tensor)

    def _pivot_op(self) -> Operation:
        pivot = self.control_pivot()
        if pivot is None:
            raise ValueError(f"The loop {self.name} has no pivot yet: its variables are not built.")
        return pivot.op

    def _controls_as_data(self, controls: list[Operation]) -> list[Operation]:
        """Control edges cannot enter a loop; an identity of what they come from can."""
        with self.graph.control_dependencies(None), self.entered():
            return [identity(control.outputs[0]).op for control in controls if control.outputs]

    # Building the loop ------------------------------------------------------------------------

    def build_loop(
        self,
        condition: Callable[..., Any],
        body: Callable[..., Any],
        loop_vars: Any,
        shape_invariants: Any,
        return_same_structure: bool,
    ) -> Any:
        """Add the loop to the graph and return its final values."""
        variables = nest.map_structure(_as_loop_variable, loop_vars)
        invariants = _flat_invariants(variables, shape_invariants)
        with self.entered():
            body_result, exits = self._build(condition, body, variables, invariants)
        packed = _packed(body_result, exits)
        if return_same_structure or len(exits) != 1:
            return packed
        return packed[0]

    def _build(
        self,
        condition: Callable[..., Any],
        body: Callable[..., Any],
        variables: Any,
        invariants: list[TensorShape],
    ) -> tuple[Any, list[Tensor]]:
        enters = self._build_enters(_tensors_of(variables), invariants)
        merges = [primitives.merge([tensor, tensor])[0] for tensor in enters]
        self.pivot_for_pred = merges[0]
        test = condition(*_packed(variables, merges))
        self.pivot = primitives.loop_cond(convert_to_tensor(test))
        switches = [primitives.colocated_switch(tensor, self.pivot) for tensor in merges]
        in_body = [_identity(tensor) for _, tensor in switches]
        self.pivot_for_body = in_body[0]
        arguments = _packed(variables, in_body)
        body_result = nest.with_lists(body(*arguments))
        if not nest.is_nested(body_result):
            body_result = [body_result]
        nest.assert_same_structure(list(arguments), list(body_result), expand_composites=True)
        for merged, result in zip(merges, _tensors_of(body_result), strict=True):
            add_back_edge(merged, result)
        self.loop_exits = [primitives.exit(tensor) for tensor, _ in switches]
        self.exit_result(self.loop_exits)
        return body_result, list(self.loop_exits)

    def _build_enters(self, initial: list[Tensor], invariants: list[TensorShape]) -> list[Any]:
        self._values = set(initial)
        real = initial if self.outer is None else [self.outer.add_value(t) for t in initial]
        enters = []
        with self.graph.control_dependencies(None):
            for tensor, invariant in zip(real, invariants, strict=True):
                result = primitives.enter(
                    tensor,
                    self.name,
                    parallel_iterations=self.parallel_iterations,
                    use_input_shape=False,
                )
                if not _at_least_as_specific(tensor.shape, invariant):
                    raise ValueError(
                        f"The shape invariant specified for {tensor.name} is not compatible with "
                        f"the initial shape of the loop variable. It enters the loop with shape "
                        f"{tensor.shape}, but the specified shape invariant is {invariant}."
                    )
                result.set_shape(invariant)
                self.graph.prevent_feeding(result)
                enters.append(result)
        pivot, context = None, self.outer
        while context is not None and pivot is None:
            pivot, context = context.control_pivot(), context.outer
        for result in enters:
            if pivot is not None and contexts.is_constant_enter(result.op.inputs[0].op):
                result.op._add_control_input(pivot.op)
            self._adopt_enter(result.op)
        self._values = set(enters)
        self.loop_enters = enters
        return enters


def _as_loop_variable(value: Any) -> Any:
    whole = isinstance(value, TensorArray | SparseTensor)
    return value if whole else convert_to_tensor_or_indexed_slices(value)


def _tensors_of(structure: Any) -> list[Any]:
    """What goes around the loop: an array of tensors is there with its flow."""
    return [flow_of(value) for value in nest.flatten(structure, expand_composites=True)]


def _packed(structure: Any, tensors: list[Tensor]) -> Any:
    """Undo `_tensors_of`, with other tensors."""
    leaves = nest.flatten(structure, expand_composites=True)
    values = [with_flow(leaf, tensor) for leaf, tensor in zip(leaves, tensors, strict=True)]
    return nest.pack_sequence_as(structure, values, expand_composites=True)


def _identity(tensor: Tensor) -> Tensor:
    return primitives.ref_identity(tensor) if tensor.dtype.is_ref else identity(tensor)


def add_back_edge(merged: Any, result: Any, keeps_shape: bool = True) -> None:
    """Make `result` the second input of a loop's Merge, through a NextIteration.

    Args:
      merged: the Merge's output, or an `IndexedSlices` of such.
      keeps_shape: whether `result` must have the shape known at the Merge.

    Raises:
      ValueError: if it has not. TypeError: if the types differ.
    """
    if isinstance(merged, IndexedSlices):
        nexts = nest.flatten(
            primitives.next_iteration(as_indexed_slices(result)), expand_composites=True
        )
        parts = nest.flatten(merged, expand_composites=True)
        for part, following in zip(parts, nexts, strict=True):
            part.op._update_input(1, following)
        return
    following = primitives.next_iteration(convert_to_tensor(result))
    if keeps_shape and not _at_least_as_specific(following.shape, merged.shape):
        start = merged.op.inputs[0].op.inputs[0]
        raise ValueError(
            f"Input tensor '{start.name}' enters the loop with shape {start.shape}, but has shape "
            f"{following.shape} after one iteration. To allow the shape to vary across "
            f"iterations, use the `shape_invariants` argument of tf.while_loop to specify a "
            f"less-specific shape."
        )
    if following.dtype.base_dtype != merged.dtype.base_dtype:
        raise TypeError(
            f"Input 1 of node {merged.op.name} was passed {following.dtype.name} from "
            f"{following.name} incompatible with expected {merged.dtype.name}. The body of the "
            f"loop must return the type that the loop variable came in with."
        )
    merged.op._update_input(1, following)


def _at_least_as_specific(shape: TensorShape, other: TensorShape) -> bool:
    """Whether `shape` says all that `other` says."""
    if other.sizes is None:
        return True
    if shape.sizes is None or len(shape.sizes) != len(other.sizes):
        return False
    return all(b is None or a == b for a, b in zip(shape.sizes, other.sizes, strict=True))


def _sparse_invariants(shape: TensorShape) -> list[TensorShape]:
    """For indices, values and dense shape; `shape` is that of the dense shape."""
    if shape.ndims != 1:
        raise ValueError(
            f"Expected a shape with 1 dimension. Obtained: {shape} which has {shape.ndims} "
            f"dimensions. The shape invariant of a SparseTensor is that of its dense_shape."
        )
    rank = shape.as_list()[0]
    return [TensorShape([None, rank]), TensorShape([None]), TensorShape([rank])]


def _flat_invariants(loop_vars: Any, shape_invariants: Any) -> list[TensorShape]:
    """One shape for each tensor of the loop variables."""
    variables = nest.flatten(loop_vars)
    if shape_invariants is None:
        shapes: list[Any] = [None] * len(variables)
    else:
        nest.assert_same_structure(loop_vars, shape_invariants)
        shapes = nest.flatten(shape_invariants)
    result: list[TensorShape] = []
    for variable, shape in zip(variables, shapes, strict=True):
        if shape is not None and not isinstance(shape, TensorShape):
            raise TypeError(f"'shape' must be one of TensorShape or None. Received: {type(shape)}")
        if isinstance(variable, TensorArray):
            result.append(variable.flow.shape if shape is None else shape)
        elif isinstance(variable, SparseTensor):
            result += _sparse_invariants(variable.dense_shape.shape if shape is None else shape)
        elif isinstance(variable, IndexedSlices):
            rows = variable.values.shape if shape is None else shape
            result += [rows, TensorShape([rows[0]])]
            if variable.dense_shape is not None:
                result.append(TensorShape([rows.ndims]))
        else:
            result.append(variable.shape if shape is None else shape)
    return result
