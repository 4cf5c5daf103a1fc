"""The cost model: what operations cost on devices, and a TensorFlow graph as work."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property

import numpy as np

from tinytf.framework.device_spec import DeviceSpec
from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
from tinytf.simulation.amounts import STATE, VIEWS, Amount, amount_of, size_of
from tinytf.simulation.measured import Measured
from tinytf.simulation.rates import Rates, default_rates
from tinytf.simulation.work import Work


class Costs:
    """What operations cost: measured where they were, else static, from types and shapes.

    An operation that was measured on one type of device costs on another as much more or less as
    the static model says. One that was never measured costs what the static model says, times the
    typical (median) ratio of measured to static cost of those that were. But what a measured
    operation needs and was not measured itself costs nothing: it was optimised away, folded into
    a constant for example.

    Args:
      rates: by device type or full name; what is missing is assumed, see `rates.py`.
      measured: None for nothing.

    Example:
      >>> from tinytf.simulation.costs import Costs
      >>> product = tf.matmul(tf.zeros([1000, 1000]), tf.zeros([1000, 1000])).op
      >>> f'{Costs().seconds(product, "/device:CPU:0") * 1e3:.1f} ms'
      '40.0 ms'
    """

    def __init__(self, rates: Mapping[str, Rates] | None = None, measured: Measured | None = None):
        self.rates = dict(rates or {})
        self.measured = measured or Measured()
        self._amounts: dict[Operation, Amount] = {}
        self._rates: dict[str, Rates] = {}
        self._ratio: dict[str, float] = {}
        self._optimised_away: set[Operation] = set()

    def rates_of(self, device: str) -> Rates:
        """The rates of a device by its full name."""
        rates = self._rates.get(device)
        if rates is None:
            kind = DeviceSpec.from_string(device).device_type or "CPU"
            rates = self.rates.get(device) or self.rates.get(kind) or default_rates(kind)
            self._rates[device] = rates
        return rates

    def static_seconds(self, op: Operation, device: str) -> float:
        """What the static model says, whatever was measured."""
        amount = self._amounts.get(op)
        if amount is None:
            amount = self._amounts[op] = amount_of(op)
        if not amount.runs:
            return 0.0
        return self.rates_of(device).seconds(amount.dense, amount.functions, amount.size)

    def seconds(self, op: Operation, device: str) -> float:
        """What an operation costs in a step, on a device by its full name."""
        static = self.static_seconds(op, device)
        measured = self.measured.seconds.get(op.name)
        if measured is not None and static:
            there = f"/device:{self.measured.device_type[op.name]}:0"
            if _type_of(there) == _type_of(device):
                return measured
            return measured * static / self.static_seconds(op, there)
        if op in self._optimised_away:
            return 0.0
        return static * self._ratio.get(_type_of(device), 1.0)

    def size(self, tensor: Tensor) -> float:
        """The bytes of a tensor: measured, or from its static shape."""
        known = self.measured.sizes.get((tensor.op.name, tensor.value_index))
        return float(size_of(tensor)) if known is None else known

    def calibrate(self, ops: Collection[Operation]) -> None:
        """Find out how static and measured costs compare, and what was optimised away."""
        ratios: dict[str, list[float]] = {}
        for op in ops:
            measured = self.measured.seconds.get(op.name)
            if measured is not None:
                kind = self.measured.device_type[op.name]
                static = self.static_seconds(op, f"/device:{kind}:0")
            if measured is not None and static:
                ratios.setdefault(kind, []).append(measured / static)
        self._ratio = {kind: float(np.median(found)) for kind, found in ratios.items()}
        measured_ops = [op for op in ops if op.name in self.measured.seconds]
        needed = needed_by(measured_ops)
        self._optimised_away = {op for op in needed if op.name not in self.measured.seconds}

    @cached_property
    def is_measured(self) -> bool:
        """Whether anything was."""
        return bool(self.measured.seconds)


def needed_by(ops: Iterable[Operation]) -> set[Operation]:
    """Operations and all that they need, directly and indirectly."""
    waiting = list(ops)
    found = set(waiting)
    while waiting:
        op = waiting.pop()
        for source in (*(t.op for t in op.inputs), *op._controls):
            if source not in found:
                found.add(source)
                waiting.append(source)
    return found


def _type_of(device: str) -> str:
    return device.rpartition("/device:")[2].partition(":")[0]


def work_of(ops: Sequence[Operation], costs: Costs, feasible: Mapping[str, Sequence[str]]) -> Work:
    """A graph, or a part of it, as work for a simulated execution of one step.

    Every operation runs once: a branch that will not be taken counts, and the body of a loop
    counts once (or, measured, as often as it ran). What comes around a loop is not waited for, nor
    what comes from operations that are not among `ops`.

    Args:
      ops: the operations, producers first; what comes from a later one is not waited for.
      feasible: the devices on which each can run, by its name.

    Returns:
      The work; its nodes are named as the operations.
    """
    costs.calibrate(ops)
    work = Work()
    known: set[Operation] = set()
    for op in ops:
        inputs = [t for t in op.inputs if t.op in known]
        work.add(
            op.name,
            {device: costs.seconds(op, device) for device in feasible[op.name]},
            inputs=[(t.op.name, t.value_index) for t in inputs],
            after=[control.name for control in op._controls if control in known],
            outputs=[costs.size(t) for t in op.outputs],
            kept=op.type in STATE,
            shares_input=op.type in VIEWS or _gives_reference(op),
        )
        known.add(op)
    return work


def _gives_reference(op: Operation) -> bool:
    return bool(op.inputs) and any(t.dtype._is_ref_dtype for t in op.outputs)
