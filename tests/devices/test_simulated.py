"""Simulated GPUs: what kernels return is counted; in sessions, and with the memory exhausted."""

import gc
import threading

import numpy as np
import pytest

import tinytf as tf
import tinytf.api.function as tinytf_function
from tinytf.devices.gpu_kernel import GpuKernel
from tinytf.devices.simulated import adapted
from tinytf.framework.errors import ResourceExhaustedError
from tinytf.framework.pending import Pending
from tinytf.resources.variable import Variable

DEVICE = "/job:localhost/replica:0/task:0/device:GPU:0"
MEGABYTE = 1 << 20


@pytest.fixture
def gpu(opened):
    (device,) = opened(1, "64MiB")
    return device


def run_adapted(gpu, tensor, function, *arguments, on_host=None, **out):
    """Call a function as the kernel of a tensor's operation on the GPU."""
    op = tensor.op
    host_outputs = on_host or (False,) * len(op.outputs)
    kernel = GpuKernel(op.type, "GPU", function, host_outputs=host_outputs)
    return adapted(function, op, kernel, gpu.memory, gpu.name)(*arguments, **out)


def test_a_single_result_is_counted_under_its_operation(gpu):
    with tf.Graph().as_default():
        result = run_adapted(
            gpu, tf.add(1.0, 2.0, name="total"), np.add, np.ones(100), np.ones(100)
        )
    assert gpu.memory.in_use == 1024
    assert gpu.memory.holders()[0].holder == "total"
    del result
    assert gpu.memory.in_use == 0


@pytest.mark.parametrize("kind", [tuple, list])
def test_several_results(gpu, kind):
    with tf.Graph().as_default():
        parts = tf.split(tf.ones([6]), 3)
        result = run_adapted(
            gpu, parts[0], lambda: kind([np.ones(100), np.float32(1), np.ones(10)])
        )
    assert gpu.memory.in_use == 1024 + 256
    del result
    assert gpu.memory.in_use == 0


def test_parts_of_one_array_count_as_one(gpu):
    with tf.Graph().as_default():
        parts = tf.split(tf.ones([6]), 3)
        result = run_adapted(gpu, parts[0], lambda: np.split(np.ones(600), 3))
    assert gpu.memory.in_use == 4864
    del result[1:]
    assert gpu.memory.in_use == 4864  # a view keeps it all
    del result
    assert gpu.memory.in_use == 0


def test_results_in_host_memory_are_not_counted(gpu):
    with tf.Graph().as_default():
        shape = tf.shape(tf.ones([2, 3]))
        result = run_adapted(gpu, shape, lambda: np.ones(100, np.int32), on_host=(True,))
        values, indices = tf.unique([1, 1, 2])
        both = run_adapted(
            gpu, values, lambda: (np.ones(100), np.ones(100, np.int32)), on_host=(False, True)
        )
    assert gpu.memory.in_use == 1024
    del result, both, indices


def test_a_result_in_place_is_counted_once(gpu):
    with tf.Graph().as_default():
        first = run_adapted(gpu, tf.add(1.0, 2.0), np.add, np.ones(100), np.ones(100))
        again = run_adapted(gpu, tf.add(1.0, 2.0), np.add, first, 1.0, out=first)
    assert again is first
    assert gpu.memory.in_use == 1024
    assert gpu.memory.peak == 1024


def test_a_single_number_is_not_counted(gpu):
    with tf.Graph().as_default():
        run_adapted(gpu, tf.add(1.0, 2.0), np.add, np.float32(1), np.float32(2))
    assert gpu.memory.in_use == gpu.memory.peak == 0


def test_a_result_that_comes_later_is_counted_when_it_is_there(gpu):
    inner = Pending("something")
    with tf.Graph().as_default():
        outer = run_adapted(gpu, tf.add(1.0, 2.0), lambda: inner)
    assert outer.waiting_for == "something"
    assert not outer.done
    thread = threading.Thread(target=inner.set_result, args=(np.ones(100),))
    thread.start()
    thread.join()
    assert outer.get().shape == (100,)
    assert gpu.memory.in_use == 1024


def test_a_result_that_comes_later_and_does_not_fit(gpu):
    inner, failed = Pending(), Pending()
    with tf.Graph().as_default():
        outer = run_adapted(gpu, tf.add(1.0, 2.0), lambda: inner)
        other = run_adapted(gpu, tf.add(1.0, 2.0), lambda: failed)
    inner.set_result(np.ones(60 * MEGABYTE, np.uint8))
    assert isinstance(outer.error, ResourceExhaustedError)
    error = ValueError("not mine")
    failed.set_error(error)
    assert other.error is error


def test_what_is_assigned_belongs_to_the_variable(gpu):
    variable = Variable("w", tf.float32, tf.TensorShape([100]))
    with tf.Graph().as_default():
        reference = tf.Variable(tf.zeros([100]), name="w", use_resource=False)
        value = run_adapted(gpu, tf.ones([100]), lambda: np.ones(100, np.float32))

        def assign(target, array):
            target.assign(array)
            return target

        result = run_adapted(gpu, reference.initializer.outputs[0], assign, variable, value)
    assert result is variable
    del value
    (held,) = gpu.memory.holders()
    assert (held.holder, held.size) == ("w", 512)
    variable.clear()
    assert gpu.memory.in_use == 0


def test_copies_in_are_counted_and_copies_out_are_not(gpu):
    source = np.arange(100.0)
    source.flags.writeable = False
    inside = gpu.copy_in(source, "fed")
    assert gpu.memory.in_use == 1024
    assert not inside.flags.writeable
    outside = gpu.copy_out(inside)
    del inside
    assert gpu.memory.in_use == 0
    assert outside.tolist() == source.tolist()
    assert gpu.copy_in(np.float32(1), "fed") == 1
    assert gpu.memory.in_use == 0


def test_the_computer_s_own_memory_may_not_suffice(gpu):
    def give_up():
        raise MemoryError("Unable to allocate 1 PiB")

    with tf.Graph().as_default():
        total = tf.add(1.0, 2.0, name="total")
        with pytest.raises(ResourceExhaustedError, match="the GPU is simulated, and this computer"):
            run_adapted(gpu, total, give_up)


# ------------------------------------------------------------------------------------- in sessions


@pytest.fixture
def session():
    """A session with a simulated GPU of 64 MiB, its graph the default one; and the GPU's memory."""
    tf.devices.simulate_gpus(1, "64MiB")
    config = tf.ConfigProto(allow_soft_placement=True)
    with tf.Graph().as_default(), tf.Session(config=config) as opened:
        yield opened


def memory_of():
    from tinytf.devices import simulated

    (account,) = simulated.own_accounts(simulated._ours.machine.wish.machine).values()
    return account


def test_simulated_gpus_say_so(session, gpu):
    shown = [repr(attributes) for attributes in session.list_devices()]
    assert [text.endswith(", simulated)") for text in shown] == [False, True]
    assert repr(gpu).startswith("<simulated device /job:")


def test_a_step_leaves_only_the_variables(session):
    with tf.device("/gpu:0"):
        w = tf.get_variable("w", [1000, 1000], initializer=tf.random_normal_initializer())
        total = tf.reduce_sum(tf.tanh(w) + tf.sigmoid(w))
    session.run(w.initializer)
    memory = memory_of()
    assert [(one.holder, one.size) for one in memory.holders()] == [("w", 4_000_000)]
    for _ in range(3):
        session.run(total)
        assert memory.in_use == 4_000_000
    assert 8_000_000 <= memory.peak <= 5 * 4_000_000


@pytest.mark.parametrize("use_resource", [False, True])
def test_a_variable_that_changes_holds_its_memory_once(session, use_resource):
    with tf.device("/gpu:0"):
        w = tf.get_variable("w", initializer=tf.zeros([1000, 1000]), use_resource=use_resource)
        steps = [w.assign_add(tf.ones([1000, 1000])), w.assign(tf.ones([1000, 1000]))]
    session.run(w.initializer)
    memory = memory_of()
    for step in steps * 2:
        session.run(step.op)
        assert [(one.holder, one.size) for one in memory.holders()] == [("w", 4_000_000)]
    session.close()
    gc.collect()
    assert memory.in_use == 0
    assert memory.reserved == memory.limit  # it stays with the process


@pytest.mark.parametrize("use_resource", [False, True])
def test_variables_of_one_value_have_it_twice(session, use_resource):
    with tf.device("/gpu:0"):
        a, b = (
            tf.get_variable(name, initializer=tf.zeros([1000, 1000]), use_resource=use_resource)
            for name in "ab"
        )
        copied = tf.assign(b, a)
    session.run([a.initializer, b.initializer])
    for _ in range(2):
        held = memory_of().holders()
        assert sorted((one.holder, one.size) for one in held) == [
            ("a", 4_000_000),
            ("b", 4_000_000),
        ]
        session.run(copied.op)
    session.run(a.assign_add(tf.ones([1000, 1000])).op)
    assert session.run([tf.reduce_max(a), tf.reduce_max(b)]) == [1.0, 0.0]


def test_a_variable_that_gets_no_memory_has_no_value(session):
    with tf.device("/gpu:0"):
        zeros = tf.zeros([2000, 1500])  # 12 MB; five of them and the tensor are too much
        variables = [tf.get_variable(f"v{n}", initializer=zeros) for n in range(5)]
    with pytest.raises(ResourceExhaustedError, match="v0"):
        session.run([v.initializer for v in variables])
    held = {one.holder for one in memory_of().holders()}
    has_value = session.run([tf.is_variable_initialized(v) for v in variables])
    assert {v.op.name for v, has in zip(variables, has_value, strict=True) if has} == held
    assert 1 <= len(held) <= 4


def test_a_fetched_value_holds_nothing(session):
    with tf.device("/gpu:0"):
        x = tf.random_normal([1000, 1000])
    value = session.run(x)
    assert value.shape == (1000, 1000)
    assert memory_of().in_use == 0


def test_a_fed_value_is_there_for_its_step(session):
    with tf.device("/gpu:0"):
        x = tf.placeholder(tf.float32, [None])
        y = tf.reduce_sum(tf.exp(x))
    assert session.run(y, {x: np.zeros(100_000, np.float32)}) == 100_000
    assert memory_of().peak >= 400_000
    assert memory_of().in_use == 0


def big():
    return tf.random_normal([300, 300])


def loop_and_its_input():
    x = big()
    y = tf.while_loop(lambda i, x: i < 20, lambda i, x: (i + 1, tf.tanh(x) + 1), (0, x))[1]
    return y, x


def gradient():
    w = tf.get_variable("w", initializer=tf.ones([300, 300]))
    return tf.gradients(tf.reduce_sum(tf.matmul(tf.tanh(w), w)), w)[0]


def function():
    @tinytf_function.Defun(tf.float32)
    def twice(x):
        return tf.tanh(x) * 2

    return twice(big())


GRAPHS = {
    "loop": lambda: loop_and_its_input()[0],
    "cond": lambda: tf.cond(tf.reduce_sum(big()) > 0, big, lambda: big() * 2),
    "array": lambda: tf.map_fn(lambda x: tf.exp(x) * 2, big()),
    "scan": lambda: tf.scan(lambda a, x: a + x, big()),
    "views": lambda: tf.transpose(tf.reshape(big(), [100, 900]))[::2, 3:],
    "parts": lambda: tf.concat(tf.split(big(), 3) + tf.unstack(tf.ones([2, 100, 300])), 0),
    "gradient": gradient,
    "gradient of a loop": lambda: tf.gradients(*loop_and_its_input())[0],
    "function": function,
    "broadcast": lambda: tf.broadcast_to(tf.ones([300]), [300, 300]) + big(),
    "strings": lambda: tf.as_string(big()),
}


#: Each takes half a second: the default run tries these.
QUICK = {"loop", "gradient", "strings"}


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=() if n in QUICK else pytest.mark.slow) for n in GRAPHS]
)
def test_whatever_ran_nothing_but_variables_stays(session, name):
    with tf.device("/gpu:0"):
        result = GRAPHS[name]()
    session.run(tf.global_variables_initializer())
    session.run(result.op)  # constants are there from the first step on
    memory = memory_of()
    gc.collect()
    before = memory.in_use
    assert memory.peak >= 360_000
    for _ in range(3):
        session.run(result.op)
        assert memory.in_use == before
    session.close()
    gc.collect()
    assert memory.in_use == 0


def run_out(session, message="OOM when allocating tensor"):
    with tf.device("/gpu:0"):
        parts = [tf.random_normal([1000, 1000], name=f"part_{n}") for n in range(20)]
        joined = tf.stack(parts, name="joined")
    with pytest.raises(ResourceExhaustedError, match=message) as found:
        session.run(tf.reduce_sum(joined))
    return found.value


def test_a_failed_step_leaves_nothing_behind(session):
    error = run_out(session)
    assert memory_of().in_use == 0  # though the error is kept, as a notebook does
    assert "\nWhat holds it, the largest first:\n" in str(error)
    assert "shape[1000000] and type float" in str(error)
    assert error.op is not None
    assert "test_simulated.py" in str(error)
    with tf.device("/gpu:0"):
        small = tf.reduce_sum(tf.ones([1000, 1000]))
    assert session.run(small) == 1_000_000


def test_a_tensor_that_fits_no_gpu_is_not_even_computed(session):
    with tf.device("/gpu:0"):
        huge = tf.fill([1_000_000, 1_000_000], 1.0)  # 4 TB
    with pytest.raises(ResourceExhaustedError) as found:
        session.run(tf.reduce_sum(huge))
    text = str(found.value)
    assert f"shape[1000000,1000000] and type float on {DEVICE} by allocator GPU_0_bfc" in text
    assert "such a tensor fits on no GPU like this one" in text


def test_later_sessions_share_the_account(session, capsys):
    with tf.device("/gpu:0"):
        w = tf.Variable(tf.zeros([1000, 1000]))
        total = tf.reduce_sum(w)
    session.run(w.initializer)
    config = tf.ConfigProto(gpu_options=tf.GPUOptions(per_process_gpu_memory_fraction=0.25))
    for _ in range(2):
        with tf.Session(config=config) as other:
            other.run(w.initializer)
            assert memory_of().in_use == 8_000_000
            assert other.run(total) == 0
    said = capsys.readouterr().out
    assert said.count("25% of the memory, is not heeded") == 1
    assert memory_of().limit == 56 * MEGABYTE


def test_growth_in_a_session():
    tf.devices.simulate_gpus(1, "64MiB")
    config = tf.ConfigProto(gpu_options=tf.GPUOptions(allow_growth=True))
    with tf.Graph().as_default(), tf.Session(config=config) as session:
        with tf.device("/gpu:0"):
            total = tf.reduce_sum(tf.random_normal([1000]) * 2)
        session.run(total)
        assert memory_of().reserved == 2 * MEGABYTE


def test_bad_options_are_refused_when_the_session_opens():
    tf.devices.simulate_gpus(1)
    for options in (
        {"visible_device_list": "1"},
        {"per_process_gpu_memory_fraction": -1},
        {"per_process_gpu_memory_fraction": 2},
    ):
        config = tf.ConfigProto(gpu_options=tf.GPUOptions(**options))
        with pytest.raises(tf.OpError):
            tf.Session(config=config)


def test_memory_is_taken_when_something_runs_on_the_gpu(session):
    memory = memory_of()
    session.list_devices()
    with tf.device("/cpu:0"):
        session.run(tf.constant(3.0) * 4.0)
    assert memory.reserved == 0
    with tf.device("/gpu:0"):
        a = tf.placeholder(tf.float32, [])
        assert session.run(a * 4.0, {a: 3.0}) == 12  # single numbers, as in the book
    assert (memory.reserved, memory.in_use) == (56 * MEGABYTE, 0)


def test_a_server_s_devices_say_so_to_its_clients():
    tf.devices.simulate_gpus(1, "64MiB")
    with tf.train.Server.create_local_server() as server, tf.Session(server.target) as session:
        cpu, gpu = session.list_devices()
        assert cpu.description == ""
        assert "name: Simulated GPU" in gpu.description
        with tf.Graph().as_default(), tf.device("/gpu:0"):
            huge = tf.reduce_sum(tf.fill([10_000, 10_000], 1.0))
            with (
                tf.Session(server.target) as other,
                pytest.raises(ResourceExhaustedError, match="OOM when allocating"),
            ):
                other.run(huge)


@pytest.fixture
def no_collector():
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def test_a_closed_session_leaves_nothing_behind(no_collector):
    """Constants of its plans and functions, its variables, a partial run: not until collected."""
    tf.devices.simulate_gpus(1, "64MiB")

    @tinytf_function.Defun(tf.float32, shape_func=lambda op: [[1000]])
    def function(x):
        return x + tf.constant(np.ones(1000, np.float32))

    with tf.Graph().as_default(), tf.device("/gpu:0"):
        x, y = tf.placeholder(tf.float32, []), tf.placeholder(tf.float32, [])
        v = tf.Variable(tf.ones([1000]))
        total = function(x * tf.constant(np.ones(1000, np.float32))) + v
        product = total * y
        with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
            memory = sess._backend.placer.devices[-1].memory
            sess.run(v.initializer)
            sess.run(total, {x: 1.0})
            handle = sess.partial_run_setup([total, product], [x, y])
            sess.partial_run(handle, total, {x: 1.0})
            assert memory.in_use >= 16000
    assert memory.in_use == 0


def test_a_partial_run_that_fails_holds_nothing(no_collector):
    tf.devices.simulate_gpus(1, "64MiB")

    def fail(x):
        raise ValueError("broken on purpose")

    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [])
        with tf.device("/gpu:0"):
            big = tf.fill([1000], x)
            total = tf.reduce_sum(big)
        with tf.device("/cpu:0"):
            bad = tf.py_func(fail, [total], tf.float32)
        with tf.Session() as sess:
            handle = sess.partial_run_setup([bad, big], [x])
            memory = sess._backend.placer.devices[-1].memory
            before = memory.in_use
            with pytest.raises(tf.errors.InvalidArgumentError, match="broken on purpose"):
                sess.partial_run(handle, bad, {x: 1.0})
            assert memory.in_use == before


def test_a_single_number_that_left_holds_nothing(gpu):
    """It may be a view of an array of one element."""
    counted = gpu.copy_in(np.ones([1], np.float32), "x")
    left = gpu.copy_out(counted.reshape([]))
    del counted
    assert (left, gpu.memory.in_use) == (1.0, 0)


@pytest.mark.parametrize("use_resource", [False, True])
def test_a_variable_without_a_value_is_that_however_large(use_resource):
    tf.devices.simulate_gpus(1, "64MiB")
    with tf.Graph().as_default(), tf.device("/gpu:0"):
        v = tf.Variable(tf.zeros([32 << 20]), use_resource=use_resource)
        with tf.Session() as sess:
            with pytest.raises(tf.errors.FailedPreconditionError):
                sess.run(v)
            with pytest.raises(ResourceExhaustedError):
                sess.run(v.initializer)
