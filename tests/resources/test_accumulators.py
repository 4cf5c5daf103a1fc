"""Accumulators: who is served when, what a cancellation leaves, and sums of rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tinytf as tf
from tinytf.framework.cancellation import CancellationManager
from tinytf.framework.pending import Pending
from tinytf.resources.accumulators import DenseAccumulator, SparseAccumulator, SparseGradient


def dense(shape=(), is_mean=True):
    return DenseAccumulator("total", tf.float64, tf.TensorShape(shape), is_mean)


def sparse(shape=None, is_mean=True):
    return SparseAccumulator("rows", tf.float64, tf.TensorShape(shape), is_mean)


def rows(indices, values, shape=None):
    return SparseGradient(np.array(indices, np.int64), np.array(values, np.float64), shape)


def test_those_who_wait_are_served_in_their_order():
    total, step = dense(), CancellationManager()
    first, second = total.take(2, step), total.take(1, step)
    assert isinstance(first, Pending)
    assert isinstance(second, Pending)
    total.apply(9, np.float64(1.0))
    assert not first.done
    assert not second.done
    total.apply(9, np.float64(3.0))
    assert first.get() == 2.0
    assert not second.done
    total.apply(9, np.float64(5.0))
    assert second.get() == 5.0
    assert total.count == 0
    assert total.global_step == 2


def test_a_cancelled_take_lets_the_next_one_through_and_takes_nothing():
    total, cancelled, step = dense(), CancellationManager(), CancellationManager()
    first, second = total.take(2, cancelled), total.take(1, step)
    total.apply(9, np.float64(4.0))
    cancelled.start_cancel()
    with pytest.raises(tf.errors.CancelledError, match="TakeGrad operation was cancelled"):
        first.get()
    assert second.get() == 4.0
    assert total.waiting() == 0


def test_a_cancelled_step_waits_nowhere_although_its_first_wait_ends_it():
    # As of a chief that was killed: its step takes from one accumulator for each variable. What
    # stayed in line took the gradients of the next chief's first step.
    totals, step = [dense() for _ in range(3)], CancellationManager()
    for total in totals:
        total.take(1, step).when_done(lambda pending: step.detach())
    step.start_cancel()
    for total in totals:
        total.apply(0, np.float64(1.0))
    assert [total.count for total in totals] == [1, 1, 1]


def test_a_cancelled_step_does_not_wait():
    step = CancellationManager()
    step.start_cancel()
    with pytest.raises(tf.errors.CancelledError):
        dense().take(1, step)


def test_a_wrong_gradient_changes_nothing():
    total = dense([2])
    total.apply(0, np.array([1.0, 2.0]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="Shape mismatch"):
        total.apply(0, np.array([1.0, 2.0, 3.0]))
    assert total.count == 1
    np.testing.assert_array_equal(total.take(1, CancellationManager()), [1.0, 2.0])


def test_the_gradients_of_others_are_not_written_to():
    total = dense([2])
    first, second = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    for gradient in (first, second, second):
        gradient.flags.writeable = False
        total.apply(0, gradient)
    taken = total.take(3, CancellationManager())
    np.testing.assert_allclose(taken, [7 / 3, 10 / 3])
    np.testing.assert_array_equal(first, [1.0, 2.0])


def test_what_was_taken_stays_as_it_is():
    total, step = dense([1], is_mean=False), CancellationManager()
    for value in (1.0, 2.0, 3.0):
        total.apply(0, np.array([value]))
    taken = total.take(1, step)
    for value in (5.0, 6.0, 7.0):
        total.apply(1, np.array([value]))
    np.testing.assert_array_equal(taken, [6.0])


def test_a_report_says_that_gradients_were_stale():
    total = dense()
    total.set_global_step(5)
    total.apply(4, np.float64(1.0))
    assert total.describe() == (
        "the accumulator 'total' (ConditionalAccumulator), 0 gradients, at step 5; 1 gradient was "
        "dropped, computed at an older local_step than the accumulator's"
    )


def test_a_container_that_is_cleared_keeps_nobody_waiting():
    total = dense()
    waiting = total.take(1, CancellationManager())
    total.close()
    with pytest.raises(tf.errors.CancelledError, match="was cleared away"):
        waiting.get()


#: Gradients as {row: values}, two wide.
gradients = st.lists(
    st.dictionaries(
        st.integers(0, 6), st.lists(st.integers(-9, 9), min_size=2, max_size=2), min_size=1
    ),
    min_size=1,
    max_size=6,
)


@given(gradients, st.booleans())
def test_rows_are_summed_each_by_itself(parts, is_mean):
    total = sparse([7, 2], is_mean)
    for part in parts:
        where = sorted(part)
        total.apply(0, rows(where, [part[row] for row in where], [7, 2]))
    indices, values, shape = total.take(len(parts), CancellationManager())
    there = sorted(set().union(*parts))
    assert indices.tolist() == there
    assert shape.tolist() == [7, 2]
    for row, value in zip(there, values):
        of_row = [part[row] for part in parts if row in part]
        expected = np.sum(of_row, axis=0) / (len(of_row) if is_mean else 1)
        np.testing.assert_allclose(value, expected)


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 2)), max_size=30))
def test_counting_agrees_with_a_list(events):
    """Gradients at some step, and takes of one, against a list that keeps them all."""
    total, step, kept, at = dense(is_mean=False), CancellationManager(), [], 0
    for local_step, kind in events:
        if kind < 2:
            total.apply(local_step, np.float64(local_step + 1))
            if local_step >= at:
                kept.append(local_step + 1)
        elif kept:
            assert total.take(1, step) == sum(kept)
            kept, at = [], at + 1
        assert (total.count, total.global_step) == (len(kept), at)
