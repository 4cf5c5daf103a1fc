"""`tf.nn.static_rnn` and its kin: the cell once for each step of time in the graph."""

from __future__ import annotations

import functools
from typing import Any

from tinytf import ops
from tinytf.framework import dtypes, nest
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.stacks import get_default_graph
from tinytf.framework.tensor_shape import TensorShape, unknown_shape
from tinytf.ops.variables.scope import variable_scope
from tinytf.rnn.base import assert_like_rnncell, explaining
from tinytf.rnn.sizes import known_with_batch, with_batch
from tinytf.rnn.step import cache_variables, check_lengths, lengths_of, state_dtype, step
from tinytf.rnn.step import initial_state as initial_state_of


def static_rnn(
    cell: Any,
    inputs: Any,
    initial_state: Any = None,
    dtype: Any = None,
    sequence_length: Any = None,
    scope: Any = None,
) -> tuple[list[Any], Any]:
    """A recurrent network, unrolled: a cell for each step (TensorFlow: `tf.nn.static_rnn`).

    Args:
      cell: an `RNNCell`.
      inputs: a list of the inputs of each step, [batch, size] each: `tf.unstack(x, axis=1)`.
      initial_state: the state to begin with; None for zeros.
      dtype: of the state; needed if there is no initial state.
      sequence_length: how many steps each sequence has, [batch]; None if all have all.
      scope: a variable scope; "rnn" by default.

    Returns:
      a list of the outputs of each step, and the state after the last.

    Raises:
      TypeError: if the cell is none, or the inputs are no list.
      ValueError: without inputs, or if their size is unknown.

    Example:
      >>> cell = tf.nn.rnn_cell.BasicRNNCell(4)
      >>> outputs, state = tf.nn.static_rnn(cell, [tf.ones([2, 3])] * 5, dtype=tf.float32)
      >>> len(outputs), outputs[0].shape
      (5, TensorShape([Dimension(2), Dimension(4)]))
    """
    assert_like_rnncell("cell", cell)
    _check_sequence(inputs)
    with variable_scope(scope or "rnn") as varscope:
        cache_variables(varscope)
        first = inputs
        while nest.is_nested(first):
            first = first[0]
        known_batch = _known_batch_size(first, inputs)
        batch_size = known_batch or ops.shape(first)[0]  # type: ignore[index]
        state = initial_state_of(cell, initial_state, batch_size, dtype)
        with explaining(cell, state):
            lengths = None
            if sequence_length is not None:
                given = convert_to_tensor(sequence_length, name="sequence_length")
                check_lengths(given)
                kind = state_dtype(dtype, state)

                def zero_output(size: Any) -> Any:
                    output = ops.zeros(with_batch(batch_size, size), kind)
                    output.set_shape(known_with_batch([known_batch], size))
                    return output

                nothing = nest.map_structure(zero_output, cell.output_size)
                lengths = lengths_of(ops.cast(given, dtypes.int32))
            outputs = []
            for time, now in enumerate(inputs):
                if time > 0:
                    varscope.reuse_variables()
                if lengths is None:
                    output, state = cell(now, state)
                else:
                    call = functools.partial(cell, now, state)
                    output, state = step(time, lengths, nothing, state, call)
                outputs.append(output)
        return outputs, state


def _check_sequence(inputs: Any) -> None:
    if not nest.is_nested(inputs):
        raise TypeError(
            f"Argument `inputs` must be a sequence. Received: {inputs}. It has an element for each "
            "step of time: tf.unstack(inputs, axis=1) makes it of a tensor [batch, time, size] "
            "whose number of steps is known; for any number of steps there is tf.nn.dynamic_rnn."
        )
    if not inputs:
        raise ValueError("Argument `inputs` must not be empty.")


def _known_batch_size(first: Any, inputs: Any) -> int | None:
    if first.shape.ndims == 1:
        return first.shape.as_list()[0]
    batch = first.shape.with_rank_at_least(2)[:1]
    for part in nest.flatten(inputs):
        known = part.shape.with_rank_at_least(2)
        batch.assert_is_compatible_with(known[:1])
        for axis, size in enumerate(known.as_list()[1:]):
            if size is None:
                raise ValueError(
                    f"Input size (dimension {axis} of input {part}) must be accessible via shape "
                    "inference, but saw value None. The variables' shapes depend on it."
                )
    return batch.as_list()[0]


def static_state_saving_rnn(
    cell: Any,
    inputs: Any,
    state_saver: Any,
    state_name: Any,
    sequence_length: Any = None,
    scope: Any = None,
) -> tuple[list[Any], Any]:
    """`static_rnn`, whose state goes on from one run to the next (TensorFlow: the same name).

    Args:
      cell, inputs, sequence_length, scope: as of `static_rnn`.
      state_saver: has the methods `state(name)`, which returns a state, and
        `save_state(name, state)`, which returns an operation.
      state_name: a name, or a tuple of them if the cell's state is a tuple.

    Raises:
      TypeError, ValueError: as `static_rnn`; if the names do not fit the state.

    Example:
      >>> class Saver:
      ...     kept = tf.Variable(tf.zeros([2, 4]))
      ...     def state(self, name):
      ...         return self.kept
      ...     def save_state(self, name, value):
      ...         return self.kept.assign(value)
      >>> cell, x = tf.nn.rnn_cell.GRUCell(4), [tf.ones([2, 3])] * 5
      >>> outputs, state = tf.nn.static_state_saving_rnn(cell, x, Saver(), "state")
    """
    names, sizes = nest.flatten(state_name), nest.flatten(cell.state_size)
    if nest.is_nested(cell.state_size) != nest.is_nested(state_name):
        raise ValueError(
            "Argument `state_name` should be the same type as `cell.state_size`. Received: "
            f"state_name={state_name}, cell.state_size={cell.state_size}."
        )
    if len(names) != len(sizes):
        raise ValueError(
            "Number of elements in argument `state_name` and `cell.state_size` are mismatched. "
            f"Received state_name={state_name} with {len(names)} elements and "
            f"cell.state_size={cell.state_size} with {len(sizes)} elements."
        )
    before = nest.pack_sequence_as(cell.state_size, [state_saver.state(name) for name in names])
    outputs, state = static_rnn(cell, inputs, before, None, sequence_length, scope)
    saved = [
        state_saver.save_state(name, part)
        for name, part in zip(names, nest.flatten(state), strict=True)
    ]
    with get_default_graph().control_dependencies(saved):
        outputs[-1] = nest.map_structure(ops.identity, outputs[-1])
        return outputs, nest.map_structure(ops.identity, state)


def static_bidirectional_rnn(
    cell_fw: Any,
    cell_bw: Any,
    inputs: Any,
    initial_state_fw: Any = None,
    initial_state_bw: Any = None,
    dtype: Any = None,
    sequence_length: Any = None,
    scope: Any = None,
) -> tuple[list[Any], Any, Any]:
    """Two unrolled networks, one of which reads backwards (TensorFlow: the same name, in `tf.nn`).

    Args:
      cell_fw, cell_bw: the cells. initial_state_fw, initial_state_bw: their first states.
      inputs, dtype, sequence_length: as of `static_rnn`.
      scope: a variable scope; "bidirectional_rnn" by default.

    Returns:
      a list of outputs, forward and backward side by side, and both states.

    Raises:
      TypeError, ValueError: as `static_rnn`.

    Example:
      >>> cells, x = [tf.nn.rnn_cell.GRUCell(4) for _ in range(2)], [tf.ones([2, 3])] * 5
      >>> outputs, _, _ = tf.nn.static_bidirectional_rnn(*cells, x, dtype=tf.float32)
      >>> outputs[0].shape
      TensorShape([Dimension(2), Dimension(8)])
    """
    assert_like_rnncell("cell_fw", cell_fw)
    assert_like_rnncell("cell_bw", cell_bw)
    _check_sequence(inputs)
    with variable_scope(scope or "bidirectional_rnn"):
        with variable_scope("fw") as fw_scope:
            outputs_fw, state_fw = static_rnn(
                cell_fw, inputs, initial_state_fw, dtype, sequence_length, fw_scope
            )
        with variable_scope("bw") as bw_scope:
            backwards = _backwards(inputs, sequence_length)
            outputs_bw, state_bw = static_rnn(
                cell_bw, backwards, initial_state_bw, dtype, sequence_length, bw_scope
            )
    outputs_bw = _backwards(outputs_bw, sequence_length)
    pairs = zip(nest.flatten(outputs_fw), nest.flatten(outputs_bw), strict=True)
    joined = [ops.concat([forward, backward], 1) for forward, backward in pairs]
    return nest.pack_sequence_as(outputs_fw, joined), state_fw, state_bw


def _backwards(sequence: Any, lengths: Any) -> list[Any]:
    """Steps in the opposite order, those of each row of the batch for themselves."""
    if lengths is None:
        return list(reversed(sequence))
    columns = []
    for parts in zip(*(nest.flatten(part) for part in sequence), strict=True):
        known: TensorShape = unknown_shape(parts[0].shape.ndims)
        for part in parts:
            known.assert_is_compatible_with(part.shape)
            part.set_shape(known)
        columns.append(ops.unstack(ops.reverse_sequence(ops.stack(parts), lengths, 0, 1)))
    rows = zip(*columns, strict=True)
    return [nest.pack_sequence_as(part, row) for part, row in zip(sequence, rows, strict=True)]
