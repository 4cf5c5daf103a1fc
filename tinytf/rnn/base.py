"""`tf.nn.rnn_cell.RNNCell`: from an input and a state to an output and the next state."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tinytf.framework import dtypes, nest
from tinytf.framework.constant_value import constant_value
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.stacks import get_default_graph
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import as_shape, unknown_shape
from tinytf.layers import by_name
from tinytf.layers.base import Layer, parts_of
from tinytf.layers.input_spec import InputSpec
from tinytf.ops.array.shape import shape
from tinytf.ops.nn.tanh import tanh
from tinytf.ops.variables.current_scope import get_variable_scope
from tinytf.ops.variables.scope import variable_scope
from tinytf.ops.variables.variable import trainable_variables
from tinytf.rnn.sizes import static_size, zero_states


class RNNCell(Layer):
    """What a recurrent network repeats (TensorFlow: `tf.nn.rnn_cell.RNNCell`).

    Write one's own by deriving from it: the properties `state_size` and `output_size`, and
    `call(inputs, state)`, which returns the output and the next state. Variables may come from
    `tf.get_variable` in `call`, or from `add_weight` in `build`.

    Args:
      trainable, name, dtype, kwargs: as of `tf.layers.Layer`.

    Example:
      >>> class Sum(tf.nn.rnn_cell.RNNCell):
      ...     state_size = output_size = 2
      ...     def call(self, inputs, state):
      ...         return state + inputs, state + inputs
      >>> tf.nn.dynamic_rnn(Sum(), tf.ones([1, 3, 2]), dtype=tf.float32)[1]  # [[3., 3.]]
    """

    def __init__(self, trainable: bool = True, name: Any = None, dtype: Any = None, **kwargs: Any):
        super().__init__(trainable, name, dtype, **kwargs)
        self._getting_scope: variable_scope | None = None

    def __call__(self, inputs: Any, state: Any, scope: Any = None, **kwargs: Any) -> Any:
        """One step: the output, and the next state.

        Args:
          inputs: a tensor [batch, size], or a structure of tensors.
          state: tensors of the sizes `state_size`, after the batch's, in its structure.
          scope: the variable scope to be in, the first time.

        Raises:
          ValueError, TypeError: if the inputs or the state are not what the cell expects.
        """
        if scope is not None:
            with variable_scope(scope, custom_getter=self._noting) as entered:
                return super().__call__(inputs, state, scope=entered, **kwargs)
        if self._getting_scope is None:
            current = get_variable_scope()
            self._getting_scope = variable_scope(current, custom_getter=self._noting)
        with self._getting_scope:
            return super().__call__(inputs, state, **kwargs)

    def _noting(self, getter: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """A custom getter: what `call` gets is among the cell's variables."""
        variable = getter(*args, **kwargs)
        parts, trained = parts_of(variable), trainable_variables()
        self._keep(variable, parts, any(parts[0] is other for other in trained))
        return variable

    @property
    def state_size(self) -> Any:
        """Of each tensor of the state, without the batch: a structure of ints or shapes."""
        raise NotImplementedError("Abstract method: a cell has a property state_size.")

    @property
    def output_size(self) -> Any:
        """Of the output, without the batch: an int, a shape, or a structure of them."""
        raise NotImplementedError("Abstract method: a cell has a property output_size.")

    def build(self, input_shape: Any) -> None:
        """Nothing: `call` may make the variables."""

    def get_initial_state(
        self, inputs: Any = None, batch_size: Any = None, dtype: Any = None
    ) -> Any:
        """`zero_state`, for a batch as large as the inputs, or of `batch_size`.

        Args:
          inputs: a tensor whose first axis is the batch; None for the other two arguments.
          batch_size, dtype: as of `zero_state`; with `inputs`, they have to agree.

        Raises:
          ValueError: if nothing says the batch size and dtype, or they do not agree.
        """
        if inputs is not None:
            inputs = convert_to_tensor(inputs, name="inputs")
            size = as_shape(inputs.shape[:1]).as_list()[0]
            asked = constant_value(batch_size) if isinstance(batch_size, Tensor) else batch_size
            if batch_size is not None and size != asked:
                raise ValueError(
                    "batch size from input tensor is different from the input param. Input tensor "
                    f"batch: {size}, batch_size: {batch_size}"
                )
            if dtype is not None and inputs.dtype != dtype:
                raise ValueError(
                    "dtype from input tensor is different from the input param. Input tensor "
                    f"dtype: {inputs.dtype}, dtype: {dtype}"
                )
            batch_size = size or shape(inputs)[0]  # type: ignore[index]
            dtype = inputs.dtype
        if batch_size is None or dtype is None:
            raise ValueError(
                "batch_size and dtype cannot be None while constructing initial state: "
                f"batch_size={batch_size}, dtype={dtype}"
            )
        return self.zero_state(batch_size, dtype)

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """A state of zeros.

        Args:
          batch_size: an int, or a scalar tensor: `tf.shape(inputs)[0]`.
          dtype: of the state.

        Raises:
          ValueError: if the batch size is not known.
        """
        with get_default_graph().name_scope(f"{type(self).__name__}ZeroState"):
            return zero_states(self.state_size, batch_size, dtype)

    def __repr__(self) -> str:
        return f"<tf.nn.rnn_cell.{type(self).__name__} {self.name!r}>"


class LayerRNNCell(RNNCell):
    """A cell whose variables are made by `build`, as those of other layers are.

    Args:
      num_units: how large the output is.
      activation: a function, or its name; None for tanh.
      reuse: whether the variables exist already. name, dtype, kwargs: as of `tf.layers.Layer`.

    Raises:
      ValueError: for a dtype of integers.

    Example:
      >>> class Sum(tf.contrib.rnn.LayerRNNCell):
      ...     def build(self, inputs_shape):
      ...         self.w = self.add_variable("w", [inputs_shape[-1], self._num_units])
      ...         self.built = True
      ...     def call(self, inputs, state):
      ...         state += tf.matmul(inputs, self.w)
      ...         return state, state
      >>> outputs, _ = tf.nn.dynamic_rnn(Sum(4), tf.ones([2, 5, 3]), dtype=tf.float32)
      >>> outputs.shape
      TensorShape([Dimension(2), Dimension(5), Dimension(4)])
    """

    def __init__(
        self,
        num_units: Any = None,
        activation: Any = None,
        reuse: Any = None,
        name: Any = None,
        dtype: Any = None,
        **kwargs: Any,
    ):
        super().__init__(name=name, dtype=dtype, _reuse=reuse, **kwargs)
        check_floating(self.dtype)
        self.input_spec = InputSpec(ndim=2)
        self._num_units = num_units
        self._activation = (by_name.activation(activation) or _unchanged) if activation else tanh

    def __call__(self, inputs: Any, state: Any, scope: Any = None, **kwargs: Any) -> Any:
        """One step, as of `RNNCell`."""
        with explaining(self, state):
            check_floating(*(getattr(t, "dtype", None) for t in nest.flatten(state)))
            return Layer.__call__(self, inputs, state, scope=scope, **kwargs)

    @property
    def state_size(self) -> Any:
        """The number of units."""
        return self._num_units

    @property
    def output_size(self) -> Any:
        """The number of units."""
        return self._num_units

    def _depth(self, input_shape: Any) -> int:
        """The inputs' last size, once it is known that there can be variables for them."""
        check_floating(self.dtype)
        size = as_shape(input_shape).as_list()[-1]
        if size is None:
            raise ValueError(
                f"Expected inputs.shape[-1] to be known, received shape: {input_shape}. The "
                "variables' shapes depend on it: tf.placeholder(tf.float32, [None, None, 8]), or "
                "inputs.set_shape, says it."
            )
        return size


def check_floating(*kinds: Any) -> None:
    """Raise ValueError if a dtype is none that cells compute with."""
    for kind in kinds:
        if kind is None:
            continue
        dtype = dtypes.as_dtype(kind).base_dtype
        if not (dtype.is_floating or dtype.is_complex):
            raise ValueError(
                f"RNN cell only supports floating point inputs, but received dtype: {dtype!r}. "
                "tf.cast(inputs, tf.float32) makes numbers of them, tf.nn.embedding_lookup(table, "
                "inputs) a vector of each."
            )


def assert_like_rnncell(name: str, cell: Any) -> None:
    """Raise TypeError if something is no cell.

    Args:
      name: of the argument that it was given for. cell: what was given.
    """
    has_state = hasattr(cell, "zero_state") or hasattr(cell, "get_initial_state")
    checks = {
        "'output_size' property is missing": hasattr(cell, "output_size"),
        "'state_size' property is missing": hasattr(cell, "state_size"),
        "either 'zero_state' or 'get_initial_state' method is required": has_state,
        "is not callable": callable(cell),
        "is a class: call it, to make one": not isinstance(cell, type),
    }
    missing = [problem for problem, is_right in checks.items() if not is_right]
    if missing:
        raise TypeError(f"The argument {name!r} ({cell}) is not an RNNCell: {', '.join(missing)}.")


_TWO_CELLS = (
    "Or, if this is a second network: with a name of its own it has variables of its own, "
    'scope="decoder" of tf.nn.dynamic_rnn and its kin, name="decoder" of a cell.'
)


@contextmanager
def explaining(cell: Any, state: Any) -> Iterator[None]:
    """Have an error say what it comes of: a state that does not fit, two cells in one scope."""
    try:
        yield
    except (TypeError, ValueError) as error:
        said = _TWO_CELLS if " already exists, disallowed" in str(error) else _misfit(cell, state)
        if not said or said in str(error):
            raise
        raise type(error)(f"{error}\n{said}") from error


def _misfit(cell: Any, state: Any) -> str:
    """What is wrong with a state, or nothing."""
    wanted = cell.state_size
    try:
        nest.assert_same_structure(wanted, state)
        pairs = zip(nest.flatten(wanted), nest.flatten(state), strict=True)
        if all(
            unknown_shape(1).concatenate(static_size(s)).is_compatible_with(t.shape)
            for s, t in pairs
        ):
            return ""
    except (TypeError, ValueError, AttributeError):
        pass
    shown = nest.map_structure(lambda part: f"tensor {getattr(part, 'shape', part)}", state)
    return (
        f"The state of {type(cell).__name__} is to be of sizes {wanted}, in this structure, each "
        f"after the batch's; it is {str(shown).replace(chr(39), '')}. cell.zero_state(batch_size, "
        "dtype) makes one, and what the network returns as its state is another."
    )


def _unchanged(x: Any) -> Any:
    return x
