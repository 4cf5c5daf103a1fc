"""`tf.spectral`: the Fourier and cosine transforms of `tf.signal`, under their older name."""

from tinytf.api.names import explained
from tinytf.api.signal import (
    dct, fft, fft2d, fft3d, idct, ifft, ifft2d, ifft3d, irfft, irfft2d, irfft3d, rfft, rfft2d,
    rfft3d,
)  # fmt: skip

__all__ = [
    "dct", "fft", "fft2d", "fft3d", "idct", "ifft", "ifft2d", "ifft3d", "irfft", "irfft2d",
    "irfft3d", "rfft", "rfft2d", "rfft3d",
]  # fmt: skip

__getattr__ = explained(__name__, "spectral")
