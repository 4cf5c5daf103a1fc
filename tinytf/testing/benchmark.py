"""`tf.test.Benchmark`: how long operations take, run by `tf.test.main` on request.

Mirrors tensorflow/python/platform/benchmark.py.
"""

from __future__ import annotations

import inspect
import json
import re
import statistics
import time
from typing import Any

from tinytf.framework.stacks import get_default_session
from tinytf.protos import config_pb2
from tinytf.tracing.chrome_trace import Timeline

#: All classes of benchmarks that there are, in the order of their definitions.
_classes: list[type[Benchmark]] = []


class Benchmark:
    """Methods that begin with "benchmark" are run by `--benchmark_filter` (TensorFlow: the same).

    Example:
      >>> class SumBenchmark(tf.test.Benchmark):
      ...     def benchmarkSum(self):
      ...         with tf.Session() as sess:
      ...             return self.run_op_benchmark(sess, tf.reduce_sum(tf.ones([1000])))
      >>> measured = SumBenchmark().benchmarkSum()  # prints: entry {"name": "SumBenchmark...
      >>> measured["iters"], measured["wall_time"] > 0
      (10, True)
    """

    def __init_subclass__(cls, **arguments: Any):
        super().__init_subclass__(**arguments)
        _classes.append(cls)

    def report_benchmark(
        self,
        iters: int | None = None,
        cpu_time: float | None = None,
        wall_time: float | None = None,
        throughput: float | None = None,
        extras: dict[str, Any] | None = None,
        name: str | None = None,
        metrics: list[dict[str, Any]] | None = None,
    ) -> None:
        """Print what was measured, as a line of JSON.

        Args:
          iters: how often it ran. cpu_time, wall_time: seconds. throughput: MB/s.
          extras: more, by name: numbers or texts. metrics: dictionaries with a name and a value.
          name: instead of that of the method.

        Raises:
          TypeError: for `extras` that are no dictionary.
        """
        if extras is not None and not isinstance(extras, dict):
            raise TypeError("extras must be a dict")
        measured: dict[str, Any] = {"name": self._name(name), "iters": iters, "cpu_time": cpu_time}
        measured |= {"wall_time": wall_time, "throughput": throughput}
        measured |= {"extras": extras, "metrics": metrics}
        given = {key: value for key, value in measured.items() if value is not None}
        print("entry", json.dumps(given, default=str), flush=True)

    def run_op_benchmark(
        self,
        sess: Any,
        op_or_tensor: Any,
        feed_dict: Any = None,
        burn_iters: int = 2,
        min_iters: int = 10,
        store_trace: bool = False,
        store_memory_usage: bool = True,
        name: str | None = None,
        extras: dict[str, Any] | None = None,
        mbs: float = 0,
    ) -> dict[str, Any]:
        """Run something several times, report and return how long it takes.

        Args:
          sess: the session. op_or_tensor, feed_dict: as for its `run`.
          burn_iters: runs before the measured ones. min_iters: of these.
          store_trace: return a Chrome trace of one more run, in `extras`.
          store_memory_usage: report the memory of one more run.
          name, extras: see `report_benchmark`. mbs: megabytes that a run moves.

        Returns:
          what was reported; `extras` has the mean and the deviation besides, and the trace.
        """
        for _ in range(burn_iters):
            sess.run(op_or_tensor, feed_dict)
        seconds = []
        for _ in range(min_iters):
            start = time.perf_counter()
            sess.run(op_or_tensor, feed_dict)
            seconds.append(time.perf_counter() - start)
        reported: dict[str, Any] = dict(extras or {})
        kept: dict[str, Any] = {}
        if store_trace or store_memory_usage:
            options = config_pb2.RunOptions(trace_level=config_pb2.RunOptions.FULL_TRACE)
            metadata = config_pb2.RunMetadata()
            sess.run(op_or_tensor, feed_dict, options, metadata)
            timeline = Timeline(metadata.step_stats)
            if store_trace:
                kept["full_trace_chrome_format"] = timeline.generate_chrome_trace_format()
            if store_memory_usage:
                analysis = timeline.analyze_step_stats(show_memory=True)
                for allocator, most in analysis.allocator_maximums.items():
                    reported[f"allocator_maximum_num_bytes_{allocator}"] = most.num_bytes
        wall_time = statistics.median(seconds)
        values: dict[str, Any] = {"iters": min_iters, "throughput": mbs / wall_time}
        values["wall_time"] = wall_time
        values |= {"extras": reported, "name": name}
        self.report_benchmark(**values)
        kept["wall_time_mean"] = statistics.mean(seconds)
        kept["wall_time_stdev"] = statistics.stdev(seconds) if len(seconds) > 1 else -1
        values["extras"] = reported | kept
        return values

    def evaluate(self, tensors: Any) -> Any:
        """The values of tensors in the default session."""
        session = get_default_session()
        if session is None:
            raise ValueError("There is no default session: with tf.Session().as_default(): ...")
        return session.run(tensors)

    def _name(self, name: str | None) -> str:
        callers = [
            frame.function for frame in inspect.stack() if frame.frame.f_locals.get("self") is self
        ]
        return f"{type(self).__name__}.{name or callers[-1]}"


def run_benchmarks(pattern: str) -> None:
    """Run the benchmarks whose name "module.Class.benchmarkMethod" has a pattern; "all": each.

    Raises:
      ValueError: if there is none.
    """
    found = False
    for kind in list(_classes):
        for method in dir(kind):
            full = f"{kind.__module__}.{kind.__name__}.{method}"
            if method.startswith("benchmark") and callable(getattr(kind, method)):
                if pattern == "all" or re.search(pattern, full):
                    found = True
                    getattr(kind(), method)()
    if not found:
        raise ValueError(f"No benchmarks matched the pattern: '{pattern}'")
