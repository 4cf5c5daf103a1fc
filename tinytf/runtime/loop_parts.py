"""What a loop that is written as code consists of; `loops` tells what that is good for."""

from __future__ import annotations

from dataclasses import dataclass, field

from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
from tinytf.runtime.frames import FrameKey

#: A predicate, and the value it must have.
Literal = tuple[Tensor, int]
#: Conditions that something is under, the outermost first.
Path = tuple[Literal, ...]


@dataclass(slots=True, eq=False)
class Step:
    """One line of a loop.

    Attributes:
      what: an operation, or a loop inside; a Merge when it takes the value of one of its inputs.
      path: the conditions it is under.
      source: of a Merge: which input.
    """

    what: Operation | Loop
    path: Path
    source: int = 0


@dataclass(slots=True, eq=False)
class Loop:
    """A loop that can be written as straight code.

    Attributes:
      ops: everything in it, Enters and Exits and loops inside included, in topological order.
      own: the operations of its frame, without those that route its variables and the condition.
      enters, exits: as they are called. merges: those of the loop's variables.
      condition: the LoopCond.
      inner: the loops inside. outer: the loop around.
      repeated: what runs before the condition is tested, each time.
      body: what runs when the condition holds.
    """

    frame: FrameKey
    ops: list[Operation] = field(default_factory=list)
    own: list[Operation] = field(default_factory=list)
    enters: list[Operation] = field(default_factory=list)
    merges: list[Operation] = field(default_factory=list)
    nexts: list[Operation] = field(default_factory=list)
    exits: list[Operation] = field(default_factory=list)
    conditions: list[Operation] = field(default_factory=list)
    inner: list[Loop] = field(default_factory=list)
    outer: Loop | None = None
    repeated: list[Step] = field(default_factory=list)
    body: list[Step] = field(default_factory=list)

    @property
    def condition(self) -> Operation:
        """The LoopCond."""
        return self.conditions[0]


class NotWritable(Exception):
    """A loop is of another shape, and is left to the frames."""
