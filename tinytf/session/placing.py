"""Where the operations of a session are: the devices, the placer, and what stays where it was."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tinytf.devices.device import Device
from tinytf.framework.errors import InvalidArgumentError
from tinytf.framework.graph import Graph
from tinytf.framework.operation import Operation
from tinytf.placement.messages import device_log_lines, device_mapping
from tinytf.placement.placement import Placement
from tinytf.placement.simple import place
from tinytf.runtime.partition import Devices

if TYPE_CHECKING:
    from tinytf.placement.cost_model_switch import CostModelPlacer


class SessionPlacer:
    """Places graphs on the devices of a session, and again whenever they have grown.

    As in TensorFlow the whole graph is placed, not only what a step needs, unless
    `graph_options.place_pruned_graph` is set. Stateful operations stay where they were.
    Not thread-safe: the backend holds its lock.

    Args:
      devices: the session's, the first CPU first. task: the full name of their task.
      config: the session's `ConfigProto`. pruned: place only what each step needs.
    """

    def __init__(self, devices: Sequence[Device], task: str, config: Any, pruned: bool = False):
        self.devices = list(devices)
        self._task, self._config = task, config
        self._pruned = pruned or config.graph_options.place_pruned_graph
        self._by_name = {device.name: device for device in devices}
        #: the placer by a cost model, if the configuration asks for it
        self.by_cost = _cost_model_placer(config)
        #: grows when the costs of operations become known: plans made before are out of date
        self.generation = 0
        #: graph -> (its version, the placement of all of it)
        self._placed: weakref.WeakKeyDictionary[Graph, tuple[Any, Placement | None]] = (
            weakref.WeakKeyDictionary()
        )
        #: graph -> (its changes, its version) when no operation in it asked for anything
        self._without_requests: weakref.WeakKeyDictionary[Graph, tuple[int, int]] = (
            weakref.WeakKeyDictionary()
        )
        #: stateful operations, by graph and name
        self._kept: weakref.WeakKeyDictionary[Graph, dict[str, str]] = weakref.WeakKeyDictionary()
        self._logged: set[tuple[int, str]] = set()
        if config.log_device_placement:
            print(device_mapping(device.attributes for device in devices))

    @property
    def is_measuring(self) -> bool:
        """Whether the costs of operations are to be learned from the trace of the next step."""
        return self.by_cost is not None and self.by_cost.is_measuring

    def learn(self, step_stats: Any) -> None:
        """Learn what operations cost; graphs are placed again when that is known."""
        if self.by_cost is not None and self.by_cost.learn(step_stats):
            self._placed.clear()
            self.generation += 1

    def devices_of(self, ops: Sequence[Operation]) -> Devices | None:
        """Where the operations of a step run; None: all of them on the first CPU.

        Raises:
          InvalidArgumentError: if some operation of the graph cannot be placed.
        """
        if not ops:
            return None
        graph = ops[0].graph
        is_alone = len(self.devices) == 1 and not self._config.log_device_placement
        if is_alone and not self._pruned and self._asks_for_nothing(graph):
            return None
        if self._pruned:
            placement = self._place(graph, ops)
        else:
            version = (graph._changes, graph.version)
            known = self._placed.get(graph)
            if known is None or known[0] != version:
                try:
                    placement = self._place(graph, graph.get_operations())
                except InvalidArgumentError as error:
                    raise self._beside_the_step(error, graph, ops) from None
                self._placed[graph] = (version, placement)
            else:
                placement = known[1]
        if placement is None:
            return None
        home, decisions, by_name = self.devices[0], placement.decisions, self._by_name
        if all(decisions[op.name].device == home.name for op in ops):
            return None
        return Devices(home, lambda op: by_name[decisions[op.name].device])

    def placement(self, graph: Graph, ops: Sequence[Operation] | None = None) -> Placement:
        """The placement of a graph, or of some operations of it, with the reasons."""
        return self._run_placer(graph, graph.get_operations() if ops is None else ops)

    def _place(self, graph: Graph, ops: Sequence[Operation]) -> Placement | None:
        """None if there is nothing to decide, and nothing that could go wrong."""
        if len(self.devices) == 1 and not self._config.log_device_placement:
            if not any(op._device or "_class" in op.attrs for op in ops):
                return None
        placement = self._run_placer(graph, ops)
        kept = self._kept.setdefault(graph, {})
        for op in ops:
            if op.op_def.is_stateful:
                kept[op.name] = placement.device_of(op.name)
        if self._config.log_device_placement:
            self._log(graph, placement)
        return placement

    def _asks_for_nothing(self, graph: Graph) -> bool:
        """Whether no operation of a graph has a request; looks at those that are new to it only."""
        changes, seen = self._without_requests.get(graph, (graph._changes, 0))
        if changes != graph._changes:
            seen = 0
        new = graph.operations_since(seen)
        if any(op._device or "_class" in op.attrs for op in new):
            return False
        self._without_requests[graph] = graph._changes, seen + len(new)
        return True

    def _run_placer(self, graph: Graph, ops: Sequence[Operation]) -> Placement:
        placer = place if self.by_cost is None else self.by_cost.place
        return placer(
            ops,
            [device.attributes for device in self.devices],
            task=self._task,
            allow_soft_placement=self._config.allow_soft_placement,
            kept=self._kept.get(graph, {}),
        )

    def _beside_the_step(
        self, error: InvalidArgumentError, graph: Graph, ops: Sequence[Operation]
    ) -> InvalidArgumentError:
        """The error; it says so, if what the step needs could be placed and the graph cannot."""
        try:
            self._run_placer(graph, ops)
        except InvalidArgumentError:
            return error
        text = (
            f"{error.message}\nWhat this step needs could be placed by itself, but TensorFlow "
            f"places the whole graph, all that was built in it. If what is above is left from an "
            f"earlier try, start a new graph: tf.reset_default_graph(), and build anew. "
            f"tf.ConfigProto(graph_options=tf.GraphOptions(place_pruned_graph=True)) places only "
            f"what a step needs."
        )
        return type(error)(text, error.op).with_traceback(error.__traceback__)

    def _log(self, graph: Graph, placement: Placement) -> None:
        """Print what was not printed before, into the notebook cell."""
        for line in device_log_lines(placement):
            if (id(graph), line) not in self._logged:
                self._logged.add((id(graph), line))
                print(line)


def _cost_model_placer(config: Any) -> CostModelPlacer | None:
    if not config.graph_options.rewrite_options.custom_optimizers:
        return None
    from tinytf.placement.cost_model_switch import CostModelPlacer

    return CostModelPlacer.of(config)
