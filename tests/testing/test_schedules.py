"""Programs with threads under seeded schedules: what they find, say, and repeat."""

import re
import threading
from pathlib import Path

import pytest

import tinytf as tf
import tinytf.testing
from tests.effort import rounds
from tests.testing.fifo import Fifo, LossyFifo, fifo_ops
from tinytf.ops.functions.defun import Defun
from tinytf.testing.schedules.exploring import BrokenSchedule, explore
from tinytf.testing.schedules.running import run_with_seed

PAGE = Path(__file__).resolve().parents[2] / "docs" / "schedules.md"


@pytest.fixture
def ops():
    with fifo_ops() as made:
        yield made


def run_in_threads(**functions):
    """One thread for each, started in order; returns when all have ended."""
    threads = [threading.Thread(target=f, name=name) for name, f in functions.items()]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def lost_update():
    """Two steps that read, add, and write: one of the updates may be lost."""
    with tf.Graph().as_default():
        total = tf.get_variable("total", initializer=0.0, use_resource=True)
        count = total.assign(total + 1.0)  # the line that loses
        with tf.Session() as sess:
            sess.run(total.initializer)
            run_in_threads(one=lambda: sess.run(count), two=lambda: sess.run(count))
            assert sess.run(total) == 2.0, "an update is lost"


def taking_two(ops):
    """Each thread takes from both queues before it puts back: in different orders."""
    ops.make(a=1, b=1)
    with tf.Graph().as_default():
        fill = [ops.put(tf.constant(1.0), queue=name) for name in "ab"]

        def take(first, second):
            one = ops.take(queue=first, name=f"{first}_then_{second}")
            with tf.control_dependencies([one]):
                other = ops.take(queue=second, name=f"{second}_after_{first}")  # may wait for ever
            with tf.control_dependencies([other]):
                return ops.put(one, queue=first), ops.put(other, queue=second)

        forth, back = take("a", "b"), take("b", "a")
        with tf.Session() as sess:
            sess.run(fill)
            run_in_threads(forth=lambda: sess.run(forth), back=lambda: sess.run(back))


def produce_and_consume(ops, kind):
    ops.make(kind, q=1)
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [])
        put, take = ops.put(x, queue="q"), ops.take(queue="q")
        taken = []
        with tf.Session() as sess:

            def produce(first):
                for i in range(2):
                    sess.run(put, {x: first + i})

            def consume():
                for _ in range(4):
                    taken.append(float(sess.run(take)))

            run_in_threads(low=lambda: produce(1.0), high=lambda: produce(11.0), consumer=consume)
        assert sorted(taken) == [1.0, 2.0, 11.0, 12.0]


def broken_by(program, **how):
    with pytest.raises(BrokenSchedule) as caught:
        explore(program, **how)
    return caught.value


# What it finds ------------------------------------------------------------------------------------


def test_a_lost_update_is_found_and_shown():
    broken = broken_by(lost_update)
    assert isinstance(broken.run.error, AssertionError)
    assert broken.smallest.switches == 1
    text = str(broken)
    assert f"Seed {broken.seed} breaks the program, after {broken.seed} that did not." in text
    assert f"run_with_seed(program, {broken.seed})" in text
    assert "one node at a time, unoptimised" in text
    assert "total.assign(total + 1.0)  # the line that loses" in text
    marked = [line for line in text.splitlines() if line.startswith("-->")]
    assert len(marked) == 1
    assert "raises AssertionError: an update is lost" in marked[0]
    reads = re.findall(r"(one|two) +ReadVariableOp \(ReadVariableOp\) = 0.0", text)
    assert sorted(reads) == ["one", "two"]  # both have read before one has written


def test_a_deadlock_of_two_queues_is_found_and_each_thread_named(ops):
    broken = broken_by(lambda: taking_two(ops))
    text = broken.smallest.broken
    assert text.startswith("Deadlock: nobody can go on.")
    for first, second in ("ab", "ba"):
        what = f"an element of the queue {second}, which is empty"
        assert f"waits for {what}, in {second}_after_{first} (FifoTake)" in text
    assert "MainThread  waits for forth to end" in text
    assert text.count("# may wait for ever") == 2
    assert broken.run.error is None


def test_a_lost_element_is_found(ops):
    assert explore(lambda: produce_and_consume(ops, Fifo), seeds=50).passed == 50
    broken = broken_by(lambda: produce_and_consume(ops, LossyFifo))
    assert "waits for an element of the queue q, which is empty" in str(broken)


@pytest.mark.parametrize("which", ["deadlock", "lost element", "lost update"])
def test_a_seed_repeats_a_run_exactly(ops, which):
    program = {
        "deadlock": lambda: taking_two(ops),
        "lost element": lambda: produce_and_consume(ops, LossyFifo),
        "lost update": lost_update,
    }[which]
    first = broken_by(program, shrink=False).run
    for _ in range(rounds(100)):
        again = run_with_seed(program, first.seed)
        assert (again.broken, again.trace) == (first.broken, first.trace)
    by_choices = run_with_seed(program, first.choices)
    assert (by_choices.broken, by_choices.trace) == (first.broken, first.trace)


def test_nodes_of_functions_and_loops_are_turns_too(ops):
    def program():
        ops.make(q=1)
        with tf.Graph().as_default():

            @Defun(tf.float32)
            def relay(x):
                with tf.control_dependencies([ops.put(x, queue="q")]):
                    return ops.take(queue="q", name="inside") + 1.0

            loop = tf.while_loop(lambda i: i < 2, lambda i: i + 1, [tf.constant(0)])
            with tf.Session() as sess:
                return sess.run([relay(1.0), loop])

    run = run_with_seed(program, 3)
    assert run.value == [2.0, 2]
    assert re.search(r"inside \(FifoTake\) = 1.0", run.trace)
    assert re.search(r"while/add\S* \(AddV2\), iteration 1 = 2", run.trace, re.IGNORECASE)


def test_a_wait_inside_of_a_function_is_named(ops):
    def program():
        ops.make(q=1)
        with tf.Graph().as_default():

            @Defun(tf.float32)
            def waits(x):
                return ops.take(queue="q", name="inside") + x

            with tf.Session() as sess:
                sess.run(waits(1.0))

    text = run_with_seed(program, 0).broken
    assert "inside (FifoTake) waits for an element of the queue q, which is empty" in text


def test_the_examples_of_the_page_are_true(capsys):
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert len(blocks) > 6
    names = {"__name__": "page"}
    for number, block in enumerate(blocks):
        exec(compile(block, f"docs/schedules.md, block {number}", "exec"), names)  # noqa: S102
    printed = capsys.readouterr().out
    assert "MainThread raised AssertionError: a count is lost" in printed
    assert "200 seeds passed" in printed
    assert "two seconds were not enough" in printed
    lines = re.findall(r"^ ?(\d+  .*?) {3,}(count = .*)$", PAGE.read_text(), re.MULTILINE)
    assert len(lines) == 4
    for what, _ in lines:  # what the page shows is in the report
        assert what in printed
