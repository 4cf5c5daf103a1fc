"""`tf.Variable`: state that outlives a run, as the program sees it.

A variable is a Python object over a few nodes: the cell itself, an operation that gives it its
initial value, and a read. Reference variables (TensorFlow 1.x's default) and resource variables
differ in those nodes, see `ref_variable.py` and `resource_variable.py`; what they share is here.

Mirrors tensorflow/python/ops/variables.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from tinytf import ops
from tinytf.framework import dtypes
from tinytf.framework.conversion import register_tensor_conversion_function
from tinytf.framework.graph_keys import GraphKeys
from tinytf.framework.operation import Operation
from tinytf.framework.stacks import get_default_graph, session_for
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape, as_shape
from tinytf.ops.base.arguments import explains_arguments
from tinytf.ops.base.no_value import attach_refusals
from tinytf.ops.control_flow.cond import cond
from tinytf.ops.control_flow.grouping import group
from tinytf.ops.control_flow.primitives import no_op
from tinytf.ops.variables import protos as variable_protos
from tinytf.ops.variables.state import is_variable_initialized
from tinytf.ops.variables.updates import VariableUpdates
from tinytf.ops.variables.variable_creators import (
    VariableAggregation,
    VariableSynchronization,
    VariableType,
    _Defaults,
    checked_modes,
)

if TYPE_CHECKING:
    from tinytf.framework.graph import Graph


class Variable(VariableUpdates, metaclass=VariableType):
    """State that keeps its value between runs (TensorFlow: `tf.Variable`).

    The value belongs to a session, not to the graph: each session has its own, and none until
    the variable's `initializer` has run in it.

    Args:
      initial_value: a tensor, anything that converts to one, or a function without arguments that
        builds one (the way to create a variable inside a loop or conditional).
      trainable: whether optimizers change it by default. None means True.
      collections: where the graph lists it; by default `GraphKeys.GLOBAL_VARIABLES`.
      validate_shape: False allows initial values whose shape is not known.
      caching_device: where reads are kept, for variables on other machines.
      name: of the variable; made unique.
      variable_def: a `VariableDef` message to make the object from, for a graph that has the
        nodes already.
      dtype: converts the initial value.
      expected_shape: accepted for TensorFlow's sake.
      import_scope: with `variable_def`: the name scope that the graph was imported into.
      constraint: a function from the value to the one it should have after an optimizer's step.
      use_resource: whether it is a resource variable; by default what the variable scope says,
        then `tf.enable_resource_variables`.
      synchronization, aggregation: kept with the variable; see the classes of these names.
      shape: the static shape, if it should be wider than that of the initial value.

    Raises:
      ValueError: without an initial value, with one of unknown shape, or one built inside a loop.

    Example:
      >>> v = tf.Variable([1.0, 2.0], name="weights")
      >>> with tf.Session() as sess:
      ...     sess.run(v.initializer)
      ...     sess.run(v.assign_add([1.0, 1.0]))
      array([2., 3.], dtype=float32)
    """

    # numpy must not take `array + variable` for itself.
    __array_priority__ = 100

    _variable: Tensor
    _initializer_op: Operation | None
    _initial_value: Tensor | None
    _trainable: bool
    _constraint: Callable[[Tensor], Tensor] | None
    _synchronization: VariableSynchronization
    _aggregation: VariableAggregation
    _snapshot: Tensor
    _save_slice_info: variable_protos.SaveSliceInfo | None = None
    SaveSliceInfo = variable_protos.SaveSliceInfo

    def __new__(cls, *args: Any, **kwargs: Any) -> Variable:
        """A reference or a resource variable."""
        if cls is not Variable:
            return super().__new__(cls)

        wanted = kwargs.get("use_resource")
        if wanted is None:
            wanted = ops.get_variable_scope().use_resource
        if wanted is None:
            wanted = _Defaults.use_resource
        return super().__new__(ops.ResourceVariable if wanted else ops.RefVariable)

    @explains_arguments
    def __init__(
        self,
        initial_value: Any = None,
        trainable: bool | None = None,
        collections: Any = None,
        validate_shape: bool = True,
        caching_device: Any = None,
        name: str | None = None,
        variable_def: Any = None,
        dtype: Any = None,
        expected_shape: Any = None,
        import_scope: str | None = None,
        constraint: Callable[[Tensor], Tensor] | None = None,
        use_resource: bool | None = None,
        synchronization: Any = VariableSynchronization.AUTO,
        aggregation: Any = VariableAggregation.NONE,
        shape: Any = None,
    ):
        if variable_def is not None:
            if initial_value is not None:
                raise ValueError("variable_def and initial_value are mutually exclusive.")
            self._init_from_proto(variable_def, import_scope)
            return
        if initial_value is None:
            raise ValueError("initial_value must be specified.")
        if collections is None:
            collections = [GraphKeys.GLOBAL_VARIABLES]
        if not isinstance(collections, list | tuple | set):
            raise ValueError(
                f"collections argument to Variable constructor must be a list, tuple, or set. "
                f"Got {collections} of type {type(collections)}"
            )
        if constraint is not None and not callable(constraint):
            raise ValueError("The `constraint` argument must be a callable.")
        self._synchronization, self._aggregation, self._trainable = checked_modes(
            synchronization, aggregation, trainable, name
        )
        self._constraint = constraint
        # State belongs to no loop, conditional or control dependency around.
        with get_default_graph().control_dependencies(None):
            self._build(
                initial_value,
                None if dtype is None else dtypes.as_dtype(dtype),
                None if shape is None else as_shape(shape),
                name,
                validate_shape,
                caching_device,
            )
        keys = list(collections)
        if self._trainable and GraphKeys.TRAINABLE_VARIABLES not in keys:
            keys.append(GraphKeys.TRAINABLE_VARIABLES)
        self.graph.add_to_collections(keys, self)

    def _build(
        self,
        initial_value: Any,
        dtype: dtypes.DType | None,
        shape: TensorShape | None,
        name: str | None,
        validate_shape: bool,
        caching_device: Any,
    ) -> None:
        raise NotImplementedError

    def _init_from_proto(self, variable_def: Any, import_scope: str | None) -> None:
        raise NotImplementedError

    # What it is -------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """ "operation:0" of the variable's own node."""  # noqa: D210
        return self._variable.name

    @property
    def _shared_name(self) -> str:
        return self.name[: self.name.index(":")]

    @property
    def dtype(self) -> dtypes.DType:
        """The element type; a reference type for reference variables."""
        return self._variable.dtype

    @property
    def op(self) -> Operation:
        """The variable's own node."""
        return self._variable.op

    @property
    def graph(self) -> Graph:
        """The graph it was built in."""
        return self._variable.op.graph

    @property
    def device(self) -> str:
        """The device requested for it."""
        return self._variable.op.device

    @property
    def shape(self) -> TensorShape:
        """The static shape."""
        return self._variable.shape

    def get_shape(self) -> TensorShape:
        """The static shape (TensorFlow's older name for `shape`)."""
        return self.shape

    @property
    def trainable(self) -> bool:
        """Whether optimizers change it by default."""
        return self._trainable

    @property
    def constraint(self) -> Callable[[Tensor], Tensor] | None:
        """The function that optimizers apply after their step."""
        return self._constraint

    @property
    def synchronization(self) -> VariableSynchronization:
        """When copies on several devices would be made equal."""
        return self._synchronization

    @property
    def aggregation(self) -> VariableAggregation:
        """How updates of such copies would combine."""
        return self._aggregation

    @property
    def initializer(self) -> Operation:
        """The operation that gives the variable its initial value."""
        return self._initializer_op  # type: ignore[return-value]

    @property
    def initial_value(self) -> Tensor:
        """The tensor that the initializer assigns."""
        return self._initial_value  # type: ignore[return-value]

    # Reading ----------------------------------------------------------------------------------

    def value(self) -> Tensor:
        """The value as a tensor."""
        raise NotImplementedError

    def read_value(self) -> Tensor:
        """A new read of the value, at a moment that control dependencies around it decide."""
        raise NotImplementedError

    def initialized_value(self) -> Tensor:
        """The value, or the initial value while the variable has none.

        For initial values of other variables; both may then be initialised in one run.
        """
        return cond(is_variable_initialized(self), self.read_value, lambda: self.initial_value)

    def eval(self, session: Any = None) -> Any:
        """The value in `session` or the default session, as a numpy array."""
        return self._as_graph_element().eval(session=session)

    def _ref(self) -> Tensor:
        """What operations that write take: the reference, or the handle."""
        return self._variable

    def _as_graph_element(self) -> Tensor:
        return self._variable

    # Writing ----------------------------------------------------------------------------------

    def assign(
        self,
        value: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        """An operation that gives the variable a new value.

        Args:
          value: of its type and shape.
          use_locking: kept in the graph.
          read_value: whether to return the variable as it is afterwards (of a reference variable
            its reference) instead of the operation.
        """
        return self._write("assign", value, use_locking, name, read_value)

    def assign_add(
        self,
        delta: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        """An operation that adds to the variable; arguments as for `assign`."""
        return self._write("assign_add", delta, use_locking, name, read_value)

    def assign_sub(
        self,
        delta: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        """An operation that subtracts from the variable; arguments as for `assign`."""
        return self._write("assign_sub", delta, use_locking, name, read_value)

    def _write(
        self, kind: str, value: Any, use_locking: bool, name: str | None, read_value: bool
    ) -> Any:
        """See `assign`; the kind is the name of the method."""
        raise NotImplementedError

    def load(self, value: Any, session: Any = None) -> None:
        """Assign at once, in `session` or the default session, without adding to the graph.

        Args:
          value: a numpy array or what makes one.

        Raises:
          ValueError: if there is no session.
        """
        initializer = self.initializer
        session = session_for(self.graph, session, "load a variable", "load()")
        session.run(initializer, {initializer.inputs[1]: value})

    # As a message -----------------------------------------------------------------------------

    def to_proto(self, export_scope: str | None = None) -> Any:
        """The variable as a `VariableDef`; None if its name is outside `export_scope`."""
        return variable_protos.variable_to_proto(self, export_scope)

    @staticmethod
    def from_proto(variable_def: Any, import_scope: str | None = None) -> Variable:
        """The variable a `VariableDef` describes; KeyError if the default graph lacks its nodes."""
        kind = bool(variable_def.is_resource)
        return Variable(variable_def=variable_def, import_scope=import_scope, use_resource=kind)

    def _set_save_slice_info(self, save_slice_info: variable_protos.SaveSliceInfo) -> None:
        self._save_slice_info = save_slice_info

    def _get_save_slice_info(self) -> variable_protos.SaveSliceInfo | None:
        return self._save_slice_info

    def __repr__(self) -> str:
        return f"<tf.Variable {self.name!r} shape={self.shape} dtype={self.dtype.name}>"

    def __iter__(self) -> Any:
        raise TypeError(
            f"'Variable' object is not iterable. The values of {self.name} are in a session: `for "
            f"x in sess.run(v):`. In the graph, tf.unstack(v) is a list of its parts."
        )

    def __array__(self, *args: Any, **kwargs: Any) -> np.ndarray:
        raise NotImplementedError(
            f"Cannot convert the variable {self.name} to a numpy array: its value is in a "
            f"session. Use `sess.run(variable)` or `variable.eval()`."
        )


def _to_tensor(
    variable: Variable, dtype: Any = None, name: str | None = None, as_ref: bool = False
) -> Tensor:
    if dtype is not None and not dtypes.as_dtype(dtype).is_compatible_with(variable.dtype):
        raise ValueError(
            f"Incompatible type conversion requested to type '{dtypes.as_dtype(dtype).name}' for "
            f"variable of type '{variable.dtype.name}': {variable!r}"
        )
    return variable._ref() if as_ref else variable.value()


register_tensor_conversion_function(Variable, _to_tensor)


def _through_value(operator: str) -> Callable[..., Any]:
    """The operator of the variable's value."""

    def apply(self: Variable, *args: Any) -> Any:
        return getattr(Tensor, operator)(self.value(), *args)

    apply.__name__ = operator
    apply.__doc__ = f"`{operator}` of the value."
    return apply


_OPERATORS = (
    "add radd sub rsub mul rmul div rdiv truediv rtruediv floordiv rfloordiv mod rmod pow rpow "
    "matmul rmatmul lt le gt ge and rand or ror xor rxor neg abs invert"
)
for _name in _OPERATORS.split():
    setattr(Variable, f"__{_name}__", _through_value(f"__{_name}__"))


attach_refusals(Variable)

# Lists of variables -----------------------------------------------------------------------------


def global_variables(scope: str | None = None) -> list[Variable]:
    """The graph's global variables (TensorFlow: `tf.global_variables`); `scope` filters names.

    >>> [tf.Variable(1.0)] == tf.global_variables()  # True
    """
    return get_default_graph().get_collection(GraphKeys.GLOBAL_VARIABLES, scope)


def trainable_variables(scope: str | None = None) -> list[Variable]:
    """The variables that optimizers change by default (TensorFlow: `tf.trainable_variables`).

    >>> [tf.Variable(1.0), tf.Variable(0, trainable=False)][:1] == tf.trainable_variables()  # True
    """
    return get_default_graph().get_collection(GraphKeys.TRAINABLE_VARIABLES, scope)


def local_variables(scope: str | None = None) -> list[Variable]:
    """The variables of this process alone (TensorFlow: `tf.local_variables`).

    >>> [tf.get_local_variable("v", [])] == tf.local_variables()  # True
    """
    return get_default_graph().get_collection(GraphKeys.LOCAL_VARIABLES, scope)


def model_variables(scope: str | None = None) -> list[Variable]:
    """The variables that inference needs (TensorFlow: `tf.model_variables`).

    >>> [tf.Variable(1.0, collections=["model_variables"])] == tf.model_variables()  # True
    """
    return get_default_graph().get_collection(GraphKeys.MODEL_VARIABLES, scope)


def moving_average_variables(scope: str | None = None) -> list[Variable]:
    """The variables with a moving average (TensorFlow: `tf.moving_average_variables`).

    >>> v = tf.Variable(1.0, collections=["moving_average_variables"])
    >>> tf.moving_average_variables() == [v]  # True
    """
    return get_default_graph().get_collection(GraphKeys.MOVING_AVERAGE_VARIABLES, scope)


def variables_initializer(var_list: Iterable[Variable], name: str = "init") -> Operation:
    """One operation that initialises all these variables (TensorFlow: `tf.variables_initializer`).

    Args:
      var_list: variables that do not depend on each other, see `Variable.initialized_value`.
      name: of the operation.

    >>> tf.variables_initializer([tf.Variable(1.0)]).run()
    """
    initializers = [variable.initializer for variable in var_list]
    return group(*initializers, name=name) if initializers else no_op(name=name)


def global_variables_initializer() -> Operation:
    """An operation that initialises all global variables.

    TensorFlow: `tf.global_variables_initializer`. Call it after the last variable is made.

    >>> tf.global_variables_initializer().run()
    """
    return variables_initializer(global_variables())


def local_variables_initializer() -> Operation:
    """An operation that initialises all local variables.

    >>> tf.local_variables_initializer().run()
    """
    return variables_initializer(local_variables())
