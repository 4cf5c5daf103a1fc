"""Staging areas: waiting for room and for elements, by order and by key."""

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

import tinytf as tf
from tinytf.framework.cancellation import CancellationManager
from tinytf.framework.pending import Pending
from tinytf.resources.queues.staging import MapStagingArea, OrderedMapStagingArea, StagingArea

ONE, TWO = (tf.float32,), (tf.float32, tf.int32)


def value(number):
    return [np.float32(number)]


def both(number):
    return [np.float32(number), np.int32(number)]


def test_puts_wait_for_room_in_their_order():
    area, step = StagingArea("a", 1, 0), CancellationManager()
    assert area.put(value(1), step) == ()
    second, third = area.put(value(2), step), area.put(value(3), step)
    assert second.needs == "room"
    assert "Unstage" in area.served_by["room"]
    assert area.describe() == "the staging area 'a' (StagingArea), 1 of 1 elements"
    assert area.get(ONE, step) == (1.0,)
    assert second.done
    assert not third.done
    assert [area.get(ONE, step), area.get(ONE, step)] == [(2.0,), (3.0,)]
    assert third.done
    assert area.size() == 0


def test_gets_wait_for_elements_and_a_cancelled_one_takes_none():
    area, step, other = StagingArea("a", 0, 0), CancellationManager(), CancellationManager()
    first, second, peek = area.get(ONE, other), area.get(ONE, step), area.peek(1, ONE, step)
    other.start_cancel()
    area.put(value(1), step)
    with pytest.raises(tf.errors.CancelledError, match="Unstage operation was cancelled"):
        first.get()
    assert second.get() == (1.0,)
    assert not peek.done
    area.put(value(2), step)
    area.put(value(3), step)
    assert peek.get() == (3.0,)
    assert area.size() == 2


def test_a_cancelled_put_puts_nothing():
    area, step, other = StagingArea("a", 1, 0), CancellationManager(), CancellationManager()
    area.put(value(1), step)
    waiting = area.put(value(2), other)
    other.start_cancel()
    with pytest.raises(tf.errors.CancelledError, match="Stage operation was cancelled"):
        waiting.get()
    area.clear()
    assert area.size() == 0
    assert area.waiting() == 0


def test_bytes_are_counted():
    area, step = StagingArea("a", 0, 8), CancellationManager()
    area.put(value(1), step)
    area.put(value(2), step)
    third = area.put(value(3), step)
    assert isinstance(third, Pending)
    assert area.describe() == "the staging area 'a' (StagingArea), 2 elements, 8 of 8 bytes"
    with pytest.raises(tf.errors.ResourceExhaustedError, match="combined size of '12' bytes"):
        area.put([np.zeros(3, np.float32)], step)
    area.clear()
    assert third.done
    assert area.size() == 1


def test_an_element_of_other_types_stays():
    area, step = StagingArea("a", 0, 0), CancellationManager()
    area.put(value(1), step)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Mismatch stage/unstage: 1 vs\. 2"):
        area.get(TWO, step)
    with pytest.raises(tf.errors.InternalError, match="Output 0 of type float32"):
        area.get((tf.int32,), step)
    assert area.get(ONE, step) == (1.0,)


def test_a_key_is_waited_for_and_others_pass():
    area, step = MapStagingArea("m", 0, 0), CancellationManager()
    seven, eight = area.get(7, [0, 1], TWO, step), area.get(8, [1], (tf.int32,), step)
    area.put(8, [0, 1], both(8), TWO, step)
    assert eight.get() == [8]
    assert not seven.done
    area.put(7, [1], [np.int32(7)], TWO, step)
    assert not seven.done
    assert area.incomplete_size() == 1
    area.put(7, [0], [np.float32(7)], TWO, step)
    assert seven.get() == [7.0, 7]
    assert (area.size(), area.incomplete_size()) == (1, 0)  # a part of 8 is left


def test_a_part_that_is_gone_takes_nothing_with_it():
    area, step = MapStagingArea("m", 0, 0), CancellationManager()
    area.put(7, [0, 1], both(7), TWO, step)
    area.get(7, [1], (tf.int32,), step)
    with pytest.raises(tf.errors.InvalidArgumentError, match="index '1' for key '7' has already"):
        area.get(7, [0, 1], TWO, step)
    assert area.get(7, [0], ONE, step) == [7.0]
    assert area.size() == 0


def test_incomplete_elements_need_bytes_but_no_place():
    area, step = MapStagingArea("m", 1, 12), CancellationManager()
    area.put(1, [0, 1], both(1), TWO, step)  # 8 bytes, the only place
    assert area.put(2, [0], value(2), TWO, step) == ()
    waiting = area.put(3, [0], value(3), TWO, step)  # 16 bytes
    assert isinstance(waiting, Pending)
    area.get(1, [0, 1], TWO, step)
    assert waiting.done
    assert area.incomplete_size() == 2


class ByKey(RuleBasedStateMachine):
    """An area of one component and two places against a dictionary and lists of who waits."""

    def __init__(self):
        super().__init__()
        self.area, self.step = OrderedMapStagingArea("m", 2, 0), CancellationManager()
        self.there, self.puts, self.number = {}, [], 0

    def settle(self):
        while self.puts and len(self.there) < 2:
            key, number, pending = self.puts.pop(0)
            assert pending is None or pending.done
            self.there.setdefault(key, number)

    @rule(key=st.integers(0, 4))
    def put(self, key):
        self.number += 1
        result = self.area.put(key, [0], value(self.number), ONE, self.step)
        pending = result if isinstance(result, Pending) else None
        self.puts.append((key, self.number, pending))
        before = len(self.puts)
        self.settle()
        assert (pending is None) == (len(self.puts) < before)

    @rule()
    def get_the_smallest(self):
        if self.there:
            key = min(self.there)
            number = self.there.pop(key)
            assert self.area.get(None, [0], ONE, self.step) == [key, number]
            self.settle()

    @rule(data=st.data())
    def cancel_a_put(self, data):
        step = CancellationManager()
        if len(self.there) == 2:
            result = self.area.put(data.draw(st.integers(0, 4)), [0], value(0), ONE, step)
            step.start_cancel()
            assert isinstance(result.error, tf.errors.CancelledError)

    @rule()
    def clear(self):
        self.area.clear()
        self.there.clear()
        self.settle()

    @invariant()
    def sizes(self):
        assert self.area.size() == len(self.there)
        assert self.area.waiting() == len(self.puts)


TestByKey = ByKey.TestCase
TestByKey.settings = settings(max_examples=40, stateful_step_count=25, deadline=None)


def test_strings_count_by_their_length():
    area, step = StagingArea("a", 0, 60), CancellationManager()
    area.put([np.array([b"abc", b""], object)], step)
    assert "51 of 60 bytes" in area.describe()
    assert isinstance(area.put([np.array(b"a" * 20, object)], step), Pending)
