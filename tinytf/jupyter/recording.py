"""One step of the real executor, written down: which node ran where and when, every counter.

The step runs once, in the given session, with its variables: node by node and unoptimised (an
optimised step would have folded a lesson's graph away). What is kept are counters, times and short
texts, no arrays, so a recording may outlive the session. `recorder` writes it, `steering` chooses
what runs next where somebody wants it another way, `words` says it in sentences.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from tinytf.framework.stacks import default_sessions, get_default_graph, session_for
from tinytf.jupyter.picture import Picture
from tinytf.jupyter.words import describe_value
from tinytf.runtime.executor import Observer
from tinytf.runtime.plan import Plan
from tinytf.session.session import Session

__all__ = ["Change", "Event", "Lane", "Recording", "Run", "Shard", "describe_value", "graph_of"]
__all__ += ["record"]

#: What is recorded at most. A step may be longer; it is run to its end in any case.
MOST_EVENTS = 2000
#: More threads than this teach nothing, and nobody can tell so many lanes apart.
MOST_THREADS = 16
#: A node waits, is ready, runs, has run; is blocked in a kernel that waits; was skipped; has
#: failed.
WAITING, READY, RUNNING, DONE = "waiting", "ready", "running", "done"
BLOCKED, SKIPPED, FAILED, FED = "blocked", "skipped", "failed", "fed"

_STATE_AFTER = {"take": RUNNING, "run": DONE, "skip": SKIPPED, "block": BLOCKED, "fail": FAILED}


@dataclass(frozen=True, slots=True)
class Change:
    """A node's counter in one iteration, after an event: how many inputs it still waits for."""

    node: int
    count: int
    iteration: str


@dataclass(frozen=True, slots=True)
class Event:
    """What happened, and what it changed.

    Attributes:
      kind: "start", "take" (with several threads: a thread takes a node from the queue), "run",
        "skip", "block", "fail" or "end".
      node: index into `Recording.names`; -1 for the start and the end.
      iteration: of loops around the node: "3", "2.5" in nested ones, "" outside of loops.
      changes: counters that went down, and those of an iteration that began.
      ready: (node, iteration) that joined the ready queue, in order.
      values: what the node computed: "x:0 = float32 () 3.0".
      text: all of it in a sentence.
      time: in ns, since the step began.
      run: index into `Recording.runs`, -1 if it is about none.
    """

    kind: str
    node: int
    iteration: str
    changes: tuple[Change, ...]
    ready: tuple[tuple[int, str], ...]
    values: tuple[str, ...]
    text: str
    time: int = 0
    run: int = -1


@dataclass(frozen=True, slots=True)
class Shard:
    """A part of one kernel's work.

    Attributes:
      lane: index into `Recording.intra_op`; -1: on the thread that runs the kernel.
      start, end: in ns, since the step began.
    """

    lane: int
    start: int
    end: int


@dataclass(slots=True)
class Run:
    """One node in one iteration: from when it became ready to its end. Times in ns of the step.

    Attributes:
      node, iteration: as in `Event`.
      kind: how it ended: "run", "skip" or "fail"; "" if the recording ends before.
      lane: the device, an index into `Recording.lanes`. thread: an index into `Recording.threads`.
      ready, taken, ended: when it joined the ready queue, left it, and was done; ended is -1 if
        the recording ends before.
      needs: the runs (by index) that have to be over before: those which bring its inputs.
      also: further ones, for which it waits in other ways: an iteration or a loop must be over.
      released: of a kernel that waited (a dequeue): the run that ended its waiting; else -1.
      blocked: whether its kernel waited without holding a thread.
      shards: what the intra-op pool ran of it.
    """

    node: int
    iteration: str
    lane: int
    thread: int
    ready: int
    taken: int
    ended: int = -1
    kind: str = ""
    needs: tuple[int, ...] = ()
    also: tuple[int, ...] = ()
    released: int = -1
    blocked: bool = False
    shards: tuple[Shard, ...] = ()


@dataclass(frozen=True, slots=True)
class Lane:
    """A device of the step.

    Attributes:
      name: in short, "CPU:0". is_stream: whether it runs one node at a time, in order (a GPU).
      is_simulated: whether it only plays its part.
      stream: which of its streams, if it is not the one that computes: "h2d", "d2h" or "d2d".
    """

    name: str
    is_stream: bool = False
    is_simulated: bool = False
    stream: str = ""

    @property
    def title(self) -> str:
        """The name, and what kind of lane it is."""
        return (
            f"{self.place}, in-order stream" if self.is_stream and not self.stream else self.place
        )

    @property
    def place(self) -> str:
        """The name, for a sentence."""
        copies = {"h2d": "to the GPU", "d2h": "to the host", "d2d": "from another GPU"}
        end = f", copies {copies[self.stream]}" if self.stream else ""
        simulated = " (simulated)" if self.is_simulated else ""
        return f"{self.name}{simulated}{end}"


@dataclass(slots=True)
class Recording:
    """A step as it happened.

    Attributes:
      names: the operations of the pruned graph, in an order in which they could run.
      counters: what each waits for when the step begins; the same order.
      fed: the keys of nodes that stand for fed values, with these values in words.
      picture: the drawing of it all.
      events: in order; the first is the start.
      values: what was fetched, in the structure of the fetches; None if the step failed.
      error: what the step raised, or None.
      cut: how many further events happened that were not recorded.
      runs: every node in every iteration, in the order in which they were taken.
      threads: the inter-op threads, the calling one first. intra_op: the other threads that ran
        shards. lanes: the devices.
      lines: of each operation, the line that built it, "" if unknown.
      order: who chose what runs next: "" (the executor), "order" or "seed 3".
      types: of each operation, its op type.
      clock: a name that no other recording has: instruments that show this one keep together by it.
    """

    names: list[str]
    counters: list[int]
    fed: dict[str, str]
    picture: Picture
    events: list[Event] = field(default_factory=list)
    values: Any = None
    error: BaseException | None = None
    cut: int = 0
    runs: list[Run] = field(default_factory=list)
    threads: list[str] = field(default_factory=lambda: ["calling thread"])
    intra_op: list[str] = field(default_factory=list)
    lanes: list[Lane] = field(default_factory=lambda: [Lane("CPU:0")])
    lines: list[str] = field(default_factory=list)
    order: str = ""
    types: list[str] = field(default_factory=list)
    clock: str = field(default_factory=lambda: uuid4().hex[:12])

    @property
    def is_complete(self) -> bool:
        """Whether every event was recorded."""
        return self.cut == 0

    def count(self, kind: str) -> int:
        """How many events of a kind there are."""
        return sum(event.kind == kind for event in self.events)

    def counts_after(self, number: int) -> dict[str, int]:
        """The counter of every node after event `number`: in the iteration seen last."""
        counts = dict(zip(self.names, self.counters, strict=True))
        for event in self.events[: number + 1]:
            for change in event.changes:
                counts[self.names[change.node]] = change.count
        return counts

    def states_after(self, number: int) -> dict[str, str]:
        """The state of every node after event `number`, likewise."""
        ended = {}
        for event in self.events[: number + 1]:
            if event.node >= 0:
                ended[self.names[event.node]] = _STATE_AFTER[event.kind]
        queued = {name for name, _ in self.queue_after(number)}
        states = dict.fromkeys(self.fed, FED)
        for name, count in self.counts_after(number).items():
            # In a loop, a node that has run may already wait for its next iteration.
            waits = name not in ended or (count > 0 and ended[name] != RUNNING)
            states[name] = READY if name in queued else WAITING if waits else ended[name]
        return states

    def queue_after(self, number: int) -> list[tuple[str, str]]:
        """The ready queue after event `number`: (node, iteration), the oldest first."""
        queue: list[tuple[int, str]] = []
        for event in self.events[: number + 1]:
            if (event.node, event.iteration) in queue:
                queue.remove((event.node, event.iteration))
            queue.extend(event.ready)
        return [(self.names[node], iteration) for node, iteration in queue]


def record(
    fetches: Any, feed_dict: Any = None, session: Any = None, threads: int = 1, order: Any = None
) -> Recording:
    """Run a step once and write down how it went.

    Args:
      fetches, feed_dict: as for `Session.run`.
      session: a local session; by default the default one, or one made for this step.
      threads: how many inter-op threads run it, the calling one included.
      order: which ready node is taken next: names of operations, in a list, or a number, the seed
        of a random order; default: as the executor does it, the oldest first.

    Returns:
      the recording. A step that failed has its error in `Recording.error`.

    Raises:
      ValueError, TypeError: for a session of another graph, for fetches and feeds that make no
        sense, for an order with names that are not in the step, for less than one thread.
      UnimplementedError: for a session whose steps run on a server.

    Example:
      >>> recording = record(total, session=sess)  # doctest: +SKIP
      >>> recording.events[1].text  # doctest: +SKIP
      'a (Const) ran: a:0 = float32 () 3.0. total still waits for 1 input.'
    """
    from tinytf.jupyter.recorder import Recorder
    from tinytf.jupyter.steering import steering_by

    steering = steering_by(order)
    _check_threads(threads)
    graph = graph_of(fetches)
    if session is None and default_sessions.top() is None:
        # Nothing was computed yet, so no session's variables can be meant: one for this step does.
        with Session(graph=graph) as session:
            return record(fetches, feed_dict, session, threads, order)
    session = session_for(graph, session, "watch a step", "watch()")
    recorders: list[Recorder] = []

    def make_observer(plan: Plan) -> Observer:
        recorder = Recorder(plan, session, feed_dict or {}, threads, steering)
        recorders.append(recorder)
        return recorder

    how: dict[str, Any] = {} if threads == 1 else {"threads": threads}
    if steering is not None:
        how["choose"] = steering.choose
    try:
        values = session.observe(fetches, make_observer, feed_dict, **how)
    except Exception as error:
        if not recorders or not recorders[0].has_started:
            raise  # nothing ran: the fetches or feeds are to blame
        return recorders[0].failed(error)
    return recorders[0].ended(values)


def _check_threads(threads: Any) -> None:
    if isinstance(threads, bool) or not isinstance(threads, int):
        raise TypeError(f"threads must be a whole number, got {threads!r}")
    if not 1 <= threads <= MOST_THREADS:
        raise ValueError(
            f"A step can be watched on 1 to {MOST_THREADS} threads, the calling one included; got "
            f"threads={threads}"
        )


def given_session(session: Any, form: str = "what is run first: (fetches, session=sess)") -> Any:
    """The session, or the default one, or None; TypeError for what is none."""
    if session is None or hasattr(session, "_backend"):
        return default_sessions.top() if session is None else session
    raise TypeError(f"The session must be a tf.Session, got {session!r}: write {form}")


def graph_of(fetches: Any) -> Any:
    """The graph of the first fetch that has one; the default graph if all are names."""
    if hasattr(fetches, "make_callable"):
        raise TypeError(f"A session runs, and is not run. Got {fetches!r}: (fetches, session=sess)")
    items = [fetches]
    while items:
        item = items.pop(0)
        if isinstance(item, dict):
            items.extend(item.values())
        elif isinstance(item, list | tuple):
            items.extend(item)
        elif getattr(item, "graph", None) is not None:
            return item.graph
    session = default_sessions.top()
    return get_default_graph() if session is None else session.graph
