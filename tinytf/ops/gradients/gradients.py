"""`tf.gradients`: the graph that computes derivatives, built beside the graph it differentiates.

Reverse-mode differentiation in one backward walk. First a census: which operations lie between
`xs` and `ys`, and for each how many of them consume it (`pending`). Then, from `ys` on: an
operation whose consumers have all been walked has received every gradient it will get; they are
added up, its registered gradient function turns gradients of its outputs into gradients of its
inputs, and its inputs' counts go down.

Mirrors tensorflow/python/ops/gradients_util.py; the graph comes out node by node as TensorFlow's.
"""

from __future__ import annotations

import enum
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from tinytf.framework import dtypes, nest
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.graph import Graph
from tinytf.framework.handle_data import handle_data
from tinytf.framework.indexed_slices import IndexedSlices, convert_to_tensor_or_indexed_slices
from tinytf.framework.operation import Operation
from tinytf.framework.stacks import get_default_graph, graph_to_build_in
from tinytf.framework.tensor import Tensor
from tinytf.ops.array.fill import ones, zeros, zeros_like
from tinytf.ops.array.identity import identity
from tinytf.ops.array.shape import shape
from tinytf.ops.control_flow.gradient_state import maybe_create_loop_state, zeros_like_outside_loops
from tinytf.ops.control_flow.grouping import tuple as gate
from tinytf.ops.gradients.aggregation import add_gradients, check_aggregation_method
from tinytf.ops.gradients.registered import gradient_function, is_trainable
from tinytf.ops.variables.state import variable_shape


class UnconnectedGradients(enum.Enum):
    """What `tf.gradients` gives for an x that no y depends on (TensorFlow's enum of that name).

    Example:
      >>> x, y = tf.constant(1.0), tf.constant(2.0)
      >>> tf.gradients(y, x)                                                           # [None]
      >>> tf.gradients(y, x, unconnected_gradients=tf.UnconnectedGradients.ZERO)       # [0.]
    """

    NONE = "none"
    ZERO = "zero"


def gradients(
    ys: Any,
    xs: Any,
    grad_ys: Any = None,
    name: str = "gradients",
    colocate_gradients_with_ops: bool = False,
    gate_gradients: bool = False,
    aggregation_method: int | None = None,
    stop_gradients: Any = None,
    unconnected_gradients: Any = UnconnectedGradients.NONE,
) -> list[Any]:
    """Symbolic derivatives of the sum of `ys` with respect to each x (TensorFlow: `tf.gradients`).

    Args:
      ys: a tensor or a list of tensors to differentiate.
      xs: a tensor or variable, or a list of them.
      grad_ys: gradients of some outer result with respect to each y; None (for all, or for one)
        means ones.
      name: the scope of the new operations.
      colocate_gradients_with_ops: put gradients on the devices of the ops they belong to.
      gate_gradients: finish all gradients of an op before one of them is used.
      aggregation_method: a member of `tf.AggregationMethod`.
      stop_gradients: tensors to treat as constants.
      unconnected_gradients: "none" or "zero": what an x gives that no y depends on.

    Returns:
      a list with one tensor, `IndexedSlices` or None for each x.

    Raises:
      LookupError: if an op on the way has no registered gradient.
      ValueError, TypeError: for arguments that do not fit together.

    Example:
      >>> x = tf.constant(3.0)
      >>> tf.gradients(x * x, x)  # [6.]
    """
    unconnected = _checked_kind(unconnected_gradients)
    method = check_aggregation_method(aggregation_method)
    ys, xs, stops = _as_list(nest.with_lists(ys)), _as_list(xs), _as_list(stop_gradients)
    given = [None] * len(ys) if grad_ys is None else _as_list(grad_ys)
    if len(given) != len(ys):
        raise ValueError(f"Length mismatch. Passed {len(given)} grad_ys for {len(ys)} ys")
    graph = _graph_of([*ys, *xs])
    with graph.as_default():
        ys = [convert_to_tensor(y) if hasattr(y, "handle") else y for y in ys]
        xs, stops = [_handle_of(x) for x in xs], [_handle_of(stop) for stop in stops]
    with graph.as_default(), graph.name_scope("gradients" if name is None else name):
        graph.unique_name("uid")  # TensorFlow takes this name; later ones must come out the same
        ys = _converted(ys, "y")
        xs = _converted(xs, "x", as_ref=True)
        stops = _converted(stops, "stop", as_ref=True)
        colocates = colocate_gradients_with_ops
        initial = _initial_gradients(given, ys, graph.colocate_with if colocates else nullcontext)
        walk = _Walk(graph, ys, xs, stops, colocates, gate_gradients, method)
        walk.start(ys, initial)
        walk.run()
    if walk.loops is not None:
        walk.loops.post_processing()
    return [walk.result(x, unconnected) for x in xs]


def _checked_kind(kind: Any) -> UnconnectedGradients:
    try:
        return UnconnectedGradients(kind)
    except ValueError:
        raise ValueError(
            f"Unknown value for unconnected_gradients: '{kind}'. Accepted: 'none', 'zero'."
        ) from None


def _as_list(value: Any) -> list[Any]:
    if value is None:
        return []
    return list(value) if isinstance(value, list | tuple | nest.DictView) else [value]


def _graph_of(values: Iterable[Any]) -> Graph:
    graph = next((v.graph for v in values if hasattr(v, "graph")), None) or get_default_graph()
    return graph_to_build_in(graph)


def _handle_of(x: Any) -> Any:
    """Of a resource variable its handle: that is what the graph depends on."""
    return x.handle if hasattr(x, "handle") else x


def _converted(values: list[Any], name: str, as_ref: bool = False) -> list[Any]:
    return [
        None if v is None else convert_to_tensor_or_indexed_slices(v, None, f"{name}_{i}", as_ref)
        for i, v in enumerate(values)
    ]


def _initial_gradients(
    given: list[Any], ys: list[Any], colocate: Callable[[Operation], AbstractContextManager[Any]]
) -> list[Any]:
    """The gradients the walk starts from: ones, or what the caller gave."""
    result: list[Any] = []
    for i, (y, gradient) in enumerate(zip(ys, _converted(given, "grad_y"), strict=True)):
        with colocate(y.op):
            if gradient is None:
                if y.dtype.is_complex:
                    raise TypeError(
                        f"Gradients of complex tensors ({y}) must set grad_ys "
                        f"(y.dtype = {y.dtype.name})"
                    )
                result.append(ones(shape(y), dtype=y.dtype.base_dtype, name=f"grad_ys_{i}"))
                continue
            _check_gradient_type(y, gradient)
            if isinstance(gradient, IndexedSlices):
                parts = [
                    None if part is None else identity(part, name=f"grad_ys_{i}_{what}")
                    for what, part in (
                        ("indices", gradient.indices),
                        ("values", gradient.values),
                        ("shape", gradient.dense_shape),
                    )
                ]
                result.append(IndexedSlices(parts[1], parts[0], parts[2]))
            else:
                result.append(identity(gradient, name=f"grad_ys_{i}"))
    return result


def _check_gradient_type(y: Any, gradient: Any) -> None:
    def is_real(t: Any) -> bool:
        return t.dtype.is_floating or t.dtype.is_integer

    if is_real(y):
        if not is_real(gradient):
            raise TypeError(
                f"Gradient type {gradient.dtype.name} generated for real or integer-valued tensor "
                f"{y} with type {y.dtype.name} must be real or integer"
            )
    elif y.dtype.is_complex:
        if not gradient.dtype.is_complex:
            raise TypeError(
                f"Gradient type {gradient.dtype.name} generated for complex-valued tensor {y} "
                f"with type {y.dtype.name} must be complex"
            )
    elif y.dtype not in (dtypes.resource, dtypes.variant):
        raise TypeError(
            f"Tensor {y} with type {y.dtype.name} must be numeric to obtain a default gradient"
        )


class _Walk:
    """One backward walk: what was counted, what has arrived, what is ready."""

    def __init__(
        self,
        graph: Graph,
        ys: list[Any],
        xs: list[Any],
        stops: list[Tensor],
        colocates: bool,
        gates: bool,
        aggregation_method: int,
    ):
        self._graph = graph
        self._colocates = colocates
        self._gates = gates
        self._method = aggregation_method
        self._sources = [x.op for x in xs]
        self._targets = [y.op for y in ys]
        reached = _reached_from(self._sources)
        self._reachable_targets = {op for op in self._targets if op in reached}
        between = _between(self._targets, reached)
        self.loops = _loop_state(between, colocates)
        #: how many operations on the way still have to pass a gradient to this one
        self._pending: dict[Operation, int] = {}
        counted = set(between)
        for op in between:
            for tensor in op.inputs:
                if tensor.op in counted:
                    self._pending[tensor.op] = self._pending.get(tensor.op, 0) + 1
        #: operation -> for each output: the gradients so far, or their sum (None: there are none)
        self._gradients: dict[Operation, list[Any]] = {}
        self._ready: deque[Operation] = deque()
        self._stops = {stop.op for stop in stops}

    def colocate(self, op: Operation) -> AbstractContextManager[Any]:
        """Where the gradients of `op` are built."""
        return self._graph.colocate_with(op) if self._colocates else nullcontext()

    def start(self, ys: list[Any], initial: list[Any]) -> None:
        """Give every y its gradient, and find where the walk begins and ends."""
        for y, gradient in zip(ys, initial, strict=True):
            self._add(y, gradient)
        first = {
            op: None
            for op in self._targets
            if not self._pending.get(op) and op in self._reachable_targets
        }
        self._ready.extend(first)
        if self.loops is not None:
            for exit_tensor in self.loops.process_unused_loop_exits(self._pending, set(first)):
                if is_trainable(exit_tensor):
                    self._add(exit_tensor, self.loops.zeros_like_for_exit(exit_tensor))
                    self._ready.append(exit_tensor.op)
        # An x that depends on no other x is where the walk ends; nothing behind it is wanted.
        for op in self._sources:
            if not any(self._pending.get(tensor.op) for tensor in op.inputs):
                self._stops.add(op)

    def run(self) -> None:
        """Walk backwards until nothing is ready any more."""
        while self._ready:
            op = self._ready.popleft()
            with self.colocate(op):
                self._visit(op)
            self._release_inputs(op)

    def _visit(self, op: Operation) -> None:
        loops = self.loops
        if loops is not None:
            loops.enter_grad_while_context(op, before=True)
        arrived = self._sum_up(op)
        if loops is not None:
            loops.exit_grad_while_context(op, before=True)
        function = None
        if op not in self._stops and any(gradient is not None for gradient in arrived):
            function = gradient_function(op)
        if loops is not None:
            loops.enter_grad_while_context(op, before=False)
        self._refuse_initial_loop_value(op)
        if function is not None:
            self._differentiate(op, function, arrived)
        if loops is not None:
            loops.exit_grad_while_context(op, before=False)

    def _sum_up(self, op: Operation) -> list[Any]:
        """The gradient of each output of `op`, None where there is none."""
        arrived = self._gradients.get(op)
        if arrived is None:
            return [None] * len(op.outputs)
        for index, collected in enumerate(arrived):
            if isinstance(collected, list):
                arrived[index] = (
                    add_gradients(collected, op.name, self._method) if collected else None
                )
        return list(arrived)

    def _differentiate(self, op: Operation, function: Any, arrived: list[Any]) -> None:
        for index, gradient in enumerate(arrived):
            if gradient is None and is_trainable(op.outputs[index]):
                arrived[index] = self._zeros_for(op, index)
        with self._graph.name_scope(op.name + "_grad"):
            results = function(op, *arrived)
            results = list(results) if isinstance(results, list | tuple) else [results]
            if len(results) != len(op.inputs):
                raise ValueError(
                    f"Num gradients {len(results)} generated for op {op.name} ({op.type}) do not "
                    f"match num inputs {len(op.inputs)}"
                )
            if self._gates and sum(gradient is not None for gradient in results) > 1:
                results = self._gated(results)
        for index, (tensor, gradient) in enumerate(zip(op.inputs, results, strict=True)):
            if gradient is None:
                continue
            if isinstance(gradient, Tensor) and tensor.dtype != dtypes.resource:
                self._check_shape(op, index, tensor, gradient)
            self._add(tensor, gradient)

    def _zeros_for(self, op: Operation, index: int) -> Any:
        output = op.outputs[index]
        if self.loops is not None:
            return self.loops.zeros_like(op, index)
        if output.dtype == dtypes.resource and handle_data(output) is None:
            return None
        if op.type in ("Switch", "RefSwitch"):
            return zeros_like_outside_loops(op, index)
        return _zeros_like(output, optimize=False)

    def _gated(self, results: list[Any]) -> list[Any]:

        with self._graph.device(None), self._graph.colocate_with(None, ignore_existing=True):
            return gate(results)

    def _check_shape(self, op: Operation, index: int, tensor: Tensor, gradient: Tensor) -> None:
        try:
            gradient.set_shape(tensor.shape)
        except ValueError:
            raise ValueError(
                f"Incompatible shapes between op input and calculated input gradient. Forward "
                f"operation: {op.name}. Input index: {index}. Original input shape: "
                f"{tensor.shape}. Calculated input gradient shape: {gradient.shape}"
            ) from None

    def _add(self, tensor: Any, gradient: Any) -> None:
        """Note a gradient of a tensor."""
        op = tensor.op
        arrived = self._gradients.get(op)
        if arrived is None:
            arrived = self._gradients[op] = [[] for _ in op.outputs]
        index = tensor.value_index if isinstance(tensor, Tensor) else tensor.values.value_index
        if isinstance(arrived[index], list):
            arrived[index].append(gradient)
        else:
            # Only a loop's Switch is visited twice: the second gradient is the whole one.
            arrived[index] = gradient

    def _release_inputs(self, op: Operation) -> None:
        """Count down the inputs of a visited operation; queue those that have all they get."""
        for tensor in op.inputs:
            source = tensor.op
            left = self._pending[source] = self._pending.get(source, 0) - 1
            ready = left == 0
            if self.loops is not None and left > 0:
                ready = self.loops.is_loop_switch(source)
            if not ready:
                continue
            if self.loops is not None and source.type in ("Exit", "RefExit"):
                self._defer_exit(tensor)
            else:
                self._ready.append(source)

    def _defer_exit(self, tensor: Tensor) -> None:
        """A loop is entered backwards by all its exits at once, when the last one is ready."""
        assert self.loops is not None
        state = self.loops.get_grad_state(tensor.op, before=False)
        state.deferred_exits.append(tensor)
        state.pending_exits_count -= 1
        if state.pending_exits_count:
            return
        used = False
        for exit_tensor in state.deferred_exits:
            if any(self._gradients.get(exit_tensor.op, ())):
                used = True
                self._ready.append(exit_tensor.op)
            else:
                state.unused_exits.append(exit_tensor)
        for exit_tensor in state.unused_exits:
            if used and is_trainable(exit_tensor):
                self._add(exit_tensor, self.loops.zeros_like_for_exit(exit_tensor))
            self._ready.append(exit_tensor.op)

    def _refuse_initial_loop_value(self, op: Operation) -> None:
        if op.type not in ("Switch", "RefSwitch"):
            return
        context = op._control_flow_context
        if context is None or not context.is_while_context():
            return
        if context is not self._graph._scopes.flow:
            return
        queue, seen = deque([op]), set()
        while queue:
            current = queue.popleft()
            if current in self._sources:
                raise ValueError(
                    f"Cannot compute gradient inside while loop with respect to op "
                    f"'{current.name}'. We do not support taking the gradient wrt or through the "
                    f"initial value of a loop variable. Gradients can be computed through loop "
                    f"invariants or wrt the input parameters to the loop body."
                )
            if current not in seen:
                seen.add(current)
                queue.extend(tensor.op for tensor in current.inputs)

    def result(self, x: Any, unconnected: UnconnectedGradients) -> Any:
        """The gradient of an x when the walk is over."""
        arrived = self._gradients.get(x.op)
        index = x.value_index if isinstance(x, Tensor) else x.values.value_index
        gradient = None if arrived is None else arrived[index]
        if isinstance(gradient, list):
            gradient = None
        if gradient is None and unconnected is UnconnectedGradients.ZERO:
            return _zeros_like(x)
        return gradient


def _zeros_like(tensor: Tensor, optimize: bool = True) -> Tensor:
    """Zeros of a tensor's shape; for a resource handle, of the value behind it."""
    if tensor.dtype != dtypes.resource:
        return zeros_like(tensor, optimize=optimize)

    data = handle_data(tensor)
    if data is None:
        raise ValueError(f"{tensor} is not the handle of a variable: it has no gradient.")
    return zeros(variable_shape(tensor), dtype=data.dtype)


def _reached_from(sources: list[Operation]) -> set[Operation]:
    """All operations that depend on `sources` through tensors that have gradients."""
    reached: set[Operation] = set()
    queue = deque(sources)
    while queue:
        op = queue.popleft()
        if op in reached:
            continue
        reached.add(op)
        for tensor in op.outputs:
            if tensor._consumers and is_trainable(tensor):
                queue.extend(tensor._consumers)
    return reached


def _between(targets: list[Operation], reached: set[Operation]) -> list[Operation]:
    """The operations in `reached` that `targets` depend on, as a backward search meets them."""
    found: dict[Operation, None] = {}
    queue = deque(targets)
    while queue:
        op = queue.popleft()
        if op in reached and op not in found:
            found[op] = None
            queue.extend(tensor.op for tensor in op.inputs)
    return list(found)


def _loop_state(between: list[Operation], colocates: bool) -> Any:
    """What gradients of while loops need to know; None if no loop lies on the way."""
    if not any(op.type in ("Exit", "RefExit") for op in between):
        return None

    return maybe_create_loop_state(between, set(between), colocates)


#: The name by which `tinytf.ops` finds it: `ops.gradients` is this room.
gradients_of = gradients
