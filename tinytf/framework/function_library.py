"""The functions of a graph: parts of graphs with a name and a signature, which nodes call.

A function is called by a node whose type is the function's name, or by an op that takes functions
as attributes (PartitionedCall, If, While, SymbolicGradient). What runs is its *body*, a graph of
its own in which placeholders stand for the arguments. A function that was traced from Python has
its body from the start; one that came in a GraphDef builds it when it is first needed.

TensorFlow: FunctionDefLibrary and FunctionLibraryDefinition (core/framework/function.h).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from tinytf.framework import attr_value, dtypes, registry
from tinytf.framework.errors import InvalidArgumentError, NotFoundError, OpError
from tinytf.framework.op_def import ArgDef, AttrDef, OpDef
from tinytf.framework.registry import Kernel
from tinytf.framework.tensor_shape import TensorShape
from tinytf.protos import graph_pb2, node_def_pb2, op_def_pb2

if TYPE_CHECKING:
    from tinytf.framework.graph import Graph
    from tinytf.framework.operation import Operation
    from tinytf.framework.tensor import Tensor

#: How many calls the message of an error lists.
_LONGEST_STACK = 8
#: The node attribute with which TensorFlow's Defun says: outputs of the call have unknown shapes.
NO_SHAPES = "_disable_call_shape_inference"


@dataclass(slots=True, eq=False)
class Body:
    """What a function computes.

    Attributes:
      graph: the graph of the body. inputs: its placeholders, one an argument.
      outputs: the returned tensors. targets: what else has to run: operations with effects.
    """

    graph: Graph
    inputs: list[Tensor]
    outputs: list[Tensor]
    targets: list[Operation]


class Function:
    """One function; it does not change once it is in a graph.

    Args:
      definition: the `FunctionDef`. library: the functions its body may call, by name.
      body: what it computes, if that is known already.
      gradient_name: the function in `library` that is its gradient, if one was given.
      python_gradient: `(op, *output_gradients) -> input gradients`, if one was given.
      attrs: values of the attributes in the signature, for functions that leave types open.
    """

    def __init__(
        self,
        definition: graph_pb2.FunctionDef,
        library: dict[str, Function],
        body: Body | None = None,
        gradient_name: str | None = None,
        python_gradient: Callable[..., Any] | None = None,
        attrs: dict[str, node_def_pb2.AttrValue] | None = None,
    ):
        self.definition = definition
        self.library = library
        self.gradient_name = gradient_name
        self.attrs = attrs or {}
        self.op_def = op_def_of(definition.signature)
        self.op_def.python_gradient = python_gradient
        #: The function that computes its gradient, once `tinytf.ops` has built it.
        self.symbolic_gradient: Function | None = None
        #: Held by who builds the body, or adds its gradient to it.
        self.lock = threading.RLock()
        self._body = body
        self._building = False
        self._known_traits: tuple[bool, bool] | None = None
        self._instances: dict[bytes, Function] = {}  # guarded by self.lock
        self._shapes: dict[tuple[TensorShape, ...], list[TensorShape]] = {}

    @property
    def name(self) -> str:
        """What call nodes have as their type."""
        return self.definition.signature.name

    @property
    def body(self) -> Body:
        """The body; built now if it was not yet.

        Raises:
          InvalidArgumentError, NotFoundError: if the definition is malformed.
        """
        if self._body is None:
            from tinytf.framework.function_import import build_body

            with self.lock:
                if self._body is None:
                    self._building = True  # a body may call its own function
                    try:
                        self._body = build_body(self)
                    except RecursionError:
                        raise InvalidArgumentError(
                            f"Calls of functions nest too deep, in '{self.name}'."
                        ) from None
                    finally:
                        self._building = False
        return self._body

    def instance(self, attrs: dict[str, node_def_pb2.AttrValue]) -> Function:
        """The function for these values of the attributes its signature leaves open."""
        open_attrs = self.op_def.attrs
        if not open_attrs:
            return self
        given = {name: value for name, value in attrs.items() if name in open_attrs}
        key = node_def_pb2.NameAttrList(attr=given).SerializeToString(deterministic=True)
        with self.lock:
            if key not in self._instances:
                self._instances[key] = Function(self.definition, self.library, attrs=given)
            return self._instances[key]

    def result_types(self) -> list[dtypes.DType]:
        """The types of the results."""
        return [tensor.dtype.base_dtype for tensor in self.body.outputs]

    def operation(self, node: str) -> Operation | None:
        """The operation of the body that a node of the definition stands for, or None."""
        body = self.body
        found = body.graph._by_name.get(node)
        if found is not None:
            return found
        # A traced body has the user's own names; the definition may have had to change some.
        arguments = {tensor.op for tensor in body.inputs}
        ops = (op for op in body.graph.get_operations() if op not in arguments)
        pairs = zip(self.definition.node_def, ops, strict=False)
        return next((op for n, op in pairs if n.name == node and n.op == op.type), None)

    def may_block(self) -> bool:
        """Whether a call may have to wait for something outside of the step's computation."""
        return self._traits()[0]

    def has_own_state(self) -> bool:
        """Whether nodes of the body own something that every call has for itself."""
        return self._traits()[1]

    def _traits(self) -> tuple[bool, bool]:
        if self._known_traits is None:
            blocks = owns = False
            # All functions that a call may lead to; they may call each other in a circle.
            found: dict[Function, None] = {self: None}
            for function in (queue := [self]):
                for op in function.body.graph.get_operations():
                    kernel = registry.find_kernel(op.type, "CPU", op.attrs)
                    if kernel is not None:
                        blocks = blocks or kernel.blocking
                        owns = owns or {"node", "resources"}.issubset(kernel.bound_parameters)
                    called = list(functions_of(op))
                    called += [f.library[f.gradient_name] for f in called if f.gradient_name]
                    queue.extend(f for f in called if f not in found)
                    found.update(dict.fromkeys(called))
            self._known_traits = blocks, owns
        return self._known_traits

    def output_shapes(self, inputs: Sequence[TensorShape]) -> list[TensorShape]:
        """The static shapes of the outputs for arguments of these shapes; [] while unknown.

        Raises:
          ValueError: if the body is malformed, or cannot take them.
        """
        key = tuple(inputs)
        if self._building:
            return []
        if key not in self._shapes:
            from tinytf.framework.function_import import infer_shapes

            self._shapes[key] = []  # while we look: a function may call itself
            try:
                self._shapes[key] = infer_shapes(self.body, inputs)
            except BaseException as error:
                del self._shapes[key]
                if isinstance(error, InvalidArgumentError):
                    raise ValueError(error.message) from None
                raise
        return self._shapes[key]

    def __repr__(self) -> str:
        return f"<function {signature_text(self.op_def)}>"


# Looking functions up -----------------------------------------------------------------------------


def find_function(graph: Graph, name: str) -> Function | None:
    """The function of this name that nodes of `graph` may call, or None.

    A body may call what the graph it was traced in has, also what that got later.
    """
    where: Graph | None = graph
    while where is not None:
        function = where._functions.get(name)
        if function is not None:
            return function
        where = where.outer_graph
    return None


def resolve(graph: Graph, call: node_def_pb2.NameAttrList) -> Function:
    """The function that an attribute of a node of `graph` names; NotFoundError if there is none."""
    function = find_function(graph, call.name)
    if function is None:
        raise NotFoundError(f"Function {call.name} is not defined.")
    return function.instance(dict(call.attr))


def called_function(op: Operation) -> Function | None:
    """The function that a node calls by its type; None if it is no call."""
    function = None if op.type in registry.op_defs else find_function(op.graph, op.type)
    if function is None or not function.op_def.attrs:
        return function
    return function.instance({name: attr_value.to_proto(v) for name, v in op.attrs.items()})


def functions_of(op: Operation) -> Iterator[Function]:
    """All functions that a node may call: by its type, or by its attributes."""
    called = called_function(op)
    if called is not None:
        yield called
    for attr in op.op_def.attrs.values():
        if attr.type == "func":
            yield resolve(op.graph, op.attrs[attr.name])
        elif attr.type == "list(func)":
            yield from (resolve(op.graph, call) for call in op.attrs[attr.name])


def find_kernel(op: Operation, device_type: str = "CPU") -> Kernel | None:
    """The kernel of a node: a registered one, or the call of a function of its graph.

    A kernel that calls functions is blocking if one of them may block.
    """
    kernel = registry.find_kernel(op.type, device_type, op.attrs)
    if kernel is None:
        function = called_function(op)
        return None if function is None else _call_kernel(op, function)
    if op.op_def.takes_functions and not kernel.blocking:
        return replace(kernel, blocking=any(f.may_block() for f in functions_of(op)))
    return kernel


def _call_kernel(op: Operation, function: Function) -> Kernel:
    def call(step: Any, *arguments: Any) -> Any:
        return step.call(function, arguments, op.name)

    return Kernel(op.type, "CPU", call, blocking=function.may_block())


def set_call_shapes(op: Operation) -> None:
    """Give the outputs of a call the shapes that the function's body gives them, if it may."""
    function = called_function(op)
    if function is None or not op.outputs or op.attrs.get(NO_SHAPES):
        return
    shapes = function.output_shapes([tensor.shape for tensor in op.inputs])
    for tensor, shape in zip(op.outputs, shapes, strict=False):
        tensor._shape = shape


def in_function(error: OpError, function: Function) -> OpError:
    """An error of an operation in the body of a function, for the call to add itself to."""
    op = error.op
    if op is None or error.message.count("{{function_node ") >= _LONGEST_STACK:
        return error
    node = f"{{{{node {op.name}}}}}"
    text = error.message.replace(f"[[{node}]]", f"[[{{{{function_node {function.name}}}}}{node}]]")
    result = type(error)(text)
    result.__cause__ = error.__cause__
    return result


# Signatures ---------------------------------------------------------------------------------------


def op_def_of(signature: op_def_pb2.OpDef) -> OpDef:
    """The schema of call nodes; ValueError if the signature is malformed."""
    attrs = {attr.name: _attr_def(attr) for attr in signature.attr}
    return OpDef(
        signature.name,
        tuple(_arg_def(arg) for arg in signature.input_arg),
        tuple(_arg_def(arg) for arg in signature.output_arg),
        attrs,
        is_stateful=signature.is_stateful,
        inferred=frozenset(),
        takes_references=any(arg.is_ref for arg in signature.input_arg),
    )


def _arg_def(arg: op_def_pb2.OpDef.ArgDef) -> ArgDef:
    if not (arg.type or arg.type_attr or arg.type_list_attr):
        raise ValueError(f'No type fields in name: "{arg.name}"')
    return ArgDef(
        arg.name,
        dtypes.as_dtype(arg.type) if arg.type else None,
        arg.type_attr or None,
        arg.type_list_attr or None,
        arg.number_attr or None,
        arg.is_ref,
    )


def _attr_def(attr: op_def_pb2.OpDef.AttrDef) -> AttrDef:
    given = attr.HasField("default_value")
    default = attr_value.from_proto(attr.default_value, attr.type) if given else None
    allowed = attr.HasField("allowed_values")
    return AttrDef(
        attr.name,
        attr.type,
        default,
        given,
        attr_value.from_proto(attr.allowed_values) if allowed else None,
        attr.minimum if attr.has_minimum else None,
    )


def signature_text(schema: OpDef) -> str:
    """Such as "f; signature=x:float, y:int32 -> z:float", as TensorFlow's messages have it."""

    def text(arguments: tuple[ArgDef, ...]) -> str:
        return ", ".join(
            f"{a.name}:{a.type_attr or a.type_list_attr or dtype_text(a.dtype)}" for a in arguments
        )

    return f"{schema.name}; signature={text(schema.inputs)} -> {text(schema.outputs)}"


def dtype_text(dtype: dtypes.DType | None) -> str:
    """A dtype as TensorFlow's C++ messages write it: "float" for float32."""
    if dtype is None:
        return "?"
    names = {"float32": "float", "float64": "double", "float16": "half"}
    return names.get(dtype.name, dtype.name)


# Libraries ----------------------------------------------------------------------------------------


def add_function(graph: Graph, function: Function) -> None:
    """Make a function known to a graph, with those that its body and its gradient call.

    Raises:
      InvalidArgumentError: if the name belongs to an op, or to another function.
    """
    known = graph._functions.get(function.name)
    if known is function:
        return
    problem = name_conflict(graph._functions, function)
    if problem:
        raise InvalidArgumentError(problem)
    graph._check_not_finalized()
    if known is None:
        graph._functions[function.name] = function
    else:
        known.gradient_name = known.gradient_name or function.gradient_name
    needed = function.library
    for name in sorted(_names_called(function)):
        if name in needed:
            add_function(graph, needed[name])


def _names_called(function: Function) -> set[str]:
    names = {function.gradient_name} if function.gradient_name else set()
    for node in function.definition.node_def:
        names.add(node.op)
        for value in node.attr.values():
            names.update(call.name for call in [value.func, *value.list.func] if call.name)
    return names & function.library.keys()


def name_conflict(library: dict[str, Function], function: Function) -> str:
    """Why a function cannot be added; "" if it can."""
    name = function.name
    if name in registry.op_defs:
        return f"Cannot add function '{name}' because an op with the same name already exists."
    known = library.get(name)
    if known is None:
        return ""
    if known.definition != function.definition:
        return (
            f"Cannot add function '{name}' because a different function with the same name "
            f"already exists."
        )
    if known.gradient_name and function.gradient_name not in (None, known.gradient_name):
        return (
            f"Cannot assign gradient function '{function.gradient_name}' to '{name}' because it "
            f"already has gradient function '{known.gradient_name}'"
        )
    return ""


def export_library(library: dict[str, Function]) -> graph_pb2.FunctionDefLibrary:
    """All functions as TensorFlow's FunctionDefLibrary, with who is whose gradient."""
    result = graph_pb2.FunctionDefLibrary()
    for function in library.values():
        result.function.add().CopyFrom(function.definition)
        if function.gradient_name:
            result.gradient.add(function_name=function.name, gradient_func=function.gradient_name)
    return result
