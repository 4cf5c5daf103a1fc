"""Convolutions in blocks beside their definition, and their bits on any number of threads."""

import numpy as np
import pytest

from tinytf.kernels.in_blocks import convolution, window_matrices
from tinytf.ops.nn.windows import axis_of
from tinytf.runtime import blas
from tinytf.runtime.intra_op import IntraOpPool

SEEDS = range(40)


def random_axis(random, stride=None):
    """Windows along an axis: any size, stride, dilation and padding that leave one at least."""
    while True:
        chosen, window, dilation = (int(random.integers(1, n)) for n in (12, 5, 4))
        stride = stride or int(random.integers(1, 4))
        padding = (b"SAME", b"VALID", b"EXPLICIT")[random.integers(3)]
        explicit = tuple(int(n) for n in random.integers(0, 6, 2))
        reach = (window - 1) * dilation + 1
        if padding == b"SAME" or chosen + (sum(explicit) * (padding == b"EXPLICIT")) >= reach:
            return axis_of(chosen, window, stride, dilation, padding, explicit)


class Case:
    """Images, a filter and a gradient for windows that a seed chooses."""

    def __init__(self, seed, batch=None, channels=None, outputs=None, row_stride=None):
        random = np.random.default_rng(seed)
        self.rows, self.columns = random_axis(random, row_stride), random_axis(random)
        batch = int(random.integers(1, 5)) if batch is None else batch
        channels = int(random.choice([1, 2, 3, 8, 17])) if channels is None else channels
        outputs = int(random.choice([1, 2, 5, 16])) if outputs is None else outputs
        sizes = (batch, self.rows.size, self.columns.size, channels)
        self.image = random.standard_normal(sizes)
        self.filter = random.standard_normal(
            (self.rows.window, self.columns.window, channels, outputs)
        )
        self.above = random.standard_normal((batch, self.rows.count, self.columns.count, outputs))

    def windows(self):
        """[batch, rows, columns, window rows, window columns, channels]: pixel by pixel."""
        rows, columns, image = self.rows, self.columns, self.image
        result = np.zeros((*self.above.shape[:3], rows.window, columns.window, image.shape[3]))
        for r, c, i, j in np.ndindex(rows.count, columns.count, rows.window, columns.window):
            row = r * rows.stride + i * rows.dilation - rows.before
            column = c * columns.stride + j * columns.dilation - columns.before
            if 0 <= row < rows.size and 0 <= column < columns.size:
                result[:, r, c, i, j] = image[:, row, column]
        return result

    def of_image(self):
        """The gradient for the images: each window's share, pixel by pixel."""
        rows, columns = self.rows, self.columns
        result = np.zeros_like(self.image)
        for r, c, i, j in np.ndindex(rows.count, columns.count, rows.window, columns.window):
            row = r * rows.stride + i * rows.dilation - rows.before
            column = c * columns.stride + j * columns.dilation - columns.before
            if 0 <= row < rows.size and 0 <= column < columns.size:
                result[:, row, column] += self.above[:, r, c] @ self.filter[i, j].T
        return result


@pytest.fixture(params=["whole", "some images", "some rows"])
def block_size(request, monkeypatch):
    size = {"whole": 1 << 20, "some images": 1 << 12, "some rows": 1 << 6}[request.param]
    monkeypatch.setattr(window_matrices, "_BLOCK_BYTES", size)
    monkeypatch.setattr(window_matrices, "_SMALL_BLOCK_BYTES", 1)


def have_lines(monkeypatch):
    """Have all windows that move down by one row cut into `Lines`."""
    for name in ("_LINES_BYTES", "_NUMBERS_PER_OUTPUT", "_WINDOWS_PER_OUTPUT", "_SHORT_RUN"):
        monkeypatch.setattr(window_matrices, name, 0)


@pytest.mark.parametrize("lines", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.usefixtures("block_size")
def test_definition(seed, lines, monkeypatch):
    if lines:
        have_lines(monkeypatch)
    case = Case(seed, row_stride=1 if lines else None)
    axes = case.rows, case.columns
    windows = case.windows()
    found = convolution.convolution(case.image, case.filter, *axes)
    np.testing.assert_allclose(found, np.tensordot(windows, case.filter, 3), atol=1e-9)
    found = convolution.filter_gradient(case.image, case.above, *axes)
    expected = np.tensordot(windows, case.above, ([0, 1, 2],) * 2)
    np.testing.assert_allclose(found, expected, atol=1e-9)
    found = convolution.input_gradient(case.above, case.filter, *axes)
    np.testing.assert_allclose(found, case.of_image(), atol=1e-9)


def test_which_windows_are_cut_into_lines():
    def kind(batch, size, stride, channels, outputs):
        axis = axis_of(size, 5, stride, 1, b"SAME")
        image = np.zeros((batch, size, size, channels), np.float32)
        return type(window_matrices.matrices_of(image, axis, axis, outputs, image.dtype))

    assert kind(32, 14, 1, 16, 32) is window_matrices.Lines
    for other in [(1, 14, 1, 16, 32), (32, 14, 2, 16, 32), (32, 14, 1, 1, 32), (32, 14, 1, 64, 64)]:
        assert kind(*other) is window_matrices.Windows


@pytest.mark.parametrize(("few", "many"), [(0, 100), (100, 100), (0, 0)])
@pytest.mark.parametrize("seed", SEEDS)
def test_both_ways_of_a_gradient_for_images(seed, few, many, monkeypatch):
    monkeypatch.setattr(convolution, "_FEW_CHANNELS", few)
    monkeypatch.setattr(convolution, "_MANY_KINDS", many)
    case = Case(seed, channels=2, outputs=5)
    found = convolution.input_gradient(case.above, case.filter, case.rows, case.columns)
    np.testing.assert_allclose(found, case.of_image(), atol=1e-9)


@pytest.mark.parametrize("across", [0, 1000])
@pytest.mark.parametrize("seed", SEEDS)
def test_both_orders_of_a_matrix_of_windows(seed, across, monkeypatch):
    monkeypatch.setattr(window_matrices, "_SHORT_RUN", across)
    case = Case(seed)
    found = convolution.convolution(case.image, case.filter, case.rows, case.columns)
    np.testing.assert_allclose(found, np.tensordot(case.windows(), case.filter, 3), atol=1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_images_in_another_order_and_type(seed):
    case = Case(seed)
    image = np.ascontiguousarray(case.image.astype(np.float16).transpose(0, 3, 1, 2))
    weights = case.filter.astype(np.float32)
    found = convolution.convolution(image.transpose(0, 2, 3, 1), weights, case.rows, case.columns)
    assert found.dtype == np.float32
    assert found.flags.c_contiguous
    np.testing.assert_allclose(found, np.tensordot(case.windows(), case.filter, 3), atol=0.2)


@pytest.mark.parametrize("empty", ["batch", "channels", "outputs"])
def test_nothing(empty):
    case = Case(3, **{empty: 0})
    axes = case.rows, case.columns
    found = [
        convolution.convolution(case.image, case.filter, *axes),
        convolution.filter_gradient(case.image, case.above, *axes),
        convolution.input_gradient(case.above, case.filter, *axes),
    ]
    assert [x.shape for x in found] == [case.above.shape, case.filter.shape, case.image.shape]
    assert not any(x.any() for x in found)


@pytest.mark.parametrize("lines", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("seed", range(6))
def test_bits_on_any_number_of_threads(seed, dtype, lines, monkeypatch):
    monkeypatch.setattr(window_matrices, "_BLOCK_BYTES", 1 << 10)
    monkeypatch.setattr(window_matrices, "_SMALL_BLOCK_BYTES", 1)
    if lines:
        have_lines(monkeypatch)
    case = Case(seed, batch=13, row_stride=1 if lines else None)
    image, filter, above = (x.astype(dtype) for x in (case.image, case.filter, case.above))
    axes = case.rows, case.columns

    def all_of_it(run):
        return [
            convolution.convolution(image, filter, *axes, run),
            convolution.filter_gradient(image, above, *axes, run),
            convolution.input_gradient(above, filter, *axes, run),
        ]

    def backwards(count, work):
        for index in reversed(range(count)):
            work(index)

    with blas.limit(1):
        expected = all_of_it(convolution.in_order)
        runs = [backwards]
        pools = [IntraOpPool(threads) for threads in (2, 3, 5)]
        for run in [*runs, *(pool.run for pool in pools)]:
            for one, other in zip(expected, all_of_it(run), strict=True):
                assert one.tobytes() == other.tobytes()
    for pool in pools:
        pool.close()


def test_the_memory_of_blocks_is_not_the_result():
    case = Case(1, channels=8)
    first = convolution.convolution(case.image, case.filter, case.rows, case.columns)
    kept = first.copy()
    convolution.convolution(-case.image, case.filter, case.rows, case.columns)
    assert np.array_equal(first, kept)
