"""CUDA cards: on a stand-in for cupy always, on a real card where there is one."""

import os
import subprocess
import sys
import threading
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import tinytf as tf
from tests.conformance.choosing import thinned
from tests.conformance.comparing import compare_errors, compare_values, complaints_about
from tests.conformance.encoding import read_file
from tests.conformance.registry import FOLDER, all_cases, cases_of, families
from tests.conformance.running import outcome_of
from tests.devices import fake_cupy
from tinytf.devices import cuda
from tinytf.framework import registry
from tinytf.kernels import table
from tinytf.kernels.on_card import NATIVE, REWRITTEN, runs_on

CASES = all_cases()


@cache
def real_card():
    """Why there is no real card; "" if there is one."""
    if find_spec("cupy") is None:
        return "cupy is not installed"
    code = "import cupy; cupy.zeros(1).sum().item()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    return "" if done.returncode == 0 else done.stderr.strip().splitlines()[-1]


def forget_cards():
    cuda._cards.clear()
    cuda._working_cupy.cache_clear()


@pytest.fixture
def machine():
    """A machine with one stand-in card, and a graph of the test's own."""
    with tf.Graph().as_default():
        yield from stand_in(memory=[1 << 30])


def stand_in(**how):
    forget_cards()
    with fake_cupy.installed(**how) as machine:
        yield machine
    forget_cards()


@pytest.fixture(scope="module")
def large_machine():
    """A stand-in card for many tests."""
    yield from stand_in(memory=[8 << 30])


@pytest.fixture(scope="module")
def card():
    """The real card, as tinytf finds it."""
    forget_cards()
    yield
    forget_cards()


@cache
def recordings(family):
    return read_file(FOLDER / "recorded" / f"{family}.npz")


def check(case):
    """Without tf.device, everything that has a kernel for GPUs runs on the card."""
    ours, theirs = outcome_of(tf, case), recordings(case.family)[case.name]
    found = complaints_about(case, ours) + compare_errors(ours.get("error"), theirs.get("error"))
    if "values" in ours and "values" in theirs:
        found += compare_values(case, ours["values"], theirs["values"])
    assert not found, "\n" + "\n".join(found)


def first_with(op_type):
    return next(case for case in CASES if op_type in case.op_types and case.error is None)


#: One for each kernel that was rewritten for cards: in every run of the tests.
FIRST = {case.id: case for case in map(first_with, REWRITTEN)}


@pytest.mark.parametrize("case", FIRST.values(), ids=FIRST)
def test_what_tensorflow_computes_the_stand_in_computes(case, large_machine):
    check(case)


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("family", families())
def test_all_that_tensorflow_computes_the_stand_in_computes(family, large_machine, request):
    failed = []
    for case in thinned(cases_of(family), request.config):
        try:
            check(case)
        except AssertionError as error:
            failed.append(f"{case.id}: {error}")
    assert failed == []


@pytest.mark.skipif(bool(real_card()), reason=f"no CUDA card: {real_card()}")
@pytest.mark.parametrize("case", [None] if real_card() else CASES, ids=lambda c: c.id if c else "")
def test_what_tensorflow_computes_the_card_computes(case, card):
    check(case)
    assert cuda._cards, "nothing ran on the card"


def test_the_lists_name_what_gpus_have():
    listed = NATIVE | REWRITTEN.keys()
    assert NATIVE & REWRITTEN.keys() == set()
    assert [name for name in sorted(listed) if runs_on(name) == "CPU only"] == []
    assert runs_on("MatMul") == "card"
    assert runs_on("Sum") == "card, rewritten"
    assert runs_on("Svd") == "host"
    assert runs_on("StringJoin") == runs_on("Print") == "CPU only"
    with pytest.raises(tf.errors.NotFoundError, match="Did you mean 'MatMul'"):
        runs_on("Matmul")
    assert {runs_on(name) for name in registry.op_defs if not table.entries(name)} <= {"CPU only"}


def test_the_numbers_of_the_page_are_true():
    page = (Path(__file__).resolve().parents[2] / "docs" / "gpu.md").read_text()
    ways = [runs_on(name) for name in registry.op_defs if table.knows(name)]
    for way in ("card", "card, rewritten", "host", "CPU only"):
        assert f'| "{way}" | {ways.count(way)} |' in page
    assert f"our {len(ways)} op types" in page
    assert f"{len(ways) - ways.count('CPU only')} op types have a kernel for GPUs" in page
    assert f"All {len(CASES):,} conformance cases" in page


# What runs where ----------------------------------------------------------------------------------


def traced(monkeypatch):
    """Which ops run natively and which through the host, as they run."""
    seen = set()

    def wrapped(name, original):
        def adapt(self, function, op, *rest):
            run = original(self, function, op, *rest)

            def noted(*arguments, **more):
                seen.add((op.type, name))
                return run(*arguments, **more)

            return noted

        return adapt

    for name in ("_natively", "_through_host"):
        monkeypatch.setattr(cuda.CudaDevice, name, wrapped(name, getattr(cuda.CudaDevice, name)))
    return seen


def test_hot_operations_stay_on_the_card_and_others_go_through_the_host(machine, monkeypatch):
    seen = traced(monkeypatch)
    x = tf.placeholder(tf.float32, [None, 4])
    weights = tf.Variable(tf.ones([4, 3]))
    loss = tf.reduce_mean(
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[0, 2], logits=tf.matmul(x, weights))
    )
    train = tf.train.AdamOptimizer(0.1).minimize(loss)
    decomposed = tf.svd(tf.ones([2, 2]), compute_uv=False)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        seen.clear()
        before = sess.run(loss, {x: np.eye(2, 4, dtype=np.float32)})
        for _ in range(5):
            sess.run(train, {x: np.eye(2, 4, dtype=np.float32)})
        assert sess.run(loss, {x: np.eye(2, 4, dtype=np.float32)}) < before
        assert {how for _, how in seen} == {"_natively"}
        assert {"MatMul", "ApplyAdam", "SparseSoftmaxCrossEntropyWithLogits"} <= {
            o for o, _ in seen
        }
        sess.run(decomposed)
        assert ("Svd", "_through_host") in seen
    assert (0, True) in machine.used  # on the card's stream


def test_an_unusual_case_of_a_rewritten_kernel_has_numpys_outcome(machine, monkeypatch):
    seen = traced(monkeypatch)
    params = tf.placeholder(tf.float32, [3, 2])
    picked = tf.gather(params, tf.placeholder_with_default(np.array([7], np.int64), [1]))
    with tf.Session() as sess:
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"indices\[0\] = 7 is not in"):
            sess.run(picked, {params: np.zeros([3, 2])})
        assert sess.run(tf.reduce_max(tf.zeros([0]))) == -np.inf
    assert ("GatherV2", "_through_host") in seen


def test_types_that_cards_do_not_have_are_computed_on_the_host(machine, monkeypatch):
    seen = traced(monkeypatch)
    x = tf.Variable(tf.cast([1.0, 2.0], tf.bfloat16))
    with tf.Session() as sess:
        sess.run(x.initializer)
        assert sess.run(x + x).astype(float).tolist() == [2.0, 4.0]
    assert ("AddV2", "_through_host") in seen


def test_a_kernel_of_ones_own_gets_the_cards_arrays(machine):
    got = []
    op = tf.user_ops.define_op("CardTest", "x: float -> y: float")

    @op.kernel(device="GPU")
    def _(x, *, xp):
        got.append((type(x), xp.__name__))
        return xp.sqrt(x)

    try:
        with tf.Session() as sess:
            assert sess.run(op([4.0])).tolist() == [2.0]
    finally:
        from tinytf.kernels import own_ops

        own_ops.forget_all()
    assert got == [(fake_cupy.ndarray, "cupy")]


def test_large_values_are_copied_through_page_locked_memory(machine):
    with tf.Session() as sess:
        small, large = tf.ones([4]) * 2.0, tf.ones([1 << 16]) * 2.0
        sess.run(small)
        assert machine.pinned == 0
        assert sess.run(large).sum() == 1 << 17
    assert machine.pinned == 1


# Devices ------------------------------------------------------------------------------------------


def gpus(**options):
    config = tf.ConfigProto(gpu_options=tf.GPUOptions(**options))
    with tf.Session(config=config) as sess:
        return [d for d in sess.list_devices() if d.device_type == "GPU"]


def test_cards_are_shown_as_tensorflow_shows_them(machine):
    machine.memory = [1 << 30, 1 << 32]
    names = [device.name for device in gpus()]
    assert names == [f"/job:localhost/replica:0/task:0/device:GPU:{n}" for n in (0, 1)]
    assert gpus()[1].description == (
        "device: 1, name: Stand-in A100, pci bus id: 0000:05:00.0, compute capability: 8.0"
    )
    (second,) = gpus(visible_device_list="1")
    assert second.name.endswith("GPU:0")
    assert second.description.startswith("device: 1,")
    with pytest.raises(tf.errors.InvalidArgumentError, match="invalid GPU id '2'"):
        gpus(visible_device_list="2")


def test_two_cards_copy_through_the_host(machine):
    machine.memory = [1 << 30, 1 << 30]
    with tf.device("/gpu:0"):
        x = tf.placeholder_with_default(np.ones(3, np.float32), [3]) + 1.0
    with tf.device("/gpu:1"):
        y = x * 3.0
    with tf.Session() as sess:
        assert sess.run(y).tolist() == [6.0] * 3
    assert {number for number, _ in machine.used} == {0, 1}


# Memory -------------------------------------------------------------------------------------------


def pool():
    return cuda._cards[0].memory.pool


def test_nearly_all_memory_is_taken_at_the_first_use(machine):
    with tf.Session() as sess:
        assert pool().largest == 0
        sess.run(tf.ones([4]) + 1.0)
        assert 0.7 * (1 << 30) < pool().largest == cuda._cards[0].memory.limit
        assert pool().used_bytes() < 1 << 20  # it is the pool's, not in use


def test_growth_and_a_part_of_the_memory(machine):
    options = tf.GPUOptions(allow_growth=True, per_process_gpu_memory_fraction=0.25)
    with tf.Session(config=tf.ConfigProto(gpu_options=options)) as sess:
        sess.run(tf.ones([1024]) + 1.0)
        assert pool().largest == 4096
        assert cuda._cards[0].memory.limit == pool().limit == 1 << 28
        assert sess.list_devices()[-1].memory_limit_bytes == 1 << 28


def test_a_card_that_others_use_gives_less_and_says_so(machine, capsys):
    with tf.Session() as sess:
        machine.memory = [300 << 20]  # another program came in between
        sess.run(tf.ones([4]) + 1.0)
    said = capsys.readouterr().out
    assert "failed to allocate" in said
    assert "CUDA_ERROR_OUT_OF_MEMORY" in said
    assert 0 < pool().largest <= 300 << 20


@pytest.fixture
def small_machine():
    """A stand-in card that is soon full, and a graph of the test's own."""
    with tf.Graph().as_default():
        yield from stand_in(memory=[128 << 20])


def test_out_of_memory_is_said_in_tensorflows_words(small_machine):
    big = tf.placeholder_with_default(np.float32(1), []) + tf.zeros([31, 1024, 1024])
    with tf.Session() as sess, pytest.raises(tf.errors.ResourceExhaustedError) as caught:
        sess.run(big)
    message = str(caught.value)
    assert "OOM when allocating tensor with shape[31,1024,1024] and type float on " in message
    assert "/job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc" in message
    assert "What to do: compute in smaller batches" in message


def test_memory_is_free_again_when_nobody_holds_it(machine):
    v = tf.Variable(tf.zeros([1 << 20]))
    with tf.Session() as sess:
        sess.run(v.initializer)
        sess.run(tf.reduce_sum(v + 1.0))
        assert 4 << 20 <= pool().used_bytes() < 5 << 20
        assert cuda._cards[0].memory.peak >= 8 << 20


def test_steps_on_several_threads_agree(machine):
    x = tf.placeholder(tf.float32, [64])
    y = tf.reduce_sum(tf.sqrt(x * x) + 1.0)
    with tf.Session() as sess:
        found = {}

        def work(n):
            found[n] = [sess.run(y, {x: np.full(64, n, np.float32)}) for _ in range(20)]

        threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert {n: set(values) for n, values in found.items()} == {
        n: {64.0 * (n + 1)} for n in range(4)
    }


# Without a working driver -------------------------------------------------------------------------

NO_DRIVER = (
    "cudaErrorInsufficientDriver: CUDA driver version is insufficient for CUDA runtime version"
)


def test_cupy_without_a_driver_is_one_clear_line_and_then_the_cpu(machine, capsys):
    machine.failure = NO_DRIVER
    for _ in range(2):
        with tf.Session() as sess:
            assert [device.device_type for device in sess.list_devices()] == ["CPU"]
            assert sess.run(tf.add(1, 2)) == 3
    assert capsys.readouterr().out == (
        f"cupy is installed, but finds no working CUDA ({NO_DRIVER}); computing on the CPU. "
        f"docs/gpu.md says what it needs.\n"
    )


def test_hiding_all_cards_is_no_failure(machine, capsys, monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    machine.failure = "cudaErrorNoDevice: no CUDA-capable device is detected"
    assert gpus() == []
    assert capsys.readouterr().out == ""


def test_a_folder_called_cupy_is_no_cupy(machine, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", type(sys)("cupy"))
    sys.modules["cupy"].__spec__ = fake_cupy.__spec__
    assert gpus() == []
    assert capsys.readouterr().out == ""


def test_importing_tinytf_does_not_import_cupy(tmp_path):
    (tmp_path / "cupy.py").write_text("raise SystemExit('imported')")
    code = (
        "import tinytf as tf; print('fine', flush=True)\n"
        "tf.Session(config=tf.ConfigProto(device_count={'GPU': 0})).close(); print('still')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": f"{tmp_path}:{os.getcwd()}"},
        capture_output=True,
        text=True,
    )
    assert done.stdout == "fine\nstill\n", done.stderr
