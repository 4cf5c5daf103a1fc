"""What lessons need again and again: how a run ended, what a dataset holds, which is faster."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from timeit import timeit
from typing import TYPE_CHECKING, Any

import numpy as np

from tinytf.distributed.inspection import look
from tinytf.framework.device_spec import DeviceSpec
from tinytf.framework.errors import OpError, OutOfRangeError
from tinytf.jupyter.recording import given_session
from tinytf.protos.config_pb2 import RunMetadata, RunOptions
from tinytf.session.session import Session

if TYPE_CHECKING:
    from tinytf.distributed.local_cluster import LocalCluster


def attempt(session: Any, fetches: Any, feed_dict: Any = None, seconds: float = 1.0) -> Any:
    """Run a step, and give it up after some seconds.

    Args:
      session: a `tf.Session`. fetches, feed_dict: as for its `run`.
      seconds: how long the step may wait.

    Returns:
      what it gives, as plain Python; or the name of its error: "DeadlineExceededError" for a step
      that was given up.

    Raises:
      TypeError, ValueError: for what cannot be run at all, as `run` does.

    Example:
      >>> from tinytf.jupyter import attempt
      >>> with tf.Session() as sess:
      ...     attempt(sess, tf.FIFOQueue(3, tf.int32, shapes=[[]]).dequeue(), seconds=0.1)
      'DeadlineExceededError'
    """
    options = RunOptions(timeout_in_ms=round(seconds * 1000))
    session = given_session(session, "attempt(sess, fetches)")
    try:
        return plain(session.run(fetches, feed_dict, options=options))
    except OpError as error:
        return type(error).__name__


def elements(dataset: Any) -> list[Any]:
    """All elements of a dataset as plain Python, taken out by a session of its own.

    Raises:
      TypeError: for what is no dataset. ValueError: for more elements than a notebook shows.
      What the dataset raises, and what `make_one_shot_iterator` does.

    Example:
      >>> from tinytf.jupyter import elements
      >>> elements(tf.data.Dataset.range(5).batch(2))
      [[0, 1], [2, 3], [4]]
    """
    if not hasattr(dataset, "make_one_shot_iterator"):
        raise TypeError(f"elements() takes a tf.data.Dataset, got {dataset!r}")
    element = dataset.make_one_shot_iterator().get_next()
    taken: list[Any] = []
    with Session() as session:
        while len(taken) < 100_000:
            try:
                taken.append(plain(session.run(element)))
            except OutOfRangeError:
                return taken
    raise ValueError("Over 100,000 elements, perhaps without an end: elements(dataset.take(10))")


def ratio(one: Callable[[], Any], other: Callable[[], Any], tries: int = 5) -> float:
    """How long `one` takes for each second of `other`: the best of some tries, by turns.

    Example:
      >>> from tinytf.jupyter import ratio
      >>> ratio(lambda: sum(range(100)), lambda: sum(range(100_000))) < 1
      True
    """
    if not (callable(one) and callable(other)):
        raise TypeError("ratio() times functions: ratio(lambda: sess.run(a), lambda: sess.run(b))")
    best: dict[Callable[[], Any], float] = {}
    for run in [one, other] * tries:
        taken = timeit(run, number=1)
        best[run] = min(taken, best.get(run, taken))
    return best[one] / best[other]


def tell(what: str, ratio: float, free: float = 0.85) -> None:
    """Print how long something takes for each second on one processor, and judge the number.

    Args:
      ratio: as `ratio` gives it. free: from here on, the second processor was no help.

    Example:
      >>> tell("two branches", 0.92)
      two branches: 0.92 of the time on one processor; the second one was busy: run me again
    """
    busy = "" if ratio < free else "; the second one was busy: run me again"
    print(f"{what}: {ratio:.2f} of the time on one processor{busy}")


def warm(session: Any, fetches: Any, feed_dict: Any) -> Callable[[], Any]:
    """Run a step thirty times, so that its session has learnt what it costs; the step to measure.

    Example:
      >>> ratio(warm(two, total, feeds), warm(one, total, feeds))  # doctest: +SKIP
      0.52
    """
    for _ in range(30):
        session.run(fetches, feed_dict)
    return lambda: session.run(fetches, feed_dict)


def plain(value: Any) -> Any:
    """Lists, numbers and texts in place of arrays and bytes.

    Example:
      >>> plain((np.arange(2), b"two"))
      ([0, 1], 'two')
    """
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, tuple | list):
        return type(value)(map(plain, value))
    if isinstance(value, dict):
        return {name: plain(part) for name, part in value.items()}
    return plain(value.tolist()) if isinstance(value, np.ndarray | np.generic) else value


def ran_on(session: Any, fetches: Any) -> dict[str, str]:
    """Which task of a cluster ran each operation of a step: {"loss": "worker:0"}.

    What the master puts in between tasks, to send and receive, is left out.

    Example:
      >>> ran_on(sess, loss)["weights"]  # doctest: +SKIP
      'ps:0'
    """
    seen = RunMetadata()
    options = RunOptions(output_partition_graphs=True)
    session.run(fetches, options=options, run_metadata=seen)
    nodes = [node for part in seen.partition_graphs for node in part.node]
    return {node.name: _task_of(node.device) for node in nodes if node.op not in ("_Send", "_Recv")}


def sent(cluster: LocalCluster) -> Counter[tuple[str, str]]:
    """How many bytes of tensors tasks have sent each other so far: ("ps:0", "worker:0") -> bytes.

    Example:
      >>> sent(cluster)[("ps:0", "worker:0")]  # doctest: +SKIP
      8000
    """
    bytes_of: Counter[tuple[str, str]] = Counter()
    for task in cluster.tasks:
        address = cluster.target(task).removeprefix("grpc://")
        for row in look(address, ["traffic"])["traffic"]:
            bytes_of[_task_of(row["source"]), _task_of(row["destination"])] += row["bytes"]
    return bytes_of


def travels(cluster: LocalCluster, session: Any, fetches: Any) -> dict[tuple[str, str], int]:
    """What tasks send each other during a step: ("ps:0", "worker:0") -> bytes.

    Example:
      >>> travels(cluster, sess, loss)  # doctest: +SKIP
      {('ps:0', 'worker:0'): 4000}
    """
    before = sent(cluster)
    session.run(fetches)
    return dict(sorted((sent(cluster) - before).items()))


def _task_of(device: str) -> str:
    """The task of a device, "/job:worker/replica:0/task:1/...": "worker:1"."""
    spec = DeviceSpec.from_string(device)
    return f"{spec.job}:{spec.task}"


def work_and_path(
    session: Any, fetch: Any, feed_dict: Any = None
) -> tuple[float, float, list[str]]:
    """Seconds of all operations of a step, of its critical path, and the path's operations.

    A step never becomes faster than work ÷ critical path times (Brent 1974; Graham 1969). The step
    is run once, traced; its graph has no loops.

    Example:
      >>> work, path, names = work_and_path(sess, loss)  # doctest: +SKIP
      >>> print(f"at most {work / path:.1f} times as fast")  # doctest: +SKIP
      at most 2.0 times as fast
    """
    cost: dict[str, float] = {}
    for node in _traced(session, fetch, feed_dict):  # with its shards, which are shorter
        cost[node.node_name] = max(node.all_end_rel_nanos / 1e9, cost.get(node.node_name, 0.0))
    longest: dict[Any, tuple[float, list[str]]] = {}  # until an operation is done
    for op in fetch.graph.get_operations():  # inputs come before users
        before = [one.op for one in op.inputs] + list(op.control_inputs)
        length, path = max((longest[one] for one in before), default=(0.0, []))
        longest[op] = length + cost.get(op.name, 0.0), [*path, op.name]
    return sum(cost.values()), *longest[getattr(fetch, "op", fetch)]


def threads_used(session: Any, fetches: Any, feed_dict: Any = None) -> int:
    """How many threads ran the operations of a step, which is traced for that.

    Example:
      >>> threads_used(sess, loss)  # doctest: +SKIP
      2
    """
    return len({node.thread_id for node in _traced(session, fetches, feed_dict) if node.thread_id})


def _traced(session: Any, fetches: Any, feed_dict: Any) -> list[Any]:
    """What a full trace of a step says of each operation."""
    seen = RunMetadata()
    options = RunOptions(trace_level=RunOptions.FULL_TRACE)
    session.run(fetches, feed_dict, options=options, run_metadata=seen)
    return [node for device in seen.step_stats.dev_stats for node in device.node_stats]
