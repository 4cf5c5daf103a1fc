"""`tf.layers.Layer`: variables, and a function of tensors that uses them.

A layer makes its variables when it is called for the first time, in a variable scope that is its
name; called again, it uses them again. As in TensorFlow 1.x (python/layers/base.py), the names of
variables and operations are those of the scope, so checkpoints fit.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from tinytf.framework import dtypes, nest
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.graph import Graph
from tinytf.framework.graph_keys import GraphKeys
from tinytf.framework.stacks import get_default_graph
from tinytf.framework.tensor_shape import TensorShape, as_shape
from tinytf.layers import by_name
from tinytf.layers.input_spec import check_inputs
from tinytf.ops.array.shape import shape as shape_of
from tinytf.ops.math.cast import cast
from tinytf.ops.math.division import truediv
from tinytf.ops.variables.current_scope import VariableScope
from tinytf.ops.variables.initializers import GlorotUniform, Zeros
from tinytf.ops.variables.partitioned import PartitionedVariable
from tinytf.ops.variables.scope import get_variable, variable_scope
from tinytf.ops.variables.variable import global_variables, trainable_variables
from tinytf.ops.variables.variable_creators import VariableAggregation, VariableSynchronization

#: What a layer is given for each of its trained variables, in arguments such as "bias_regularizer".
_OF_WEIGHTS = ("initializer", "regularizer", "constraint")
#: How often each name was given to a layer, for each graph.
_given: WeakKeyDictionary[Graph, dict[str, int]] = WeakKeyDictionary()


class Layer:
    """A part of a network: variables, and what computes with them (TensorFlow: `tf.layers.Layer`).

    Write one's own by deriving from it: `build(input_shape)` makes variables with `add_weight`,
    `call(inputs)` returns tensors.

    Args:
      trainable: whether its variables are trained.
      name: of its variable scope; by default made from the class, "my_layer_1".
      dtype: of its variables; by default that of the first input.
      activity_regularizer: a function from the output to a loss.

    Attributes:
      name, trainable, dtype: as above. built: whether it has its variables.
      input_spec: an `InputSpec`, or a list of them; None for anything.
      updates, losses: operations and tensors that `add_update` and `add_loss` were given.

    Example:
      >>> class Scale(tf.layers.Layer):
      ...     def build(self, input_shape):
      ...         self.factor = self.add_weight("factor", [], initializer=tf.ones_initializer())
      ...         self.built = True
      ...     def call(self, inputs):
      ...         return inputs * self.factor
      >>> y = Scale(name="scale")(tf.constant([1.0, 2.0]))
      >>> tf.trainable_variables()
      [<tf.Variable 'scale/factor:0' shape=() dtype=float32_ref>]
    """

    def __init__(
        self,
        trainable: bool = True,
        name: Any = None,
        dtype: Any = None,
        *,
        activity_regularizer: Callable[[Any], Any] | None = None,
        _scope: Any = None,
        _reuse: Any = None,
    ):
        self.trainable = trainable
        self.built = False
        self.input_spec: Any = None
        self._dtype = None if dtype is None else dtypes.as_dtype(dtype)
        self._activity_regularizer = activity_regularizer
        self._reuse = _reuse
        self._trainable_weights: list[Any] = []
        self._non_trainable_weights: list[Any] = []
        self._updates: list[Any] = []
        self._losses: list[Any] = []
        #: Tensors that inputs are to be kept with: updates and losses "of these inputs" only.
        self._of_inputs: dict[int, Any] = {}
        self._set_name(name)
        self._scope: VariableScope | None = None
        self._current_scope: VariableScope | None = None
        if _scope:
            with variable_scope(_scope) as scope:
                self._scope = scope

    def _set_name(self, name: Any) -> None:
        is_scope = isinstance(name, VariableScope)
        if name and not is_scope:
            self._name = self._base_name = str(name)
            return
        self._base_name = snake_case(type(self).__name__)
        self._name = _new_name(self._base_name)
        if is_scope:
            self._base_name = name.name

    # To be overridden ----------------------------------------------------------------------------

    def build(self, input_shape: Any) -> None:
        """Make the variables; called once, before the first `call`.

        Args:
          input_shape: a `tf.TensorShape`, or a nest of them, as the inputs are.
        """
        self.built = True

    def call(self, *args: Any, **kwargs: Any) -> Any:
        """The outputs: `call(inputs)`, and whatever else a layer takes.

        Of the base class they are the inputs themselves.

        Args:
          args: a tensor, or a nest of them, and the rest that the layer was called with.
        """
        return args[0]

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        """The shape of the output, without an input.

        Raises:
          NotImplementedError: if the class does not say.
        """
        raise NotImplementedError(
            f"{type(self).__name__} does not say which shape its output has: override "
            "compute_output_shape(input_shape)."
        )

    # Calling it ----------------------------------------------------------------------------------

    def __call__(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """The outputs for some inputs; the first time, variables are made.

        Args:
          inputs: a tensor, an array, or a nest of them; the rest is handed to `call`.
          scope: the variable scope to be in, the first time.

        Raises:
          ValueError: if the inputs are not what the layer expects.
        """
        self._set_scope(kwargs.pop("scope", None))
        reuse = True if self.built else self._reuse
        with variable_scope(self._scope, reuse=reuse, auxiliary_name_scope=False) as scope:
            self._current_scope = scope
            inputs = nest.map_structure(as_tensor, inputs)
            check_inputs(self.input_spec, inputs, self.name)
            with get_default_graph().name_scope(scope.original_name_scope):
                outputs = self._build_and_call(inputs, *args, **kwargs)
                self._regularize(inputs, outputs)
        _collect(self.updates, GraphKeys.UPDATE_OPS)
        return outputs

    def apply(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """The same as calling it."""
        return self(inputs, *args, **kwargs)

    def _build_and_call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """What `call` gives, once there are variables."""
        self._build_for(inputs)
        outputs = self.call(inputs, *args, **kwargs)
        if outputs is None:
            raise ValueError(
                "A layer's `call` method should return a Tensor or a list of Tensors, not None "
                f"(layer: {self.name})."
            )
        return outputs

    def _build_for(self, inputs: Any) -> None:
        if self.built:
            return
        tensors = nest.flatten(inputs)
        if tensors and self._dtype is None:
            self._dtype = tensors[0].dtype.base_dtype
        self.build(nest.map_structure(lambda tensor: tensor.shape, inputs))
        self.built = True

    def _set_scope(self, scope: Any) -> None:
        if self._scope is not None:
            return
        if self._reuse:
            entered = variable_scope(self._base_name if scope is None else scope)
        else:
            entered = variable_scope(scope, default_name=self._base_name)
        with entered as found:
            self._scope = found

    def _regularize(self, inputs: Any, outputs: Any) -> None:
        if self._activity_regularizer is None:
            return
        with get_default_graph().name_scope("ActivityRegularizer"):
            for output in nest.flatten(outputs):
                loss = convert_to_tensor(self._activity_regularizer(output))
                size = cast(shape_of(output)[0], loss.dtype)  # type: ignore[index]
                self.add_loss(truediv(loss, size), inputs=inputs)

    # Making variables ----------------------------------------------------------------------------

    def add_weight(
        self,
        name: str,
        shape: Any,
        dtype: Any = None,
        initializer: Any = None,
        regularizer: Callable[[Any], Any] | None = None,
        trainable: bool | None = None,
        constraint: Callable[[Any], Any] | None = None,
        use_resource: bool | None = None,
        synchronization: Any = VariableSynchronization.AUTO,
        aggregation: Any = VariableAggregation.NONE,
        partitioner: Any = None,
    ) -> Any:
        """A variable of the layer.

        Args:
          name: within the layer's scope.
          shape, initializer, trainable, constraint, use_resource, synchronization, aggregation,
            partitioner: as of `tf.get_variable`; initializers may be given by name, too.
          dtype: by default the layer's.
          regularizer: a function from the variable to a loss, which the layer adds to its own.

        Raises:
          ValueError: as of `tf.get_variable`; for a variable that is trained and only put together
            when it is read.
        """
        if synchronization == VariableSynchronization.ON_READ:
            if trainable:
                raise ValueError(
                    "Synchronization value can be set to VariableSynchronization.ON_READ only for "
                    "non-trainable variables. You have specified trainable=True and "
                    "synchronization=VariableSynchronization.ON_READ."
                )
            trainable = False
        wants_training = (trainable is None or trainable) and self.trainable
        dtype = dtypes.as_dtype(dtype or self.dtype or dtypes.float32)
        before = {id(part) for part in global_variables()}
        self._set_scope(None)
        reuse = self.built or self._reuse
        with variable_scope(self._scope, reuse=reuse, auxiliary_name_scope=False) as scope:
            self._current_scope = scope
            with get_default_graph().name_scope(scope.original_name_scope):
                variable = get_variable(
                    name,
                    shape=shape,
                    dtype=dtype,
                    initializer=by_name.initializer(initializer)
                    or scope.initializer
                    or _usual(dtype),
                    trainable=wants_training,
                    constraint=constraint,
                    use_resource=use_resource or scope.use_resource,
                    synchronization=synchronization,
                    aggregation=aggregation,
                    partitioner=partitioner,
                )
                parts = parts_of(variable)
                if regularizer and not any(id(part) in before for part in parts):
                    self._add_regularized(name, parts, regularizer)
        self._keep(variable, parts, wants_training)
        return variable

    def _keep_arguments(self, given: dict[str, Any], *weights: str) -> None:
        """Have the initializer, regularizer and constraint of some weights as attributes.

        Args:
          given: the class's arguments by name. weights: "kernel", for example.
        """
        for argument in (f"{weight}_{what}" for weight in weights for what in _OF_WEIGHTS):
            value = given[argument]
            is_first = argument.endswith("initializer")
            setattr(self, argument, by_name.initializer(value) if is_first else value)

    def _add_as_given(self, name: str, shape: Any, dtype: Any = None, given_for: str = "") -> Any:
        """A variable, with the arguments that were kept for it, or for `given_for`."""
        how = {what: getattr(self, f"{given_for or name}_{what}") for what in _OF_WEIGHTS}
        return self.add_weight(name, shape, dtype, **how)

    def add_variable(self, *args: Any, **kwargs: Any) -> Any:
        """The older name of `add_weight`."""
        return self.add_weight(*args, **kwargs)

    def _add_regularized(self, name: str, parts: Iterable[Any], regularizer: Any) -> None:
        for part in parts:
            with get_default_graph().name_scope(f"{name}/Regularizer"):
                loss = regularizer(part)
            if loss is not None:
                self.add_loss(loss)

    def _keep(self, variable: Any, parts: list[Any], wants_training: bool) -> None:
        """Among the weights; one that existed, and is not trained, is not trained here either."""
        trained = {id(part) for part in trainable_variables()}
        is_trained = wants_training and all(id(part) in trained for part in parts)
        kept = self._trainable_weights if is_trained else self._non_trainable_weights
        kept += [part for part in parts if not any(part is other for other in kept)]

    # Losses and updates --------------------------------------------------------------------------

    def add_loss(self, losses: Any, inputs: Any = None) -> None:
        """Add losses, also to the collection `tf.GraphKeys.REGULARIZATION_LOSSES`.

        Args:
          losses: a tensor or several. inputs: which inputs they depend on; None for none.
        """
        found = [loss for loss in nest.flatten(losses) if loss is not None]
        self._losses += found
        self._of_inputs |= {id(loss): inputs for loss in found}
        _collect(found, GraphKeys.REGULARIZATION_LOSSES)

    def add_update(self, updates: Any, inputs: Any = None) -> None:
        """Add operations to be run in training, such as those of moving averages.

        They are in the collection `tf.GraphKeys.UPDATE_OPS`, once the layer was called, if it is
        trained.

        Args:
          updates: an operation or several. inputs: which inputs they depend on; None for none.
        """
        found = [getattr(update, "op", update) for update in nest.flatten(updates)]
        self._updates += found
        self._of_inputs |= {id(update): inputs for update in found}

    def get_losses_for(self, inputs: Any) -> list[Any]:
        """The losses that depend on these inputs; with None, those that depend on none."""
        return [loss for loss in self._losses if self._belongs(loss, inputs)]

    def get_updates_for(self, inputs: Any) -> list[Any]:
        """The updates that depend on these inputs; with None, those that depend on none."""
        return [update for update in self.updates if self._belongs(update, inputs)]

    def _belongs(self, thing: Any, inputs: Any) -> bool:
        wanted = self._of_inputs.get(id(thing))
        if inputs is None or wanted is None:
            return inputs is wanted
        asked = {id(tensor) for tensor in nest.flatten(inputs)}
        return bool(asked & {id(tensor) for tensor in nest.flatten(wanted)})

    # What it has ---------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """Its name; that of its variables begins with `scope_name`."""
        return self._name

    @property
    def dtype(self) -> Any:
        """Of its variables: a name, "float32"; None before the first call."""
        return None if self._dtype is None else self._dtype.name

    @property
    def scope_name(self) -> str:
        """What the names of its variables begin with.

        Raises:
          ValueError: before the first call.
        """
        if self._scope is None:
            raise ValueError(
                f'No name available for layer scope because the layer "{self.name}" has not been '
                "used yet. The scope name is determined the first time the layer instance is "
                "called. You must therefore call the layer before querying `scope_name`."
            )
        return self._scope.name

    @property
    def trainable_weights(self) -> list[Any]:
        """The variables that are trained."""
        return list(self._trainable_weights) if self.trainable else []

    @property
    def non_trainable_weights(self) -> list[Any]:
        """The variables that are not."""
        frozen = [] if self.trainable else self._trainable_weights
        return [*frozen, *self._non_trainable_weights]

    @property
    def weights(self) -> list[Any]:
        """All variables, those that are trained first."""
        return [*self.trainable_weights, *self.non_trainable_weights]

    variables = weights
    trainable_variables = trainable_weights
    non_trainable_variables = non_trainable_weights

    @property
    def updates(self) -> list[Any]:
        """What `add_update` was given; nothing if the layer is not trained."""
        return list(self._updates) if self.trainable else []

    @property
    def losses(self) -> list[Any]:
        """What `add_loss` was given, and what regularizers ask for."""
        return list(self._losses)

    @property
    def activity_regularizer(self) -> Callable[[Any], Any] | None:
        """The function from the output to a loss."""
        return self._activity_regularizer

    def count_params(self) -> int:
        """How many numbers its variables have.

        Raises:
          ValueError: before the variables were made.
        """
        if not self.built:
            raise ValueError(
                f"You tried to call `count_params` on {self.name}, but the layer isn't built. You "
                f"can build it manually via: `{self.name}.build(batch_input_shape)`."
            )
        return int(sum(as_shape(weight.shape).num_elements() or 0 for weight in self.weights))

    def __repr__(self) -> str:
        return f"<tf.layers.{type(self).__name__} {self.name!r}>"


def snake_case(name: str) -> str:
    """A class as TensorFlow writes it in names: "max_pooling2d" for "MaxPooling2D"."""
    words = re.sub("(.)([A-Z][a-z0-9]+)", r"\1_\2", name)
    words = re.sub("([a-z])([A-Z])", r"\1_\2", words).lower()
    return f"private{words}" if words.startswith("_") else words


def parts_of(variable: Any) -> list[Any]:
    """The variables that a variable is made of: itself, or its parts."""
    return list(variable) if isinstance(variable, PartitionedVariable) else [variable]


def _new_name(base: str) -> str:
    counts = _given.setdefault(get_default_graph(), {})
    counts[base] = counts.get(base, 0) + 1
    return f"{base}_{counts[base]}"


def as_tensor(value: Any) -> Any:
    """An array or a number as a tensor; anything else as it is."""
    return convert_to_tensor(value) if isinstance(value, np.ndarray | float | int) else value


def _usual(dtype: dtypes.DType) -> Any:
    return GlorotUniform() if dtype.is_floating else Zeros()


def _collect(things: Iterable[Any], key: str) -> None:
    """Add what is not there yet to a collection of the graph."""
    collection = get_default_graph().get_collection_ref(key)
    there = {id(thing) for thing in collection}
    collection += [thing for thing in things if id(thing) not in there]
