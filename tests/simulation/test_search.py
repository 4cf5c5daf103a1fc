"""How near the search comes to the best that is possible."""

import random
import statistics

import pytest

from tests.simulation.random_work import (
    EFFORT,
    best_possible,
    every_makespan,
    found_by_search,
    random_groups,
)
from tinytf.simulation.clusters import clustered, paths
from tinytf.simulation.execution import Simulator
from tinytf.simulation.machine import Link, Machine
from tinytf.simulation.search import Groups, greedy, search
from tinytf.simulation.work import Work


def ratios(seeds):
    """(greedy, search) against the optimum, for each seed."""
    found = []
    for seed in seeds:
        groups = random_groups(random.Random(seed))
        best = best_possible(groups)
        found.append(tuple(makespan / best for makespan in found_by_search(groups)))
    return found


def assert_near_the_optimum(found):
    assert max(searched for _, searched in found) <= 1.10
    assert statistics.mean(searched < 1 + 1e-9 for _, searched in found) > 0.95
    assert all(searched >= 1 - 1e-9 for _, searched in found)
    # The walk alone does not do: what is tested is the whole.
    assert max(walked for walked, _ in found) > 1.5


def test_the_best_placement_is_the_best_of_all():
    """Not all are looked at to find it, see `best_possible`; here they are."""
    for seed in range(60, 85):
        groups = random_groups(random.Random(seed))
        assert best_possible(groups) == min(every_makespan(groups)), seed


def test_small_work_is_within_ten_percent_of_the_best_placement():
    assert_near_the_optimum(ratios(range(60, 100)))


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_small_work_is_within_ten_percent_of_the_best_placement_hundreds_of_times():
    assert_near_the_optimum(ratios(range(1_000, 1_600)))


@pytest.mark.parametrize("transfer", [0.05, 0.5, 2, 10])
@pytest.mark.parametrize("count", [60, pytest.param(400, marks=pytest.mark.slow)])
def test_larger_work_beats_taking_turns_and_one_device(count, transfer):
    rng = random.Random(count)
    work = Work()
    for number in range(count):
        inputs = (
            {str(rng.randrange(max(0, number - 12), number)) for _ in range(2)} if number else ()
        )
        size = transfer * 10 ** rng.uniform(-1, 1)
        work.add(str(number), 10 ** rng.uniform(-1, 1), sorted(inputs), outputs=[size])
    machine = Machine({"a": None, "b": None}, lambda *route: Link(0.05, 1.0))
    groups = Groups(Simulator(work, machine), [[n] for n in range(count)], [[0, 1]] * count)
    one, turns = [0] * count, [number % 2 for number in range(count)]
    choice, _ = search(groups, [greedy(groups)[0], clustered(groups), one], EFFORT)
    found = groups.makespan(choice)
    assert found < groups.makespan(turns)
    # Where tensors take much longer than nodes nothing is better than one device.
    assert found < groups.makespan(one) * (0.8 if transfer < 1 else 1 + 1e-9)


def test_the_search_ends_when_its_effort_is_spent():
    groups = random_groups(random.Random(7))
    start = greedy(groups)[0]
    assert search(groups, [start], 0)[0] == start
    groups.spent = 0
    search(groups, [start], 200)
    assert groups.spent <= 200 + 3 * len(groups.of)


def test_memory_goes_before_time():
    """Two variables do not fit on the fast device together; the one that gains less goes."""
    work = Work()
    for name, slow in (("x", 2.0), ("y", 9.0)):
        work.add(f"{name}/state", 0.0, outputs=[60], kept=True)
        work.add(name, {"fast": 1.0, "slow": slow}, [f"{name}/state"], outputs=[1])
    machine = Machine({"fast": 100, "slow": None}, lambda *route: Link(100.0))
    members, feasible = [[0, 1], [2, 3]], [[0, 1]] * 2
    groups = Groups(Simulator(work, machine), members, feasible)
    choice, (excess, _) = search(groups, [[0, 0]], EFFORT)
    assert (choice, excess) == ([1, 0], 0.0)
    walked, _ = greedy(groups)
    assert sorted(walked) == [0, 1]  # the walk counts what stays in memory as well


def test_what_fits_nowhere_exceeds_as_little_as_possible():
    work = Work()
    work.add("x", 1.0, outputs=[60], kept=True)
    machine = Machine({"a": 10, "b": 50})
    groups = Groups(Simulator(work, machine), [[0]], [[0, 1]])
    assert search(groups, [[0]], EFFORT) == ([1], (10.0, 1.0))


def test_of_two_that_take_as_long_the_one_that_moves_less():
    work = Work()
    work.add("long", 10.0)
    work.add("x", 1.0, outputs=[1.0])
    work.add("y", 1.0, ["x"])
    machine = Machine({"a": None, "b": None}, lambda *route: Link(0.0, 10.0))
    groups = Groups(Simulator(work, machine), [[0], [1], [2]], [[0], [0, 1], [0, 1]])
    choice, _ = search(groups, [[0, 0, 1]], EFFORT)
    assert choice == [0, 1, 1]


def test_chains_are_kept_together():
    """Three chains over one source, on two devices: no chain is cut."""
    work = Work()
    work.add("source", 0.1, outputs=[1.0])
    for chain in range(3):
        for number in range(5):
            before = f"{chain}/{number - 1}" if number else "source"
            work.add(f"{chain}/{number}", 1.0 + chain, [before], outputs=[1.0])
    work.add("sink", 0.1, [f"{chain}/4" for chain in range(3)])
    machine = Machine({"a": None, "b": None}, lambda *route: Link(0.1, 10.0))
    nodes = len(work)
    groups = Groups(Simulator(work, machine), [[n] for n in range(nodes)], [[0, 1]] * nodes)
    assert sorted(n for path in paths(groups) for n in path) == list(range(nodes))
    choice = clustered(groups)
    homes = [{choice[work.number_of(f"{c}/{n}")] for n in range(5)} for c in range(3)]
    assert [len(home) for home in homes] == [1, 1, 1]
    assert homes[0] == homes[1] != homes[2]
