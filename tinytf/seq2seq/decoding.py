"""`tf.contrib.seq2seq.dynamic_decode`: a decoder in a loop, until all its sequences have ended."""

from __future__ import annotations

from typing import Any

from tinytf import ops
from tinytf.framework import dtypes, nest
from tinytf.framework.constant_value import constant_value
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.tensor_shape import TensorShape, unknown_shape
from tinytf.ops.control_flow.while_loop import while_loop
from tinytf.ops.tensor_array.tensor_array import TensorArray
from tinytf.ops.variables.scope import variable_scope
from tinytf.rnn.dynamic import batch_and_time_swapped
from tinytf.rnn.sizes import zeros_of
from tinytf.rnn.step import cache_variables


class Decoder:
    """What `dynamic_decode` repeats (TensorFlow: `tf.contrib.seq2seq.Decoder`).

    Properties of one's own: `batch_size`, `output_size` (a structure of shapes without the batch)
    and `output_dtype`; methods `initialize(name=None)` -> (finished, first inputs, first state) and
    `step(time, inputs, state, name=None)` -> (outputs, next state, next inputs, finished).

    Example:
      >>> class Counter(tf.contrib.seq2seq.Decoder):
      ...     batch_size, output_size, output_dtype = 1, tf.TensorShape([]), tf.int32
      ...     def initialize(self, name=None):
      ...         return tf.constant([False]), tf.constant([0]), tf.constant([0])
      ...     def step(self, time, inputs, state, name=None):
      ...         return inputs, state, inputs + 1, inputs >= 3
      >>> tf.contrib.seq2seq.dynamic_decode(Counter())[0]  # [[0, 1, 2, 3]]
    """

    #: Whether `finished` is what `step` returns; otherwise what has ended once stays ended.
    tracks_own_finished = False

    def finalize(self, outputs: Any, final_state: Any, sequence_lengths: Any) -> tuple[Any, Any]:
        """What becomes of outputs, [time, batch, ...], and the state after the loop: the same.

        Args:
          outputs, final_state: after the loop. sequence_lengths: of the sequences.
        """
        return outputs, final_state


def dynamic_decode(
    decoder: Any,
    output_time_major: bool = False,
    impute_finished: bool = False,
    maximum_iterations: Any = None,
    parallel_iterations: int = 32,
    swap_memory: bool = False,
    scope: Any = None,
) -> tuple[Any, Any, Any]:
    """Decode until all sequences have ended (TensorFlow: `tf.contrib.seq2seq.dynamic_decode`).

    Args:
      decoder: a `Decoder`.
      output_time_major: whether outputs are [time, batch, ...] instead of [batch, time, ...].
      impute_finished: whether outputs of sequences that have ended are zeros, and their states
        stay; otherwise they are what the decoder computed.
      maximum_iterations: after how many steps to end in any case.
      parallel_iterations, swap_memory: as of `tf.while_loop`.
      scope: a variable scope; "decoder" by default.

    Returns:
      outputs of all steps, the last state, and the lengths of the sequences.

    Raises:
      TypeError: if the decoder is none. ValueError: if `maximum_iterations` is no scalar.

    Example:
      >>> helper = tf.contrib.seq2seq.TrainingHelper(tf.ones([2, 5, 3]), [5, 2])
      >>> cell = tf.nn.rnn_cell.GRUCell(4)
      >>> start = cell.zero_state(2, tf.float32)
      >>> decoder = tf.contrib.seq2seq.BasicDecoder(cell, helper, start)
      >>> outputs, state, lengths = tf.contrib.seq2seq.dynamic_decode(decoder)
      >>> lengths  # [5, 2]
    """
    if not (hasattr(decoder, "initialize") and hasattr(decoder, "step")):
        raise TypeError(f"Expected decoder to be type Decoder, but saw: {type(decoder)}")
    with variable_scope(scope, "decoder") as varscope:
        cache_variables(varscope)
        if maximum_iterations is not None:
            maximum_iterations = convert_to_tensor(
                maximum_iterations, dtype=dtypes.int32, name="maximum_iterations"
            )
            if maximum_iterations.shape.ndims != 0:
                raise ValueError("maximum_iterations must be a scalar")
        finished, inputs, state = decoder.initialize()
        zeros = nest.map_structure(
            lambda size, kind: zeros_of(size, decoder.batch_size, kind),
            decoder.output_size,
            decoder.output_dtype,
        )
        if maximum_iterations is not None:
            finished = ops.logical_or(finished, ops.less_equal(maximum_iterations, 0))
        lengths = ops.zeros_like(finished, dtype=dtypes.int32)
        batch = constant_value(convert_to_tensor(decoder.batch_size, name="batch_size"))
        arrays = nest.map_structure(
            lambda size, kind: _array(batch, size, kind), decoder.output_size, decoder.output_dtype
        )
        _, arrays, state, _, _, lengths = while_loop(
            lambda time, arrays, state, inputs, finished, lengths: ops.logical_not(
                ops.reduce_all(finished)
            ),
            _body(decoder, zeros if impute_finished else None),
            (ops.constant(0, dtype=dtypes.int32), arrays, state, inputs, finished, lengths),
            parallel_iterations=parallel_iterations,
            maximum_iterations=maximum_iterations,
            swap_memory=swap_memory,
        )
        outputs = nest.map_structure(lambda array: array.stack(), arrays)
        outputs, state = decoder.finalize(outputs, state, lengths)
        if not output_time_major:
            outputs = nest.map_structure(batch_and_time_swapped, outputs)
    return outputs, state, lengths


def _array(batch: Any, size: Any, dtype: Any) -> TensorArray:
    known = unknown_shape()
    if isinstance(size, TensorShape) and size.ndims != 0:
        known = TensorShape([None if batch is None else int(batch)]).concatenate(size)
    return TensorArray(dtype, size=0, dynamic_size=True, element_shape=known)


def _body(decoder: Any, zeros: Any) -> Any:
    """The loop's body; `zeros` to put out after the end, or None."""

    def body(time: Any, arrays: Any, state: Any, inputs: Any, finished: Any, lengths: Any) -> Any:
        outputs, next_state, next_inputs, next_finished = decoder.step(time, inputs, state)
        own_lengths = None
        if decoder.tracks_own_finished:
            own_lengths = getattr(next_state, "lengths", None)
        else:
            next_finished = ops.logical_or(next_finished, finished)
        if own_lengths is None:
            longer = ops.fill(ops.shape(lengths), ops.add(time, 1))
            lengths = ops.where(ops.logical_not(finished), longer, lengths)
        else:
            lengths = ops.cast(own_lengths, dtypes.int32)
        nest.assert_same_structure(state, next_state)
        nest.assert_same_structure(arrays, outputs)
        nest.assert_same_structure(inputs, next_inputs)

        def unless_finished(new: Any, old: Any) -> Any:
            if isinstance(old, TensorArray):
                return new
            new.set_shape(old.shape)
            return new if new.shape.ndims == 0 else ops.where(finished, old, new)

        if zeros is not None:
            outputs = nest.map_structure(
                lambda x, zero: ops.where(finished, zero, x), outputs, zeros
            )
            next_state = nest.map_structure(unless_finished, next_state, state)
        arrays = nest.map_structure(lambda array, x: array.write(time, x), arrays, outputs)
        return ops.add(time, 1), arrays, next_state, next_inputs, next_finished, lengths

    return body
