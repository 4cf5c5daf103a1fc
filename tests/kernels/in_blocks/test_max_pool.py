"""The largest number of each window beside its definition, and where its gradient goes."""

import numpy as np
import pytest

from tinytf.kernels.in_blocks import max_pool
from tinytf.ops.nn.windows import axis_of, padded, places
from tinytf.runtime.intra_op import IntraOpPool

SEEDS = range(40)


def pool_case(seed):
    """Images with many equal numbers, in their padding, and a gradient."""
    random = np.random.default_rng(seed)
    rows, columns = (
        axis_of(size, int(random.integers(1, 1 + min(size, 4))), stride, 1, b"SAME")
        for size, stride in random.integers([[1, 1], [1, 1]], [12, 4]).tolist()
    )
    image = random.integers(0, 4, (3, rows.size, columns.size, 2)).astype(np.float32)
    above = random.standard_normal((3, rows.count, columns.count, 2)).astype(np.float32)
    return padded(image, rows, columns, np.float32(-np.inf)), above, rows, columns


@pytest.mark.parametrize("items", [1, 50, 1 << 20])
@pytest.mark.parametrize("seed", SEEDS)
def test_max_pooling(seed, items, monkeypatch):
    monkeypatch.setattr(max_pool, "_BLOCK_ITEMS", items)
    image, above, rows, columns = pool_case(seed)
    largest = max_pool.largest(image, rows, columns)
    found = max_pool.gradient(image, largest, above, rows, columns)
    expected = np.zeros((3, rows.size, columns.size, 2), np.float32)
    for n, r, c, channel in np.ndindex(above.shape):
        window = {
            (row, column): image[n, row, column, channel]
            for row in range(r * rows.stride, r * rows.stride + rows.window)
            for column in range(c * columns.stride, c * columns.stride + columns.window)
        }
        place = max(window, key=window.__getitem__)  # the first of the largest
        assert largest[n, r, c, channel] == window[place]
        row, column = place[0] - rows.before, place[1] - columns.before
        expected[n, row, column, channel] += above[n, r, c, channel]
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)


def test_a_gradient_of_infinities_stays_where_it_was():
    image = np.arange(16, dtype=np.float32).reshape(1, 4, 4, 1)
    axis = axis_of(4, 2, 2, 1, b"VALID")
    above = np.full((1, 2, 2, 1), np.inf, np.float32)
    above[0, 0, 0, 0] = np.nan
    largest = max_pool.largest(image, axis, axis)
    found = max_pool.gradient(image, largest, above, axis, axis)[0, :, :, 0]
    assert np.isnan(found[1, 1])
    assert np.count_nonzero(found) == 4


def test_pixels_between_windows_have_no_gradient():
    axis = axis_of(7, 2, 3, 1, b"VALID")
    assert len(list(places(axis, axis))) == 4
    image = np.arange(49, dtype=np.float32).reshape(1, 7, 7, 1)
    above = np.ones((1, axis.count, axis.count, 1), np.float32)
    largest = max_pool.largest(image, axis, axis)
    found = max_pool.gradient(image, largest, above, axis, axis)
    assert found.sum() == above.size
    assert not found[0, [2, 5, 6]].any()


@pytest.mark.parametrize("seed", range(6))
def test_any_number_of_threads(seed, monkeypatch):
    monkeypatch.setattr(max_pool, "_BLOCK_ITEMS", 10)
    image, above, rows, columns = pool_case(seed)
    largest = max_pool.largest(image, rows, columns)
    expected = max_pool.gradient(image, largest, above, rows, columns)
    for threads in (2, 3):
        run = IntraOpPool(threads).run
        assert max_pool.largest(image, rows, columns, run).tobytes() == largest.tobytes()
        found = max_pool.gradient(image, largest, above, rows, columns, run)
        assert found.tobytes() == expected.tobytes()
