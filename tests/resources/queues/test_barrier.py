"""Barriers against a simple model, and those who wait."""

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

import tinytf as tf
from tinytf.framework.cancellation import CancellationManager
from tinytf.framework.pending import Pending
from tinytf.resources.queues.barrier import Barrier

FIRST = -(2**63)


def make():
    return Barrier("b", (tf.string, tf.int32), (tf.TensorShape([]), tf.TensorShape([])))


def insert(barrier, component, keys):
    """Values are made from the keys."""
    names = np.array([key.encode() for key in keys], object)
    if component == 0:
        values = np.array([key.upper().encode() for key in keys], object)
    else:
        values = np.array([ord(key) for key in keys], np.int32)
    barrier.insert_many(component, names, values)


def keys_of(taken):
    indices, keys, texts, numbers = taken
    names = [key.decode() for key in keys]
    assert [text.decode() for text in texts] == [name.upper() for name in names]
    assert numbers.tolist() == [ord(name) for name in names]
    return list(zip((index - FIRST for index in indices.tolist()), names))


def test_a_take_waits_for_complete_elements():
    barrier, step = make(), CancellationManager()
    insert(barrier, 0, "ab")
    taken = barrier.take_many(2, step)
    insert(barrier, 1, "b")
    assert isinstance(taken, Pending)
    assert not taken.done
    assert taken.waiting_for == "2 elements"
    assert "BarrierInsertMany" in str(taken.on.served_by)
    assert (
        taken.on.describe()
        == "the barrier 'b' (Barrier), 1 complete and 1 incomplete elements, open"
    )
    insert(barrier, 1, "a")
    assert sorted(keys_of(taken.get())) == [(0, "a"), (0, "b")]


def test_a_cancelled_take_gives_back():
    barrier, step = make(), CancellationManager()
    for component in (0, 1):
        insert(barrier, component, "a")
    taken = barrier.take_many(2, step)
    step.start_cancel()
    with pytest.raises(tf.errors.CancelledError):
        taken.get()
    assert keys_of(barrier.take_many(1, CancellationManager())) == [(0, "a")]


def test_closing_ends_takes_that_can_never_be_served():
    barrier, step = make(), CancellationManager()
    insert(barrier, 0, "a")
    taken = barrier.take_many(2, step)
    barrier.close(False)
    assert not taken.done  # "a" may still become complete
    insert(barrier, 1, "a")
    with pytest.raises(tf.errors.OutOfRangeError, match="insufficient elements"):
        taken.get()
    assert keys_of(barrier.take_many(5, step, few=True)) == [(0, "a")]


def test_a_bad_row_is_refused_when_it_comes_and_loses_nothing():
    barrier = make()
    insert(barrier, 0, "a")
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"component 3\. Expected \[\], got \[2\]"
    ):
        barrier.insert_many(1, np.array([b"a"], object), np.array([[1, 2]], np.int32))
    insert(barrier, 1, "a")
    assert barrier.ready_size() == 1


class AgainstAModel(RuleBasedStateMachine):
    """Keys as a dictionary of the components they have; complete ones as a list."""

    def __init__(self):
        super().__init__()
        self.barrier, self.step = make(), CancellationManager()
        self.begun, self.ready, self.next = {}, [], 0
        self.is_closed = False

    @rule(component=st.integers(0, 1), keys=st.text("abcdef", min_size=1, max_size=3))
    def insert(self, component, keys):
        if self.is_closed and not self.begun:
            with pytest.raises(tf.errors.CancelledError, match="is closed"):
                insert(self.barrier, component, keys)
            return
        expected, is_new = None, False
        for key in keys:
            if key not in self.begun and self.is_closed:
                expected = tf.errors.CancelledError
                break
            is_new |= key not in self.begun
            index, there = self.begun.setdefault(key, (self.next, set()))
            if component in there:
                expected = tf.errors.InvalidArgumentError
                break
            there.add(component)
            if len(there) == 2:
                self.ready.append((index, key))
                del self.begun[key]
        if expected is None:
            insert(self.barrier, component, keys)
            self.next += is_new
        else:
            with pytest.raises(expected):
                insert(self.barrier, component, keys)
        self.ready.sort(key=lambda element: element[0])  # stable: equal ones as they came

    @precondition(lambda self: self.ready)
    @rule(count=st.integers(1, 4))
    def take(self, count):
        count = min(count, len(self.ready))
        assert keys_of(self.barrier.take_many(count, self.step)) == self.ready[:count]
        del self.ready[:count]

    @precondition(lambda self: not self.is_closed)
    @rule()
    def close(self):
        self.barrier.close(False)
        self.is_closed = True

    @precondition(lambda self: self.is_closed)
    @rule()
    def take_too_many(self):
        with pytest.raises(tf.errors.OutOfRangeError):
            self.barrier.take_many(len(self.ready) + len(self.begun) + 1, self.step)

    @invariant()
    def sizes(self):
        assert self.barrier.ready_size() == len(self.ready)
        assert self.barrier.incomplete_size() == len(self.begun)


TestAgainstAModel = AgainstAModel.TestCase
TestAgainstAModel.settings = settings(max_examples=40, stateful_step_count=25, deadline=None)
