"""Small operations to build test graphs with, registered for one test."""

import gc
import threading
from types import SimpleNamespace

import numpy as np
import pytest

import tinytf as tf
from tinytf.devices.device import CPU_MEMORY_LIMIT, CpuDevice, DeviceAttributes
from tinytf.framework import registry, shape_inference
from tinytf.framework.op_card import define_op
from tinytf.framework.pending import Pending
from tinytf.runtime.compiler import compile_plan
from tinytf.runtime.executor import Executor, run_plan
from tinytf.runtime.function_calls import FunctionPlans
from tinytf.runtime.iterations import Propagation
from tinytf.runtime.partition import Devices
from tinytf.runtime.preparation import CompileRequest
from tinytf.runtime.step import Step
from tinytf.testing import leaks

TASK = "/job:localhost/replica:0/task:0"


@pytest.fixture(autouse=True)
def no_thread_is_left_behind():
    """Whatever a test of the runtime starts has ended when it has, or may stay; see `leaks`."""
    with leaks.none_left():
        yield


@pytest.fixture(autouse=True)
def fresh_graph():
    with tf.Graph().as_default() as graph:
        yield graph


@pytest.fixture
def define():
    """`define_op`, undone at the end of the test."""
    names = []

    def make(name, *args, **flags):
        names.append(name)
        return define_op(name, *args, **flags)

    yield make
    for name in names:
        registry.unregister(name)


@pytest.fixture
def ops(define):
    """`plus(x, y)`; `pair(x)` has two outputs; `note(x)` is counted; `wait(x)` blocks."""
    calls = []
    waits = []
    plus = define("TestPlus", "x: T, y: T -> z: T", "T: {float, int32}")
    plus.shape(shape_inference.broadcast)
    plus.kernel(np.add)
    pair = define("TestPair", "x: float -> a: float, b: float")
    pair.shape(lambda c: [c.input(0)] * 2)
    pair.kernel(lambda x: (x + np.float32(1), x - np.float32(1)))
    note = define("TestNote", "x: float -> y: float", "label: string = ''", stateful=True)
    note.shape(shape_inference.unchanged)

    @note.kernel
    def count(x, *, label):
        calls.append(label.decode())
        return x

    wait = define("TestWait", "x: float -> y: float", stateful=True)
    wait.shape(shape_inference.unchanged)

    @wait.kernel(blocking=True)
    def block(step, x):
        pending = Pending("the test")
        step.cancellation.register(lambda: pending.set_error(step.cancellation_error()))
        waits.append((pending, x))
        return pending

    fail = define("TestFail", "x: float -> y: float", stateful=True)
    fail.shape(shape_inference.unchanged)

    @fail.kernel
    def broken(x):
        raise ValueError("broken on purpose")

    return SimpleNamespace(
        plus=plus, pair=pair, note=note, wait=wait, fail=fail, calls=calls, waits=waits
    )


def step_with_functions(**how):
    """A step whose functions are compiled as by `CompileRequest(..., **how)`."""
    plans = FunctionPlans(
        None,
        lambda body, _, r, host: compile_plan(
            CompileRequest(body.inputs, body.outputs, body.targets, r, **how)
        ),
    )
    return Step(None, None, functions=plans)


def cpu_devices(count=2):
    """CPU devices to place operations on."""
    return [
        CpuDevice(DeviceAttributes(f"{TASK}/device:CPU:{i}", "CPU", CPU_MEMORY_LIMIT, 1))
        for i in range(count)
    ]


def by_request(devices):
    """For `CompileRequest(place=...)`: where `tf.device("/cpu:1")` says, else at home."""

    def of(op):
        return devices[int(op.device.rpartition(":")[2] or 0) if op.device else 0]

    return lambda ops: Devices(devices[0], of)


def parts_of_steps():
    """What exists of steps that run, or that something still holds."""
    gc.collect()
    return {id(o): o for o in gc.get_objects() if isinstance(o, Propagation | Step)}


def parts_left(before):
    """What of steps is there that was not `before`, and who holds it.

    A thread that was in the middle of a kernel when its step ended holds it until it is done, and
    nothing tells when that is: it is looked at again and again, for a while.
    """
    for _ in range(20):
        left = [part for key, part in parts_of_steps().items() if key not in before]
        if not left:
            return []
        threading.Event().wait(0.02)
    return [(part, gc.get_referrers(part)) for part in left]


def start_thread(function):
    """Runs a function on a thread of its own."""
    threading.Thread(target=function, daemon=True).start()


def offer_thread(function):
    """The same as `Helpers` offer it."""
    start_thread(function)
    return True


def run(fetches, feeds=None, targets=(), step=None, threads=None, **how):
    """Compile and run; returns the fetched values."""
    feeds = feeds or {}
    plan = compile_plan(CompileRequest(list(feeds), fetches, list(targets), None, **how))
    values = plan.root.values.copy()
    for slot, value in zip(plan.feed_slots, feeds.values(), strict=True):
        if slot >= 0:
            values[slot] = value
    step = step or step_with_functions()
    if how.get("by_node"):
        executor = Executor(plan, step, values)
        executor.run()
        values = executor.values
    else:
        values = run_plan(plan, values, step, threads)
    return [values[fetch.slot] for fetch in plan.fetches]
