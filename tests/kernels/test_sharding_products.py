"""Products in panels, and convolutions in blocks: the bits of BLAS on one thread."""

import numpy as np
import pytest

from tests.kernels.sharding_cases import (
    COMPLEX,
    FLOATS,
    INTEGERS,
    CountingPool,
    assert_identical,
    check_same,
    kernels,
    lower_thresholds,
    node,
    numbers,
)
from tinytf.framework.errors import InvalidArgumentError
from tinytf.kernels.in_blocks import window_matrices
from tinytf.kernels.sharding import products
from tinytf.runtime import blas


@pytest.fixture(autouse=True)
def small_is_large(monkeypatch):
    lower_thresholds(monkeypatch)
    monkeypatch.setattr(products, "SMALL", 1)
    monkeypatch.setattr(products, "PER_THREAD", 4)
    monkeypatch.setattr(products, "_found", {})
    monkeypatch.setattr(window_matrices, "_BLOCK_BYTES", 10_000)
    monkeypatch.setattr(window_matrices, "_SMALL_BLOCK_BYTES", 1)


@pytest.fixture(scope="module")
def pool():
    pool = CountingPool(3)
    yield pool
    pool.close()


@pytest.mark.parametrize("turned_b", [False, True])
@pytest.mark.parametrize("turned_a", [False, True])
@pytest.mark.parametrize("dtype", [*FLOATS, *COMPLEX, INTEGERS[0]], ids=str)
def test_panels(dtype, turned_a, turned_b, pool):
    for m, k, n in ((200, 30, 40), (300, 60, 400), (40, 30, 500), (1, 30, 900)):
        a = numbers((k, m) if turned_a else (m, k), dtype)
        b = numbers((n, k) if turned_b else (k, n), dtype, 1)
        check_same("MatMul", [a, b], pool, transpose_a=turned_a, transpose_b=turned_b)


def test_panels_of_large_products(pool):
    # Where the library's ways for small matrices play no part, panels are always the same: here
    # it is seen that splitting happens at all.
    found = [
        check_same("MatMul", [numbers((m, k), "f4"), numbers((k, n), "f4", 1)], pool)
        for m, k, n in ((480, 300, 400), (960, 100, 200))
    ]
    assert any(found) or not blas.has_switch()


def test_a_product_with_itself_is_left_whole(pool):
    x = numbers((300, 200), "f4")
    assert not check_same("MatMul", [x, x], pool, transpose_b=True)


def test_panels_with_other_bits_are_not_used(pool, monkeypatch):
    a, b = numbers((300, 200), "f4"), numbers((200, 400), "f4", 1)
    plain, _ = kernels(node("MatMul", [a, b]), pool)
    calls = []

    def wrong_in_parts(a, b):
        calls.append(a.shape)
        return plain(a, b) + np.float32(len(a) < 300)

    with blas.limit(1):
        split = products.mat_mul(node("MatMul", [a, b]), wrong_in_parts, pool)
        for _ in range(3):
            assert_identical(plain(a, b), split(a, b))
    # The check on the first call, once; after that only the whole.
    assert calls.count((300, 200)) == 4
    assert calls[-2:] == [(300, 200)] * 2


def test_without_a_switch_of_blas_nothing_is_split(pool, monkeypatch):
    monkeypatch.setattr(blas, "_libraries", [])
    assert not check_same("MatMul", [numbers((480, 300), "f4"), numbers((300, 400), "f4")], pool)


def test_blas_has_its_threads_back(pool):
    before = blas.threads_now()
    check_same("MatMul", [numbers((480, 300), "f4"), numbers((300, 400), "f4")], pool)
    assert blas.threads_now() == before


@pytest.mark.parametrize("adj_y", [False, True])
@pytest.mark.parametrize("adj_x", [False, True])
@pytest.mark.parametrize("dtype", [*FLOATS, *COMPLEX, *INTEGERS[:1]], ids=str)
def test_batches_of_products(dtype, adj_x, adj_y, pool):
    for left, right in (
        ((8, 20, 30), (8, 30, 40)),
        ((8, 3, 20, 30), (1, 3, 30, 40)),
        ((8, 3, 20, 30), (3, 30, 40)),
        ((8, 20, 30), (30, 40)),
    ):
        x, y = numbers(left, dtype), numbers(right, dtype, 1)
        if adj_x:
            x = np.ascontiguousarray(np.swapaxes(x, -1, -2))
        if adj_y:
            y = np.ascontiguousarray(np.swapaxes(y, -1, -2))
        split = check_same("BatchMatMulV2", [x, y], pool, adj_x=adj_x, adj_y=adj_y)
        assert split or not blas.has_switch()
    assert not check_same(
        "BatchMatMulV2", [numbers((1, 20, 30), dtype), numbers((8, 30, 40), dtype)], pool
    )


@pytest.mark.parametrize("data_format", ["NHWC", "NCHW"])
@pytest.mark.parametrize("padding", ["SAME", "VALID"])
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_convolutions(dtype, padding, data_format, pool):
    for window, stride, channels, outputs in ((3, 1, 8, 16), (5, 2, 16, 8), (3, 1, 1, 16)):
        image = numbers((12, 14, 14, channels), dtype)
        strides = [1, stride, stride, 1]
        if data_format == "NCHW":
            image = np.ascontiguousarray(image.transpose(0, 3, 1, 2))
            strides = [1, 1, stride, stride]
        filter = numbers((window, window, channels, outputs), dtype, 1)
        attrs = {"strides": strides, "padding": padding, "data_format": data_format}
        split = check_same("Conv2D", [image, filter], pool, **attrs)
        result = kernels(node("Conv2D", [image, filter], **attrs), pool)[0](image, filter)
        above = numbers(result.shape, dtype, 5)
        of_images, of_filter = (np.array(v.shape, np.int32) for v in (image, filter))
        split &= check_same("Conv2DBackpropInput", [of_images, filter, above], pool, **attrs)
        split &= check_same("Conv2DBackpropFilter", [image, of_filter, above], pool, **attrs)
        assert split or not blas.has_switch()


@pytest.mark.parametrize("op_type", ["Conv2D", "Conv2DBackpropInput", "Conv2DBackpropFilter"])
def test_convolutions_are_split(op_type, pool):
    image, filter = numbers((12, 14, 14, 8), "f4"), numbers((3, 3, 8, 16), "f4")
    of_images, of_filter = (np.array(v.shape, np.int32) for v in (image, filter))
    above = numbers((12, 14, 14, 16), "f4", 5)
    inputs = {
        "Conv2D": [image, filter],
        "Conv2DBackpropInput": [of_images, filter, above],
        "Conv2DBackpropFilter": [image, of_filter, above],
    }[op_type]
    attrs = {"strides": [1, 1, 1, 1], "padding": "SAME"}
    plain, split = kernels(node(op_type, inputs, **attrs), pool)
    before = pool.splits
    with blas.limit(1):
        assert_identical(plain(*inputs), split(*inputs))
    assert pool.splits == before + 1 or not blas.has_switch()


KIN = {
    "DepthwiseConv2dNative": ((12, 14, 14, 8), (3, 3, 8, 2), [1, 2, 1, 1]),
    "Conv3D": ((4, 6, 14, 14, 8), (2, 3, 3, 8, 16), [1, 1, 2, 1, 1]),
}
GRADIENTS = {
    "DepthwiseConv2dNative": "DepthwiseConv2dNativeBackprop{}",
    "Conv3D": "Conv3DBackprop{}V2",
}


@pytest.mark.parametrize("op_type", KIN)
def test_kin_of_convolutions_are_split(op_type, pool):
    of_image, of_filter, strides = KIN[op_type]
    image, filter = numbers(of_image, "f4"), numbers(of_filter, "f4", 1)
    attrs = {"strides": strides, "padding": "SAME"}
    result = kernels(node(op_type, [image, filter], **attrs), pool)[0](image, filter)
    above, sizes = numbers(result.shape, "f4", 5), [np.array(s, np.int32) for s in KIN[op_type][:2]]
    name = GRADIENTS[op_type]
    for kind, inputs in (
        (op_type, [image, filter]),
        (name.format("Input"), [sizes[0], filter, above]),
        (name.format("Filter"), [image, sizes[1], above]),
    ):
        assert check_same(kind, inputs, pool, **attrs) or not blas.has_switch()


@pytest.mark.parametrize(
    ("op_type", "shapes", "attrs"),
    [
        ("MatMul", [(400, 30), (31, 400)], {}),
        ("BatchMatMulV2", [(8, 20, 30), (8, 31, 40)], {}),
        ("BatchMatMulV2", [(8, 20, 30), (7, 30, 40)], {}),
        ("Conv2D", [(12, 14, 14, 8), (3, 3, 7, 16)], {"strides": [1] * 4, "padding": "SAME"}),
    ],
)
def test_shapes_that_do_not_fit(op_type, shapes, attrs, pool):
    inputs = [numbers(shape, "f4", i) for i, shape in enumerate(shapes)]
    plain, split = kernels(node(op_type, inputs, **attrs), pool)
    with pytest.raises(InvalidArgumentError) as expected:
        plain(*inputs)
    with pytest.raises(InvalidArgumentError) as found:
        split(*inputs)
    assert str(found.value) == str(expected.value)


def test_what_was_found_is_not_kept_without_end(pool, monkeypatch):
    monkeypatch.setattr(products, "_MANY", 2)
    for size in (200, 250, 300, 350):
        check_same("MatMul", [numbers((size, 30), "f4"), numbers((30, 200), "f4")], pool)
        assert len(products._found) <= 2
