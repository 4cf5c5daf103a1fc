"""`arg_scope`: arguments given once."""

import pytest

import tinytf as tf

framework = tf.contrib.framework


@framework.add_arg_scope
def scale(x, by=1, to=None):
    return x * by, to


@framework.add_arg_scope
def other(by=0):
    return by


def test_inner_scopes_add_to_outer_ones_and_calls_come_first():
    with framework.arg_scope([scale, other], by=3):
        with framework.arg_scope([scale], to="here"):
            assert scale(2) == (6, "here")
            assert scale(2, by=5) == (10, "here")
            assert other() == 3
        assert scale(2) == (6, None)
    assert scale(2) == (2, None)


def test_a_scope_is_entered_again():
    with framework.arg_scope([scale], by=4) as kept:
        pass
    with framework.arg_scope([scale], to="outer"), framework.arg_scope(kept):
        assert scale(1) == (4, None)  # it is entered as it was
        assert framework.current_arg_scope() == kept


def test_a_scope_is_left_after_an_error():
    with pytest.raises(RuntimeError), framework.arg_scope([scale], by=4):
        raise RuntimeError
    assert scale(1) == (1, None)


def test_what_can_be_scoped():
    assert framework.has_arg_scope(scale)
    assert not framework.has_arg_scope(tf.matmul)
    assert framework.arg_scoped_arguments(scale) == ("by", "to")


@pytest.mark.parametrize(
    ("what", "given", "error", "words"),
    [
        (scale, {"by": 1}, TypeError, "list_ops_or_scope must either be a list/tuple"),
        ([tf.matmul], {"a": 1}, ValueError, "matmul is not decorated with @add_arg_scope"),
        ({}, {"by": 1}, ValueError, "kwargs must be empty. Given: by"),
    ],
)
def test_mistakes(what, given, error, words):
    with pytest.raises(error, match=words), framework.arg_scope(what, **given):
        pass


def test_an_argument_that_the_function_does_not_take():
    with framework.arg_scope([other], size=1), pytest.raises(TypeError, match="size"):
        other()
