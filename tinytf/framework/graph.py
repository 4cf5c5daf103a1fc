"""The graph: operations and the tensors between them, built once and run many times.

Mirrors `tf.Graph` (tensorflow/python/framework/ops.py). A graph only grows; sessions compile
steps from it and rely on that.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from itertools import islice
from typing import Any

from tinytf.framework import call_site, dtypes, graph_versions, registry
from tinytf.framework.function_library import Function, add_function, set_call_shapes
from tinytf.framework.op_def import OpDef
from tinytf.framework.operation import Operation
from tinytf.framework.scopes import GraphScopes, as_text, check_operation_name, text_of
from tinytf.framework.shape_inference import InferenceContext, RecordingContext, brackets
from tinytf.framework.spelling import did_you_mean
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.protos import graph_pb2


class Graph(GraphScopes):
    """A computation as a graph of operations (TensorFlow: `tf.Graph`).

    Example:
      >>> graph = tf.Graph()
      >>> with graph.as_default():
      ...     c = tf.constant(3.0)
      >>> c.graph is graph
      True
    """

    #: Whether the graph is the body of a function that is being traced.
    building_function = False
    #: The graph that was the default one when the function was traced.
    outer_graph: Graph | None = None

    def __init__(self) -> None:
        super().__init__()
        self._by_name: dict[str, Operation] = {}
        self._collections: dict[Any, list[Any]] = {}
        #: The functions that nodes may call, by name; see `function_library`.
        self._functions: dict[str, Function] = {}
        #: The functions of the graph's py_funcs: they live as long as it does.
        self._py_functions: list[Any] = []
        self._versions = graph_versions.current()
        self._finalized = False
        #: what a refusal adds for users who did not call `finalize`: of a new operation, or of ""
        self._why_finalized: Callable[[str], str] | None = None
        self._changes = 0
        self._unfeedable: set[Tensor] = set()
        self._unfetchable: set[Operation] = set()
        #: The graph-level random seed (tf.set_random_seed), or None.
        self.seed: int | None = None

    # Building -------------------------------------------------------------------------------------

    def create_op(
        self,
        op_type: str,
        inputs: Iterable[Tensor],
        dtypes: Iterable[Any] | None = None,
        input_types: Any = None,
        name: str | None = None,
        attrs: dict[str, Any] | None = None,
        op_def: Any = None,
        compute_shapes: bool = True,
        compute_device: bool = True,
    ) -> Operation:
        """Create an operation from its parts (TensorFlow: `Graph.create_op`).

        Args:
          op_type: a registered op type.
          inputs: tensors of this graph.
          dtypes: output types; by default what the schema says.
          input_types, op_def, compute_shapes: accepted for TensorFlow's sake.
          name: made unique; one that ends in "/" is taken as it is. Default: the op type.
          attrs: attribute values, as `AttrValue` or Python values.
          compute_device: whether device scopes apply.

        Raises:
          NotFoundError: for an unknown op type. TypeError, ValueError: for attributes or
            inputs the op does not take.
        """
        from tinytf.framework.op_builder import checked_attrs, output_types

        schema = self._schema(op_type)
        inputs = tuple(inputs)
        for index, tensor in enumerate(inputs):
            if not isinstance(tensor, Tensor):
                raise TypeError(f"Input #{index} is not a tensor: {tensor!r}")
        name = op_type if name is None else text_of(name) or ""
        values = checked_attrs(schema, attrs or {}, inputs, name)
        full = name[:-1] if name.endswith("/") else self.unique_name(name)
        types = list(dtypes) if dtypes is not None else output_types(schema, values)
        return self._create(schema, full, inputs, values, types, compute_device=compute_device)

    def _create(
        self,
        schema: OpDef,
        name: str,
        inputs: tuple[Tensor, ...],
        attrs: dict[str, Any],
        output_dtypes: Iterable[dtypes.DType],
        control_inputs: Iterable[Operation] = (),
        compute_device: bool = True,
        frames: call_site.Frames | None = None,
    ) -> Operation:
        """Create an operation whose name is final and whose attributes are complete.

        Args:
          frames: where the user built it; captured when None.
        """
        if self._finalized:
            self._check_not_finalized(f"{name} ({schema.name})")
        scopes = self._scopes
        with self._lock:
            if name in self._by_name:
                raise ValueError(f"Duplicate node name in graph: '{name}'")
            if frames != ():  # what a peer sends is checked already, and may begin with "_"
                check_operation_name(name)
            for tensor in inputs:
                if tensor.op.graph is not self:
                    self._complain_about_other_graph(tensor, inputs, name)
            controls = tuple(control_inputs)
            if scopes.controls:
                controls += tuple(
                    op for op in self._current_control_inputs(inputs) if op not in controls
                )
            if frames is None:
                frames = call_site.capture()
            op = Operation(self, name, schema, inputs, controls, attrs, output_dtypes, frames)
            context = op._control_flow_context = scopes.flow
            try:
                for tensor in inputs:
                    origin = tensor.op._control_flow_context
                    if origin is not None and origin is not context:
                        origin.check_use(op, tensor.op)
                self._infer_shapes(op)
                self._apply_scopes(op, compute_device)
            except BaseException:
                for tensor in inputs:  # leave no trace of an op that could not be built
                    if tensor._consumers and tensor._consumers[-1] is op:
                        tensor._consumers.pop()
                raise
            self._by_name[name] = op
            self._names_in_use.setdefault(name.lower(), 1)
            for scope in scopes.controls:
                scope.seen.add(op)
            if context is not None:
                context.add_op(op)
        return op

    def _complain_about_other_graph(
        self, tensor: Tensor, inputs: tuple[Tensor, ...], name: str
    ) -> None:
        own = next((other for other in inputs if other.op.graph is self), None)
        beside = f"{own}" if own is not None else f"the operation '{name}' that is being built"
        origin = f"\n{own.op.describe_origin()}" if own is not None else ""
        raise ValueError(
            f"{tensor} must be from the same graph as {beside} (graphs are {tensor.graph} and "
            f"{self}). Build both inside one `with graph.as_default():`, or feed the value "
            f"instead.\n{tensor.op.describe_origin()}{origin}"
        )

    def _schema(self, op_type: str) -> OpDef:
        """The schema of a node's type: an op's, or that of a function to call."""
        called = self._functions.get(op_type)
        return registry.op_defs.lookup(op_type) if called is None else called.op_def

    def _infer_shapes(self, op: Operation) -> None:
        function = registry.shape_functions.get(op.op_def.name)
        if function is None:
            if op.op_def.name in self._functions:
                set_call_shapes(op)
            return
        context = InferenceContext(
            op.op_def, op._inputs, op.attrs, len(op.outputs), self._versions.producer
        )
        try:
            shapes = function(context)
        except ValueError as error:
            raise ValueError(_shape_message(op, str(error), function)) from None
        except Exception as error:
            error.add_note(
                f"The shape function of op '{op.type}' raised it, called with one value."
            )
            raise
        if isinstance(shapes, TensorShape):
            op.outputs[0]._shape = shapes
        elif not isinstance(shapes, Iterable):
            raise TypeError(
                f"The shape function of op '{op.type}' has to return a tf.TensorShape, or a list "
                f"with one for each output, and returned {shapes!r}."
            )
        else:
            for tensor, shape in zip(op.outputs, shapes, strict=True):
                tensor._shape = shape

    def _apply_scopes(self, op: Operation, compute_device: bool) -> None:
        scopes = self._scopes
        if compute_device and scopes.devices:
            self._requested_device(op)
        for name, value in scopes.attrs.items():
            op.attrs.setdefault(name, value)
        if scopes.colocation:
            groups = {g for other in scopes.colocation for g in other.colocation_groups()}
            op.attrs["_class"] = tuple(sorted(groups))
            for other in scopes.colocation:
                if other.device:
                    op._device = other.device
        if scopes.container and op.op_def.is_stateful and op.attrs.get("container") == b"":
            op.attrs["container"] = scopes.container.encode()
        override = scopes.gradient_overrides.get(op.op_def.name)
        if override is not None and "_gradient_op_type" not in op.attrs:
            op.attrs["_gradient_op_type"] = override.encode()

    def _node_changed(self) -> None:
        """A node that exists was changed: plans compiled before may no longer hold."""
        self._check_not_finalized()
        self._changes += 1

    # Looking up -----------------------------------------------------------------------------------

    @property
    def version(self) -> int:
        """A number that grows whenever an operation is added."""
        return len(self._by_name)

    @property
    def graph_def_versions(self) -> graph_pb2.VersionDef:
        """The versions that its GraphDef has: this library's, or those of what was imported."""
        versions = graph_pb2.VersionDef()
        versions.CopyFrom(self._versions)
        return versions

    def get_operations(self) -> list[Operation]:
        """All operations, in the order they were built."""
        return list(self._by_name.values())

    def operations_since(self, version: int) -> list[Operation]:
        """Those built since `graph.version` was `version`, the newest first."""
        with self._lock:
            return list(islice(reversed(self._by_name.values()), len(self._by_name) - version))

    def get_operation_by_name(self, name: str) -> Operation:
        """The operation; KeyError if there is none, TypeError for anything but a string."""
        if not isinstance(name, str):
            raise TypeError(f"Operation names are strings (or similar), not {type(name).__name__}.")
        return self.as_graph_element(name, allow_tensor=False, allow_operation=True)

    def get_tensor_by_name(self, name: str) -> Tensor:
        """The tensor "operation:index"; KeyError if there is none."""
        if not isinstance(name, str):
            raise TypeError(f"Tensor names are strings (or similar), not {type(name).__name__}.")
        return self.as_graph_element(name, allow_tensor=True, allow_operation=False)

    def as_graph_element(
        self, obj: Any, allow_tensor: bool = True, allow_operation: bool = True
    ) -> Any:
        """The tensor or operation that `obj` names or is.

        Args:
          obj: a name, a `Tensor`, an `Operation`, or anything with `_as_graph_element()`.
          allow_tensor, allow_operation: what may come back.

        Raises:
          TypeError: if `obj` is of another kind. KeyError: for an unknown name.
          ValueError: if it belongs to another graph, or a name is malformed.
        """
        convert = getattr(obj, "_as_graph_element", None)
        if convert is not None:
            obj = convert()
        if isinstance(obj, Tensor) and allow_tensor:
            if obj.graph is not self:
                raise ValueError(f"Tensor {obj} is not an element of this graph.")
            return obj
        if isinstance(obj, Operation) and allow_operation:
            if obj.graph is not self:
                raise ValueError(f"Operation {obj!r} is not an element of this graph.")
            return obj
        obj = as_text(obj)
        if isinstance(obj, str):
            return self._element_by_name(obj, allow_tensor, allow_operation)
        kinds = [k for k, ok in (("Tensor", allow_tensor), ("Operation", allow_operation)) if ok]
        raise TypeError(f"Can not convert a {type(obj).__name__} into a {' or '.join(kinds)}.")

    def _element_by_name(self, name: str, allow_tensor: bool, allow_operation: bool) -> Any:
        if ":" in name and allow_tensor:
            return self._tensor_by_name(name)
        if ":" in name:
            raise ValueError(
                f"Name '{name}' appears to refer to a Tensor, not a Operation. Did you mean "
                f"'{name.rpartition(':')[0]}'?"
            )
        op = self._by_name.get(name)
        if not allow_operation:
            kind = "refers to an Operation" if op else "looks like an (invalid) Operation name"
            raise ValueError(
                f"The name '{name}' {kind}, not a Tensor. Tensor names must be of the form "
                f'"<op_name>:<output_index>".' + did_you_mean(name, self._by_name, ":0")
            )
        if op is None:
            raise KeyError(
                f"The name '{name}' refers to an Operation not in the graph."
                + did_you_mean(name, self._by_name)
            )
        return op

    def _tensor_by_name(self, name: str) -> Tensor:
        op_name, _, index_text = name.rpartition(":")
        if not index_text.isdigit() or ":" in op_name:
            raise ValueError(
                f"The name {name!r} looks a like a Tensor name, but is not a valid one. Tensor "
                f'names must be of the form "<op_name>:<output_index>".'
            )
        op = self._by_name.get(op_name)
        if op is None:
            raise KeyError(
                f"The name {name!r} refers to a Tensor which does not exist. The operation, "
                f"{op_name!r}, does not exist in the graph."
                + did_you_mean(op_name, self._by_name, ":" + index_text)
            )
        if int(index_text) >= len(op.outputs):
            raise KeyError(
                f"The name {name!r} refers to a Tensor which does not exist. The operation, "
                f"{op_name!r}, exists but only has {len(op.outputs)} outputs."
                f" Did you mean {op.outputs[-1].name if op.outputs else op.name!r}?"
            )
        return op.outputs[int(index_text)]

    def is_feedable(self, tensor: Any) -> bool:
        """Whether a value may be fed for `tensor`."""
        return tensor not in self._unfeedable

    def is_fetchable(self, tensor_or_op: Any) -> bool:
        """Whether `tensor_or_op` may be fetched (not so inside conditionals and loops)."""
        return getattr(tensor_or_op, "op", tensor_or_op) not in self._unfetchable

    def prevent_feeding(self, tensor: Tensor) -> None:
        """Refuse feeds of `tensor` from now on."""
        self._unfeedable.add(tensor)

    def prevent_fetching(self, op: Operation) -> None:
        """Refuse fetches of `op` and its tensors from now on."""
        self._unfetchable.add(op)

    # Collections ----------------------------------------------------------------------------------

    def add_to_collection(self, name: Any, value: Any) -> None:
        """Append `value` to a collection (see `tf.GraphKeys`)."""
        self._check_not_finalized()
        self._collections.setdefault(name, []).append(value)

    def add_to_collections(self, names: Any, value: Any) -> None:
        """Append `value` to several collections, or to one given as a string; each once."""
        for name in (names,) if isinstance(names, str) else dict.fromkeys(names or ()):
            self.add_to_collection(name, value)

    def get_collection(self, name: Any, scope: str | None = None) -> list[Any]:
        """A copy of a collection; with `scope`, only items whose name starts with that pattern."""
        items = self._collections.get(name, [])
        if scope is None:
            return list(items)
        pattern = re.compile(scope)
        return [i for i in items if hasattr(i, "name") and pattern.match(i.name)]

    def get_collection_ref(self, name: Any) -> list[Any]:
        """The collection itself: changes to the list change the graph."""
        return self._collections.setdefault(name, [])

    def get_all_collection_keys(self) -> list[Any]:
        """The names of all collections that hold something."""
        return [key for key, items in self._collections.items() if isinstance(key, str) and items]

    @property
    def collections(self) -> list[Any]:
        """The names of all collections."""
        return list(self._collections)

    def clear_collection(self, name: Any) -> None:
        """Empty a collection."""
        self._check_not_finalized()
        self._collections.pop(name, None)

    # Whole graph ----------------------------------------------------------------------------------

    def finalize(self) -> None:
        """Refuse every further change: a guard for graphs that several threads run."""
        self._finalized = True

    @property
    def finalized(self) -> bool:
        """Whether `finalize` was called."""
        return self._finalized

    def _unsafe_unfinalize(self) -> None:
        self._finalized, self._why_finalized = False, None

    def _check_not_finalized(self, new: str = "") -> None:
        if self._finalized:
            why = self._why_finalized(new) if self._why_finalized else ""
            raise RuntimeError(f"Graph is finalized and cannot be modified.{why}")

    def as_graph_def(
        self, from_version: int | None = None, add_shapes: bool = False
    ) -> graph_pb2.GraphDef:
        """The graph as TensorFlow's GraphDef.

        Args:
          from_version: only operations added since the graph had this `version`.
          add_shapes: whether to write static shapes as "_output_shapes".
        """
        from tinytf.framework.graph_export import export_graph

        return export_graph(self, from_version or 0, add_shapes)

    # Functions ------------------------------------------------------------------------------------

    def _add_function(self, function: Function) -> None:
        """Let nodes call `function`; InvalidArgumentError if its name is taken."""
        with self._lock:
            add_function(self, function)

    def _is_function(self, name: str) -> bool:
        """Whether the graph has a function of this name."""
        return name in self._functions

    def _get_function(self, name: str) -> Function | None:
        """The function of this name, or None."""
        return self._functions.get(name)

    def as_default(self) -> Any:
        """A context manager that makes this the default graph of the thread."""
        from tinytf.framework.stacks import default_graphs

        return default_graphs.pushed(self)

    def switch_to_thread_local(self) -> None:
        """Accepted for TensorFlow's sake: scopes are thread-local from the start."""

    def __repr__(self) -> str:
        state = ", finalized" if self._finalized else ""
        return f"<tf.Graph with {len(self._by_name)} operations{state}>"


def _shape_message(op: Operation, reason: str, function: Callable[..., Any]) -> str:
    from tinytf.framework.summaries import describe_node

    shapes = ", ".join(brackets(tensor.shape) for tensor in op.inputs)
    text = f"{reason} for '{describe_node(op)}' with input shapes: {shapes}"
    context = RecordingContext(op.op_def, op._inputs, op.attrs, len(op.outputs))
    with suppress(ValueError):
        function(context)  # again, to see which values of inputs it looked at
    # The line at fault is at the top of the traceback; where its inputs come from is not.
    origins = dict.fromkeys(tensor.op.describe_origin() for tensor in op.inputs[:4])
    return f"{text}{context.values_used()}.\n" + "\n".join(origins)
