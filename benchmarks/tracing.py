"""What traces cost when none is wanted, and when one is.

The runtime as it is, beside the same runtime with everything about traces taken out of its code
(functions are parsed, what asks for a trace is deleted, the rest is compiled again). Both take
turns, a few milliseconds of processor time each, and the median of the ratios of neighbours counts.
The code that is generated for a step has no hooks to take out: traced steps have a plan of their
own, and tests look at the sources. Then a step with FULL_TRACE, beside the same step without.
"""

from __future__ import annotations
import __future__

import ast
import inspect
import statistics
import textwrap
import time
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np

import tinytf as tf
from tinytf.api import function
from tinytf.runtime import executor, function_calls, parallel_executor
from tinytf.session import local, local_runner

SIDES = "as it is", "with FULL_TRACE", "without traces"
NODE = "a node of a traced chain"
PAIRS = 100
SECONDS = 0.004  # of one turn
#: What is true exactly when a step is traced, in the runtime's own words.
_IS_TRACE = {"trace", "step.trace", "self._step.trace"}
_IS_TRACED = {"self._is_traced"}
_OWNERS = (
    executor.Executor,
    parallel_executor.ParallelExecutor,
    function_calls.FunctionPlans,
    local.LocalBackend,
    local_runner,
)


#: (owner, name) -> the function as it is, and without traces.
Functions = dict[tuple[Any, str], tuple[Any, Any]]


class _Without(ast.NodeTransformer):
    """Takes out of a function what it does for traces."""

    def __init__(self) -> None:
        self.taken = 0

    def _taken(self, value: bool | None) -> Any:
        self.taken += 1
        return None if value is None else ast.Constant(value)

    def visit_Compare(self, node: ast.Compare) -> Any:
        text = ast.unparse(node)
        for name in _IS_TRACE:
            if text in (f"{name} is not None", f"{name} is None"):
                return self._taken(text.endswith("is None"))
        return self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        return self._taken(False) if ast.unparse(node) in _IS_TRACED else node

    def visit_Assign(self, node: ast.Assign) -> Any:
        if ast.unparse(node.targets[0]) in _IS_TRACED:
            return self._taken(None)
        return self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> Any:
        self.generic_visit(node)
        neutral = isinstance(node.op, ast.And)
        node.values = [v for v in node.values if not _is(v, neutral)]
        return node.values[0] if len(node.values) == 1 else node

    def visit_IfExp(self, node: ast.IfExp) -> Any:
        self.generic_visit(node)
        return node.orelse if _is(node.test, False) else node

    def visit_If(self, node: ast.If) -> Any:
        self.generic_visit(node)
        if _is(node.test, False):
            return node.orelse or None
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        self.generic_visit(node)
        node.body = node.body or [ast.Pass()]
        return node

    def visit_Try(self, node: ast.Try) -> Any:
        self.generic_visit(node)
        return node if node.handlers or node.finalbody else node.body


def _is(node: ast.expr, value: bool) -> bool:
    return isinstance(node, ast.Constant) and node.value is value


def without_traces(method: Callable[..., Any]) -> Callable[..., Any] | None:
    """The function without what it does for traces; None if it does nothing for them."""
    source = textwrap.dedent(inspect.getsource(method))
    if "trace" not in source:
        return None
    tree = ast.parse(source)
    transformer = _Without()
    changed = ast.fix_missing_locations(transformer.visit(tree))
    if not transformer.taken or "super()" in source:
        return None
    names: dict[str, Any] = {}
    flags = __future__.annotations.compiler_flag
    code = compile(changed, "<without traces>", "exec", flags)
    exec(code, method.__globals__, names)  # noqa: S102 - the runtime's own source
    (made,) = names.values()
    return made


@cache
def changed_functions() -> Functions:
    """(owner, name) -> the function as it is, and without traces."""
    found = {}
    for owner in _OWNERS:
        for name, method in list(vars(owner).items()):
            if inspect.isfunction(method) and (owner, name) not in found:
                if method.__module__ != getattr(owner, "__module__", owner.__name__):
                    continue
                made = without_traces(method)
                if made is not None:
                    found[owner, name] = method, made
    if len(found) < 4:
        raise RuntimeError("the runtime words its questions otherwise now: see _IS_TRACE")
    return found


def choose(functions: Functions, which: int) -> None:
    """Let the runtime be as it is (0), or without traces (1)."""
    for (owner, name), variants in functions.items():
        setattr(owner, name, variants[which])


# ------------------------------------------------------------------------------------ what is run


def three_operations() -> Any:
    """A step that is one function call."""
    x = tf.placeholder(tf.float32, [])
    return (x + 1.0) * 2.0 - 3.0, {x: 1.0}


def chain() -> Any:
    """A thousand operations in a row, as straight-line code."""
    y = x = tf.placeholder(tf.float32, [])
    for _ in range(1000):
        y = y + 1.0
    return y, {x: 1.0}


def conditional() -> Any:
    """Switches and Merges: units that go through counters and the ready queue."""
    y = x = tf.placeholder(tf.float32, [])
    for _ in range(10):
        y = tf.cond(y > 0.0, lambda y=y: y - 1.0, lambda y=y: y + 1.0)
    return y, {x: 1.0}


def calls() -> Any:
    """Calls of functions, whose bodies are plans of their own."""

    @function.Defun(tf.float32)
    def one_more(x: Any) -> Any:
        return x + 1.0

    y = x = tf.placeholder(tf.float32, [])
    for _ in range(20):
        y = one_more(y)
    return y, {x: 1.0}


def two_devices() -> Any:
    """Transfers, and an executor for several devices."""
    y = x = tf.placeholder(tf.float32, [10])
    for number in range(4):
        with tf.device(f"/cpu:{number % 2}"):
            y = tf.tanh(y)
    return y, {x: np.ones(10)}


def loop() -> Any:
    """A hundred iterations, as a loop in Python."""
    x = tf.placeholder(tf.float32, [])
    return tf.while_loop(lambda i: i < 100.0, lambda i: i + 1.0, [x]), {x: 0.0}


class Step:
    """A program in a session, with a runner for each way the runtime can be, and one plan."""

    def __init__(self, program: Callable[[], Any], functions: Functions):
        with tf.Graph().as_default() as graph:
            self._fetches, self._feeds = program()
        config = tf.ConfigProto(device_count={"CPU": 2}, inter_op_parallelism_threads=1)
        self._session = tf.Session(graph=graph, config=config)
        self._functions = functions
        plans, make_plans = [], local_runner.Plans

        def same_plans(*arguments: Any) -> Any:
            if not plans:
                plans.append(make_plans(*arguments))
            return plans[0]

        local_runner.Plans = same_plans
        self._runners = []
        for which in (0, 1):
            choose(functions, which)
            self._runners.append(self._session._compile(self._fetches, self._feeds).runner)
        local_runner.Plans = make_plans
        self._signature = self._session._signature(self._fetches, self._feeds)
        for which in (0, 1, 0):
            self.seconds(which, 40)

    def seconds(self, which: int, count: int) -> float:
        """What a step takes with the runtime as it is (0), or without traces (1)."""
        choose(self._functions, which)
        self._signature.runner = self._runners[which]
        run, fetches, feeds = self._session.run, self._fetches, self._feeds
        start = time.process_time()
        for _ in range(count):
            run(fetches, feeds)
        taken = time.process_time() - start
        choose(self._functions, 0)
        return taken / count

    def traced(self) -> tuple[float, int]:
        """What a traced step takes, and how many nodes it lists."""
        options, metadata = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), tf.RunMetadata()
        start = time.process_time()
        self._session.run(self._fetches, self._feeds, options, metadata)
        taken = time.process_time() - start
        return taken, sum(len(device.node_stats) for device in metadata.step_stats.dev_stats)


def overhead(step: Step) -> float:
    """What traces cost a step that is not traced: the median of the ratios of neighbours."""
    count = max(1, round(SECONDS / min(step.seconds(0, 20) for _ in range(5))))
    ratios = []
    for number in range(PAIRS):
        order = (0, 1) if number % 2 else (1, 0)
        taken = {which: step.seconds(which, count) for which in order}
        ratios.append(taken[0] / taken[1])
    return statistics.median(ratios)


@cache
def step_of(program: Callable[[], Any]) -> Step:
    """The step of a program, made once."""
    step = Step(program, changed_functions())
    step.traced()  # the first one compiles its plan
    return step


def traced(program: Callable[[], Any], tf: Any, folder: str) -> dict[str, float]:
    """Seconds of a step on each side."""
    step = step_of(program)
    ratio = overhead(step)
    one = statistics.median(step.seconds(0, 20) for _ in range(21))
    full = statistics.median(step.traced()[0] for _ in range(21))
    return dict(zip(SIDES, (one, full, one / ratio)))


def node(tf: Any, folder: str) -> float:
    """What a node adds to a step with FULL_TRACE, in seconds."""
    step = step_of(chain)
    one = statistics.median(step.seconds(0, 20) for _ in range(21))
    taken, nodes = zip(*(step.traced() for _ in range(21)))
    return (statistics.median(taken) - one) / nodes[0]


PROGRAMS: dict[str, Callable[[Any, str], Any]] = {
    **{
        program.__name__: partial(traced, program)
        for program in (three_operations, chain, conditional, calls, two_devices, loop)
    },
    NODE: node,
}
