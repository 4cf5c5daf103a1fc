"""Recvs that wait until their tensors are about to be used: the memory, the values, the order."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tinytf as tf
from tests.effort import examples
from tests.runtime import test_random_graphs
from tests.runtime.conftest import TASK, offer_thread, run
from tests.runtime.test_random_graphs import Builder
from tinytf.devices.device import CPU_MEMORY_LIMIT, CpuDevice, DeviceAttributes
from tinytf.devices.memory import GpuMemory, Options, Taken
from tinytf.devices.simulated import SimulatedGpu
from tinytf.runtime import late_receives, partition
from tinytf.runtime.compiler import compile_plan
from tinytf.runtime.optimise import NO_PASSES, Passes
from tinytf.runtime.partition import Devices, crosses
from tinytf.runtime.pools import Helpers
from tinytf.runtime.preparation import CompileRequest
from tinytf.testing.evaluator import evaluate

arithmetic = test_random_graphs.arithmetic
LATE = Passes(False, False, False, False, False, late_receives=True)
KILOBYTE = 1 << 10
LARGE = 64 * KILOBYTE  # bytes of a vector of 16 Ki float32


class Boundless:
    """A card with room for everything."""

    total, label = 1 << 30, "a card for tests"

    def free(self):
        return self.total

    def take(self, sizes):
        size = next(iter(sizes), 0)
        return Taken(size, (), self.total, ())


@pytest.fixture(autouse=True)
def memories_of_their_own(monkeypatch):
    """Among CPUs nothing is copied: here all but the first have a memory of their own."""
    for name, ends in (("host_inputs", "inputs"), ("host_outputs", "outputs")):

        def on_host(op, device_type, ends=ends):
            return [op.device.endswith("CPU:0")] * len(getattr(op, ends))

        monkeypatch.setattr(partition, name, on_host)


def counted_devices(count=2):
    """A CPU without an account, and devices whose memory is counted; kernels are those of CPUs."""
    home = CpuDevice(DeviceAttributes(f"{TASK}/device:CPU:0", "CPU", CPU_MEMORY_LIMIT, 1))
    others = [
        SimulatedGpu(
            DeviceAttributes(f"{TASK}/device:CPU:{i}", "CPU", CPU_MEMORY_LIMIT, 1),
            GpuMemory(Boundless(), Options()),
        )
        for i in range(1, count)
    ]
    return [home, *others]


def place_on(devices):
    def of(op):
        return devices[int(op.device.rpartition(":")[2] or 0) if op.device else 0]

    return lambda ops: Devices(devices[0], of)


def one(index):
    return tf.device(f"/cpu:{index}")


def vectors(count):
    return [tf.placeholder(tf.float32, [LARGE // 4], name=f"x{i}") for i in range(count)]


def values_of(placeholders):
    return {x: np.full(x.shape.as_list(), i + 1, np.float32) for i, x in enumerate(placeholders)}


def waits(plan):
    """What each Recv waits for: {name of the tensor: names of operations}."""
    return {
        op.attrs["tensor_name"].decode().split("_", 2)[2]: sorted(c.name for c in op._controls)
        for op in plan.ops
        if crosses(op) and op.outputs and op._controls
    }


def plan_of(fetches, feeds=(), passes=LATE, devices=None):
    place = place_on(devices or counted_devices())
    return compile_plan(CompileRequest(list(feeds), fetches, [], None, passes=passes, place=place))


def peak(fetches, feeds, passes):
    """(values, the most bytes held at one time on the second device)."""
    devices = counted_devices()
    found = run(fetches, feeds, place=place_on(devices), passes=passes)
    return [np.asarray(v).tolist() for v in found], devices[1].memory.peak


# What is gained ---------------------------------------------------------------------------------


def test_large_tensors_used_one_after_another():
    """Without it all eight wait in the memory of the device; then one beside what is computed."""
    xs = vectors(8)
    with one(1):
        total = tf.zeros([LARGE // 4])
        for i, x in enumerate(xs):
            total = tf.tanh(total + x, name=f"tanh{i}")
    feeds = values_of(xs)
    plan = plan_of([total], xs)
    assert waits(plan) == {"x0": ["zeros"], **{f"x{i}": [f"tanh{i - 1}"] for i in range(1, 8)}}
    before, after = peak([total], feeds, NO_PASSES), peak([total], feeds, LATE)
    assert before[0] == after[0]
    assert (before[1], after[1]) == (10 * LARGE, 3 * LARGE)


def test_large_tensors_of_which_only_sums_are_used_together():
    xs = vectors(8)
    with one(1):
        total = tf.add_n([tf.reduce_sum(x) for x in xs])
    feeds = values_of(xs)
    before, after = peak([total], feeds, NO_PASSES), peak([total], feeds, LATE)
    assert before[0] == after[0] == [LARGE // 4 * 36.0]
    assert (before[1], after[1]) == (8 * LARGE, LARGE)


def test_a_segment_is_split_where_a_late_recv_waits_in_its_middle():
    """The Recv does not wait for what merely comes from the same tensor."""
    x, y = vectors(2)
    with one(1):
        half = tf.tanh(tf.tanh(x), name="half")
        rest = half
        for _ in range(3):
            rest = tf.tanh(rest)
        both = tf.add(half, y)
    plan = plan_of([both, rest], [x, y])
    assert waits(plan) == {"x1": ["half"]}
    unit = next(u for u in plan.root.units if any(op.name == "half" for op in u.ops))
    assert [op.type for op in unit.ops if op.type == "Tanh"] == ["Tanh", "Tanh"]


def test_a_session_does_it_when_it_is_asked_to(monkeypatch):
    def peak_of(late):
        with tf.Graph().as_default():
            xs = [tf.placeholder(tf.float32, [LARGE // 4]) for _ in range(6)]
            with tf.device("/gpu:0"):
                result = tf.add_n([tf.reduce_max(tf.tanh(x)) for x in xs])
            config = tf.ConfigProto()
            config.graph_options.enable_recv_scheduling = late
            with tf.Session(config=config) as sess, tf.devices.peak_memory() as used:
                value = sess.run(result, values_of(xs))
        return value, used.bytes["/device:GPU:0"]

    monkeypatch.undo()
    tf.devices.simulate_gpus(1, "64MiB")
    try:
        before, after = peak_of(False), peak_of(True)
    finally:
        tf.devices.simulate_gpus(0)
    assert before[0] == after[0]
    # Beside a tensor that has come there is its tanh. How far copies run ahead is a matter of luck.
    assert after[1] == 2 * LARGE <= before[1] <= 7 * LARGE


def test_it_is_off_by_default():
    config = tf.ConfigProto()
    assert not Passes.of(config).late_receives
    config.graph_options.enable_recv_scheduling = True
    assert Passes.of(config).late_receives
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    assert Passes.of(config) == LATE


# What is left alone -----------------------------------------------------------------------------


def test_what_is_small_comes_as_it_comes():
    a, b = (tf.placeholder(tf.float32, [4], name=name) for name in "ab")
    with one(1):
        result = tf.add(tf.tanh(a), b)
    assert waits(plan_of([result], [a, b])) == {}


def test_what_only_changes_hands_is_not_put_off():
    x, y = vectors(2)
    with one(1):
        result = tf.add(tf.tanh(x), y)
    cpus = [
        CpuDevice(DeviceAttributes(f"{TASK}/device:CPU:{i}", "CPU", CPU_MEMORY_LIMIT, 1))
        for i in range(2)
    ]
    assert waits(plan_of([result], [x, y], devices=cpus)) == {}


def test_it_waits_for_nothing_that_not_all_its_users_need():
    x, y = vectors(2)
    with one(1):
        result = tf.add(shown(x), y)
        soon = tf.tanh(y)
    assert waits(plan_of([result], [x, y])) == {"x1": ["Print"]}
    assert waits(plan_of([result, soon], [x, y])) == {}


def shown(x):
    """It has an effect, so it is never put off."""
    return tf.Print(x, [x])


def test_what_takes_longer_than_the_transfer_is_not_put_off():
    x, y = vectors(2)
    with one(1):
        square = tf.reshape(y, [128, 128])
        brief = tf.add(shown(x), tf.reduce_max(square))
        for _ in range(9):
            square = tf.matmul(square, tf.matmul(square, square))
        result = tf.add(shown(x), tf.reduce_max(square))
    assert list(waits(plan_of([brief], [x, y]))) == ["x1"]
    assert waits(plan_of([result], [x, y])) == {}


def test_what_has_effects_is_not_put_off():
    """It might be dead, and not run, where it would have run."""
    x, y = vectors(2)
    with one(1):
        result = tf.add(shown(x), shown(y))
    assert waits(plan_of([result], [x, y])) == {}


def test_what_is_fetched_is_not_put_off():
    x, y = vectors(2)
    with one(1):
        there = tf.tanh(y, name="there")
    with one(0):
        here = tf.reduce_max(there)
        result = tf.add(shown(x), here)
    assert list(waits(plan_of([result], [x, y]))) == ["there"]
    assert waits(plan_of([result, here], [x, y])) == {}
    assert waits(plan_of([result, there], [x, y])) == {}


# Conditionals and loops -------------------------------------------------------------------------


def test_a_recv_waits_for_nothing_on_a_path_that_may_not_be_taken():
    """What is behind a Merge may be dead though the user is not."""
    x, y, flag = *vectors(2), tf.placeholder(tf.bool, [])
    with one(1):
        either = tf.cond(flag, lambda: tf.tanh(x), lambda: tf.negative(x))
        result = tf.add(either, y)
    plan = plan_of([result], [x, y, flag])
    assert waits(plan) == {}
    for taken in (True, False):
        feeds = {**values_of([x, y]), flag: np.bool_(taken)}
        (found,) = run([result], feeds, place=place_on(counted_devices()), passes=LATE)
        assert np.allclose(found, 2 + (np.tanh(1) if taken else -1))


def test_a_recv_in_a_branch_waits_for_what_is_in_the_branch():
    x, y, flag = *vectors(2), tf.placeholder(tf.bool, [])

    def branch():
        with one(0):
            far = tf.negative(y, name="far")
        with one(1):
            near = tf.tanh(x, name="near")
            return tf.add(near, far)

    with one(1):
        result = tf.cond(flag, branch, lambda: x * 2.0)
    plan = plan_of([result], [x, y, flag])
    assert waits(plan)["cond/far"] == ["cond/near"]
    for taken in (True, False):
        feeds = {**values_of([x, y]), flag: np.bool_(taken)}
        (found,) = run([result], feeds, place=place_on(counted_devices()), passes=LATE)
        assert np.allclose(found, np.tanh(1) - 2 if taken else 2)


def test_a_recv_in_a_loop_waits_within_its_iteration():
    x, y = vectors(2)

    def body(i, total):
        with one(0):
            far = tf.negative(y, name="far")
        with one(1):
            near = tf.tanh(total, name="near")
            return i + 1, tf.add(near, far)

    with one(1):
        start = tf.identity(x)
    _, result = tf.while_loop(lambda i, _: i < 3, body, [tf.constant(0), start])
    plan = plan_of([result], [x, y])
    assert waits(plan)["while/far"] == ["while/near"]
    (found,) = run([result], values_of([x, y]), place=place_on(counted_devices()), passes=LATE)
    expected = np.float32(1)
    for _ in range(3):
        expected = np.tanh(expected) - 2
    assert np.allclose(found, expected)


# Random graphs ----------------------------------------------------------------------------------


@pytest.mark.usefixtures("arithmetic")
@examples(20)
@given(data=st.data())
def test_random_programs_give_the_same(data):
    check_random_program(lambda low, high: data.draw(st.integers(low, high)))


@pytest.mark.slow
@pytest.mark.usefixtures("arithmetic")
@pytest.mark.parametrize("seed", range(100))
def test_100_random_programs_give_the_same(seed):
    check_random_program(random.Random(seed).randint)


def check_random_program(integer):
    """Scattered over three devices, with Recvs put off wherever that is possible."""

    with tf.Graph().as_default(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(late_receives, "LEAST_BYTES", 0)
        x, y = tf.placeholder(tf.int32, []), tf.placeholder(tf.int32, [])
        fetches = Builder(integer).block([x, y], depth=2, size=8)[-4:]
        feeds = {x: np.int32(integer(-5, 5)), y: np.int32(3)}
        expected = [int(v) for v in evaluate(fetches, feeds)]
        devices, seed = counted_devices(3), integer(0, 1000)

        def place(ops):
            def of(op):
                return random.Random(f"{seed} {op.name}").choice(devices)

            return Devices(devices[0], of)

        helpers = Helpers(2, offer_thread, offer_thread)
        for threads in (None, helpers):
            found = run(fetches, feeds, place=place, passes=LATE, threads=threads)
            assert [int(v) for v in found] == expected
        plan = compile_plan(
            CompileRequest(list(feeds), fetches, [], None, place=place, passes=LATE)
        )
        check_order(plan)


def check_order(plan):
    """Everything comes after what it waits for, but for what comes around a loop."""
    number = {op: i for i, op in enumerate(plan.ops)}
    for op in plan.ops:
        for source in (*(t.op for t in op._inputs), *op._controls):
            if source in number and source.type != "NextIteration":
                assert number[source] < number[op]


@examples(60)
@given(data=st.data())
def test_nobody_is_late_by_more_than_the_transfers_take(data):
    """With as many processors as you like, by the estimated costs: the promise of the module."""
    pick = data.draw
    with tf.Graph().as_default():
        xs = vectors(5)
        values = list(xs)
        for _ in range(pick(st.integers(3, 20))):
            with one(pick(st.integers(0, 2))):
                chosen = [pick(st.sampled_from(values)) for _ in range(pick(st.integers(1, 3)))]
                values.append(tf.tanh(tf.add_n(chosen)))
        fetches = values[-3:]
        devices = counted_devices(3)
        now = plan_of(fetches, xs, passes=NO_PASSES, devices=devices)
        late = plan_of(fetches, xs, devices=devices)
    seconds = late_receives._Analysis(late.ops, fetches, frozenset(xs))._seconds
    put_off = [op for op in late.ops if crosses(op) and op._controls]
    before, _ = finished(now.ops, seconds)
    after, above = finished(late.ops, seconds)
    for name in {fetch.tensor.op.name for fetch in late.fetches} - {x.op.name for x in xs}:
        allowed = sum(2 * seconds(op) for op in put_off if op.name in above[name])
        assert after[name] <= before[name] + allowed + 1e-12


def finished(ops, seconds):
    """When each operation is done, by name, if each runs as soon as it can; and what was before."""
    ends, above = {}, {}
    for op in ops:
        sources = [s.name for s in (*(t.op for t in op._inputs), *op._controls) if s.name in ends]
        start = max((ends[name] for name in sources), default=0.0)
        ends[op.name] = start + (seconds(op) if op.op_def.name != "_Send" else 0.0)
        above[op.name] = {op.name}.union(*(above[name] for name in sources))
    return ends, above


@examples(60)
@given(data=st.data())
def test_random_graphs_of_large_tensors_take_no_more_memory(data):
    """In the order of a single thread: not a promise for every graph, so it is counted."""
    pick = data.draw
    with tf.Graph().as_default():
        xs = vectors(6)
        values = list(xs)
        for _ in range(pick(st.integers(2, 8))):
            with one(1):
                chosen = [pick(st.sampled_from(values)) for _ in range(pick(st.integers(1, 2)))]
                values.append(tf.tanh(tf.add_n(chosen)))
        feeds = values_of(xs)
        before, after = peak(values[-1:], feeds, NO_PASSES), peak(values[-1:], feeds, LATE)
    assert before[0] == after[0]
    assert after[1] <= before[1]
