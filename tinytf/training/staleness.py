"""How stale gradients are, while it trains; and what can be done about it.

A worker reads the variables, computes a gradient, and applies it. Meanwhile others have applied
theirs: the gradient belongs to values that are gone. Its *staleness* is how many updates came
between; with N workers of one speed that is N - 1 on average.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.indexed_slices import IndexedSlices
from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
from tinytf.ops.array.stack import stack
from tinytf.ops.control_flow.cond import cond
from tinytf.ops.control_flow.grouping import group
from tinytf.ops.math.arithmetic import add, subtract
from tinytf.ops.math.cast import cast
from tinytf.ops.math.comparison import less_equal
from tinytf.ops.math.division import floormod, truediv
from tinytf.ops.variables.initializers import Constant
from tinytf.ops.variables.parts import count_up_to
from tinytf.ops.variables.scope import get_variable
from tinytf.training.global_step import get_global_step
from tinytf.training.optimizer import GradsAndVars, Optimizer

#: What a log holds where no gradient has been written yet.
_NOTHING = -1


@dataclass(frozen=True, slots=True)
class Gradient:
    """One gradient that was computed.

    Attributes:
      worker: whose it is.
      read: how many updates there had been when the worker read the variables.
      now: how many there had been when the gradient was there.
      dropped: whether it was too old, and not applied.

    Example:
      >>> Gradient(worker=1, read=7, now=9).staleness
      2
    """

    worker: int
    read: int
    now: int
    dropped: bool = False

    @property
    def staleness(self) -> int:
        """How many updates came between."""
        return self.now - self.read


class StalenessLog:
    """The gradients that a `StalenessOptimizer` has seen, the last `keep` of them.

    Attributes:
      gradients: `Gradient`s, as they came. total: how many came in all.
      workers: how many different workers they are of.

    Example:
      >>> StalenessLog([Gradient(0, 0, 0), Gradient(1, 0, 1), Gradient(0, 1, 2)], total=3)
      3 gradients of 2 workers were on average 0.67 updates old (N - 1 = 1), at most 1.
        0 updates old:      1  ██████████
        1 update old:       2  ████████████████████
    """

    def __init__(self, gradients: Iterable[Gradient], total: int):
        self.gradients = tuple(gradients)
        self.total = total
        self.workers = len({gradient.worker for gradient in self.gradients})

    @property
    def histogram(self) -> dict[int, int]:
        """Staleness to how many gradients had it, of those that were applied."""
        ages = (g.staleness for g in self.gradients if not g.dropped)
        return dict(sorted(Counter(ages).items()))

    @property
    def dropped(self) -> int:
        """How many were too old, and dropped."""
        return sum(gradient.dropped for gradient in self.gradients)

    @property
    def mean(self) -> float:
        """The mean staleness of those that were applied; NaN if none was."""
        ages = self.histogram
        number = sum(ages.values())
        return sum(age * count for age, count in ages.items()) / number if number else float("nan")

    def __repr__(self) -> str:
        return "\n".join([self.headline, *self._bars()])

    @property
    def headline(self) -> str:
        """What there is to say, in a sentence."""
        ages = self.histogram
        if not self.gradients:
            return "No gradient has come yet."
        workers = _count(self.workers, "worker")
        if not ages:
            return f"All {_count(self.dropped, 'gradient')} of {workers} were too old, and dropped."
        text = (
            f"{_count(sum(ages.values()), 'gradient')} of {workers} were on average "
            f"{self.mean:.2f} updates old (N - 1 = {self.workers - 1}), at most {max(ages)}."
        )
        if self.dropped:
            were = "was" if self.dropped == 1 else "were"
            text += f" {self.dropped} more {were} too old, and dropped."
        return text

    def _bars(self) -> Iterable[str]:
        ages = self.histogram
        most = max(ages.values(), default=1)
        for age, count in ages.items():
            label = f"{_count(age, 'update')} old:"
            yield f"  {label:<15}{count:>6}  {'█' * max(1, round(20 * count / most))}"


class StalenessOptimizer(Optimizer):
    """Wraps an optimizer for asynchronous training, and writes down how stale each gradient was.

    The log is a variable beside the global step, on its parameter server: all workers write into
    it, each can read it. The remedies of asynchronous training are switches: drop what is too old,
    or scale it down. (The others need nothing of their own: a lower rate, and
    `tf.train.GlobalStepWaiterHook`, which lets one worker warm up alone.)

    What it adds to a graph are TensorFlow's own operations. TensorFlow has no such optimizer.

    Args:
      optimizer: what applies the gradients.
      worker: the number of this worker (between graphs, the task's index).
      drop_above: a gradient that is older than so many updates is not applied; None: all are.
      scale: whether a gradient that is s updates old is multiplied by 1 / (1 + s).
      keep: how many gradients the log holds.
      name: of the operations built.

    Raises:
      TypeError: if `optimizer` is none. ValueError: for a negative number.

    Example:
      >>> step = tf.train.create_global_step()
      >>> loss = tf.square(tf.get_variable("v", initializer=5.0))
      >>> optimizer = StalenessOptimizer(tf.train.GradientDescentOptimizer(0.1))
      >>> train_op = optimizer.minimize(loss, step)
      >>> sess.run(tf.global_variables_initializer())
      >>> for _ in range(4):
      ...     sess.run(train_op)
      >>> optimizer.log(sess)  # one worker alone is never late
      4 gradients of 1 worker were on average 0.00 updates old (N - 1 = 0), at most 0.
        0 updates old:      4  ████████████████████
    """

    def __init__(
        self,
        optimizer: Optimizer,
        worker: int = 0,
        drop_above: int | None = None,
        scale: bool = False,
        keep: int = 1000,
        name: str = "Staleness",
    ):
        if not isinstance(optimizer, Optimizer):
            raise TypeError(
                f"optimizer must be a tf.train.Optimizer, such as "
                f"tf.train.GradientDescentOptimizer(0.1), not {optimizer!r}."
            )
        for argument, value in [("worker", worker), ("drop_above", drop_above), ("keep", keep - 1)]:
            if value is not None and value < 0:
                least = 1 if argument == "keep" else 0
                got = value + least
                raise ValueError(f"{argument} must be a whole number from {least} on, not {got}.")
        super().__init__(use_locking=False, name=name)
        self._optimizer = optimizer
        self._worker, self._drop_above, self._scale = worker, drop_above, scale
        self._keep = keep
        self._read: Tensor | None = None
        self._log: Any = None
        self._total: Any = None

    def compute_gradients(self, loss: Any, *args: Any, **kwargs: Any) -> list[tuple[Any, Any]]:
        """As of the optimizer within; and which updates the variables have had is read."""
        step = _the_global_step()
        with step.graph.colocate_with(step.op), step.graph.name_scope(self._name):
            self._read = _value_now(step, "read")
        return self._optimizer.compute_gradients(loss, *args, **kwargs)

    def apply_gradients(
        self, grads_and_vars: GradsAndVars, global_step: Any = None, name: str | None = None
    ) -> Operation:
        """As of the optimizer within; and how stale the gradients are is written down.

        Raises:
          ValueError: without `compute_gradients` before, or without the graph's global step.
        """
        pairs = list(grads_and_vars)
        read, step = self._read, _the_global_step()
        if read is None:
            raise ValueError(
                "apply_gradients of a StalenessOptimizer needs its own compute_gradients before: "
                "that one builds what reads the global step when the variables are read."
            )
        if global_step is not step:
            raise ValueError(
                "Staleness is counted in updates: give minimize or apply_gradients the graph's "
                f"global step, global_step=tf.train.get_global_step(), not {global_step!r}."
            )
        self._make_log(step)
        with step.graph.name_scope(name or self._name) as scope:
            age = _age(pairs, read, step)
            if self._scale:
                pairs = [(_scaled(gradient, age), variable) for gradient, variable in pairs]
            if self._drop_above is None:
                return self._apply(pairs, read, step, scope)
            is_fresh = less_equal(age, self._drop_above, name="is_fresh")
            with step.graph.control_dependencies(None):
                self._optimizer._create_slots([v for g, v in pairs if g is not None])
            applied = cond(
                is_fresh,
                lambda: _true_after(self._apply(pairs, read, step, "apply")),
                lambda: _true_after(self._write(read, add(read, age), dropped=True)),
            )
            return group(applied, name=scope)

    def log(self, sess: Any) -> StalenessLog:
        """What has been written down, by all workers, from the session's parameter server.

        Raises:
          ValueError: before `minimize`.
        """
        if self._log is None:
            raise ValueError("There is no log yet: call minimize first, which builds it.")
        rows, total = sess.run([self._log, self._total])
        last = [rows[n % self._keep] for n in range(max(0, total - self._keep), total)]
        gradients = (
            Gradient(int(worker), int(read), int(now), bool(dropped))
            for worker, read, now, dropped in last
            if worker != _NOTHING  # counted already, but not written yet
        )
        return StalenessLog(gradients, int(total))

    def get_slot(self, var: Any, name: str) -> Any:
        return self._optimizer.get_slot(var, name)

    def get_slot_names(self) -> list[str]:
        return self._optimizer.get_slot_names()

    def variables(self) -> list[Any]:
        return self._optimizer.variables()

    def _make_log(self, step: Any) -> None:
        how: dict[str, Any] = {"dtype": dtypes.int64, "trainable": False}
        with step.graph.control_dependencies(None), step.graph.colocate_with(step.op):
            name = self._name.lower()
            start = Constant(_NOTHING, dtypes.int64)
            self._log = get_variable(f"{name}/log", [self._keep, 4], initializer=start, **how)
            start = Constant(0, dtypes.int64)
            self._total = get_variable(f"{name}/total", [], initializer=start, **how)

    def _apply(self, pairs: list[Any], read: Tensor, step: Any, scope: str) -> Operation:
        """Apply, count, and write down how many updates came between."""
        graph = step.graph
        updated = self._optimizer.apply_gradients(pairs)
        with graph.control_dependencies([updated]), graph.colocate_with(step.op):
            return group(self._write(read, cast(_count_on(step), dtypes.int64)), name=scope)

    def _write(self, read: Tensor, now: Tensor, dropped: bool = False) -> Operation:
        """A row of the log: indivisible, whoever writes at the same time."""
        with self._log.graph.colocate_with(self._log.op):
            number = _count_on(self._total)
            values = (self._worker, read, now, dropped)
            row = stack([cast(value, dtypes.int64) for value in values])
            return self._log.scatter_update(IndexedSlices(row, floormod(number, self._keep)))


def _the_global_step() -> Any:
    step = get_global_step()
    if step is None:
        raise ValueError(
            "Staleness is counted in updates, which the global step counts, and this graph has "
            "none: call tf.train.get_or_create_global_step() before."
        )
    return step


def _age(pairs: list[Any], read: Tensor, step: Any) -> Tensor:
    """How many updates have come since the variables were read, once all gradients are there."""
    computed = [gradient for gradient, _ in pairs if gradient is not None]
    with step.graph.control_dependencies([_op_of(gradient) for gradient in computed]):
        with step.graph.colocate_with(step.op):
            return subtract(_value_now(step, "now"), read, name="age")


def _value_now(step: Any, name: str) -> Tensor:
    """The global step's value at this place, int64.

    A sum, because what only passes a variable on does not look before its value is used.
    """
    return add(cast(step.read_value(), dtypes.int64), 0, name=name)


def _count_on(counter: Any) -> Tensor:
    """Add 1, and give what it was before: indivisible, which `assign_add` and a read are not."""
    return count_up_to(counter, counter.dtype.base_dtype.max)


def _op_of(gradient: Any) -> Operation:
    return (gradient.values if isinstance(gradient, IndexedSlices) else gradient).op


def _scaled(gradient: Any, age: Tensor) -> Any:
    if gradient is None:
        return None
    if isinstance(gradient, IndexedSlices):
        values = _scaled(gradient.values, age)
        return IndexedSlices(values, gradient.indices, gradient.dense_shape)
    return truediv(gradient, cast(add(age, 1), gradient.dtype))


def _true_after(op: Any) -> Tensor:
    operation = getattr(op, "op", op)
    with operation.graph.control_dependencies([operation]):
        return convert_to_tensor(True)


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"
