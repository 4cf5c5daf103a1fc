"""One step of a network, of sequences that have different lengths; and what the loops share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from tinytf.framework import nest
from tinytf.framework.scope_functions import colocate_with
from tinytf.framework.stacks import get_default_graph
from tinytf.framework.tensor import Tensor
from tinytf.ops.array.where import where
from tinytf.ops.control_flow.cond import cond
from tinytf.ops.reduce.reduction import reduce_max, reduce_min
from tinytf.ops.tensor_array.tensor_array import TensorArray
from tinytf.ops.variables.current_scope import VariableScope


class Lengths(NamedTuple):
    """How many steps the sequences of a batch have, [batch]; and of them, least and most."""

    each: Tensor
    shortest: Any
    longest: Any


def lengths_of(each: Tensor) -> Lengths:
    """With the operations that find the least and the most."""
    return Lengths(each, reduce_min(each), reduce_max(each))


def step(
    time: Any,
    lengths: Lengths,
    zero_output: Any,
    state: Any,
    call_cell: Callable[[], tuple[Any, Any]],
    skip_conditionals: bool = False,
) -> tuple[Any, Any]:
    """A cell's output and next state; zeros and the same state for sequences that have ended.

    Args:
      time: the number of the step. lengths: of the sequences.
      zero_output: the output after the end. state: before the step.
      call_cell: the step itself.
      skip_conditionals: whether to compute the step, and to choose row by row, in any case;
        otherwise nothing is computed after the end of the longest sequence, nor chosen before that
        of the shortest.
    """
    zero_outputs, states = nest.flatten(zero_output), nest.flatten(state)
    has_ended = time >= lengths.each

    def called() -> list[Any]:
        output, new_state = call_cell()
        nest.assert_same_structure(zero_output, output)
        nest.assert_same_structure(state, new_state)
        return nest.flatten(output) + nest.flatten(new_state)

    def chosen(new: list[Any]) -> list[Any]:
        pairs = zip(zero_outputs + states, new, strict=True)
        return [choose(has_ended, old, value) for old, value in pairs]

    def called_and_chosen() -> Any:
        new = called()
        return cond(time < lengths.shortest, lambda: new, lambda: chosen(new))

    if skip_conditionals:
        results = chosen(called())
    else:
        results = cond(time >= lengths.longest, lambda: zero_outputs + states, called_and_chosen)
        results = [results] if len(zero_outputs + states) == 1 else results
    for result, old in zip(results, zero_outputs + states, strict=True):
        if not isinstance(result, TensorArray):
            result.set_shape(old.shape)
    count = len(zero_outputs)
    return (
        nest.pack_sequence_as(zero_output, results[:count]),
        nest.pack_sequence_as(state, results[count:]),
    )


def choose(has_ended: Tensor, old: Any, new: Any) -> Any:
    """Rows of `old` where a sequence has ended, else of `new`; of arrays and scalars, `new`."""
    if isinstance(old, TensorArray) or old.shape.ndims == 0:
        return new
    with colocate_with(new):
        return where(has_ended, old, new)


def cache_variables(scope: VariableScope) -> None:
    """Have the scope's variables read once for a step of the session, where they are."""
    context = get_default_graph()._scopes.flow
    in_loop = context is not None and context.while_context() is not None
    if not in_loop and scope.caching_device is None:
        scope.set_caching_device(lambda op: op.device)


def initial_state(cell: Any, given: Any, batch_size: Any, dtype: Any) -> Any:
    """The state that was given, or zeros.

    Raises:
      ValueError: if neither a state nor a dtype was given.
    """
    if given is not None:
        return given
    if not dtype:
        raise ValueError(
            "If no initial_state is provided, argument `dtype` must be specified: that of the "
            "state, such as dtype=tf.float32."
        )
    if getattr(cell, "get_initial_state", None) is not None:
        return cell.get_initial_state(inputs=None, batch_size=batch_size, dtype=dtype)
    return cell.zero_state(batch_size, dtype)


def state_dtype(explicit: Any, state: Any) -> Any:
    """The dtype of outputs: what was given, else that of the state.

    Raises:
      ValueError: if the state has none, or several.
    """
    if explicit is not None:
        return explicit
    kinds = [part.dtype for part in nest.flatten(state)]
    if not kinds:
        raise ValueError(f"Unable to infer dtype from argument state={state}.")
    if any(kind != kinds[0] for kind in kinds):
        raise ValueError(
            f"Argument state={state} has tensors of different inferred dtypes. Unable to infer a "
            f"single representative dtype. Dtypes received: {kinds}. Give the argument dtype."
        )
    return kinds[0]


def check_lengths(lengths: Tensor) -> None:
    """Raise ValueError if lengths are no vector."""
    if lengths.shape.ndims not in (None, 1):
        raise ValueError(
            "Argument sequence_length must be a vector of length batch_size. Received "
            f"sequence_length={lengths} of shape: {lengths.shape}. It has one length for each "
            "sequence of the batch: tf.fill([batch_size], n) if all are of one length."
        )
