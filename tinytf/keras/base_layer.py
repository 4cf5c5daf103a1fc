"""`tf.keras.layers.Layer`: a layer of `tf.layers`, with names and scopes as Keras has them.

Names are given in order, "dense", "dense_1", for each graph; variables are made in the name scope
of the first call, as resources, and initialised by Keras' session. Which layer made a tensor is
kept, so that a `Model` finds the way from its outputs to its inputs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from tinytf import ops
from tinytf.framework import dtypes, nest
from tinytf.framework.graph import Graph
from tinytf.framework.stacks import get_default_graph
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import as_shape
from tinytf.keras import backend, constraints, regularizers
from tinytf.layers import base, by_name
from tinytf.layers.input_spec import check_inputs
from tinytf.ops.variables.current_scope import get_variable_scope
from tinytf.ops.variables.initializers import GlorotUniform, Zeros
from tinytf.ops.variables.variable import Variable


class Call(NamedTuple):
    """One call of a layer."""

    layer: Any
    inputs: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    outputs: Any


_calls: WeakKeyDictionary[Graph, dict[str, Call]] = WeakKeyDictionary()


def call_that_made(tensor: Tensor) -> Call | None:
    """The call whose output it is; None if it is no layer's."""
    return _calls.get(tensor.graph, {}).get(tensor.name)


class Layer(base.Layer):
    """A part of a network, as Keras has it (TensorFlow: `tf.keras.layers.Layer`).

    Args:
      trainable, name, dtype: as of `tf.layers.Layer`.
      input_shape: of an input without its batch; input_dim: its only size; batch_input_shape: with
        its batch: a `Sequential` begins with such a layer.
      weights: values for the variables.
      activity_regularizer: a function from the output to a loss.

    Example:
      >>> class Scale(tf.keras.layers.Layer):
      ...     def build(self, input_shape):
      ...         self.factor = self.add_weight(name="factor", shape=[], initializer="ones")
      ...         super().build(input_shape)
      ...     def call(self, inputs):
      ...         return inputs * self.factor
      >>> y = Scale()(tf.constant([1.0, 2.0]))
      >>> y.op.name, tf.trainable_variables()[0].name
      ('scale/mul', 'scale/factor:0')
    """

    #: Whether `call` has an argument `training` that the learning phase is for.
    in_phases = False

    def __init__(
        self, trainable: bool = True, name: Any = None, dtype: Any = None, **kwargs: Any
    ) -> None:
        sizes, size = kwargs.pop("input_shape", None), kwargs.pop("input_dim", None)
        length, batch = kwargs.pop("input_length", None), kwargs.pop("batch_size", None)
        if sizes is None and (size is not None or length is not None):
            sizes = (length,) if size is None else (size,)
        sizes = None if sizes is None else (batch, *sizes)
        self.batch_input_shape: Any = kwargs.pop("batch_input_shape", sizes)
        self._given_weights = kwargs.pop("weights", None)
        of_output = regularizers.get(kwargs.pop("activity_regularizer", None))
        super().__init__(trainable, name, dtype, activity_regularizer=of_output, **kwargs)
        self.calls: list[Call] = []

    def _set_name(self, name: Any) -> None:
        base_name = base.snake_case(type(self).__name__)
        if not name:
            number = backend.get_uid(base_name)
            name = base_name if number == 1 else f"{base_name}_{number - 1}"
        self._name = self._base_name = str(name)

    def __call__(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """The outputs for some inputs; the first time, variables are made."""
        inputs = nest.map_structure(base.as_tensor, inputs)
        check_inputs(self.input_spec, inputs, self.name)
        given = dict(kwargs)
        if self.in_phases and kwargs.get("training") is None:
            kwargs["training"] = backend.learning_phase()
        self._scope = self._current_scope = get_variable_scope()
        with get_default_graph().name_scope(self.name):
            outputs = self._build_and_call(inputs, *args, **kwargs)
            # A layer that does nothing is one all the same.
            before = {id(tensor) for tensor in nest.flatten(inputs)}
            outputs = nest.map_structure(
                lambda t: ops.identity(t) if id(t) in before else t, outputs
            )
            self._regularize(inputs, outputs)
        self._record(Call(self, inputs, args, given, outputs))
        return outputs

    def _record(self, call: Call) -> None:
        self.calls.append(call)
        made = _calls.setdefault(get_default_graph(), {})
        made |= {tensor.name: call for tensor in nest.flatten(call.outputs)}

    def _build_for(self, inputs: Any) -> None:
        if self.built:
            return
        first = nest.flatten(inputs)[:1]
        if self._dtype is None and first and not first[0].dtype.base_dtype.is_floating:
            self._dtype = dtypes.float32
        super()._build_for(inputs)
        if self._given_weights is not None:
            self.set_weights(self._given_weights)

    def add_weight(  # type: ignore[override]  # Keras' own order of arguments
        self,
        name: Any = None,
        shape: Any = (),
        dtype: Any = None,
        initializer: Any = None,
        regularizer: Callable[[Any], Any] | None = None,
        trainable: bool | None = None,
        constraint: Callable[[Any], Any] | None = None,
        **kwargs: Any,
    ) -> Any:
        """A variable of the layer.

        Args:
          name: within the layer's scope. shape, dtype, trainable: as of `tf.Variable`.
          initializer, constraint, regularizer: functions, or their names.
          kwargs: accepted for TensorFlow's sake.
        """
        kind = dtypes.as_dtype(dtype or self._dtype or dtypes.float32)
        first = by_name.initializer(initializer)
        if first is None:
            first = GlorotUniform() if kind.is_floating else Zeros()
        first = first() if isinstance(first, type) else first
        sizes = as_shape(shape).as_list()
        variable = Variable(
            lambda: first(sizes, dtype=kind),
            trainable=trainable is None or trainable,
            dtype=kind,
            name=name,
            constraint=constraints.get(constraint),
            use_resource=True,
        )
        backend._track(variable)
        wanted = self._non_trainable_weights if trainable is False else self._trainable_weights
        wanted.append(variable)
        if (function := regularizers.get(regularizer)) is not None:
            self._add_regularized(name or "weight", [variable], function)
        return variable

    def add_loss(self, losses: Any, inputs: Any = None) -> None:
        """Add losses: a model's `fit` adds them to its own."""
        self._losses += [loss for loss in nest.flatten(losses) if loss is not None]

    def get_weights(self) -> list[Any]:
        """The variables' values."""
        return backend.batch_get_value(self.weights)

    def set_weights(self, weights: Any) -> None:
        """Give the variables values, in the order of `get_weights`.

        Raises:
          ValueError: if there are more or fewer of them, or shapes differ.
        """
        if len(weights) != len(self.weights):
            raise ValueError(
                f'You called `set_weights(weights)` on layer "{self.name}" with a weight list of '
                f"length {len(weights)}, but the layer was expecting {len(self.weights)} weights."
            )
        for variable, value in zip(self.weights, weights):
            if tuple(variable.shape.as_list()) != getattr(value, "shape", ()):
                raise ValueError(
                    f"Layer weight shape {variable.shape} not compatible with provided weight "
                    f"shape {getattr(value, 'shape', ())}: layer {self.name}."
                )
        backend.batch_set_value(zip(self.weights, weights))

    @property
    def input(self) -> Any:
        """What it was called with, the first time."""
        return self._first_call("input").inputs

    @property
    def output(self) -> Any:
        """What it returned, the first time."""
        return self._first_call("output").outputs

    @property
    def input_shape(self) -> Any:
        """The shape of `input`."""
        return nest.map_structure(backend.int_shape, self.input)

    @property
    def output_shape(self) -> Any:
        """The shape of `output`."""
        return nest.map_structure(backend.int_shape, self.output)

    def _first_call(self, what: str) -> Call:
        if not self.calls:
            raise AttributeError(f"Layer {self.name} is not connected, no {what} to return.")
        return self.calls[0]

    def __repr__(self) -> str:
        return f"<tf.keras.layers.{type(self).__name__} {self.name!r}>"
