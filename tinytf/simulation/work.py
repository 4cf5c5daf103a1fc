"""Work: a graph of nodes, what each costs on which device, and what they pass to each other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

#: Seconds on every device, or by the name of the device; one that is missing cannot run the node.
Seconds = float | Mapping[str, float]


@dataclass(slots=True)
class Tensor:
    """What a node passes on.

    Attributes:
      producer: the number of its node. size: in bytes.
      consumers: the numbers of the nodes that wait for it, each once.
      kept: it stays in memory to the end: it is fetched, or the state of a variable.
    """

    producer: int
    size: float
    consumers: list[int] = field(default_factory=list)
    kept: bool = False


@dataclass(slots=True)
class Node:
    """One piece of work; `Work.add` makes them.

    Attributes:
      name: unique. seconds: see `Seconds`.
      inputs, outputs: numbers of tensors; `inputs` with those that only order (size 0).
      shares_input: its outputs are (in) the memory of its first input and take none of their own.
    """

    name: str
    seconds: Seconds
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    shares_input: bool = False


class Work:
    """A graph of work. A node is added after all that it needs, so there are no cycles.

    Attributes:
      nodes: in the order they were added. tensors: what they pass on.

    Example:
      >>> from tinytf.simulation.work import Work
      >>> work = Work()
      >>> work.add("load", 0.010, outputs=[4_000_000])
      >>> work.add("train", {"cpu": 0.500, "gpu": 0.020}, inputs=["load"])
      >>> [node.name for node in work.nodes]
      ['load', 'train']
    """

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.tensors: list[Tensor] = []
        self._numbers: dict[str, int] = {}
        self._signals: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self.nodes)

    def number_of(self, name: str) -> int:
        """The number of a node by its name; KeyError if there is none."""
        return self._numbers[name]

    def add(
        self,
        name: str,
        seconds: Seconds,
        inputs: Iterable[str | tuple[str, int]] = (),
        after: Iterable[str] = (),
        outputs: Sequence[float] = (0.0,),
        kept: bool = False,
        shares_input: bool = False,
    ) -> None:
        """Add a node.

        Args:
          name: unique. seconds: a number, or a number for each device that can run it.
          inputs: what it takes: the name of a node for its output 0, or (name, output).
          after: nodes that must have ended before, though it takes nothing from them.
          outputs: the size of each output in bytes.
          kept: its outputs stay in memory to the end.
          shares_input: its outputs are views of its first input.

        Raises:
          ValueError: if the name is taken, a size or time is negative, or an input is unknown.
        """
        if name in self._numbers:
            raise ValueError(f"There is a node named {name!r} already: names are unique")
        times = seconds.values() if isinstance(seconds, Mapping) else (seconds,)
        if not times or not all(t >= 0 for t in times) or not all(size >= 0 for size in outputs):
            raise ValueError(
                f"Node {name!r} takes {seconds!r} seconds and gives {list(outputs)} bytes: there "
                f"must be a time for at least one device, and nothing may be negative"
            )
        number = len(self.nodes)
        taken = [self._tensor(name, source) for source in inputs]
        taken += [self._signal(self._node(name, source)) for source in after]
        needed = tuple(dict.fromkeys(taken))
        first = len(self.tensors)
        self.tensors.extend(Tensor(number, float(size), kept=kept) for size in outputs)
        given = tuple(range(first, len(self.tensors)))
        self.nodes.append(Node(name, seconds, needed, given, shares_input and bool(taken)))
        self._numbers[name] = number
        for tensor in needed:
            self.tensors[tensor].consumers.append(number)

    def _node(self, user: str, source: str) -> int:
        number = self._numbers.get(source)
        if number is None:
            raise ValueError(f"Node {user!r} needs {source!r}, which has not been added before it")
        return number

    def _tensor(self, user: str, source: str | tuple[str, int]) -> int:
        name, output = (source, 0) if isinstance(source, str) else source
        outputs = self.nodes[self._node(user, name)].outputs
        if not 0 <= output < len(outputs):
            raise ValueError(
                f"Node {user!r} needs output {output} of {name!r}, which has {len(outputs)}"
            )
        return outputs[output]

    def _signal(self, number: int) -> int:
        """The tensor without bytes that says that a node has ended."""
        if number not in self._signals:
            self._signals[number] = len(self.tensors)
            self.tensors.append(Tensor(number, 0.0))
        return self._signals[number]

    def sent_when_ended(self, number: int) -> tuple[int, ...]:
        """The numbers of all tensors of a node: its outputs, and the signal that it has ended."""
        signal = self._signals.get(number)
        outputs = self.nodes[number].outputs
        return outputs if signal is None else (*outputs, signal)
