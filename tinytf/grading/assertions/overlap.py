"""`overlaps`: two operations of a step may run at the same time."""

from __future__ import annotations

from typing import Any

from tinytf.framework.operation import Operation
from tinytf.framework.stacks import default_sessions
from tinytf.grading.assertions.graph import named, operation, path, path_text
from tinytf.grading.assertions.placing import is_local, short
from tinytf.grading.authoring import Wrong
from tinytf.placement.explain import explain
from tinytf.runtime.pruning import prune
from tinytf.session.feeds import expand_feeds, resolve_feed
from tinytf.session.fetches import FetchPlan

_IDLE = "{} does not run in this step"


def overlaps(
    a: Any, b: Any, fetches: Any = None, sess: Any = None, feed_dict: Any = None, *, hint: str = ""
) -> None:
    """Two operations of one step may run at the same time.

    Decided without a clock: both run in the step, neither waits for the other, and a device that
    does one thing at a time is not asked for both. In a local session the step is then run once,
    node by node, and both are held back as long as anything else can go on: so that a branch that
    is not taken is noticed.

    Args:
      a, b: tensors, variables, operations or names.
      fetches, feed_dict: the step; default: it fetches both. What is fed is waited for by nobody,
        and of a loop one iteration is looked at.
      sess: the session; default: the default one. Without one, or on a cluster, nothing runs.
      hint: what to think about, instead of what is found.

    Raises:
      Wrong: naming both, and what keeps them from it.

    Example:
      >>> x = tf.placeholder(tf.float32, name="x")
      >>> left, right = tf.square(x, name="left"), tf.sqrt(x, name="right")
      >>> tinytf.grading.overlaps(left, right, feed_dict={x: 4.0})
      >>> try:
      ...     tinytf.grading.overlaps(x, left)
      ... except tinytf.grading.Wrong as wrong:
      ...     print(wrong.got)
      left ← x
    """
    one, other = operation(a, is_start=True), operation(b, is_start=True)
    if one is other:
        raise Wrong(f"{named(one)} stands for both", "two operations", "one", hint=hint)
    sess = sess or default_sessions.top()
    wanted = [a, b] if fetches is None else fetches
    plan = FetchPlan(one.graph, wanted)
    fed = {resolve_feed(one.graph, key) for key, _ in expand_feeds(feed_dict or {})}
    needed = prune([*(t.op for t in plan.tensors if t not in fed), *plan.targets], frozenset(fed))
    for op in (one, other):
        if op not in needed:
            hint = hint or "what is fetched does not depend on it"
            raise Wrong(_IDLE.format(named(op)), "both run", "it is not needed", hint=hint)
    for first, second in ((one, other), (other, one)):
        if found := path(first, second, fed=fed, around=False):
            what = f"{named(one)} and {named(other)} never run at the same time"
            what += f": {first.name} waits for {second.name}"
            raise Wrong(what, "neither waits for the other", path_text(found), hint=hint)
    if sess is not None and is_local(sess):
        _check_devices(one, other, sess, hint)
        _hold_back(one, other, wanted, sess, feed_dict, hint)


def _check_devices(one: Operation, other: Operation, sess: Any, hint: str) -> None:
    """A GPU does one thing at a time, and so does a CPU with one inter-op thread."""
    devices = {explain(op, sess).device for op in (one, other)}
    device = short(min(devices))
    threads = sess._backend.config.inter_op_parallelism_threads
    if len(devices) == 1 and ("GPU" in device or threads == 1):
        why = "a GPU does" if "GPU" in device else "with one inter-op thread a CPU does"
        what = f"{named(one)} and {named(other)} are both on {device}: {why} one thing at a time"
        raise Wrong(what, "two devices", device, hint=hint or "put them on different devices")


def _hold_back(
    one: Operation, other: Operation, fetches: Any, sess: Any, feed_dict: Any, hint: str
) -> None:
    """Run the step, with both as late as can be: Wrong if one of them has nothing to do."""
    held = {one.name, other.name}
    alive: set[str] = set()

    def choose(ready: list[Any]) -> int:
        at = [i for i, (unit, _, _) in enumerate(ready) if not _is_of(unit, held)]
        index = at[0] if at else 0
        unit, _, is_dead = ready[index]
        if not at and not is_dead:
            alive.add(unit.op.name)
        return index

    sess.observe(fetches, lambda plan: _Silent(), feed_dict, choose=choose)
    for op in (one, other):
        if op.name not in alive:
            found = "it is in a branch that is not taken"
            raise Wrong(_IDLE.format(named(op)), "both run", found, hint=hint)


def _is_of(unit: Any, names: set[str]) -> bool:
    return unit.feed is None and bool(unit.ops) and unit.op.name in names


class _Silent:
    """An observer that looks at nothing; see `runtime.executor.Observer`."""

    def started(self, propagation: Any, ready: Any) -> None:
        """See `Observer`."""

    def running(self, unit: Any, iteration: Any, dead: bool) -> None:
        """See `Observer`."""

    def finished(self, unit: Any, iteration: Any, results: Any, dead: bool, ready: Any) -> None:
        """See `Observer`."""
