"""`tf.spectral`: the Fourier and cosine transforms of `tf.signal`, under their older name."""

from tinytf.api.names import explained as _explained
from tinytf.api.signal import dct, fft, fft2d, fft3d, idct, ifft, ifft2d, ifft3d, irfft, irfft2d
from tinytf.api.signal import irfft3d, rfft, rfft2d, rfft3d

__all__ = ["dct", "fft", "fft2d", "fft3d", "idct", "ifft", "ifft2d", "ifft3d", "irfft", "irfft2d"]
__all__ += ["irfft3d", "rfft", "rfft2d", "rfft3d"]

__getattr__ = _explained(__name__, "spectral")
