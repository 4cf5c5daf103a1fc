"""Optimising the graph of a step, before it is compiled.

step_graph   a copy of the step's graph, which may be changed
folding      constants
arithmetic   operations that give back their input
duplicates   the same computed twice
unused       computed, but not taken by anybody
fusion       a chain of element-wise operations works in one array; done when code is written

`optimise` runs them in this order. A session switches them by `tf.GraphOptions`; see `Passes`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
from tinytf.runtime.optimise.arithmetic import simplify
from tinytf.runtime.optimise.duplicates import Duplicates
from tinytf.runtime.optimise.folding import fold
from tinytf.runtime.optimise.step_graph import Change, StepGraph
from tinytf.runtime.optimise.unused import drop_unused

__all__ = ["NO_PASSES", "Change", "Passes", "StepGraph", "optimise"]

_OFF = 2  # RewriterConfig.OFF
_LOWEST = -1  # OptimizerOptions.L0
_FEWEST = 4
_NOT_REWRITES = ("late_receives", "min_graph_nodes")


@dataclass(frozen=True)
class Passes:
    """Which optimisations run; the names are those of TensorFlow's `RewriterConfig`.

    Example:
      >>> config = tf.ConfigProto()
      >>> config.graph_options.rewrite_options.constant_folding = 2  # OFF
      >>> tinytf.runtime.optimise.Passes.of(config).constant_folding
      False
    """

    constant_folding: bool = True
    arithmetic_optimization: bool = True
    common_subgraph_elimination: bool = True
    dependency_optimization: bool = True
    remapping: bool = True
    #: not of the graph but of what it is partitioned into; see `runtime.late_receives`
    late_receives: bool = False
    #: graphs with fewer operations run as they are
    min_graph_nodes: int = 0

    @classmethod
    def of(cls, config: Any) -> Passes:
        """What a `ConfigProto` switches on.

        `graph_options.rewrite_options` switches each by its name, and all by
        `disable_meta_optimizer`; `optimizer_options.opt_level = L0` switches all off as well. As in
        TensorFlow, a graph of fewer than four operations is not worth it, if `min_graph_nodes`
        does not say otherwise (-1: always). `enable_recv_scheduling` is on its own.
        """
        options = config.graph_options
        rewrites, late = options.rewrite_options, options.enable_recv_scheduling
        if rewrites.disable_meta_optimizer or options.optimizer_options.opt_level == _LOWEST:
            return replace(NO_PASSES, late_receives=late)
        names = [field.name for field in fields(cls) if field.name not in _NOT_REWRITES]
        switches = {name: getattr(rewrites, name) != _OFF for name in names}
        least = rewrites.min_graph_nodes or _FEWEST
        return cls(**switches, late_receives=late, min_graph_nodes=least)


NO_PASSES = Passes(False, False, False, False, False)


def optimise(
    ops: Sequence[Operation],
    feeds: Iterable[Tensor],
    fetches: Sequence[Tensor],
    targets: Iterable[Operation],
    passes: Passes,
) -> StepGraph:
    """The graph of a step, optimised.

    Args:
      ops: the pruned operations, producers first. feeds, fetches, targets: the signature.
      passes: what to do.
    """
    graph = StepGraph(ops, feeds, fetches, targets)
    duplicates = Duplicates()
    for op in graph.ops:
        graph.resolve(op)
        done = passes.constant_folding and fold(graph, op)
        done = done or (passes.arithmetic_optimization and simplify(graph, op))
        if not done and passes.common_subgraph_elimination:
            duplicates.merge(graph, op)
    if passes.dependency_optimization:
        drop_unused(graph)
    graph.finish()
    return graph
