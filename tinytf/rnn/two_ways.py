"""`tf.contrib.rnn.stack_bidirectional_rnn` and its dynamic kin: layers that read both ways."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tinytf.ops.array.concat import concat
from tinytf.ops.variables.scope import variable_scope
from tinytf.rnn.dynamic import bidirectional_dynamic_rnn
from tinytf.rnn.static import static_bidirectional_rnn


def stack_bidirectional_rnn(
    cells_fw: Any,
    cells_bw: Any,
    inputs: Any,
    initial_states_fw: Any = None,
    initial_states_bw: Any = None,
    dtype: Any = None,
    sequence_length: Any = None,
    scope: Any = None,
) -> tuple[Any, Any, Any]:
    """`static_bidirectional_rnn`, several one above the other (TensorFlow: `tf.contrib.rnn`'s).

    Args:
      cells_fw, cells_bw: lists of cells, one for each layer.
      initial_states_fw, initial_states_bw: lists of states, or None.
      inputs, dtype, sequence_length: as of `tf.nn.static_bidirectional_rnn`.
      scope: a variable scope; "stack_bidirectional_rnn" by default.

    Returns:
      the outputs of the last layer, and tuples of the states of all.

    Raises:
      ValueError: if these are no lists of one length.

    Example:
      >>> cells = [[tf.nn.rnn_cell.GRUCell(4) for _ in range(2)] for _ in range(2)]
      >>> x = [tf.ones([2, 3])] * 5
      >>> outputs, _, _ = tf.contrib.rnn.stack_bidirectional_rnn(*cells, x, dtype=tf.float32)
    """

    def layer(fw: Any, bw: Any, x: Any, state_fw: Any, state_bw: Any, scope: Any) -> Any:
        return static_bidirectional_rnn(
            fw, bw, x, state_fw, state_bw, dtype, sequence_length, scope=scope
        )

    return _stack(layer, inputs, cells_fw, cells_bw, initial_states_fw, initial_states_bw, scope)


def stack_bidirectional_dynamic_rnn(
    cells_fw: Any,
    cells_bw: Any,
    inputs: Any,
    initial_states_fw: Any = None,
    initial_states_bw: Any = None,
    dtype: Any = None,
    sequence_length: Any = None,
    parallel_iterations: int | None = None,
    time_major: bool = False,
    scope: Any = None,
    swap_memory: bool = False,
) -> tuple[Any, Any, Any]:
    """`bidirectional_dynamic_rnn`, several one above the other (TensorFlow: `tf.contrib.rnn`'s).

    Args:
      cells_fw, cells_bw, initial_states_fw, initial_states_bw, scope: as of
        `stack_bidirectional_rnn`.
      inputs, dtype, sequence_length, parallel_iterations, time_major, swap_memory: as of
        `tf.nn.bidirectional_dynamic_rnn`.

    Returns:
      the outputs of the last layer, forward and backward side by side, and tuples of all states.

    Raises:
      ValueError: if these are no lists of one length.

    Example:
      >>> cells = [[tf.nn.rnn_cell.GRUCell(4) for _ in range(2)] for _ in range(2)]
      >>> stack = tf.contrib.rnn.stack_bidirectional_dynamic_rnn
      >>> outputs, _, _ = stack(*cells, tf.ones([2, 5, 3]), dtype=tf.float32)
      >>> outputs.shape
      TensorShape([Dimension(2), Dimension(5), Dimension(8)])
    """
    how = dtype, parallel_iterations, swap_memory, time_major

    def layer(fw: Any, bw: Any, x: Any, state_fw: Any, state_bw: Any, scope: Any) -> Any:
        outputs, states = bidirectional_dynamic_rnn(
            fw, bw, x, sequence_length, state_fw, state_bw, *how
        )
        return concat(outputs, 2), *states

    return _stack(layer, inputs, cells_fw, cells_bw, initial_states_fw, initial_states_bw, scope)


def _stack(
    layer: Callable[..., Any],
    x: Any,
    cells_fw: Any,
    cells_bw: Any,
    states_fw: Any,
    states_bw: Any,
    scope: Any,
) -> tuple[Any, Any, Any]:
    for which, cells in (("fw", cells_fw), ("bw", cells_bw)):
        if not cells:
            raise ValueError(f"Must specify at least one {which} cell for BidirectionalRNN.")
        if not isinstance(cells, list):
            raise ValueError(f"cells_{which} must be a list of RNNCells (one per layer).")
    if len(cells_fw) != len(cells_bw):
        raise ValueError("Forward and Backward cells must have the same depth.")
    for which, states in (("fw", states_fw), ("bw", states_bw)):
        if states is not None and (not isinstance(states, list) or len(states) != len(cells_fw)):
            raise ValueError(
                f"initial_states_{which} must be a list of state tensors (one per layer)."
            )
    none = [None] * len(cells_fw)
    rows = zip(cells_fw, cells_bw, states_fw or none, states_bw or none, strict=True)
    finals = []
    with variable_scope(scope or "stack_bidirectional_rnn"):
        for number, (fw, bw, state_fw, state_bw) in enumerate(rows):
            with variable_scope(f"cell_{number}") as cell_scope:
                x, *states = layer(fw, bw, x, state_fw, state_bw, cell_scope)
                finals.append(states)
    final_fw, final_bw = zip(*finals, strict=True)
    return x, final_fw, final_bw
