"""What is put around a cell: dropout, a residual connection, a device."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

from tinytf import ops
from tinytf.framework import nest
from tinytf.framework.constant_value import constant_value
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.stacks import get_default_graph
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops.tensor_array.tensor_array import TensorArray
from tinytf.rnn.base import RNNCell, assert_like_rnncell
from tinytf.rnn.lstm import LSTMStateTuple


class CellAround(RNNCell):
    """A cell around a cell, of the same sizes.

    Args:
      cell: the cell inside. kwargs: as of `RNNCell`.

    Raises:
      TypeError: if the cell is none.
    """

    def __init__(self, cell: Any, **kwargs: Any):
        super().__init__(**kwargs)
        assert_like_rnncell("cell", cell)
        self.cell = cell

    @property
    def state_size(self) -> Any:
        """That of the cell inside."""
        return self.cell.state_size

    @property
    def output_size(self) -> Any:
        """That of the cell inside."""
        return self.cell.output_size

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """A state of zeros, as of `RNNCell`."""
        with get_default_graph().name_scope(f"{type(self).__name__}ZeroState"):
            return self.cell.zero_state(batch_size, dtype)


class Wrapper(CellAround):
    """A cell around a cell, without a scope or variables of its own; arguments as of CellAround."""

    def __call__(self, inputs: Any, state: Any, scope: Any = None, **kwargs: Any) -> Any:
        """One step, as of `RNNCell`."""
        return self._around(inputs, state, scope=scope)

    def _around(self, inputs: Any, state: Any, **kwargs: Any) -> tuple[Any, Any]:
        """One step."""
        raise NotImplementedError

    @property
    def wrapped_cell(self) -> Any:
        """The cell inside."""
        return self.cell

    @property
    def trainable_weights(self) -> list[Any]:
        """Those of the cell inside."""
        return list(self.cell.trainable_weights)

    @property
    def non_trainable_weights(self) -> list[Any]:
        """Those of the cell inside."""
        return list(self.cell.non_trainable_weights)

    def build(self, input_shape: Any) -> None:
        """Make the cell's variables."""
        self.cell.build(input_shape)
        self.built = True


class ResidualWrapper(Wrapper):
    """A cell whose inputs are added to its output (TensorFlow: `tf.nn.rnn_cell.ResidualWrapper`).

    Args:
      cell: a cell with inputs and outputs of one size.
      residual_fn: a function of inputs and outputs, instead of their sum.

    Raises:
      ValueError: when called, if the sizes differ.

    Example:
      >>> cell = tf.nn.rnn_cell.ResidualWrapper(tf.nn.rnn_cell.GRUCell(3))
      >>> outputs, _ = tf.nn.dynamic_rnn(cell, tf.ones([2, 5, 3]), dtype=tf.float32)
    """

    def __init__(self, cell: Any, residual_fn: Callable[..., Any] | None = None, **kwargs: Any):
        super().__init__(cell, **kwargs)
        self._residual_fn = residual_fn or _sum

    def _around(self, inputs: Any, state: Any, **kwargs: Any) -> tuple[Any, Any]:
        outputs, new_state = self.cell(inputs, state, **kwargs)
        return self._residual_fn(inputs, outputs), new_state


def _sum(inputs: Any, outputs: Any) -> Any:
    nest.assert_same_structure(inputs, outputs)
    nest.map_structure(lambda x, y: x.shape.assert_is_compatible_with(y.shape), inputs, outputs)
    return nest.map_structure(lambda x, y: x + y, inputs, outputs)


class DeviceWrapper(Wrapper):
    """A cell on a device (TensorFlow: `tf.nn.rnn_cell.DeviceWrapper`).

    Args:
      cell: the cell inside. device: what `tf.device` takes.

    Example:
      >>> cell = tf.nn.rnn_cell.DeviceWrapper(tf.nn.rnn_cell.GRUCell(3), "/cpu:0")
      >>> cell.zero_state(2, tf.float32).device
      '/device:CPU:0'
    """

    def __init__(self, cell: Any, device: Any, **kwargs: Any):
        super().__init__(cell, **kwargs)
        self._device = device

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """A state of zeros on the device, as of `RNNCell`."""
        graph = get_default_graph()
        with graph.name_scope(f"{type(self).__name__}ZeroState"), graph.device(self._device):
            return self.cell.zero_state(batch_size, dtype)

    def _around(self, inputs: Any, state: Any, **kwargs: Any) -> tuple[Any, Any]:
        with get_default_graph().device(self._device):
            return self.cell(inputs, state, **kwargs)


class DropoutWrapper(Wrapper):
    """A cell with dropout at its inputs, outputs and state.

    TensorFlow: `tf.nn.rnn_cell.DropoutWrapper`. What is kept is divided by the probability.

    Args:
      cell: the cell inside.
      input_keep_prob, output_keep_prob, state_keep_prob: the probabilities that a number is kept,
        numbers or scalar tensors. Of an `LSTMStateTuple`, h alone is dropped.
      variational_recurrent: whether all steps of a run drop the same numbers. Gal and Ghahramani,
        2016. Then `dtype` is needed, and `input_size` if inputs are dropped.
      input_size: of the inputs, without the batch. dtype: of inputs, outputs and state.
      seed: of the random numbers.
      dropout_state_filter_visitor: a function of a part of the state, whether to drop in it: a
        bool, or one for each of the parts it has.

    Raises:
      ValueError: for a probability that is none, or what a variational dropout needs.
      TypeError: if the visitor is no function.

    Example:
      >>> keep = tf.placeholder_with_default(1.0, [])
      >>> cell = tf.nn.rnn_cell.GRUCell(4)
      >>> cell = tf.nn.rnn_cell.DropoutWrapper(cell, output_keep_prob=keep)
      >>> outputs, _ = tf.nn.dynamic_rnn(cell, tf.ones([2, 5, 3]), dtype=tf.float32)
    """

    def __init__(
        self,
        cell: Any,
        input_keep_prob: Any = 1.0,
        output_keep_prob: Any = 1.0,
        state_keep_prob: Any = 1.0,
        variational_recurrent: bool = False,
        input_size: Any = None,
        dtype: Any = None,
        seed: Any = None,
        dropout_state_filter_visitor: Callable[[Any], Any] | None = None,
        **kwargs: Any,
    ):
        super().__init__(cell, dtype=dtype, **kwargs)
        visitor = dropout_state_filter_visitor
        if visitor is not None and not callable(visitor):
            raise TypeError(f"dropout_state_filter_visitor must be callable. Received: {visitor}")
        self._visitor = visitor or _all_but_memories
        self._seed = seed
        self._noise: dict[str, Any] = {}
        with get_default_graph().name_scope("DropoutWrapperInit"):
            self._kept = {
                "input": _probability("input", input_keep_prob),
                "state": _probability("state", state_keep_prob),
                "output": _probability("output", output_keep_prob),
            }
        if variational_recurrent:
            self._draw(input_size, dtype)

    def _draw(self, input_size: Any, dtype: Any) -> None:
        """The random numbers of all steps of a run."""
        if dtype is None:
            raise ValueError("When variational_recurrent=True, dtype must be provided")
        sizes = {"state": self.cell.state_size, "output": self.cell.output_size}
        if _drops(self._kept["input"]):
            if input_size is None:
                raise ValueError(
                    "When variational_recurrent=True and input_keep_prob < 1.0 or is unknown, "
                    "input_size must be provided"
                )
            sizes = {"input": input_size, **sizes}
        for what, structure in sizes.items():
            noise = []
            for number, size in enumerate(nest.flatten(structure)):
                shape = ops.concat(([1], TensorShape(size).as_list()), 0)
                noise.append(
                    ops.random_uniform(shape, dtype=dtype, seed=self._seed_of(what, number))
                )
            self._noise[what] = nest.pack_sequence_as(structure, noise)

    def _seed_of(self, what: str, number: int) -> int | None:
        """TensorFlow's seed for one of the things that are dropped."""
        if self._seed is None:
            return None
        text = f"{self._seed}{what}_{number}".encode()
        return int(hashlib.md5(text, usedforsecurity=False).hexdigest()[:8], 16) & 0x7FFFFFFF

    def _around(self, inputs: Any, state: Any, **kwargs: Any) -> tuple[Any, Any]:
        inputs = self._dropped("input", inputs)
        output, new_state = self.cell(inputs, state, **kwargs)
        if _drops(self._kept["state"]):
            new_state = self._dropped("state", new_state, _visit(self._visitor, new_state))
        return self._dropped("output", output), new_state

    def _dropped(self, what: str, values: Any, where: Any = None) -> Any:
        """Values, some of which are zeros; `where` has a bool for parts that stay as they are."""
        keep = self._kept[what]
        if not _drops(keep):
            return values
        parts = _columns(values if where is None else where, values, self._noise.get(what, values))
        results = []
        for number, (drop, value, noise) in enumerate(parts):
            if drop is False:
                results.append(value)
            elif self._noise:
                mask: Any = ops.floor(keep + noise)  # 1 with the probability `keep`, else 0
                dropped = ops.divide(value, keep) * mask
                dropped.set_shape(value.shape)
                results.append(dropped)
            else:
                seed = self._seed_of(what, number)
                results.append(ops.dropout(value, rate=1.0 - keep, seed=seed))
        leaves = [leaf for result in results for leaf in nest.flatten(result)]
        return nest.pack_sequence_as(values, leaves)


def _drops(keep: Any) -> bool:
    return not isinstance(keep, float) or keep < 1


def _probability(what: str, given: Any) -> Any:
    tensor = convert_to_tensor(given)
    value = constant_value(tensor)
    if value is None:
        return tensor
    if value < 0 or value > 1:
        raise ValueError(f"Parameter {what}_keep_prob must be between 0 and 1. Received {value}")
    return float(value)


def _all_but_memories(part: Any) -> Any:
    if isinstance(part, LSTMStateTuple):
        return LSTMStateTuple(c=False, h=True)
    return not isinstance(part, TensorArray)


def _visit(visitor: Callable[[Any], Any], part: Any) -> Any:
    """For each part of a structure whether to go on: False stands for all that is in it."""
    wanted = visitor(part)
    if not nest.is_nested(part):
        return wanted
    if wanted is False:
        return False
    children = list(part)
    flags = [True] * len(children) if wanted is True else list(wanted)
    found = [
        _visit(visitor, child) if flag else False
        for flag, child in zip(flags, children, strict=True)
    ]
    return type(part)(*found) if hasattr(part, "_fields") else type(part)(found)


def _columns(shallow: Any, values: Any, noise: Any) -> list[tuple[Any, Any, Any]]:
    """The leaves of a structure, with the parts of two deeper ones that stand there."""
    if not nest.is_nested(shallow):
        return [(shallow, values, noise)]
    rows = zip(shallow, values, noise, strict=True)
    return [column for row in rows for column in _columns(*row)]
