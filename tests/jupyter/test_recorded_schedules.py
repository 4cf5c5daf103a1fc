"""Recordings of random graphs: exact under threads, and with all that other orders have to know."""

import random

import pytest

import tinytf as tf
from tests.runtime.test_random_graphs import Builder, arithmetic  # noqa: F401
from tinytf.jupyter.recording import MOST_EVENTS, record

pytestmark = pytest.mark.usefixtures("arithmetic")


def recorded(seed, threads=1, order=None, depth=2):
    """The recording of a random program with conditionals, loops and calls of functions."""
    integer = random.Random(seed).randint
    with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
        x, y = tf.placeholder(tf.int32, []), tf.placeholder(tf.int32, [])
        fetches = Builder(integer).block([x, y], depth, 6)[-3:]
        orders = order if isinstance(order, list) else [order]
        found = [record(fetches, {x: 2, y: 3}, session, threads, order=o) for o in orders]
        return found if isinstance(order, list) else found[0]


def replay(recording):
    """Play a recording event by event, as the browser does; complain where it is impossible."""
    counts = {}  # (node, iteration) -> counter
    queue, running, held, over = [], {}, {}, set()
    for event in recording.events:
        run = recording.runs[event.run] if event.run >= 0 else None
        key = (event.node, event.iteration)
        is_taken = event.kind == "take" or (
            event.kind in ("run", "skip", "block", "fail") and key in queue
        )
        if is_taken:
            assert key in queue, f"{event.text} was not ready"
            queue.remove(key)
            assert counts.get(key, recording.counters[event.node]) == 0
            assert run.thread not in held, "a thread holds one node at a time"
            assert key not in over | running.keys(), "once in each iteration"
            held[run.thread] = running[key] = run
        if event.kind == "block":
            assert held.pop(run.thread) is run
        if event.kind in ("run", "skip"):
            assert running.pop(key) is run
            if held.get(run.thread) is run:
                del held[run.thread]
            over.add(key)
            assert run.ready <= run.taken <= run.ended
        for change in event.changes:
            where = (change.node, change.iteration)
            assert 0 <= change.count <= counts.get(where, recording.counters[change.node])
            counts[where] = change.count
        for item in event.ready:
            assert counts.get(item, recording.counters[item[0]]) == 0
            assert item not in [*queue, *over]
            queue.append(item)
    assert not [*queue, *running, *held]
    assert len(over) == len(recording.runs)


def check_needs(recording):
    """Whatever a run needs was over when it became ready, and the last of them made it ready."""
    for run in recording.runs:
        ends = [recording.runs[n].ended for n in (*run.needs, *run.also)]
        assert max(ends, default=0) == run.ready, (recording.names[run.node], run)


#: A few in the default run, the rest in the whole one.
SOME_AND_MORE = [range(25), pytest.param(range(25, 200), marks=pytest.mark.slow)]


@pytest.mark.parametrize("seeds", SOME_AND_MORE, ids=["some", "more"])
def test_recordings_of_four_threads_are_exact(seeds):
    for seed in seeds:
        recording = recorded(seed, threads=4, depth=1 + seed % 2)
        if recording.is_complete:
            replay(recording)
            check_needs(recording)


def some_order(recording, seed):
    """A random order of the runs in which each comes after all that it needs."""
    chooser = random.Random(seed)
    left = {n: {*run.needs, *run.also} for n, run in enumerate(recording.runs)}
    order = []
    while left:
        for number in [n for n in left if recording.runs[n].kind == "skip" and not left[n]]:
            del left[number]
            for needs in left.values():
                needs.discard(number)
        ready = [n for n, needs in left.items() if not needs]
        if not ready:
            continue
        number = chooser.choice(ready)
        run = recording.runs[number]
        if run.kind != "skip":
            order.append(recording.names[run.node] + f"#{run.iteration}" * bool(run.iteration))
        del left[number]
        for needs in left.values():
            needs.discard(number)
    return order


@pytest.mark.parametrize("seeds", SOME_AND_MORE, ids=["some", "more"])
def test_whoever_respects_the_needs_can_run_in_any_order(seeds):
    for seed in seeds[:60]:
        first = recorded(seed)
        if len(first.events) > MOST_EVENTS // 4:
            continue
        orders = [some_order(first, chooser) for chooser in range(2)]
        for order, again in zip(orders, recorded(seed, order=orders), strict=True):
            assert again.error is None, f"{seed}: {again.error}"
            live = [run for run in again.runs if run.kind == "run"]
            ran = [again.names[r.node] + f"#{r.iteration}" * bool(r.iteration) for r in live]
            assert ran == order
            assert [int(v) for v in again.values] == [int(v) for v in first.values]
            replay(again)


def test_a_seed_gives_the_same_order_again():
    first, second, other = recorded(11, order=[5, 5, 6])
    assert [e.text for e in first.events] == [e.text for e in second.events]
    assert [e.text for e in first.events] != [e.text for e in other.events]
    assert first.order == "seed 5"
