"""Moving averages of variables. Mirrors tensorflow/python/training/moving_averages.py."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.graph_keys import GraphKeys
from tinytf.framework.operation import Operation
from tinytf.framework.stacks import get_default_graph
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.control_flow.grouping import group
from tinytf.ops.math.arithmetic import minimum
from tinytf.ops.math.cast import cast
from tinytf.ops.math.power import pow as power_of
from tinytf.ops.variables import state
from tinytf.ops.variables.current_scope import get_variable_scope
from tinytf.ops.variables.initializers import Zeros
from tinytf.ops.variables.scope import get_variable, variable_scope
from tinytf.ops.variables.variable import (
    Variable,
    global_variables,
    moving_average_variables,
    trainable_variables,
)
from tinytf.training import slot_creator

_FLOATS = (dtypes.bfloat16, dtypes.float16, dtypes.float32, dtypes.float64)


def assign_moving_average(
    variable: Any, value: Any, decay: Any, zero_debias: bool = True, name: str | None = None
) -> Any:
    """Move a variable towards a value: `variable -= (1 - decay) * (variable - value)`.

    Args:
      variable: the average so far.
      value: a tensor of its shape.
      decay: how much of the average stays, a number or scalar below 1.
      zero_debias: whether the average started at zero, which is corrected for then: two more
        variables, "biased" and "local_step", are kept for that.
      name: of the scope.

    Returns:
      the new average, as of `tf.assign`.
    """
    with op_scope(name, "AssignMovingAvg", (variable, value, decay)) as scope:
        part = convert_to_tensor(1.0 - decay, name="decay")
        if part.dtype != variable.dtype.base_dtype:
            part = cast(part, variable.dtype.base_dtype)
        if zero_debias:
            return _without_bias(variable, value, part)
        return state.assign_sub(variable, (variable - value) * part, name=scope)


def _without_bias(average: Any, value: Any, part: Any) -> Any:
    """The average of what was seen, corrected for its start at zero."""
    settings = {"dtype": average.dtype.base_dtype, "initializer": Zeros(), "trainable": False}
    graph = get_default_graph()
    with variable_scope(average.name.partition(":")[0], values=[average, value, part]):
        with graph.colocate_with(average.op):
            biased = get_variable(_free_name("biased"), shape=average.shape, **settings)
            steps = get_variable(_free_name("local_step"), shape=[], **settings)
    now: Any = state.assign_sub(biased, (biased - value) * part)
    count = steps.assign_add(1)
    stayed: Any = power_of(1.0 - part, count)
    factor = 1 - stayed
    scope = graph.get_name_scope() + "/"
    return state.assign(average, now / factor, name=scope)


def _free_name(name: str) -> str:
    scope = get_variable_scope()
    if scope.reuse:
        return name
    taken = {variable.op.name for variable in scope.global_variables()}
    full, number = f"{scope.name}/{name}", 0
    while (full if number == 0 else f"{full}_{number}") in taken:
        number += 1
    return name if number == 0 else f"{name}_{number}"


class ExponentialMovingAverage:
    """Averages of variables over the steps of training, which often do better than the last values.

    TensorFlow: `tf.train.ExponentialMovingAverage`. `average -= (1 - decay) * (average - value)`
    after each step; each average is a variable beside its own ("w/ExponentialMovingAverage").

    Args:
      decay: how much of the averages stays in a step, 0.999 for example.
      num_updates: the number of steps so far, which makes early averages move faster:
        the decay is then at most (1 + num_updates) / (10 + num_updates).
      zero_debias: whether averages of tensors (which start at zero) are corrected for that.
      name: of the averages.

    Example:
      >>> v = tf.Variable(1.0)
      >>> average = tf.train.ExponentialMovingAverage(0.5)
      >>> update = average.apply([v])
      >>> sess.run(tf.global_variables_initializer())
      >>> sess.run(v.assign(3.0)), sess.run(update), sess.run(average.average(v))  # (3., None, 2.)
    """

    def __init__(
        self,
        decay: Any,
        num_updates: Any = None,
        zero_debias: bool = False,
        name: str = "ExponentialMovingAverage",
    ):
        self._decay = decay
        self._num_updates = num_updates
        self._zero_debias = zero_debias
        self._name = name
        self._averages: dict[Any, Variable] = {}

    @property
    def name(self) -> str:
        """The name of the averages."""
        return self._name

    def apply(self, var_list: Iterable[Any] | None = None) -> Operation:
        """An operation that updates the averages; run it after each step of training.

        Args:
          var_list: variables and tensors; by default the trainable variables. A variable's average
            starts at its initial value, and the variable joins MOVING_AVERAGE_VARIABLES; a
            tensor's starts at zero.

        Raises:
          TypeError: if one of them is not of floating type.
        """
        given = trainable_variables() if var_list is None else list(var_list)
        debiased = set()
        for var in given:
            if var.dtype.base_dtype not in _FLOATS:
                raise TypeError(f"The variables must be half, float, or double: {var.name}")
            if var in self._averages:
                continue
            with var.graph.control_dependencies(None):
                self._averages[var] = self._start(var)
            if not isinstance(var, Variable) and self._zero_debias:
                debiased.add(var)
        with get_default_graph().name_scope(self.name) as scope:
            decay: Any = convert_to_tensor(self._decay, dtype=dtypes.float32, name="decay")
            if self._num_updates is not None:
                updates_so_far = self._num_updates
                count: Any = cast(updates_so_far, dtypes.float32, name="num_updates")
                decay = minimum(decay, (1.0 + count) / (10.0 + count))
            updates = [
                assign_moving_average(self._averages[var], var, decay, var in debiased)
                for var in given
            ]
            return group(*updates, name=scope)

    def _start(self, var: Any) -> Variable:
        if not isinstance(var, Variable):
            of_variable = var.op.type in ("Variable", "VariableV2", "VarHandleOp")
            return slot_creator.create_zeros_slot(var, self.name, colocate=of_variable)
        with var.graph.device(var.device):
            initial = var.initialized_value()
        average = slot_creator.create_slot(var, initial, self.name)
        var.graph.add_to_collection(GraphKeys.MOVING_AVERAGE_VARIABLES, var)
        return average

    def average(self, var: Any) -> Variable | None:
        """The variable with the average of `var`; None if `apply` did not get it."""
        return self._averages.get(var)

    def average_name(self, var: Any) -> str:
        """The name that the average of `var` has, or would have, in a checkpoint."""
        if var in self._averages:
            return self._averages[var].op.name
        name = f"{var.name.partition(':')[0]}/{self.name}"
        return get_default_graph().unique_name(name, mark_as_used=False)

    def variables_to_restore(self, moving_avg_variables: Any = None) -> dict[str, Any]:
        """Names in a checkpoint -> variables that should be read from there.

        For a program that uses the averages in place of the values: each variable that has an
        average is read from the average's name, every other one from its own.

        Args:
          moving_avg_variables: which have averages; by default the trainable variables and those
            in MOVING_AVERAGE_VARIABLES.
        """
        if moving_avg_variables is None:
            moving_avg_variables = [*trainable_variables(), *moving_average_variables()]
        averaged = dict.fromkeys(moving_avg_variables)
        names = {self.average_name(variable): variable for variable in averaged}
        own = {variable.name for variable in averaged}
        for variable in dict.fromkeys(global_variables()):
            if variable.name not in own and variable.op.name not in names:
                names[variable.op.name] = variable
        return names
