"""`tf.nn.rnn_cell.MultiRNNCell`: cells one above the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from tinytf.framework import nest
from tinytf.framework.stacks import get_default_graph
from tinytf.layers.base import Layer
from tinytf.ops.array.concat import concat
from tinytf.ops.array.slice import slice as slice_of
from tinytf.ops.variables.scope import variable_scope
from tinytf.rnn.base import RNNCell, explaining


class MultiRNNCell(RNNCell):
    """Cells, each of which gets the output of the one before.

    TensorFlow: `tf.nn.rnn_cell.MultiRNNCell`.

    Args:
      cells: a list of them. One object several times shares its variables, which fits only if all
        have inputs of one size.
      state_is_tuple: whether the state is a tuple, with the state of each cell; otherwise they are
        side by side in one tensor.

    Raises:
      ValueError: without cells, or with cells whose states are tuples though this one's is not.
      TypeError: if `cells` is no list or tuple.

    Example:
      >>> cell = tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.GRUCell(n) for n in [4, 2]])
      >>> outputs, states = tf.nn.dynamic_rnn(cell, tf.ones([2, 5, 3]), dtype=tf.float32)
      >>> outputs.shape, [v.op.name for v in tf.trainable_variables()][4]
      (TensorShape([Dimension(2), Dimension(5), Dimension(2)]), 'rnn/multi_rnn_cell/cell_1/gru_cell/gates/kernel')
    """  # noqa: E501

    def __init__(self, cells: Sequence[Any], state_is_tuple: bool = True):
        super().__init__()
        if not cells:
            raise ValueError("Must specify at least one cell for MultiRNNCell.")
        if not nest.is_nested(cells):
            raise TypeError(f"cells must be a list or tuple, but received: {cells}.")
        self._cells = cells
        self._state_is_tuple = state_is_tuple
        if not state_is_tuple and any(nest.is_nested(cell.state_size) for cell in cells):
            raise ValueError(
                "Some cells return tuples of states, but the flag state_is_tuple is not set. State "
                f"sizes are: {[cell.state_size for cell in cells]}"
            )

    @property
    def state_size(self) -> Any:
        """Those of the cells: a tuple, or their sum."""
        sizes = tuple(cell.state_size for cell in self._cells)
        return sizes if self._state_is_tuple else sum(sizes)

    @property
    def output_size(self) -> Any:
        """That of the last cell."""
        return self._cells[-1].output_size

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """A state of zeros, as of `RNNCell`."""
        with get_default_graph().name_scope(f"{type(self).__name__}ZeroState"):
            if self._state_is_tuple:
                return tuple(cell.zero_state(batch_size, dtype) for cell in self._cells)
            return super().zero_state(batch_size, dtype)

    @property
    def trainable_weights(self) -> list[Any]:
        """Those of the cells."""
        return self._of_cells("trainable_weights") if self.trainable else []

    @property
    def non_trainable_weights(self) -> list[Any]:
        """Those of the cells."""
        frozen = [] if self.trainable else self._of_cells("trainable_weights")
        return frozen + self._of_cells("non_trainable_weights")

    def _of_cells(self, kind: str) -> list[Any]:
        layers = [cell for cell in self._cells if isinstance(cell, Layer)]
        return [weight for layer in layers for weight in getattr(layer, kind)]

    def call(self, inputs: Any, state: Any) -> tuple[Any, Any]:
        """The output of the last cell, and the states of all."""
        if self._state_is_tuple and not nest.is_nested(state):
            raise ValueError(
                f"Expected state to be a tuple of length {len(self.state_size)}, but received: "
                f"{state}"
            )
        place, states = 0, []
        with explaining(self, state), self._explaining_sharing():
            for number, cell in enumerate(self._cells):
                with variable_scope(f"cell_{number}"):
                    if self._state_is_tuple:
                        own = state[number]
                    else:
                        own = slice_of(state, [0, place], [-1, cell.state_size])
                        place += cell.state_size
                    inputs, new_state = cell(inputs, own)
                    states.append(new_state)
        return inputs, tuple(states) if self._state_is_tuple else concat(states, 1)

    @contextmanager
    def _explaining_sharing(self) -> Iterator[None]:
        """Have an error say so, if one object stands for several cells."""
        try:
            yield
        except ValueError as error:
            if len({id(cell) for cell in self._cells}) == len(self._cells):
                raise
            raise ValueError(
                f"{error}\nSeveral cells of this MultiRNNCell are the same object: they share one "
                "kernel, which is as large as the first one's inputs ask for. Make a cell for each "
                "layer: MultiRNNCell([LSTMCell(8) for _ in range(2)]), not [LSTMCell(8)] * 2."
            ) from error
