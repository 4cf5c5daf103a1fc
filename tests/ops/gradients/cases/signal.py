"""Fourier transforms, and what is made of them."""

import numpy as np

import tinytf as tf
from tests.ops.gradients.cases import Case, numbers, op, program, signed

POINT = signed(2, 3, 4) + 1j * signed(2, 3, 4, seed=3)
HALF = signed(2, 3) + 1j * signed(2, 3, seed=5)


def real(name: str, point: np.ndarray, *lengths: int) -> Case:
    return program(lambda x: getattr(tf.signal, name)(x, list(lengths) or None), point)


CASES: dict[str, list[Case]] = {
    **{name: [op(name, POINT)] for name in ("FFT", "IFFT", "FFT2D", "IFFT2D", "FFT3D", "IFFT3D")},
    # Of even and odd lengths; the input too short, just long enough, and too long.
    "RFFT": [
        real("rfft", signed(2, 4)),
        real("rfft", signed(5)),
        real("rfft", signed(3), 6),
        real("rfft", signed(2, 5), 4),
        real("rfft", numbers(1)),
        program(lambda x: tf.signal.stft(x, 4, 2), signed(8)),
        program(tf.signal.dct, signed(2, 5)),
    ],
    "RFFT2D": [
        real("rfft2d", signed(3, 4)),
        real("rfft2d", signed(2, 3, 5), 2, 6),
        real("rfft2d", signed(3, 5), 4, 4),
    ],
    "IRFFT": [
        real("irfft", HALF),
        real("irfft", HALF, 5),
        real("irfft", HALF[0], 7),
        real("irfft", HALF, 2),
        program(lambda x: tf.signal.dct(x, 3), signed(2, 5)),
    ],
    "IRFFT2D": [real("irfft2d", HALF), real("irfft2d", HALF, 3, 5), real("irfft2d", POINT, 2, 3)],
}
