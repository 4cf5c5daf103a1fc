"""`Defun`: Python functions as functions of the graph.

The Python function is run once, when it is first called, on placeholders of a graph of its own: its
body. Every call then adds one node, whose type is the function's name. What the body uses from
outside becomes an argument that all calls pass on.

Mirrors tensorflow/python/framework/function.py.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.device_spec import DeviceSpec
from tinytf.framework.function_export import export_function
from tinytf.framework.function_graph import FuncGraph
from tinytf.framework.function_import import effects
from tinytf.framework.function_library import (
    NO_SHAPES,
    Body,
    Function,
    dtype_text,
    op_def_of,
    signature_text,
)
from tinytf.framework.graph import Graph
from tinytf.framework.graph_keys import GraphKeys
from tinytf.framework.op_def import OpDef
from tinytf.framework.operation import Operation
from tinytf.framework.stacks import get_default_graph
from tinytf.framework.tensor import Tensor
from tinytf.ops.variables.current_scope import STORE_KEY, get_variable_scope
from tinytf.ops.variables.scope import variable_scope
from tinytf.protos import op_def_pb2


class Defun:
    """Makes a Python function a function of the graph (TensorFlow 1.x: `function.Defun`).

    Args:
      *input_types: the types of the arguments. Without any, the function is traced again for each
        combination of types it is called with.
      func_name: its name in the graph; by default the Python name and a digest of the body.
      grad_func: a `Defun` from (arguments, gradients of results) to gradients of arguments.
      python_grad_func: as for `tf.RegisterGradient`: (op, *gradients of results) to gradients
        of arguments. Without either, the operations of the body are differentiated.
      out_names: names of the results.
      shape_func: from the call's `Operation` to a list with the static shape of each result.
      noinline: written into the graph, for TensorFlow's sake.
      capture_by_value: copy what is used from outside into the body instead of passing it on.

    Example:
      >>> from tinytf.api import function
      >>> @function.Defun(tf.float32, tf.float32)
      ... def hypotenuse(a, b):
      ...     return tf.sqrt(a * a + b * b)
      >>> hypotenuse(3.0, 4.0)  # 5.
    """

    def __init__(
        self,
        *input_types: Any,
        func_name: str | None = None,
        grad_func: Any = None,
        python_grad_func: Callable[..., Any] | None = None,
        **kwargs: Any,
    ):
        self._input_types = [dtypes.as_dtype(kind) for kind in input_types]
        self._settings = {
            "name": func_name,
            "grad_func": grad_func,
            "python_grad_func": python_grad_func,
            **kwargs,
        }

    def __call__(self, func: Callable[..., Any]) -> Any:
        """The function; it is traced at its first call.

        Raises:
          ValueError: if it takes keyword or default arguments, or not as many as there are types.
        """
        if not callable(func):
            raise ValueError(f"Function {func} must be a callable.")
        spec = inspect.getfullargspec(func)
        if spec.varkw or spec.defaults:
            raise ValueError(
                f"Functions with argument defaults or keywords arguments are not supported. {func} "
                f"has defaults {spec.defaults} and keywords {spec.varkw}."
            )
        names = spec.args[1:] if inspect.ismethod(func) else spec.args
        least, most = len(names), 1_000_000 if spec.varargs else len(names)
        count = len(self._input_types)
        if not count and most:
            return OverloadedFunction(func, names, **self._settings)
        if not least <= count <= most:
            raise ValueError(
                f"The number of tf.function input types is not compatible with the allowed "
                f"arguments of {func}. The tf.function have {count} input types, while the python "
                f"function allows minimum {least} and maximum {most} arguments."
            )
        return DefinedFunction(func, names, self._input_types, **self._settings)


class DefinedFunction:
    """What `Defun` makes of a Python function with given types; call it to add a call node.

    Attributes:
      declared_input_types: the types of its own arguments.
      python_grad_func: as given to `Defun`.
    """

    def __init__(
        self,
        func: Callable[..., Any],
        arg_names: Sequence[str],
        input_types: Sequence[Any],
        name: str | None = None,
        grad_func: Any = None,
        python_grad_func: Callable[..., Any] | None = None,
        out_names: Sequence[str] | None = None,
        shape_func: Callable[[Operation], Sequence[Any]] | None = None,
        capture_by_value: bool = False,
        capture_resource_var_by_value: bool = True,
        **kwargs: Any,
    ):
        self._func, self._name, self._grad_func = func, name, grad_func
        self._arg_names = [
            arg_names[i] if i < len(arg_names) else f"arg{i}" for i in range(len(input_types))
        ]
        self.declared_input_types = tuple(input_types)
        self.python_grad_func = python_grad_func
        self._out_names, self._shape_func = out_names, shape_func
        self._by_value, self._variables_by_value = capture_by_value, capture_resource_var_by_value
        self._kwargs = kwargs
        devices = get_default_graph()._scopes.devices
        device = devices[-1] if devices else None
        self._device = DeviceSpec(*device) if isinstance(device, tuple) else device
        self._traced: Function | None = None
        self._graph: FuncGraph | None = None
        self._tracing = False

    @property
    def function(self) -> Function:
        """The function of the graph; traced now if it was not yet."""
        if self._traced is None:
            if self._tracing:
                raise RecursionError(
                    f"The function {self._func.__name__} calls itself while it is traced: that "
                    f"would never end. A graph repeats things with tf.while_loop."
                )
            self._tracing = True
            try:
                self._traced = self._trace()
            finally:
                self._tracing = False
        return self._traced

    @property
    def name(self) -> str:
        """The name in the graph."""
        return self.function.name

    @property
    def definition(self) -> Any:
        """The `FunctionDef`."""
        return self.function.definition

    @property
    def captured_inputs(self) -> list[Tensor]:
        """The tensors from outside that every call passes on."""
        if self._by_value or self.function.body.graph is not self._graph:
            return []
        return list(self._graph.captured)

    @property
    def stateful_ops(self) -> list[tuple[str, str]]:
        """The stateful operations of the body as (name, type)."""
        ops = self.function.body.graph.get_operations()
        return [(op.name, op.type) for op in ops if op.op_def.is_stateful]

    @property
    def grad_func_name(self) -> str | None:
        """The name of the gradient function that was given, or None."""
        return self._grad_func.name if self._grad_func is not None else None

    def set_grad_func(self, grad_func: DefinedFunction) -> None:
        """Give it a gradient function, before it is first called; ValueError if it has one."""
        if self._grad_func is not None or self._traced is not None:
            raise ValueError(f"{self._func.__name__} has its gradient function already.")
        self._grad_func = grad_func

    def add_to_graph(self, graph: Graph) -> None:
        """Let nodes of `graph` call the function, without calling it now."""
        graph._add_function(self.function)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Add a call.

        Args:
          *args: the arguments. name: of the node. noinline: written into the graph.

        Returns:
          the result, a tuple of several results, or the `Operation` if there are none.

        Raises:
          ValueError: for a wrong number or wrong types of arguments.
        """
        graph = get_default_graph()
        self.add_to_graph(graph)
        tensors = [convert_to_tensor(arg) for arg in args] + self.captured_inputs
        op = call(self.function.op_def, tensors, graph, **kwargs)
        if self._shape_func is not None:
            shapes = self._shape_func(op)
            if len(shapes) != len(op.outputs):
                raise ValueError(
                    f"shape_func {self._shape_func} produced {len(shapes)} shapes, which does not "
                    f"match {len(op.outputs)} outputs."
                )
            for tensor, shape in zip(op.outputs, shapes, strict=True):
                tensor.set_shape(shape)
        return _results_of(op)

    def _trace(self) -> Function:
        if self._grad_func is not None and self.python_grad_func is not None:
            raise ValueError(f"Gradient defined twice for function {self._func.__name__}")
        base = self._name or self._func.__name__
        if self._grad_func is not None and self._name is None:
            base = f"{base}_{self._grad_func.name}"
        attrs = _call_attrs(self._kwargs)
        graph = self._graph = FuncGraph(base, self._by_value)
        outputs = self._run(graph)
        definition = export_function(
            base,
            graph.get_operations(),
            graph.inputs,
            outputs,
            self._out_names or (),
            self._func.__doc__ or "",
            attrs,
            hashed=self._name is None,
        )
        body = Body(graph, graph.inputs, outputs, effects(graph.get_operations()))
        gradient = None
        if self._grad_func is not None:
            gradient = self._grad_func.name
            graph._add_function(self._grad_func.function)
        return Function(definition, graph._functions, body, gradient, self.python_grad_func)

    def _run(self, graph: FuncGraph) -> list[Tensor]:
        """Run the Python function in `graph`; returns its results, as tensors of `graph`."""
        outer, scope = graph.outer_graph, get_variable_scope()
        for key in [*VARIABLE_KEYS, STORE_KEY]:  # shared, so that variables are
            graph._collections[key] = outer.get_collection_ref(key)
        by_value = self._variables_by_value

        def hoisted(getter: Any, name: str, **settings: Any) -> Any:
            """Variables belong to the graph outside, and to the scope the call is in."""
            store = outer.get_collection_ref(STORE_KEY)[0]
            with outer.as_default():
                variable = scope.get_variable(store, name, **settings)
                is_value = by_value and hasattr(variable, "handle")
                return variable.value() if is_value else variable

        with graph.as_default(), graph.device(self._device):
            for name, kind in zip(self._arg_names, self.declared_input_types, strict=True):
                graph.add_argument(kind, None, name)
            with variable_scope("", custom_getter=hoisted):
                returned = self._func(*graph.inputs)
            if returned is None:
                returned = []
            if not isinstance(returned, list | tuple):
                returned = [returned]
            if any(value is None for value in returned):
                raise ValueError(f"Function {graph.name} can not return None.")
            return [graph.capture(convert_to_tensor(value)) for value in returned]


#: Types in the names of overloaded functions, as TensorFlow has them.
_SHORT = {
    "float16": "f16",
    "float32": "f32",
    "float64": "f64",
    "bfloat16": "b16",
    "int8": "i8",
    "int16": "i16",
    "int32": "i32",
    "int64": "i64",
    "uint8": "i8",
    "uint16": "u16",
    "uint32": "u32",
    "uint64": "u64",
    "string": "s",
    "bool": "b",
    "complex64": "c64",
    "complex128": "c128",
}


class OverloadedFunction:
    """What `Defun` without types makes: one `DefinedFunction` for each combination of types."""

    def __init__(
        self,
        func: Callable[..., Any],
        arg_names: Sequence[str],
        name: str | None = None,
        grad_func: OverloadedFunction | None = None,
        **settings: Any,
    ):
        self._func, self._arg_names, self._name = func, arg_names, name
        self._grad_func, self._settings = grad_func, settings
        self._overloads: dict[str, DefinedFunction] = {}

    def instantiate(self, input_types: Iterable[Any]) -> DefinedFunction:
        """The function for arguments of these types."""
        kinds = [dtypes.as_dtype(kind).base_dtype for kind in input_types]
        key = "".join(_SHORT.get(kind.name, kind.name) for kind in kinds)
        if key not in self._overloads:
            name = None if self._name is None else f"{self._name}_{key}"
            defined = DefinedFunction(self._func, self._arg_names, kinds, name, **self._settings)
            if self._grad_func is not None:
                results = [arg.dtype for arg in defined.function.op_def.outputs]
                gradient = self._grad_func.instantiate([*kinds, *results])
                defined.function.library[gradient.name] = gradient.function
                defined.function.gradient_name = gradient.name
                defined._grad_func = gradient
            self._overloads[key] = defined
        return self._overloads[key]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Add a call; see `DefinedFunction.__call__`."""
        tensors = [convert_to_tensor(arg) for arg in args]
        return self.instantiate(tensor.dtype for tensor in tensors)(*tensors, **kwargs)


class Declare:
    """A function that is called before it is defined (TensorFlow 1.x: `function.Declare`).

    The graph must have a function of this name before it runs (`DefinedFunction.add_to_graph`).

    Args:
      func_name: its name in the graph.
      inputs, outputs: its signature, as pairs of name and type.

    Example:
      >>> from tinytf.api import function
      >>> double = function.Declare("Double", [("x", tf.float32)], [("y", tf.float32)])
      >>> y = double(tf.constant(4.0))
      >>> @function.Defun(tf.float32, func_name="Double", out_names=["y"])
      ... def implementation(x):
      ...     return x + x
      >>> implementation.add_to_graph(tf.get_default_graph())
      >>> y  # 8.
    """

    def __init__(
        self, func_name: str, inputs: Sequence[tuple[str, Any]], outputs: Sequence[tuple[str, Any]]
    ):
        signature = op_def_pb2.OpDef(name=func_name)
        for name, kind in inputs:
            signature.input_arg.add(name=name, type=dtypes.as_dtype(kind).as_datatype_enum)
        for name, kind in outputs:
            signature.output_arg.add(name=name, type=dtypes.as_dtype(kind).as_datatype_enum)
        self._op_def = op_def_of(signature)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Add a call; see `DefinedFunction.__call__`."""
        tensors = [convert_to_tensor(arg) for arg in args]
        return _results_of(call(self._op_def, tensors, get_default_graph(), **kwargs))


#: Collections that the graph of a function shares with the one around it.
VARIABLE_KEYS = [
    GraphKeys.GLOBAL_VARIABLES,
    GraphKeys.LOCAL_VARIABLES,
    GraphKeys.METRIC_VARIABLES,
    GraphKeys.MODEL_VARIABLES,
    GraphKeys.TRAINABLE_VARIABLES,
    GraphKeys.MOVING_AVERAGE_VARIABLES,
    GraphKeys.CONCATENATED_VARIABLES,
    GraphKeys.TRAINABLE_RESOURCE_VARIABLES,
]


def call(
    schema: OpDef, inputs: Sequence[Tensor], graph: Graph, name: str | None = None, **kwargs: Any
) -> Operation:
    """Add a node that calls a function; see `DefinedFunction.__call__`."""
    if len(inputs) != len(schema.inputs):
        takes = ", ".join(arg.name for arg in schema.inputs)
        raise ValueError(
            f"Expected {len(schema.inputs)} arguments, got {len(inputs)}. "
            f"The function is {schema.name}({takes})."
        )
    name = graph.unique_name(name or schema.name)
    for arg, tensor in zip(schema.inputs, inputs, strict=True):
        if arg.dtype is not tensor.dtype.base_dtype:
            raise ValueError(
                f"Input '{arg.name}' passed {dtype_text(tensor.dtype.base_dtype)} expected "
                f"{dtype_text(arg.dtype)} while building NodeDef '{name}' using "
                f"Op<name={signature_text(schema)}>\n{tensor.op.describe_origin()}"
            )
    types = [arg.dtype for arg in schema.outputs if arg.dtype is not None]
    return graph._create(schema, name, tuple(inputs), _call_attrs(kwargs), types)


def _results_of(op: Operation) -> Any:
    if not op.outputs:
        return op
    return op.outputs[0] if len(op.outputs) == 1 else tuple(op.outputs)


def _call_attrs(kwargs: dict[str, Any]) -> dict[str, Any]:
    """Keyword arguments of a definition or a call as attributes."""
    rest = dict(kwargs)
    attrs: dict[str, Any] = {}
    noinline = rest.pop("noinline", None)
    if noinline is not None:
        attrs["_noinline"] = bool(noinline)
    attrs[NO_SHAPES] = True  # as in TensorFlow: what comes out has unknown shapes
    compiled = rest.pop("compiled", None)
    separate = rest.pop("separate_compiled_gradients", None)
    if compiled is not None:
        attrs["_XlaCompile"] = bool(compiled)
        attrs["_XlaSeparateCompiledGradients"] = bool(separate)
    for key in list(rest):
        if key in ("_implements", "_reference") or key.startswith("experimental_"):
            value = rest.pop(key)
            attrs[key] = value.encode() if isinstance(value, str) else value
    if rest:
        raise ValueError(f"Unknown keyword arguments: {rest.keys()}.")
    return attrs
