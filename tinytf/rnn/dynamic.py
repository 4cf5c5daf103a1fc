"""`tf.nn.dynamic_rnn` and `bidirectional_dynamic_rnn`: a cell in a loop of the graph."""

from __future__ import annotations

from functools import partial
from typing import Any

from tinytf import ops
from tinytf.framework import dtypes, nest
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.stacks import get_default_graph
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops.control_flow.while_loop import while_loop
from tinytf.ops.tensor_array.tensor_array import TensorArray
from tinytf.ops.variables.scope import variable_scope
from tinytf.rnn.base import assert_like_rnncell, explaining
from tinytf.rnn.sizes import known_with_batch, static_size, with_batch
from tinytf.rnn.step import cache_variables, check_lengths, lengths_of, state_dtype, step
from tinytf.rnn.step import initial_state as initial_state_of


def dynamic_rnn(
    cell: Any,
    inputs: Any,
    sequence_length: Any = None,
    initial_state: Any = None,
    dtype: Any = None,
    parallel_iterations: int | None = None,
    swap_memory: bool = False,
    time_major: bool = False,
    scope: Any = None,
) -> tuple[Any, Any]:
    """A recurrent network over sequences: a cell in a loop (TensorFlow: `tf.nn.dynamic_rnn`).

    Args:
      cell: an `RNNCell`.
      inputs: [batch, time, ...], or a nest of such; the number of steps may be unknown.
      sequence_length: how many steps each sequence has, [batch]: outputs after them are zeros, and
        the state stays as it was. None if all have all.
      initial_state: the state to begin with; None for zeros.
      dtype: of the state and the outputs; needed if there is no initial state.
      parallel_iterations: how many steps may be under way at a time, 32 by default.
      swap_memory: accepted for TensorFlow's sake.
      time_major: whether inputs and outputs are [time, batch, ...], which saves a transposition.
      scope: a variable scope; "rnn" by default.

    Returns:
      the outputs of all steps, [batch, time, size], and the state after the last.

    Raises:
      TypeError: if the cell is none.
      ValueError: if the inputs' depth is unknown, the state is not the cell's, or lengths are no
        vector.

    Example:
      >>> cell = tf.nn.rnn_cell.LSTMCell(4)
      >>> x = tf.placeholder(tf.float32, [None, None, 3])
      >>> outputs, state = tf.nn.dynamic_rnn(cell, x, sequence_length=[5, 2], dtype=tf.float32)
      >>> outputs.shape.as_list(), state.h.shape.as_list()
      ([None, None, 4], [None, 4])
    """
    assert_like_rnncell("cell", cell)
    with variable_scope(scope or "rnn") as varscope:
        cache_variables(varscope)
        flat = nest.flatten(inputs)
        if not time_major:
            flat = [convert_to_tensor(part) for part in flat]
            flat = [batch_and_time_swapped(part) for part in flat]
        lengths = None if sequence_length is None else _lengths(sequence_length)
        batch_size = _batch_size(flat)
        state = initial_state_of(cell, initial_state, batch_size, dtype)
        if lengths is not None:
            check = _has_shape(lengths, [batch_size])
            with get_default_graph().control_dependencies([check]):
                lengths = ops.identity(lengths, name="CheckSeqLen")
        with explaining(cell, state):
            outputs, final_state = _Loop(
                cell, nest.pack_sequence_as(inputs, flat), state, lengths, dtype
            ).run(parallel_iterations or 32, swap_memory)
        if not time_major:
            outputs = nest.map_structure(batch_and_time_swapped, outputs)
        return outputs, final_state


def bidirectional_dynamic_rnn(
    cell_fw: Any,
    cell_bw: Any,
    inputs: Any,
    sequence_length: Any = None,
    initial_state_fw: Any = None,
    initial_state_bw: Any = None,
    dtype: Any = None,
    parallel_iterations: int | None = None,
    swap_memory: bool = False,
    time_major: bool = False,
    scope: Any = None,
) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
    """Two networks, one of which reads backwards (TensorFlow: the same name, in `tf.nn`).

    Args:
      cell_fw, cell_bw: the cells. initial_state_fw, initial_state_bw: their first states.
      scope: a variable scope; "bidirectional_rnn" by default.
      inputs, sequence_length, dtype, parallel_iterations, swap_memory, time_major: as of
        `dynamic_rnn`. Of a sequence that is shorter than the others, its own steps are reversed.

    Returns:
      two outputs, both in the order of the inputs, and two states.

    Raises:
      TypeError, ValueError: as `dynamic_rnn`.

    Example:
      >>> cells = [tf.nn.rnn_cell.GRUCell(4) for _ in range(2)]
      >>> outputs, _ = tf.nn.bidirectional_dynamic_rnn(*cells, tf.ones([2, 5, 3]), dtype=tf.float32)
      >>> tf.concat(outputs, 2).shape
      TensorShape([Dimension(2), Dimension(5), Dimension(8)])
    """
    assert_like_rnncell("cell_fw", cell_fw)
    assert_like_rnncell("cell_bw", cell_bw)
    time_axis, batch_axis = (0, 1) if time_major else (1, 0)

    def backwards(x: Any) -> Tensor:
        if sequence_length is None:
            return ops.reverse(x, axis=[time_axis])
        return ops.reverse_sequence(
            input=x, seq_lengths=sequence_length, seq_axis=time_axis, batch_axis=batch_axis
        )

    how = (dtype, parallel_iterations, swap_memory, time_major)
    with variable_scope(scope or "bidirectional_rnn"):
        with variable_scope("fw") as fw_scope:
            output_fw, state_fw = dynamic_rnn(
                cell_fw, inputs, sequence_length, initial_state_fw, *how, scope=fw_scope
            )
        with variable_scope("bw") as bw_scope:
            reversed_inputs = nest.map_structure(backwards, inputs)
            reversed_output, state_bw = dynamic_rnn(
                cell_bw, reversed_inputs, sequence_length, initial_state_bw, *how, scope=bw_scope
            )
    output_bw = nest.map_structure(backwards, reversed_output)
    return (output_fw, output_bw), (state_fw, state_bw)


class _Loop:
    """The loop of `dynamic_rnn`, over inputs [time, batch, ...]."""

    def __init__(self, cell: Any, inputs: Any, state: Any, lengths: Tensor | None, dtype: Any):
        self.cell, self.inputs, self.state = cell, inputs, state
        flat = nest.flatten(inputs)
        self.time_steps = ops.shape(flat[0])[0]  # type: ignore[index]
        batch_size = _batch_size(flat)
        self.input_shapes = _checked_shapes(flat)
        self.known = self.input_shapes[0].as_list()[:2]
        self.output_sizes = nest.flatten(cell.output_size)
        kind = state_dtype(dtype, state)
        self.zero_output = nest.pack_sequence_as(
            cell.output_size,
            [ops.zeros(with_batch(batch_size, size), kind) for size in self.output_sizes],
        )
        self.lengths = None if lengths is None else lengths_of(lengths)
        self.time = ops.constant(0, dtype=dtypes.int32, name="time")
        with get_default_graph().name_scope("dynamic_rnn") as name:
            self.base_name = name
        batch = TensorShape([self.known[1]])
        self.output_arrays = tuple(
            self._array(f"output_{number}", batch.concatenate(static_size(size)), kind)
            for number, size in enumerate(self.output_sizes)
        )
        arrays = [
            self._array(f"input_{number}", part.shape[1:], part.dtype)
            for number, part in enumerate(flat)
        ]
        self.input_arrays = [array.unstack(part) for array, part in zip(arrays, flat, strict=True)]

    def _array(self, name: str, element_shape: Any, dtype: Any) -> TensorArray:
        return TensorArray(
            dtype=dtype,
            size=self.time_steps,
            element_shape=element_shape,
            tensor_array_name=self.base_name + name,
        )

    def run(self, parallel_iterations: int, swap_memory: bool) -> tuple[Any, Any]:
        """Build it: the outputs, [time, batch, ...], and the last state."""
        # One step at least, so that the arrays of outputs know the shape of their elements.
        longest = self.time_steps if self.lengths is None else self.lengths.longest
        bound = ops.minimum(self.time_steps, ops.maximum(1, longest))
        _, arrays, state = while_loop(
            lambda time, *_: time < bound,
            self._body,
            (self.time, self.output_arrays, self.state),
            parallel_iterations=parallel_iterations,
            maximum_iterations=self.time_steps,
            swap_memory=swap_memory,
        )
        outputs = [array.stack() for array in arrays]
        for output, size in zip(outputs, self.output_sizes, strict=True):
            output.set_shape(known_with_batch(self.known, size))
        return nest.pack_sequence_as(self.cell.output_size, outputs), state

    def _body(self, time: Any, arrays: Any, state: Any) -> tuple[Any, Any, Any]:
        parts = [array.read(time) for array in self.input_arrays]
        for part, known in zip(parts, self.input_shapes, strict=True):
            part.set_shape(known[1:])
        now = nest.pack_sequence_as(self.inputs, parts)
        if self.lengths is None:
            output, new_state = self.cell(now, state)
        else:
            call = partial(self.cell, now, state)
            output, new_state = step(
                time, self.lengths, self.zero_output, state, call, skip_conditionals=True
            )
        pairs = zip(arrays, nest.flatten(output), strict=True)
        written = tuple(array.write(time, value) for array, value in pairs)
        return time + 1, written, new_state


def _lengths(given: Any) -> Tensor:
    lengths = ops.cast(given, dtypes.int32)
    check_lengths(lengths)
    return ops.identity(lengths, name="sequence_length")


def _has_shape(x: Tensor, wanted: Any) -> Any:
    found, packed = ops.shape(x), ops.stack(wanted)
    return ops.Assert(
        ops.reduce_all(ops.equal(found, packed)),
        [f"Expected shape for Tensor {x.name} is ", packed, " but saw shape: ", found],
    )


def _batch_size(flat: list[Any]) -> Any:
    """The batch's size: a number if any of the inputs [time, batch, ...] says so, or a tensor."""
    for part in flat:
        sizes = part.shape.sizes
        if sizes is not None and len(sizes) < 2:
            raise ValueError(
                f"Input tensor should have rank >= 2. Received input={part} of rank {len(sizes)}"
            )
        if sizes is not None and sizes[1] is not None:
            return sizes[1]
    return ops.shape(flat[0])[1]  # type: ignore[index]


def batch_and_time_swapped(x: Tensor) -> Tensor:
    """A tensor with its first two axes exchanged (TensorFlow: `transpose_batch_time`).

    Args:
      x: of any rank; of less than two it stays as it is.

    Example:
      >>> tf.contrib.rnn.transpose_batch_time(tf.ones([2, 5, 3])).shape
      TensorShape([Dimension(5), Dimension(2), Dimension(3)])
    """
    known = x.shape.sizes
    if known is not None and len(known) < 2:
        return x
    axes = ops.concat(([1, 0], ops.range(2, ops.rank(x))), axis=0)
    swapped = ops.transpose(x, axes)
    if known is not None:
        swapped.set_shape([known[1], known[0], *known[2:]])
    return swapped


def _checked_shapes(flat: list[Any]) -> list[TensorShape]:
    """What is known of the inputs, [time, batch, ...].

    Raises:
      ValueError: if that is too little, or they do not go together.
    """
    shapes = []
    for part in flat:
        if part.shape.ndims is None or part.shape.ndims < 3:
            raise ValueError(
                f"Shape {part.shape} must have rank at least 3: inputs are [batch, time, size], or "
                f"with time_major=True [time, batch, size]. Received input={part}. For a list with "
                "the inputs of each step there is tf.nn.static_rnn."
            )
        if not part.shape[2:].is_fully_defined():
            raise ValueError(
                "Input size (depth of inputs) must be accessible via shape inference, but saw "
                f"value None for input={part}. The variables' shapes depend on it: say it in "
                "tf.placeholder(tf.float32, [None, None, 8]), or by inputs.set_shape."
            )
        shapes.append(part.shape)
        sizes, first = part.shape.as_list(), shapes[0].as_list()
        for axis, what in enumerate(("Time steps", "Batch_size")):
            if sizes[axis] != first[axis]:
                raise ValueError(
                    f"{what} is not the same for all the elements in the input in a batch: "
                    f"{first[axis]} and {sizes[axis]} (input={part})."
                )
    return shapes
