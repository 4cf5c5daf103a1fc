"""Signals that come back from what was made of them."""

import numpy as np
import pytest

import tinytf as tf

SIGNAL = np.cos(np.arange(64.0) ** 1.5)


@pytest.mark.parametrize("kind", [1, 2, 3, 4])
@pytest.mark.parametrize("size", [2, 5, 16])
def test_a_cosine_transform_and_its_inverse(kind, size):
    back = tf.signal.idct(tf.signal.dct(SIGNAL[:size], kind), kind)
    scale = 2 * (size - 1 if kind == 1 else size)
    with tf.Session() as session:
        np.testing.assert_allclose(session.run(back) / scale, SIGNAL[:size], atol=1e-6)


@pytest.mark.parametrize(("length", "step"), [(8, 4), (8, 2), (12, 5)])
def test_a_signal_comes_back_from_its_spectra(length, step):
    """But for both ends, where fewer frames overlap."""
    spectra = tf.signal.stft(SIGNAL, length, step)
    window = tf.signal.inverse_stft_window_fn(step)
    back = tf.signal.inverse_stft(spectra, length, step, window_fn=window)
    with tf.Session() as session:
        found = session.run(back)
    inside = slice(length, len(found) - length)
    np.testing.assert_allclose(found[inside], SIGNAL[inside], atol=1e-6)


@pytest.mark.parametrize("window", ["vorbis_window", "kaiser_bessel_derived_window"])
@pytest.mark.parametrize("norm", [None, "ortho"])
def test_a_signal_comes_back_from_its_modified_cosines(window, norm):
    window_fn = getattr(tf.signal, window)
    folded = tf.signal.mdct(SIGNAL, 16, window_fn, norm=norm)
    back = tf.signal.inverse_mdct(folded, window_fn, norm=norm)
    with tf.Session() as session:
        found = session.run(back)
    np.testing.assert_allclose(found[8:-8], SIGNAL[8 : len(found) - 8], atol=1e-5)


@pytest.mark.parametrize("shape", [[], [3], [2, 3]])
def test_a_transform_of_length_zero_says_so(shape):
    x = tf.placeholder(tf.float32, shape)
    if not shape:
        with pytest.raises(ValueError, match="must have rank at least 1"):
            tf.signal.rfft(x)
        return
    y = tf.signal.rfft(x, [0])
    with tf.Session() as session, pytest.raises(tf.errors.InternalError, match="length 0"):
        session.run(y, {x: np.ones(shape)})


def test_a_third_dimension_has_no_gradient():
    x = tf.placeholder(tf.float32, [2, 2, 2])
    y = tf.abs(tf.signal.rfft3d(x))
    with pytest.raises(LookupError, match="RFFT3D"):
        tf.gradients(y, x)
