"""The switch of the cost-model placer: in a session's configuration, where servers see it too.

TensorFlow never released its placer, so `ConfigProto` has no field for it. It is asked for where
TensorFlow lets one ask for rewriters by name: `graph_options.rewrite_options.custom_optimizers`
has one named "CostModelPlacer", whose parameters are

    names, seconds ...      what was measured, see `simulation/measured.py`
    rates/CPU, rates/GPU    dense, functions, memory, start: see `simulation/rates.py`

`graph_options.build_cost_model` and `build_cost_model_after` are TensorFlow's own fields: how many
steps to measure, and how many to let pass before.

What a session has to do, all of it:

    placer = CostModelPlacer.of(config)      # None: the simple placer
    placement = placer.place(ops, devices, task=..., allow_soft_placement=..., kept=...)

and, while `placer.is_measuring`, trace every step and give it `placer.learn(metadata)`. When that
returns True the costs have just become known: what was placed before is placed again, and plans
are compiled again (operations with state are `kept`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple
from typing import Any

from tinytf.devices.device import DeviceAttributes
from tinytf.framework.errors import InvalidArgumentError
from tinytf.framework.operation import Operation
from tinytf.placement.cost_model import Links, place_by_cost
from tinytf.placement.placement import Placement
from tinytf.protos import config_pb2
from tinytf.simulation.costs import Costs, needed_by
from tinytf.simulation.measured import Measured
from tinytf.simulation.rates import Rates, beside_measurements

NAME = "CostModelPlacer"
_RATES = "rates/"


def use_cost_model(
    config: Any = None, measured: Any = None, rates: Mapping[str, Rates] | None = None
) -> Any:
    """A session configuration under which operations are placed by a cost model.

    Args:
      config: what else is wanted, a `ConfigProto`; it is not changed.
      measured: what operations really take: a `RunMetadata` with a trace (FULL_TRACE) or a list of
        these; or how many of the session's first steps to measure, not counting the very first:
        it initialises variables, or warms up. By default costs are static: from types and shapes.
      rates: by device type, to be used instead of the assumed ones:
        `{"CPU": tinytf.simulation.rates.measure_cpu()}`.

    Returns:
      A `ConfigProto` for `tf.Session` or `tf.train.Server`.

    Raises:
      ValueError: if a `RunMetadata` has no trace, or the number of steps is negative.
      TypeError: if `measured` or `rates` is something else.

    Example:
      >>> from tinytf.placement.cost_model_switch import use_cost_model
      >>> config = use_cost_model(tf.ConfigProto(device_count={"CPU": 2}))
      >>> with tf.Session(config=config) as session:
      ...     len(session.list_devices())
      2
    """
    result = config_pb2.ConfigProto()
    if config is not None:
        result.CopyFrom(config)
    options = result.graph_options
    others = [o for o in options.rewrite_options.custom_optimizers if o.name != NAME]
    del options.rewrite_options.custom_optimizers[:]
    options.rewrite_options.custom_optimizers.extend(others)
    parameters = options.rewrite_options.custom_optimizers.add(name=NAME).parameter_map
    for kind, figures in _by_device_type(rates).items():
        parameters[_RATES + kind].list.f.extend(astuple(figures)[:4])
    options.build_cost_model = options.build_cost_model_after = 0
    if measured is None:
        return result
    if isinstance(measured, int) and not isinstance(measured, bool):
        if measured < 0:
            raise ValueError(f"The number of steps to measure cannot be negative, got {measured}")
        options.build_cost_model, options.build_cost_model_after = measured, 1
    else:
        _measured(measured).write_to(parameters)
    return result


def _by_device_type(rates: Any) -> Mapping[str, Rates]:
    """What was given as rates, checked."""
    if rates is None:
        return {}
    if not isinstance(rates, Mapping) or not all(isinstance(r, Rates) for r in rates.values()):
        raise TypeError(
            "rates= goes by the type of device, "
            '{"CPU": tinytf.simulation.rates.measure_cpu()} for example, got '
            f"{rates!r} of type {type(rates).__name__}"
        )
    return rates


def _measured(steps: Any) -> Measured:
    steps = [steps] if hasattr(steps, "step_stats") else steps
    try:
        found = Measured.from_steps(steps)
    except (TypeError, AttributeError):
        raise TypeError(
            f"measured= is a tf.RunMetadata, a list of these, or a number of steps to measure, "
            f"got {steps!r} of type {type(steps).__name__}"
        ) from None
    if not found.seconds:
        raise ValueError(
            "There is no trace in the RunMetadata given as measured=. Run the step with "
            "sess.run(..., options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), "
            "run_metadata=metadata)"
        )
    return found


class CostModelPlacer:
    """The placer of one session; see the module for what the session has to do.

    Attributes:
      costs: the cost model. links: between devices; by default assumed.
      is_measuring: whether steps have still to be measured.
    """

    def __init__(
        self,
        costs: Costs | None = None,
        steps: int = 0,
        skipped: int = 0,
        links: Links | None = None,
    ):
        self.costs, self.links = costs or Costs(), links
        self._steps, self._to_skip = steps, skipped
        self._seen: list[Any] = []

    @classmethod
    def of(cls, config: Any) -> CostModelPlacer | None:
        """The placer that a `ConfigProto` asks for; None if it does not.

        Raises:
          InvalidArgumentError: if its parameters contradict each other.
        """
        for optimizer in config.graph_options.rewrite_options.custom_optimizers:
            if optimizer.name == NAME:
                parameters = optimizer.parameter_map
                try:
                    costs = Costs(_rates(parameters), Measured.read_from(parameters))
                except ValueError as error:
                    raise InvalidArgumentError(
                        f"The parameters of {NAME} do not fit: {error}."
                    ) from None
                options = config.graph_options
                return cls(costs, options.build_cost_model, options.build_cost_model_after)
        return None

    @property
    def is_measuring(self) -> bool:
        """Whether the next step is to be traced for `learn`."""
        return len(self._seen) < self._steps

    def learn(self, metadata: Any) -> bool:
        """Take in the trace of a step, a `RunMetadata` or its `StepStats`.

        Returns:
          True if it was the last that was wanted: graphs should be placed again.
        """
        if len(self._seen) >= self._steps:
            return False
        if self._to_skip > 0:
            self._to_skip -= 1
            return False
        self._seen.append(metadata)
        if len(self._seen) < self._steps:
            return False
        self.costs = Costs(self.costs.rates, Measured.from_steps(self._seen))
        return True

    def place(
        self,
        ops: Sequence[Operation],
        devices: Sequence[DeviceAttributes],
        *,
        task: str,
        allow_soft_placement: bool = False,
        kept: Mapping[str, str] | None = None,
    ) -> Placement:
        """As the simple placer's `place`; see `place_by_cost`.

        Once anything was measured, what counts is the measured step: the operations that ran, and
        what they need. Static costs are counted as if one step ran the whole graph.
        """
        costs = self.costs
        if costs.measured.seconds:
            assumed = beside_measurements(device.description for device in devices)
            costs = Costs({**assumed, **costs.rates}, costs.measured)
        return place_by_cost(
            ops,
            devices,
            task=task,
            allow_soft_placement=allow_soft_placement,
            kept=kept or {},
            costs=costs,
            links=self.links,
            step=self.step_of(ops),
        )

    def step_of(self, ops: Sequence[Operation]) -> list[Operation] | None:
        """The operations that count, or None for all."""
        seconds = self.costs.measured.seconds
        needed = needed_by(op for op in ops if op.name in seconds)
        return [op for op in ops if op in needed] or None


def _rates(parameters: Mapping[str, Any]) -> dict[str, Rates]:
    found = {}
    for key, value in parameters.items():
        if key.startswith(_RATES):
            figures = list(value.list.f)
            if len(figures) != 4 or not all(f > 0 for f in figures):
                raise ValueError(f"{key} needs four positive numbers, got {figures}")
            dense, functions, memory, start = figures
            found[key.removeprefix(_RATES)] = Rates(dense, functions, memory, start, "given")
    return found
