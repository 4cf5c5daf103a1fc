"""One process's account on a GPU: when memory is taken, and what is counted, for how long."""

import gc
import threading
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tinytf.devices.memory import BLOCK, GpuMemory, Options, Taken
from tinytf.devices.memory_texts import Holding
from tinytf.framework.errors import InternalError, InvalidArgumentError, ResourceExhaustedError
from tinytf.protos import config_pb2

MEGABYTE = 1 << 20
DEVICE = "/job:localhost/replica:0/task:0/device:GPU:0"


class Card:
    """A GPU of which others may hold a part."""

    label = "Simulated GPU 0"

    def __init__(self, total, others=0):
        self.total, self.others, self.taken = total, others, []

    def free(self):
        return self.total - self.others - sum(self.taken)

    def take(self, sizes):
        failed = []
        others = (Holding("first.ipynb", self.others, "pid 12"),) if self.others else ()
        for size in sizes:
            if size <= self.free():
                self.taken.append(size)
                return Taken(size, tuple(failed), self.free(), others)
            failed.append(size)
        return Taken(0, tuple(failed), self.free(), others)


def account(total=64 * MEGABYTE, others=0, **options):
    return GpuMemory(Card(total, others), Options(**options))


def rounded(size):
    return -(-size // BLOCK) * BLOCK


# ------------------------------------------------------------------------- taking memory: regions


def test_by_default_nearly_everything_is_taken_at_the_first_use():
    memory = account(4096 * MEGABYTE)
    assert (memory.reserved, memory.limit) == (0, 3796 * MEGABYTE)  # TensorFlow leaves 300 MiB
    array = np.ones(10)
    memory.hold(array, "a", DEVICE)
    assert memory.card.taken == [3796 * MEGABYTE]
    del array
    assert memory.in_use == 0
    assert memory.reserved == 3796 * MEGABYTE  # and keeps it


@pytest.mark.parametrize(
    ("total", "left"),
    [
        (1 << 30, 1 << 27),
        (64 * MEGABYTE, 8 * MEGABYTE),
        (2047 * MEGABYTE, 225 * MEGABYTE),
        (16384 * MEGABYTE, 16384 * MEGABYTE // 20),
    ],
)
def test_what_is_left_to_the_driver(total, left):
    assert account(total).limit == (total - left) // BLOCK * BLOCK


def test_a_fraction_is_of_the_whole_card():
    memory = account(1000 * MEGABYTE, others=100 * MEGABYTE, fraction=0.4)
    assert memory.limit == 400 * MEGABYTE
    array = np.ones(1)
    memory.hold(array, "a", DEVICE)
    assert memory.card.taken == [400 * MEGABYTE]


def test_growth_takes_regions_that_double():
    memory = account(1024 * MEGABYTE, growth=True)
    kept = []
    for _ in range(5):
        kept.append(np.ones(2 * MEGABYTE // 8))
        memory.hold(kept[-1], "a", DEVICE)
    assert memory.card.taken == [2 * MEGABYTE, 4 * MEGABYTE, 8 * MEGABYTE]
    kept.append(np.ones(100 * MEGABYTE // 8))
    memory.hold(kept[-1], "large", DEVICE)
    assert memory.card.taken[-1] == 128 * MEGABYTE  # as often doubled as it takes
    kept.clear()
    assert (memory.in_use, memory.reserved) == (0, 142 * MEGABYTE)  # nothing is given back


def test_growth_ends_at_the_fraction():
    memory = account(100 * MEGABYTE, growth=True, fraction=0.05)
    first = np.ones(4 * MEGABYTE // 8)
    memory.hold(first, "a", DEVICE)
    second = np.ones(MEGABYTE // 8)
    memory.hold(second, "b", DEVICE)
    assert memory.reserved == 5 * MEGABYTE
    with pytest.raises(ResourceExhaustedError, match="a larger part would do"):
        memory.hold(np.ones(1), "c", DEVICE)


def test_a_second_program_is_refused_as_by_cuda(capsys):
    memory = account(4096 * MEGABYTE, others=3796 * MEGABYTE)
    array = np.ones(1)
    memory.hold(array, "a", DEVICE)
    lines = capsys.readouterr().out.splitlines()
    start = "failed to allocate 3.71G (3980394496 bytes) from device: CUDA_ERROR_OUT_OF_MEMORY"
    assert lines[0] == f"{start}: out of memory"
    assert [line.split("(")[1].split()[0] for line in lines[1:3]] == ["3582355200", "3224119808"]
    assert lines[3] == "... and 22 more attempts, each for 90 % of the one before"
    assert "Other programs hold: first.ipynb (pid 12) 3.7 GiB." in lines[4]
    assert "This program goes on with 272.5 MiB." in lines[4]
    for cure in ("CUDA_VISIBLE_DEVICES", "per_process_gpu_memory_fraction", "allow_growth"):
        assert cure in "\n".join(lines[5:])
    assert memory.reserved == memory.card.taken[0] <= 300 * MEGABYTE
    assert len(lines) < 12


def test_it_is_refused_once_only(capsys):
    memory = account(64 * MEGABYTE, others=60 * MEGABYTE)
    kept = np.ones(MEGABYTE // 8)
    memory.hold(kept, "a", DEVICE)
    assert "CUDA_ERROR_OUT_OF_MEMORY" in capsys.readouterr().out
    with pytest.raises(ResourceExhaustedError):
        memory.hold(np.ones(4 * MEGABYTE // 8), "b", DEVICE)
    assert capsys.readouterr().out == ""


def test_with_nothing_left_there_is_nothing(capsys):
    memory = account(64 * MEGABYTE, others=64 * MEGABYTE)
    with pytest.raises(ResourceExhaustedError, match=r"first.ipynb \(pid 12\) 64 MiB"):
        memory.hold(np.ones(1), "a", DEVICE)
    assert "This program gets nothing." in capsys.readouterr().out
    assert (memory.in_use, memory.reserved) == (0, 0)


def test_what_is_free_is_taken_without_a_word_if_it_is_much(capsys):
    memory = account(1024 * MEGABYTE, others=64 * MEGABYTE, fraction=0.0)
    array = np.ones(1)
    memory.hold(array, "a", DEVICE)
    assert memory.reserved == (960 - 120) * MEGABYTE
    assert capsys.readouterr().out == ""


def test_the_first_tensor_takes_the_memory_of_all_gpus(capsys):
    accounts = []
    for others in (0, 60 * MEGABYTE):
        number = len(accounts)
        accounts.append(
            GpuMemory(
                Card(64 * MEGABYTE, others),
                Options(),
                lambda number=number: [one for n, one in enumerate(accounts) if n != number],
            )
        )
    array = np.ones(1)
    accounts[0].hold(array, "a", DEVICE)
    assert [one.reserved > 0 for one in accounts] == [True, True]
    out = capsys.readouterr().out
    assert "CUDA_ERROR_OUT_OF_MEMORY" in out  # from the second, where others are


# -------------------------------------------------------------------------------------- options


def options_of(**fields):
    return config_pb2.GPUOptions(**fields)


def test_options_from_a_configuration():
    assert Options.of(options_of()) == Options(0, False)
    assert Options.of(options_of(allow_growth=True)).growth
    assert Options.of(options_of(per_process_gpu_memory_fraction=1.0)).fraction == 1.0
    assert Options.of(options_of(), "true").growth
    assert not Options.of(options_of(allow_growth=True), "false").growth


@pytest.mark.parametrize("fraction", [-0.1, float("nan")])
def test_fractions_of_nonsense(fraction):
    with pytest.raises(InvalidArgumentError, match=r"0\.4 for 40 %"):
        Options.of(options_of(per_process_gpu_memory_fraction=fraction))


def test_more_than_there_is():
    with pytest.raises(InternalError, match="does not support oversubscription"):
        Options.of(options_of(per_process_gpu_memory_fraction=1.5))


def test_options_hold_as_soon_as_memory_was_taken():
    memory = account(fraction=0.5)
    assert memory.heeds(Options(0.25))
    assert memory.limit == 16 * MEGABYTE
    array = np.ones(1)
    memory.hold(array, "a", DEVICE)
    assert not memory.heeds(Options(0.5))
    assert memory.limit == 16 * MEGABYTE


# ------------------------------------------------------------------------ what is counted, and when


def test_an_array_counts_until_the_last_reference_to_it_is_gone():
    memory = account()
    array = np.ones((10, 10), np.float32)
    memory.hold(array, "a", DEVICE)
    assert memory.in_use == 512  # 400 bytes, in blocks of 256
    view = array[2:].T.reshape(-1)[1:]
    part = array[:1]
    memory.hold(part, "b", DEVICE)
    assert memory.in_use == 512
    del array
    assert memory.in_use == 512  # the view keeps all of it
    del view, part
    assert memory.in_use == 0
    assert memory.peak == 512


def test_an_array_is_counted_once():
    memory = account()
    array = np.ones(100)
    for _ in range(3):
        memory.hold(array, "a", DEVICE)
        memory.hold(array.view(np.int64), "a", DEVICE)
    assert memory.in_use == 1024


@pytest.mark.parametrize(
    "value", [np.ones(()), np.ones(0), np.ones((3, 0)), np.array([b"text"], object)]
)
def test_what_takes_no_memory(value):
    memory = account()
    memory.hold(value, "a", DEVICE)
    assert memory.in_use == memory.peak == 0
    assert memory.reserved == memory.limit  # but the GPU is used


def test_a_broadcast_array_takes_what_it_would_take():
    memory = account()
    seed = np.ones(1, np.float32)
    stretched = np.broadcast_to(seed, (1000, 1000))
    memory.hold(stretched, "a", DEVICE)
    assert memory.in_use == rounded(4_000_000)
    del stretched
    assert memory.in_use == 0


def test_memory_of_something_else_counts_with_its_array():
    memory = account()
    array = np.frombuffer(bytearray(1000), np.uint8)
    memory.hold(array, "a", DEVICE)
    assert memory.in_use == 1024
    del array
    assert memory.in_use == 0


def test_arrays_in_cycles_are_freed_with_them():
    memory = account()
    gc.disable()
    try:
        cycle = [np.ones(1000)]
        cycle.append(cycle)
        memory.hold(cycle[0], "a", DEVICE)
        del cycle
        assert memory.in_use == 8192
        gc.collect()
        assert memory.in_use == 0
    finally:
        gc.enable()


def test_dropped_cycles_are_collected_before_memory_is_refused():
    memory = account()
    gc.disable()
    try:
        cycle = [np.zeros(40 * MEGABYTE, np.uint8)]
        cycle.append(cycle)
        memory.hold(cycle[0], "dropped", DEVICE)
        del cycle
        other = np.zeros(40 * MEGABYTE, np.uint8)
        memory.hold(other, "other", DEVICE)
    finally:
        gc.enable()
    assert [one.holder for one in memory.holders()] == ["other"]


def test_holders_are_named_the_largest_first():
    memory = account()
    arrays = {name: np.ones(size) for name, size in (("a", 10), ("w", 5000), ("b", 100))}
    for name, array in arrays.items():
        memory.hold(array, name, DEVICE)
    del array
    assert [one.holder for one in memory.holders()] == ["w", "b", "a"]
    assert memory.holders()[0].what == "shape[5000] and type double"
    memory.hold_for(arrays["b"], "a variable", DEVICE)
    assert [one.holder for one in memory.holders()] == ["w", "a variable", "a"]
    assert sum(one.size for one in memory.holders()) == memory.in_use


def test_what_does_not_fit_is_refused_and_not_counted():
    memory = account(64 * MEGABYTE)
    kept = [np.ones(MEGABYTE // 8) for _ in range(8)]
    for number, array in enumerate(kept):
        memory.hold(array, f"kept_{number}", DEVICE)
    before = memory.in_use
    with pytest.raises(ResourceExhaustedError) as found:
        memory.hold(np.ones((7, MEGABYTE)), "large", DEVICE)
    lines = str(found.value).splitlines()
    assert lines[0] == (
        "OOM when allocating tensor with shape[7,1048576] and type double on "
        "/job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc"
    )
    assert "56 MiB are wanted; 8 MiB are in use, of 56 MiB that this program has taken" in lines[1]
    assert lines[3].split() == ["1", "MiB", "kept_0", "shape[131072]", "and", "type", "double"]
    assert "and 3 more, 3 MiB together" in lines[8]
    assert lines[-1].startswith("What to do: ")
    assert memory.in_use == before
    del found, array
    kept.clear()
    assert memory.in_use == 0
    all_there_is = np.ones((7, MEGABYTE))
    memory.hold(all_there_is, "large", DEVICE)
    assert memory.in_use == memory.limit == memory.peak


@pytest.mark.parametrize(
    ("size", "options", "others", "advice"),
    [
        (65, {}, 0, "fits on no GPU like this one"),
        (40, {"fraction": 0.5}, 0, "per_process_gpu_memory_fraction is 0.5"),
        (30, {"growth": True}, 40, "end the other program"),
        (60, {}, 0, "compute in smaller batches"),
    ],
)
def test_what_to_do_depends_on_what_is_wrong(size, options, others, advice):
    memory = account(64 * MEGABYTE, others * MEGABYTE, **options)
    with pytest.raises(ResourceExhaustedError, match=advice):
        memory.hold(np.empty(size * MEGABYTE, np.uint8), "a", DEVICE)


# -------------------------------------------------------------------------------------- threads


def test_many_threads_lose_nothing():
    memory = account()
    shared = [np.ones(n) for n in range(1, 50)]
    start = threading.Barrier(4)
    kept, problems = [], []

    def work(seed):
        random = np.random.default_rng(seed)
        start.wait()
        mine = []
        for _ in range(2000):
            array = np.empty(int(random.integers(1, 2000)), np.uint8)
            memory.hold(array, "mine", DEVICE)
            memory.hold(shared[int(random.integers(len(shared)))], "shared", DEVICE)
            mine.append(array)
            if len(mine) > 20:
                del mine[int(random.integers(len(mine)))]
            if memory.in_use < array.nbytes:
                problems.append("less than what is certainly there")
        kept.append(mine)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []
    arrays = [*shared, *(array for mine in kept for array in mine)]
    held = {holding.holder for holding in memory.holders()}
    assert held == {"mine", "shared"}
    assert memory.in_use == sum(rounded(array.nbytes) for array in arrays)
    del arrays
    kept.clear()
    shared.clear()
    assert memory.in_use == 0


# ------------------------------------------------------------------------------------- properties


ACTIONS = st.lists(
    st.tuples(
        st.sampled_from(["new", "view", "again", "drop", "too large"]),
        st.integers(0, 4000),
        st.integers(0, 30),
    ),
    max_size=60,
)


@given(ACTIONS, st.booleans())
def test_what_is_in_use_is_the_sum_of_the_arrays_that_are_alive(actions, growth):
    memory = account(MEGABYTE * 2, growth=growth)
    alive = []
    peak = 0
    for action, size, which in actions:
        if action == "new":
            alive.append(np.empty(size, np.uint8))
            memory.hold(alive[-1], "a", DEVICE)
        elif action == "too large":
            with pytest.raises(ResourceExhaustedError), mock.patch("gc.collect"):  # which is slow
                memory.hold(np.empty(3 * MEGABYTE, np.uint8), "b", DEVICE)
        elif alive:
            array = alive[which % len(alive)]
            if action == "drop":
                alive = [one for one in alive if one is not array]
            else:
                alive.append(array[: size // 2] if action == "view" else array)
                memory.hold(alive[-1], "c", DEVICE)
            del array
        owners = {id(o): o for o in (a if a.base is None else a.base for a in alive)}
        expected = sum(rounded(owner.nbytes) for owner in owners.values())
        owners.clear()
        peak = max(peak, expected)
        assert memory.in_use == expected
        assert memory.in_use <= memory.reserved <= memory.limit
    assert memory.peak == peak
    alive.clear()
    assert memory.in_use == 0
