"""The array behind `tf.TensorArray`, without a graph."""

import numpy as np
import pytest

from tinytf.framework import dtypes
from tinytf.framework.errors import InvalidArgumentError
from tinytf.resources.tensor_array import TensorArray


def array(size=2, **options):
    return TensorArray("a", dtypes.float32, size, **options)


def test_nothing_is_copied():
    value = np.ones(3, np.float32)
    held = array(clear_after_read=False)
    held.write(1, value)
    assert held.read(1) is value
    assert held.read(1) is value


def test_each_has_a_name_of_its_own():
    assert array().name != array().name


def test_a_read_element_is_forgotten_but_its_shape_is_known():
    held = array()
    held.write(0, np.ones(3, np.float32))
    held.read(0)
    with pytest.raises(InvalidArgumentError, match="cleared after a previous read"):
        held.read(0)
    np.testing.assert_array_equal(held.gradient(b"g").read(0), np.zeros(3))


def test_one_gradient_for_each_call():
    held = array()
    assert held.gradient(b"one") is held.gradient(b"one")
    assert held.gradient(b"one") is not held.gradient(b"other")


def test_a_gradient_sums_without_changing_what_was_written():
    first = np.ones(2, np.float32)
    gradient = array().gradient(b"g")
    gradient.write(0, first)
    gradient.write(0, first)
    np.testing.assert_array_equal(gradient.read(0), [2, 2])
    np.testing.assert_array_equal(first, [1, 1])


def test_sums_of_unlike_shapes():
    gradient = array().gradient(b"g")
    gradient.write(0, np.ones(2, np.float32))
    with pytest.raises(InvalidArgumentError, match=r"existing shape is \[2\] but the new input"):
        gradient.write(0, np.ones(3, np.float32))


def test_a_gradient_beyond_the_end_is_zero():
    gradient = array(0, element_shape=(2,)).gradient(b"g")
    np.testing.assert_array_equal(gradient.read(3), [0, 0])
    assert len(gradient) == 4


def test_it_grows_by_what_is_written():
    held = array(0, dynamic_size=True)
    held.write(2, np.float32(1))
    assert len(held) == 3
    held.prepare_unpack(5)
    assert len(held) == 5
    assert repr(held).endswith("of 5 float32 values>")


def test_elements_of_unlike_shapes():
    held = array(identical_element_shapes=True)
    held.write(0, np.ones(2, np.float32))
    with pytest.raises(InvalidArgumentError, match="consider setting infer_shape=False"):
        held.write(1, np.ones(3, np.float32))
    free = array()
    free.write(0, np.ones(2, np.float32))
    free.write(1, np.ones(3, np.float32))
    assert free.read(1).shape == (3,)
