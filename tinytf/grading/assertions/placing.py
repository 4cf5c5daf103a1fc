"""`placed_on`: where an operation really is."""

from __future__ import annotations

from typing import Any

from tinytf.framework.device_spec import DeviceSpec
from tinytf.framework.operation import Operation
from tinytf.framework.stacks import default_sessions
from tinytf.grading.assertions.graph import named, operation
from tinytf.grading.authoring import Wrong
from tinytf.placement.explain import Explanation, explain
from tinytf.placement.partial_devices import Partial, matches, parse
from tinytf.protos import config_pb2
from tinytf.session.session import Session


def wanted_device(text: str) -> Partial:
    """A device as checks write it: "/job:ps/task:0", "/gpu:1", or "GPU:1".

    Raises:
      ValueError: for what names no device.
    """
    spec = text if text.startswith("/") else f"/device:{text}"
    found = parse(DeviceSpec.from_string(spec).to_string())
    if found is None:
        raise ValueError(f"{text!r} names no device; write '/job:ps/task:0', '/gpu:1' or 'GPU:1'.")
    return found


def is_on(device: str, wanted: Partial) -> bool:
    """Whether the full name of a device has all parts that are wanted."""
    full = parse(device)
    return full is not None and matches(wanted, full)


def short(device: str) -> str:
    """A full name without what says nothing: "GPU:0" on this machine, "ps:0 CPU:0" elsewhere."""
    spec = DeviceSpec.from_string(device)
    task = "" if spec.job in (None, "localhost") else f"{spec.job}:{spec.task} "
    return f"{task}{spec.device_type}:{spec.device_index}"


def placed_on(
    op: Any,
    device: str,
    sess: Any = None,
    *,
    fetches: Any = None,
    feed_dict: Any = None,
    hint: str = "",
) -> None:
    """An operation is on a device: where the placer puts it, whatever was asked for.

    In a local session nothing runs: the session is asked where it places the operation, soft
    placement and colocation included. On a cluster one step runs, and the parts are looked at that
    the master gave to the tasks.

    Args:
      op: a tensor, a variable, an operation or a name.
      device: a device or a part of its name: "/job:ps/task:0", "/gpu:1", "GPU:1".
      sess: the session; default: the default one, or a new local one.
      fetches, feed_dict: on a cluster, the step; default: it fetches `op`.
      hint: what to think about, instead of why it is where it is.

    Raises:
      Wrong: naming the operation, both devices, and why it is there. ValueError: if `device` names
        none, or if the step does not run `op`.

    Example:
      >>> with tf.device("/cpu:0"):
      ...     x = tf.constant(1.0, name="x")
      >>> tinytf.grading.placed_on(x, "/cpu:0")
      >>> tinytf.grading.placed_on(x, "CPU:0", tf.Session())
      >>> try:
      ...     tinytf.grading.placed_on(x, "GPU:0")
      ... except tinytf.grading.Wrong as wrong:
      ...     print(wrong.message, wrong.expected, wrong.got)
      x (Const) is on another device GPU:0 CPU:0
    """
    wanted, found = wanted_device(device), operation(op)
    sess = sess or default_sessions.top()
    if sess is not None and not is_local(sess):
        there, why = _on_cluster(found, sess, op if fetches is None else fetches, feed_dict), ""
    elif sess is not None:
        there, why = _explained(explain(found, sess), found, sess, wanted)
    else:
        with Session(graph=found.graph) as mine:
            there, why = _explained(explain(found, mine), found, mine, wanted)
    if not there:
        raise Wrong(f"{named(found)} can be on no device", device, "none", hint=hint or why)
    if not is_on(there, wanted):
        asked = f"it asked for {found.device}" if found.device else "it asked for no device"
        raise Wrong(
            f"{named(found)} is on another device", device, short(there), hint=hint or why or asked
        )


def is_local(sess: Any) -> bool:
    """Whether a session's operations are placed in this process."""
    return hasattr(sess._backend, "placement")


def _explained(told: Explanation, op: Operation, sess: Any, wanted: Partial) -> tuple[str, str]:
    """The device, and the reasons in a line: why there, and why not where it should be."""
    facts = dict(told.facts)
    titles = ("asked for", "chosen because", "the error")
    lines = [f"{title}: {facts[title][0].strip()}" for title in titles if title in facts]
    names = [short(device.name) for device in sess.list_devices() if is_on(device.name, wanted)]
    if not names:
        lines.append("this session has no such device")
    for refused in facts.get("not possible", ()):
        if op.device and refused.startswith(tuple(names)):
            lines.append(f"not possible on {refused}")
    return told.device, "; ".join(lines)


def _on_cluster(op: Operation, sess: Any, fetches: Any, feed_dict: Any) -> str:
    seen = config_pb2.RunMetadata()
    options = config_pb2.RunOptions(output_partition_graphs=True)
    sess.run(fetches, feed_dict, options, seen)
    nodes = [node for part in seen.partition_graphs for node in part.node]
    for node in nodes:
        if node.name == op.name:
            return str(node.device)
    raise ValueError(
        f"The step did not run {named(op)}, so it was placed nowhere: it is fed, or not needed. "
        f"Name other fetches: placed_on(..., fetches=...)."
    )
