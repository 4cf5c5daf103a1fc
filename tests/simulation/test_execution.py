"""The simulated execution: order, transfers, links, and what held it up."""

import itertools
import random

import pytest

from tests.simulation.random_work import random_groups
from tinytf.simulation.execution import Simulator, simulate
from tinytf.simulation.machine import Link, Machine
from tinytf.simulation.work import Work

TWO = {"a": None, "b": None}


def work_of(*nodes):
    """(name, seconds, inputs) each; every output has 8 bytes."""
    work = Work()
    for name, seconds, inputs in nodes:
        work.add(name, seconds, inputs, outputs=[8.0])
    return work


def times(execution):
    return {run.name: (run.start, run.end) for run in execution.runs}


def test_a_device_runs_one_node_at_a_time():
    work = work_of(("x", 1.0, ()), ("y", 2.0, ()))
    together = simulate(work, Machine(TWO), {"x": "a", "y": "a"})
    apart = simulate(work, Machine(TWO), {"x": "a", "y": "b"})
    assert times(together) == {"x": (0.0, 1.0), "y": (1.0, 3.0)}
    assert (together.makespan, apart.makespan) == (3.0, 2.0)
    assert apart.busy() == {"a": 0.5, "b": 1.0}


def test_first_come_first_served():
    work = work_of(("long", 3.0, ()), ("late", 1.0, ["long"]), ("x", 1.0, ()), ("y", 9.0, ["x"]))
    where = {"long": "b", "late": "a", "x": "a", "y": "a"}
    assert times(simulate(work, Machine(TWO), where))["late"] == (10.0, 11.0)


def test_priorities_decide_among_what_is_ready():
    work = work_of(("x", 1.0, ()), ("y", 2.0, ()))
    execution = simulate(work, Machine(TWO), {"x": "a", "y": "a"}, priority=[2, 1])
    assert times(execution) == {"y": (0.0, 2.0), "x": (2.0, 3.0)}


def test_a_tensor_travels_once_to_each_device():
    work = work_of(("x", 1.0, ()), ("y", 1.0, ["x"]), ("z", 1.0, ["x"]), ("here", 1.0, ["x"]))
    machine = Machine(TWO, {("a", "b"): Link(0.5, bandwidth=4.0)})
    execution = simulate(work, machine, {"x": "a", "y": "b", "z": "b", "here": "a"})
    (transfer,) = execution.transfers
    assert (transfer.source, transfer.destination, transfer.size) == ("a", "b", 8.0)
    assert (transfer.start, transfer.sent, transfer.end) == (1.0, 3.0, 3.5)
    assert times(execution) == {
        "x": (0.0, 1.0),
        "here": (1.0, 2.0),
        "y": (3.5, 4.5),
        "z": (4.5, 5.5),
    }


def test_a_link_carries_one_tensor_at_a_time_and_latency_does_not_occupy_it():
    work = work_of(("x", 0.0, ()), ("y", 0.0, ()), ("z", 1.0, ["x", "y"]))
    machine = Machine(TWO, lambda source, target: Link(10.0, bandwidth=8.0))
    execution = simulate(work, machine, {"x": "a", "y": "a", "z": "b"})
    assert [(t.start, t.sent, t.end) for t in execution.transfers] == [(0, 1, 11), (1, 2, 12)]


def test_routes_that_share_a_link_wait_for_each_other():
    work = work_of(("x", 0.0, ()), ("y", 0.0, ()), ("z", 1.0, ["x", "y"]))
    one = Link(0.0, bandwidth=8.0)
    where = {"x": "a", "y": "b", "z": "c"}
    devices = {**TWO, "c": None}
    shared = simulate(work, Machine(devices, lambda *route: one), where)
    each = simulate(work, Machine(devices, lambda *route: Link(0.0, bandwidth=8.0)), where)
    assert (shared.makespan, each.makespan) == (3.0, 2.0)


def test_handling_keeps_both_devices_busy():
    work = work_of(("x", 1.0, ()), ("more", 1.0, ["x"]), ("y", 1.0, ["x"]), ("z", 1.0, ["x"]))
    machine = Machine(TWO, {("a", "b"): Link(0.0, handling=0.25)})
    execution = simulate(work, machine, {"x": "a", "more": "a", "y": "b", "z": "b"})
    found = times(execution)
    assert found["more"] == (1.25, 2.25)  # the sender is busy with sending first
    assert found["y"] == (1.25, 2.5)  # the first who takes it receives it
    assert found["z"] == (2.5, 3.5)


def test_the_order_of_control_costs_no_bytes_but_the_way():
    work = Work()
    work.add("x", 1.0, outputs=[1e9])
    work.add("y", 1.0, after=["x"])
    machine = Machine(TWO, {("a", "b"): Link(0.5, bandwidth=1.0)})
    execution = simulate(work, machine, {"x": "a", "y": "b"})
    assert execution.makespan == 2.5
    assert [t.size for t in execution.transfers] == [0.0]


def test_the_critical_chain_leads_from_start_to_end():
    work = work_of(
        ("x", 1.0, ()), ("blocks", 3.0, ()), ("y", 1.0, ["x"]), ("z", 1.0, ["y"]), ("w", 1.0, ())
    )
    machine = Machine(TWO, lambda *route: Link(0.5))
    where = {"x": "b", "blocks": "a", "y": "a", "z": "b", "w": "b"}
    assert simulate(work, machine, where).critical == ("blocks", "y", "z")


@pytest.mark.parametrize("seed", range(40))
def test_random_executions_keep_the_rules(seed):
    """No overlap on a device or a link, nothing before its inputs, and no faster than possible."""
    rng = random.Random(seed)
    groups = random_groups(rng, most_nodes=30)
    simulator, work = groups.simulator, groups.simulator.work
    choice = [rng.choice(feasible) for feasible in groups.feasible]
    where = groups.where(choice)
    names = simulator.devices
    placement = {node.name: names[where[n]] for n, node in enumerate(work.nodes)}
    execution = simulate(work, simulator.machine, placement)
    assert execution.makespan == simulator.run(where) == max(r.end for r in execution.runs)
    for device in names:
        runs = sorted((r.start, r.end) for r in execution.runs if r.device == device)
        assert all(a[1] <= b[0] for a, b in itertools.pairwise(runs))
    ends = {r.name: r.end for r in execution.runs}
    arrivals = {(t.producer, t.destination): t.end for t in execution.transfers}
    assert len(arrivals) == len(execution.transfers)
    for run in execution.runs:
        for tensor in work.nodes[work.number_of(run.name)].inputs:
            source = work.nodes[work.tensors[tensor].producer].name
            assert run.start >= arrivals.get((source, run.device), ends[source])
    chain = [work.number_of(name) for name in execution.critical]
    assert execution.runs[chain[-1]].end == execution.makespan
    assert all(
        execution.runs[a].end <= execution.runs[b].start for a, b in itertools.pairwise(chain)
    )


def test_thousands_of_nodes_are_no_effort():
    work = Work()
    for number in range(5_000):
        work.add(str(number), 1.0, [str(number - 2)] if number > 1 else [])
    simulator = Simulator(work, Machine(TWO, lambda *route: Link(0.0)))
    assert simulator.run([number % 2 for number in range(5_000)]) == 2_500.0


def test_a_cluster_whose_parameter_server_has_one_network_card():
    """200 workers pull 1 MB each and push as much back; the card is the bottleneck both ways."""
    workers, size, bandwidth, compute = 200, 1e6, 1e9, 0.05
    outgoing, incoming = Link(0.001, bandwidth), Link(0.001, bandwidth)
    work = Work()
    names = [f"worker{number}" for number in range(workers)]
    where = {"ps": "ps"}
    work.add("ps", 0.0, outputs=[size] * workers)
    for number, name in enumerate(names):
        work.add(name, compute, [("ps", number)], outputs=[size])
        work.add(f"{name}/apply", 0.0, [name])
        where |= {name: name, f"{name}/apply": "ps"}
    machine = Machine(
        dict.fromkeys(["ps", *names]), lambda source, _: outgoing if source == "ps" else incoming
    )
    execution = simulate(work, machine, where)
    # The last worker has its parameters after all transfers, computes, and sends at once: those
    # before it have been through by then.
    expected = workers * size / bandwidth + 0.001 + compute + size / bandwidth + 0.001
    assert execution.makespan == pytest.approx(expected)
    assert len(execution.transfers) == 2 * workers


def test_misuse_says_what_is_wrong():
    work = work_of(("x", {"a": 1.0}, ()))
    with pytest.raises(ValueError, match="'x' was put on 'b', and can run on \\['a'\\]"):
        simulate(work, Machine(TWO), {"x": "b"})
    with pytest.raises(ValueError, match="was put on None"):
        simulate(work, Machine(TWO), {})
    with pytest.raises(ValueError, match="There is a node named 'x' already"):
        work.add("x", 1.0)
    with pytest.raises(ValueError, match="needs 'later', which has not been added before"):
        work.add("y", 1.0, ["later"])
    with pytest.raises(ValueError, match="needs output 1 of 'x', which has 1"):
        work.add("y", 1.0, [("x", 1)])
    with pytest.raises(ValueError, match="nothing may be negative"):
        work.add("y", -1.0)
    with pytest.raises(ValueError, match="nothing may be negative"):
        work.add("y", float("nan"))
    with pytest.raises(ValueError, match="a time for at least one device"):
        work.add("y", {})
    with pytest.raises(ValueError, match="There is no link from 'a' to 'b'"):
        Machine(TWO, {}).link("a", "b")
    assert simulate(Work(), Machine(TWO), {}).makespan == 0.0
