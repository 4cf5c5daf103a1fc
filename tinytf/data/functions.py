"""What users write for map, filter, flat_map ...: traced, and called for each element.

A traced function has structured arguments and results; as it runs, it gets and gives components.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tinytf.data import structure
from tinytf.data.stages import Context, DatasetValue
from tinytf.data.structure import DatasetSpec
from tinytf.framework import nest
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.errors import InvalidArgumentError, OutOfRangeError
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
        self,
        function: Callable[..., Any],
        transformation: str,
        spec: Any,
        add_to_graph: bool = True,
    ):
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


def settled(
    function: Callable[..., Any],
    transformation: str,
    state: Any,
    element: Any,
    state_of: Callable[[Any], Any] = lambda results: results,
) -> tuple[StructuredFunction, Any]:
    """A traced function of a state and an element, whatever shape it gives the state.

    A state whose shape changes is traced again with what remains of it.

    Args:
      state, element: describe the function's arguments.
      state_of: of the description of its results that of the new state.

    Returns:
      the function, and what describes the state.

    Raises:
      TypeError: if the form or a type of the state changes.
    """
    while True:
        traced = StructuredFunction(function, transformation, (state, element), add_to_graph=False)
        new = state_of(traced.spec)
        try:
            structure.assert_same_structure(state, new)
        except (TypeError, ValueError):
            raise TypeError(
                f"The element classes for the new state must match the initial state. Expected "
                f"{structure.classes_of(state)}; got {structure.classes_of(new)}."
            ) from None
        if structure.flat_types(state) != structure.flat_types(new):
            raise TypeError(
                f"The element types for the new state must match the initial state. Expected "
                f"{structure.types_of(state)}; got {structure.types_of(new)}."
            )
        both = structure.map_structure(structure.common, state, new)
        if structure.flat_shapes(both) == structure.flat_shapes(state):
            get_default_graph()._add_function(traced.function)
            return traced, state
        state = both


def dataset_spec(function: StructuredFunction, method: str) -> Any:
    """What the elements are like of the dataset that a function returns.

    Raises:
      TypeError: if it returns anything else.
    """
    if not isinstance(function.spec, DatasetSpec):
        raise TypeError(
            f"The `map_func` argument must return a `Dataset` object. Got "
            f"{type(function.spec).__name__!r}. (In Dataset.{method}; "
            f"Dataset.from_tensors and from_tensor_slices make one of tensors.)"
        )
    return function.spec.element_spec


# As they run --------------------------------------------------------------------------------------


class Captured:
    """A function of a dataset with what it captured, ready to be called with elements.

    Args:
      context: of the iteration. function: the function of the graph. captured: its last arguments.
      use: of the dataset; what the function's nodes remember is kept for each.
    """

    def __init__(self, context: Context, function: Any, captured: Sequence[Any], use: int = 0):
        self._context, self._captured = context, tuple(captured)
        self._call = context.prepared(function, use)

    def __call__(self, element: tuple[Any, ...]) -> Sequence[Any]:
        """The results for an element.

        Raises:
          StopIteration: if the function says that there are no more (OutOfRangeError).
        """
        cancellation = self._context.cancellation
        if cancellation is not None and cancellation.is_cancelled:
            self._context.check()
        try:
            return self._call(element + self._captured, cancellation)
        except OutOfRangeError:
            raise StopIteration from None


def captured_functions(
    dataset: DatasetValue, context: Context, suffix: str, *names: str
) -> list[Captured]:
    """Several functions of a dataset, by their attributes, ready to be called.

    Args:
      suffix: of the inputs with what each has captured.
    """
    given = vars(dataset.given)
    return [
        Captured(context, given[name], given[f"{name}_{suffix}"], dataset.use) for name in names
    ]


class FunctionDataset(DatasetValue):
    """What datasets that call a function for each element have in common.

    Attributes:
      function: the attribute that names it.
    """

    function = "f"
    keeps_state = True

    def prepared(self, context: Context) -> Captured:
        """The function, to be called with elements."""
        captured = self.given.other_arguments
        return Captured(context, getattr(self.given, self.function), captured, self.use)

    def copied(self, numbers: Iterator[int]) -> DatasetValue:
        """See `DatasetValue.copied`: datasets that the function captured are copied too."""
        twin, given = super().copied(numbers), copy.copy(self.given)
        given.other_arguments = tuple(
            value.copied(numbers) if isinstance(value, DatasetValue) else value
            for value in given.other_arguments
        )
        twin.given = given
        return twin


def dataset_of(results: Sequence[Any], what: str) -> DatasetValue:
    """The dataset that a function returned; InvalidArgumentError for anything else."""
    if len(results) != 1 or not isinstance(results[0], DatasetValue):
        raise InvalidArgumentError(
            f"The function of {what} must return one dataset; it returned {results!r}"
        )
    return results[0]
