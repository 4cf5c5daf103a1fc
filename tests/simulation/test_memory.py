"""What an execution holds at a time."""

from tinytf.simulation.execution import simulate
from tinytf.simulation.machine import Link, Machine
from tinytf.simulation.work import Work

TWO = Machine({"a": None, "b": None}, lambda *route: Link(1.0, bandwidth=100.0))


def test_a_tensor_lives_until_its_last_consumer_has_ended():
    work = Work()
    work.add("x", 1.0, outputs=[100])
    work.add("y", 1.0, ["x"], outputs=[10])
    work.add("z", 1.0, ["y"], outputs=[50])
    # x and y together are the most: z comes when x is gone.
    assert simulate(work, TWO, dict.fromkeys("xyz", "a")).peak_memory == {"a": 110, "b": 0}


def test_what_is_kept_stays():
    work = Work()
    work.add("variable", 0.0, outputs=[1000], kept=True)
    work.add("x", 1.0, outputs=[10])
    work.add("y", 1.0, ["x"], outputs=[10])
    work.add("z", 1.0, ["y"], outputs=[10])
    assert simulate(work, TWO, dict.fromkeys(["variable", *"xyz"], "a")).peak_memory["a"] == 1020


def test_a_view_takes_nothing_and_keeps_what_it_views():
    work = Work()
    work.add("x", 1.0, outputs=[100])
    work.add("view", 1.0, ["x"], outputs=[100], shares_input=True)
    work.add("other", 1.0, outputs=[30])
    work.add("user", 1.0, ["view", "other"], outputs=[1])
    where = dict.fromkeys(["x", "view", "other", "user"], "a")
    assert simulate(work, TWO, where).peak_memory["a"] == 131


def test_both_ends_of_a_transfer_take_memory():
    work = Work()
    work.add("x", 1.0, outputs=[100])
    work.add("there", 1.0, ["x"], outputs=[1])
    work.add("more", 5.0, outputs=[7])
    found = simulate(work, TWO, {"x": "a", "there": "b", "more": "a"}).peak_memory
    assert found == {"a": 107, "b": 101}


def test_a_copy_is_freed_when_its_consumer_has_ended():
    work = Work()
    work.add("x", 1.0, outputs=[100])
    work.add("y", 1.0, ["x"], outputs=[1])
    work.add("z", 1.0, ["y"], outputs=[90])
    found = simulate(work, TWO, {"x": "a", "y": "b", "z": "b"}).peak_memory
    assert found == {"a": 100, "b": 101}
