"""`tf.nn.raw_rnn`: a loop whose inputs depend on what came before."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tinytf import ops
from tinytf.framework import dtypes, nest
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape, as_shape
from tinytf.ops.control_flow.while_loop import while_loop
from tinytf.ops.tensor_array.tensor_array import TensorArray
from tinytf.ops.variables.scope import variable_scope
from tinytf.rnn.base import assert_like_rnncell, explaining
from tinytf.rnn.sizes import static_size, with_batch
from tinytf.rnn.step import cache_variables, choose


def raw_rnn(
    cell: Any,
    loop_fn: Callable[..., Any],
    parallel_iterations: int | None = None,
    swap_memory: bool = False,
    scope: Any = None,
) -> tuple[Any, Any, Any]:
    """A recurrent network in which a function makes each input (TensorFlow: `tf.nn.raw_rnn`).

    Args:
      cell: an `RNNCell`.
      loop_fn: a function (time, cell_output, cell_state, loop_state) -> (finished, next_input,
        next_cell_state, emit_output, next_loop_state). It is called once before the loop, with
        time 0 and None for the rest, to say the first input and state, and what is emitted (None
        for the cell's output, else tensors of the shapes and dtypes); and once in it. `finished`
        is a bool for each sequence. `next_loop_state` is whatever it likes to have next time, or
        None.
      parallel_iterations: how many steps may be under way at a time, 32 by default.
      swap_memory: accepted for TensorFlow's sake.
      scope: a variable scope; "rnn" by default.

    Returns:
      what was emitted, in `TensorArray`s; the last state; the last loop state.

    Raises:
      TypeError: if the cell is none, or `loop_fn` no function.
      ValueError: if what the function returns changes its structure.

    Example:
      >>> cell = tf.nn.rnn_cell.GRUCell(4)
      >>> def loop_fn(time, output, state, _):
      ...     if output is None:
      ...         state = cell.zero_state(2, tf.float32)
      ...     return time >= [3, 5], tf.ones([2, 3]), state, output, None
      >>> outputs, state, _ = tf.nn.raw_rnn(cell, loop_fn)
      >>> outputs.stack().shape
      TensorShape([Dimension(None), Dimension(2), Dimension(4)])
    """
    assert_like_rnncell("cell", cell)
    if not callable(loop_fn):
        raise TypeError(f"Argument `loop_fn` must be a callable. Received: {loop_fn}.")
    with variable_scope(scope or "rnn") as varscope:
        cache_variables(varscope)
        time = ops.constant(0, dtype=dtypes.int32)
        finished, first_input, state, emitted, given_loop_state = loop_fn(time, None, None, None)
        no_loop_state = given_loop_state is None
        loop_state = ops.constant(0, dtype=dtypes.int32) if no_loop_state else given_loop_state
        known, batch_size = _batch_size(nest.flatten(first_input))
        with explaining(cell, state):
            nest.assert_same_structure(state, cell.state_size)
        state = nest.map_structure(convert_to_tensor, state)
        if emitted is None:
            emitted = cell.output_size
            sizes = nest.flatten(emitted)
            kinds = [nest.flatten(state)[0].dtype] * len(sizes)
        else:
            parts = nest.flatten(emitted)
            sizes = [p.shape if p.shape.is_fully_defined() else ops.shape(p) for p in parts]
            kinds = [part.dtype for part in parts]
        arrays = [
            TensorArray(
                kind,
                size=0,
                dynamic_size=True,
                element_shape=TensorShape([known]).concatenate(static_size(size)),
                name=f"rnn_output_{number}",
            )
            for number, (kind, size) in enumerate(zip(kinds, sizes, strict=True))
        ]
        nothing = [
            ops.zeros(with_batch(batch_size, size), kind)
            for size, kind in zip(sizes, kinds, strict=True)
        ]
        body = _body(cell, loop_fn, nest.pack_sequence_as(emitted, nothing))
        returned = while_loop(
            lambda _, finished, *rest: ops.logical_not(ops.reduce_all(finished)),
            body,
            [
                time,
                finished,
                first_input,
                nest.pack_sequence_as(emitted, arrays),
                state,
                loop_state,
            ],
            parallel_iterations=parallel_iterations or 32,
            swap_memory=swap_memory,
        )
        emits, final_state, final_loop_state = returned[-3:]
        return emits, final_state, None if no_loop_state else final_loop_state


def _body(cell: Any, loop_fn: Callable[..., Any], zero_emit: Any) -> Callable[..., Any]:
    def body(time: Any, finished: Any, now: Any, arrays: Any, state: Any, loop_state: Any) -> Any:
        output, cell_state = cell(now, state)
        nest.assert_same_structure(state, cell_state)
        nest.assert_same_structure(cell.output_size, output)
        next_time = time + 1
        found = loop_fn(next_time, output, cell_state, loop_state)
        next_finished, next_input, next_state, emit, next_loop_state = found
        nest.assert_same_structure(state, next_state)
        nest.assert_same_structure(now, next_input)
        nest.assert_same_structure(arrays, emit)

        def unless_finished(old: Any, new: Any) -> Any:
            return nest.map_structure(lambda x, y: choose(finished, x, y), old, new)

        emit = unless_finished(zero_emit, emit)
        next_state = unless_finished(state, next_state)
        arrays = nest.map_structure(lambda array, value: array.write(time, value), arrays, emit)
        loop_state = loop_state if next_loop_state is None else next_loop_state
        finished = ops.logical_or(finished, next_finished)
        return next_time, finished, next_input, arrays, next_state, loop_state

    return body


def _batch_size(inputs: list[Tensor]) -> tuple[int | None, Any]:
    """What is known of it, and a number or tensor that says it."""
    known = as_shape(inputs[0].shape)[:1]
    for part in inputs:
        known.assert_is_compatible_with(part.shape[:1])
    size = known.as_list()[0] if known.sizes is not None else None
    return size, ops.shape(inputs[0])[0] if size is None else size  # type: ignore[index]
