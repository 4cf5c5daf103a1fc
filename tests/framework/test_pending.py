"""Promises that follow others."""

import pytest

from tinytf.framework.pending import Pending


def test_what_follows_has_the_function_s_result_and_waits_for_the_same():
    queue = object()
    first = Pending("3 elements", queue, "elements")
    following = first.then(lambda value: value + 1)
    assert not following.done
    assert (following.waiting_for, following.on, following.needs) == (
        "3 elements",
        queue,
        "elements",
    )
    first.set_result(41)
    assert following.get() == 42


def test_what_is_there_is_followed_at_once():
    first = Pending()
    first.set_result("a")
    assert first.then(str.upper).get() == "A"


def test_an_error_is_passed_on_and_the_function_is_not_called():
    first, called = Pending(), []
    following = first.then(called.append)
    error = ValueError("lost")
    first.set_error(error)
    assert following.error is error
    assert not called


def test_what_the_function_raises_becomes_the_error_and_not_the_completer_s():
    first = Pending()
    following = first.then(lambda value: 1 / value)
    assert first.set_result(0)
    with pytest.raises(ZeroDivisionError):
        following.get()


def test_chains_go_on():
    first = Pending()
    last = first.then(str.strip).then(int).then(lambda number: number * 2)
    first.set_result(" 4 ")
    assert last.get() == 8
