"""Variables with moving averages beside them. Mirrors contrib/opt's moving_average_optimizer.py."""

from __future__ import annotations

from typing import Any

from tinytf.framework.scope_functions import control_dependencies
from tinytf.ops.control_flow.grouping import group
from tinytf.ops.variables.variable import global_variables
from tinytf.training.contrib_opt.wrapper import Wrapper
from tinytf.training.moving_averages import ExponentialMovingAverage
from tinytf.training.optimizer import Optimizer
from tinytf.training.saver import Saver


class MovingAverageOptimizer(Wrapper):
    """Keeps averages of the variables it trains, and saves them (TensorFlow: `tf.contrib.opt`).

    Args:
      opt: the optimizer that takes the steps.
      average_decay, num_updates: as of `tf.train.ExponentialMovingAverage`.
      sequential_update: whether averages move after the step, not beside it.

    Example:
      >>> w = tf.get_variable("w", initializer=4.0)
      >>> sgd = tf.train.GradientDescentOptimizer(0.25)
      >>> optimizer = tf.contrib.opt.MovingAverageOptimizer(sgd, average_decay=0.5)
      >>> train_op = optimizer.minimize(w * w)
      >>> saver = optimizer.swapping_saver()
      >>> sess.run(tf.global_variables_initializer())
      >>> sess.run(train_op)
      >>> path = saver.save(sess, "./averages")
      >>> float(sess.run(w)), float(tf.train.load_variable(path, "w"))
      (2.0, 3.0)
    """

    def __init__(
        self,
        opt: Optimizer,
        average_decay: Any = 0.9999,
        num_updates: Any = None,
        sequential_update: bool = True,
    ):
        super().__init__(opt, False, opt.get_name())
        self._ema = ExponentialMovingAverage(average_decay, num_updates=num_updates)
        self._sequential_update = sequential_update
        #: a variable and its average: each one's name -> the other
        self._swapped: dict[str, Any] | None = None

    def apply_gradients(
        self, grads_and_vars: Any, global_step: Any = None, name: str | None = None
    ) -> Any:
        """Those of the optimizer inside; the averages move."""
        pairs = list(grads_and_vars)
        step = self._opt.apply_gradients(pairs, global_step=global_step, name=name)
        variables = [var for grad, var in pairs if grad is not None]
        with control_dependencies([step] if self._sequential_update else []):
            averages = self._ema.apply(variables)
        self._swapped = {}
        for var in variables:
            average: Any = self._ema.average(var)
            self._swapped |= {var.op.name: average, average.op.name: var}
        return group(step, averages, name="train_with_avg")

    def swapping_saver(
        self, var_list: Any = None, name: str = "swapping_saver", **kwargs: Any
    ) -> Saver:
        """A saver that writes averages under the names of their variables, for evaluation.

        Args:
          var_list: what is saved, a list or dict; by default all. name: of its operations.
          kwargs: of `tf.train.Saver`.

        Raises:
          RuntimeError: before `minimize`. ValueError: if `var_list` lacks an average.
        """
        if self._swapped is None:
            raise RuntimeError(
                "Must call apply_gradients or minimize before creating the swapping_saver"
            )
        given = global_variables() if var_list is None else var_list
        named = given if isinstance(given, dict) else {var.op.name: var for var in given}
        saved = {key: self._swapped.get(var.op.name, var) for key, var in named.items()}
        there = {var.op.name for var in named.values()}
        for var in saved.values():
            if var.op.name not in there:
                raise ValueError(
                    f"Variable to swap {var.op.name} is not part of variables to save. "
                    f"This breaks MovingAverageOptimizer."
                )
        return Saver(saved, name=name, **kwargs)
