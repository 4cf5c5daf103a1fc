"""The stack that loops keep their history on."""

import pytest

import tinytf as tf
from tinytf.resources.stack import Stack


def test_last_in_first_out():
    stack = Stack("s", tf.float32)
    stack.push(1)
    stack.push(2)
    assert len(stack) == 2
    assert [stack.pop(), stack.pop()] == [2, 1]


def test_an_empty_stack_has_nothing_to_pop():
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"Stack\[s\] is empty when calling Pop"
    ):
        Stack("s", tf.float32).pop()


def test_a_full_stack_takes_no_more():
    stack = Stack("s", tf.float32, max_size=1)
    stack.push(1)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"overflowed its max_size \(1\)"):
        stack.push(2)
    assert stack.pop() == 1


def test_a_closed_stack_is_closed():
    stack = Stack("s", tf.float32)
    stack.push(1)
    stack.close()
    assert len(stack) == 0
    for use in (stack.pop, lambda: stack.push(1)):
        with pytest.raises(tf.errors.InvalidArgumentError, match="has already been closed"):
            use()
