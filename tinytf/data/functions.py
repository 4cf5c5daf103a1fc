"""What users write for map, filter, flat_map ...: traced, with structured arguments and results."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from tinytf.data import structure
from tinytf.framework import nest
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.graph import Graph
from tinytf.framework.sparse_tensor import SparseTensor
from tinytf.framework.stacks import get_default_graph
from tinytf.framework.tensor import Tensor
from tinytf.ops.functions.tracing import trace
from tinytf.protos import node_def_pb2


class StructuredFunction:
    """A function over elements, as a function of the default graph.

    Args:
      function: the user's; a tuple among its arguments is unpacked.
      transformation: "Dataset.map()", for the function's name and for messages.
      spec: describes its argument. add_to_graph: whether nodes may call it now.

    Attributes:
      spec: describes what it returns. captured: the tensors from outside that it uses.
      attr: the value of the attribute that names it.

    Raises:
      TypeError: for what it may not return.
    """

    def __init__(
        self, function: Callable[..., Any], transformation: str, spec: Any,
        add_to_graph: bool = True,
    ):  # fmt: skip
        self.spec: Any = None

        def on_tensors(*tensors: Tensor) -> list[Tensor]:
            element = structure.from_tensors(spec, tensors)
            arguments = element if type(element) is tuple else (element,)
            try:
                returned = function(*arguments)
            except TypeError as error:
                if error.__traceback__ is not None and error.__traceback__.tb_next is None:
                    raise _wrong_arguments(error, transformation, spec) from None
                raise
            flat, self.spec = _flat_results(returned, transformation)
            _check_no_variables(get_default_graph(), transformation)
            return flat

        leaves = zip(structure.flat_types(spec), structure.flat_shapes(spec), strict=True)
        name = _name(function, transformation)
        graph = get_default_graph()
        attrs = {"_tf_data_function": True}
        traced = trace(on_tensors, list(leaves), name, graph, attrs, add_to_graph)
        self.function, self.captured = traced.function, traced.captured
        self.attr = node_def_pb2.NameAttrList(name=traced.function.name)
        self.attr.attr["_tf_data_function"].b = True


def _wrong_arguments(error: TypeError, transformation: str, spec: Any) -> TypeError:
    """The error of a function that cannot be called with an element, with what an element is."""
    if type(spec) is tuple:
        what = f"a tuple of {len(spec)} components, and gets each of them as an argument"
        names = ", ".join("abcdefgh"[: len(spec)]) or "*components"
    else:
        kind = "dictionary" if isinstance(spec, dict) else "component"
        what, names = f"one {kind}, and gets that as its only argument", "x"
    return TypeError(
        f"{error} (The function of {transformation} is called once for elements like {spec}: "
        f"{what}: lambda {names}: ...)"
    )


def _flat_results(returned: Any, transformation: str) -> tuple[list[Tensor], Any]:
    """The tensors that a function returned, and the description of their structure."""
    if returned is None:
        raise ValueError(
            f"Attr 'output_types' of the dataset passed list of length 0 less than minimum 1: the "
            f"function passed to {transformation} returned None. Does it lack a `return`?"
        )
    if isinstance(returned, list | range | nest.DictView):
        returned = tuple(returned)
    returned = structure.map_structure(structure.plain_leaf, returned)
    leaves = structure.flatten(returned)
    try:
        for leaf in leaves:
            if not _is_tensor(leaf) and not any(map(_is_tensor, nest.flatten(leaf))):
                convert_to_tensor(leaf)  # a constant that TensorFlow leaves in the graph as well
        flat = structure.to_tensors(returned)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"Unsupported return value from function passed to {transformation}: {returned}. "
            f"It must return tensors, or tuples and dictionaries of them. ({error})"
        ) from None
    kept = [leaf if _is_composite(leaf) else one for leaf, one in zip(leaves, flat, strict=True)]
    return flat, structure.spec_of(structure.pack(returned, kept))


def _is_composite(value: Any) -> bool:
    return isinstance(value, SparseTensor) or hasattr(value, "_variant_tensor")


def _is_tensor(value: Any) -> bool:
    return isinstance(value, Tensor) or hasattr(value, "_variant_tensor") or hasattr(value, "graph")


def _check_no_variables(body: Graph, transformation: str) -> None:
    for op in body.get_operations():
        if op.type in ("VariableV2", "VarHandleOp", "Variable"):
            raise ValueError(
                f"tf.function only supports singleton tf.Variables created on the first call. Make "
                f"sure the tf.Variable is only created once or created outside tf.function: create "
                f"it before {transformation}, and use it in the function.\n{op.describe_origin()}"
            )


def _name(function: Callable[..., Any], transformation: str) -> str:
    """As in TensorFlow: "Dataset_map_lambda"."""
    if not callable(function):
        raise ValueError(
            f"Argument `func` must be a callable. Received func={function!r} (of type "
            f"{type(function)})"
        )
    if inspect.isfunction(function):
        own = function.__name__
    elif inspect.ismethod(function):
        own = f"{type(function.__self__).__name__}.{function.__func__.__name__}"
    else:
        own = str(type(function))
    text = f"{transformation.replace('.', '_')[:-2]}_{own}"
    return "".join(c for c in text if c not in "<>\\' ")
