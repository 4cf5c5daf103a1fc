"""Which reads of variables are put off: those with a write between them and whoever takes them."""

from concurrent.futures import ThreadPoolExecutor

import pytest

import tinytf as tf
from tests.distributed.waiting import until
from tinytf.framework import waiting
from tinytf.runtime.live_reads import live_reads
from tinytf.runtime.pruning import prune


def live(*wanted, feeds=()):
    """The names of the tensors that carry memory, in a step that fetches or runs these."""
    fetches = [item for item in wanted if isinstance(item, tf.Tensor)]
    targets = [item for item in wanted if not isinstance(item, tf.Tensor)]
    fed = frozenset(feeds)
    ops = prune([*[t.op for t in fetches if t not in fed], *targets], fed)
    return sorted(tensor.name for tensor in live_reads(ops, fed, fetches))


@pytest.fixture
def v():
    return tf.Variable(1.0, name="v", use_resource=False)


def test_nothing_is_put_off_where_nothing_is_written(v):
    assert live(v + 1.0, tf.identity(v)) == []
    assert live(tf.assign(v, 2.0)) == []


def test_what_is_written_after_all_takers_puts_nothing_off(v):
    twice = v * 2.0
    assert live(tf.assign(v, twice), twice) == []
    assert live(tf.assign_add(v, v.value())) == []


def test_what_is_written_before_the_read_puts_nothing_off(v):
    with tf.control_dependencies([tf.assign(v, 2.0)]):
        read = v.read_value()
    assert live(read + 1.0) == []


def test_a_taker_behind_the_write_puts_the_read_off(v):
    with tf.control_dependencies([tf.assign(v, 2.0)]):
        seen = tf.identity(v, name="seen")
    assert live(seen) == ["v/read:0"]  # `seen` itself is read when it runs: nothing comes after
    with tf.control_dependencies([tf.identity(v, name="early")]):
        later = tf.assign(v, 2.0)
    early = tf.get_default_graph().get_tensor_by_name("early:0")
    assert live(early, later) == ["early:0", "v/read:0"]
    assert live(early, later, feeds=[early]) == []


def test_no_order_puts_the_read_off(v):
    assert live(v + 1.0, tf.assign(v, 2.0)) == ["v/read:0"]


def train(loss, optimizer):
    return optimizer.minimize(loss)


@pytest.mark.parametrize(
    "make", [lambda: tf.train.GradientDescentOptimizer(0.1), lambda: tf.train.AdamOptimizer(0.1)]
)
def test_a_step_of_training_puts_nothing_off(make):
    x = tf.placeholder(tf.float32, [None, 4])
    hidden = x
    for layer in range(3):
        w = tf.get_variable(f"w{layer}", [4, 4], use_resource=False)
        hidden = tf.nn.relu(tf.matmul(hidden, w))
    loss = tf.reduce_mean(tf.square(hidden))
    assert live(train(loss, make()), loss, feeds=[x]) == []


def test_a_branch_in_training_puts_nothing_off():
    x, training = tf.placeholder(tf.float32, [None, 4]), tf.placeholder(tf.bool, [])
    w = tf.get_variable("w", [4, 4], use_resource=False)
    hidden = tf.matmul(x, w)
    kept = tf.cond(training, lambda: tf.nn.dropout(hidden, 0.5), lambda: hidden)
    loss = tf.reduce_mean(tf.square(kept))
    step = train(loss, tf.train.GradientDescentOptimizer(0.1))
    assert live(step, loss, feeds=[x, training]) == []


def test_a_loop_in_training_puts_nothing_off():
    x = tf.placeholder(tf.float32, [2, 4])
    w = tf.get_variable("w", [4, 4], use_resource=False)
    state = tf.while_loop(
        lambda i, h: i < 5, lambda i, h: (i + 1, tf.tanh(tf.matmul(h, w))), [0, x]
    )[1]
    loss = tf.reduce_mean(tf.square(state))
    assert live(train(loss, tf.train.GradientDescentOptimizer(0.1)), loss, feeds=[x]) == []


def test_one_side_of_a_conditional_is_not_enough(v):
    """What leads to the write by one branch leads there only if that one is taken."""
    taker = v * 2.0
    chosen = tf.cond(tf.placeholder_with_default(True, []), lambda: taker, lambda: 1.0)
    with tf.control_dependencies([chosen]):
        written = tf.assign(v, 5.0)
    assert live(written, chosen) == ["v/read:0"]


def test_what_a_loop_writes_is_always_put_off(v):
    def body(i):
        with tf.control_dependencies([tf.assign_add(v, 1.0)]):
            return i + 1

    loop = tf.while_loop(lambda i: v < 3.0, body, [0])
    assert "v/read:0" in live(loop)


@pytest.fixture
def numbers():
    return tf.FIFOQueue(3, [tf.float32], [[]])


def test_a_wait_puts_off_what_is_taken_after_it(v, numbers):
    taken = numbers.dequeue()
    assert live(v + taken) == ["v/read:0"]
    assert live(numbers.enqueue(v)) == live(numbers.enqueue(v * 2.0)) == []  # before
    with tf.control_dependencies([taken]):
        assert live(v.read_value() + 1.0) == []


def test_a_wait_puts_nothing_off_for_loops(v, numbers):
    def of_loop(taken):
        return tf.while_loop(lambda i: i < 3.0, lambda i: i + v, [taken])

    assert live(of_loop(numbers.dequeue())) == []
    assert live(of_loop(0.0), numbers.dequeue()) == []
    inside = tf.while_loop(lambda i: i < 3.0, lambda i: i + numbers.dequeue(), [0.0])
    assert live(inside, v + 1.0) == []


def test_what_waits_sees_what_another_step_writes_meanwhile(v, numbers):
    """As in TensorFlow: who computes after the wait takes the new value, who did before the old."""
    before, taken = v * 10.0, numbers.dequeue()
    with tf.control_dependencies([taken]):
        after = tf.identity(v)
    other = tf.assign(v, 5.0)
    with tf.Session() as sess, ThreadPoolExecutor(1) as pool:
        sess.run(v.initializer)
        found = pool.submit(sess.run, [before, taken + v, after])
        assert until(waiting.blocked)
        sess.run(other)
        sess.run(numbers.enqueue(7.0))
        assert found.result(60) == [10.0, 12.0, 5.0]
