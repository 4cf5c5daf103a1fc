"""Only what the fetches need, producers first."""

import pytest

import tinytf as tf
from tinytf.framework.errors import InvalidArgumentError
from tinytf.runtime.pruning import prune


def test_only_what_is_needed_is_kept(ops):
    a = tf.constant(1.0)
    b = ops.plus(a, a)
    ops.plus(b, b)
    assert prune([b.op], frozenset()) == [a.op, b.op]


def test_a_fed_tensor_hides_what_is_behind_it(ops):
    a = ops.plus(tf.constant(1.0), 2.0)
    b = ops.plus(a, a)
    assert prune([b.op], frozenset([a])) == [b.op]


def test_an_operation_others_wait_for_runs_though_its_output_is_fed(ops):
    a = ops.plus(1.0, 2.0)
    with tf.get_default_graph().control_dependencies([a]):
        b = tf.constant(1.0)
    assert a.op in prune([b.op], frozenset([a]))


def test_an_input_added_later_still_comes_first(ops):
    a = tf.constant(1.0)
    late = ops.note(tf.constant(2.0))
    a.op._add_control_input(late.op)
    order = prune([a.op], frozenset())
    assert order.index(late.op) < order.index(a.op)


def test_among_the_free_the_oldest_goes_first(ops):
    x = tf.placeholder(tf.float32)
    chains = [ops.plus(x, float(i)) for i in range(5)]
    total = chains[4]
    for chain in chains[:4]:
        total = ops.plus(total, chain)
    order = [op for op in prune([total.op], frozenset()) if op in {c.op for c in chains}]
    assert order == [c.op for c in chains]


def test_a_cycle_names_an_operation_on_it_and_the_line(ops):
    a = ops.plus(1.0, 2.0)
    b = ops.plus(a, 1.0)
    a.op._update_input(0, b)
    with pytest.raises(InvalidArgumentError, match="cycle through 'TestPlus'") as caught:
        prune([b.op], frozenset())
    assert "a = ops.plus(1.0, 2.0)" in str(caught.value)


def test_waiting_for_a_fed_placeholder_is_waiting_for_the_feed(ops):
    a = tf.placeholder(tf.float32)
    with tf.get_default_graph().control_dependencies([a]):
        b = tf.constant(1.0)
    assert prune([b.op], frozenset([a])) == [b.op]
