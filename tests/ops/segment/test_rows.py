"""Rows combined at places that may repeat: always as if one came after another."""

import numpy as np
import pytest

from tinytf.framework.errors import InvalidArgumentError
from tinytf.ops.segment.rows import accumulate, assign_rows, combining, divide, repeats

FUNCTIONS = [np.add, np.subtract, np.multiply, np.minimum, np.maximum, divide]


def one_by_one(function, array, places, rows):
    for place, row in zip(places, rows, strict=True):
        array[place] = function(array[place], row)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("shape", [(7,), (5, 3), (4, 2, 3), (3, 0)])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_as_if_one_came_after_another(function, shape, seed):
    rng = np.random.default_rng(seed)
    for count in (0, 1, 2, 5, 40, 200):  # few repeats, and more than numpy's loop is left for
        start = rng.uniform(0.5, 2.0, shape)
        places = rng.integers(0, shape[0], count)
        rows = rng.uniform(0.9, 1.1, (count, *shape[1:]))
        wanted = start.copy()
        one_by_one(function, wanted, places, rows)
        for change in (combining(function), lambda *a: accumulate(function, *a)):
            got = start.copy()
            change(got, places, rows)
            assert got.tolist() == wanted.tolist()


def test_one_number_for_all_rows():
    array = np.zeros((3, 2))
    combining(np.add)(array, np.array([1, 1, 2]), np.float64(1.0))
    assert array.tolist() == [[0.0, 0.0], [2.0, 2.0], [1.0, 1.0]]


def test_the_last_of_several_rows_stays():
    array = np.zeros(3)
    assign_rows(array, np.array([1, 1, 1]), np.array([5.0, 6.0, 7.0]))
    assert array.tolist() == [0.0, 7.0, 0.0]


def test_an_array_is_written_once():
    """What is between two writes of a variable would be visible after an interrupt."""
    writes = []

    class Watched(np.ndarray):
        def __setitem__(self, key, value):
            if np.shares_memory(self, memory):
                writes.append(np.asarray(key).tolist())
            super().__setitem__(key, value)

    memory = np.zeros((4, 2))
    combining(np.add)(memory.view(Watched), np.array([1, 3, 1, 1]), np.ones((4, 2)))
    assert memory[:, 0].tolist() == [0.0, 3.0, 0.0, 1.0]
    assert writes == [[1, 3]]


def test_rounds_have_no_place_twice():
    places = np.array([4, 1, 4, 4, 2, 1])
    found = repeats(places)
    assert found is not None
    assert found.places.tolist() == [1, 2, 4]
    assert found.places[found.positions].tolist() == places.tolist()
    assert found.most == 3
    assert [group.tolist() for group in found.rounds()] == [[0, 1, 4], [2, 5], [3]]
    assert repeats(np.array([3, 1, 2])) is None
    assert repeats(np.array([], np.int32)) is None


def test_integers_are_divided_towards_zero():
    x = np.array([-7, 7, -7, 7, 6], np.int32)
    assert divide(x, np.array([2, -2, -2, 2, 3], np.int32)).tolist() == [-3, -3, 3, 3, 2]
    assert divide(x, np.int32(2)).dtype == np.int32
    with pytest.raises(InvalidArgumentError, match="Integer division by zero"):
        divide(x, np.array([1, 1, 0, 1, 1], np.int32))
    with np.errstate(divide="ignore"):
        assert np.isinf(divide(np.array([1.0]), np.array([0.0]))).all()
