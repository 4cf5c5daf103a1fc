"""`tf.signal`: Fourier and cosine transforms, frames, windows, spectra."""

from tinytf.api.names import explained as _explained
from tinytf.ops.signal.cosine import dct, idct
from tinytf.ops.signal.fourier import fft, fft2d, fft3d, ifft, ifft2d, ifft3d
from tinytf.ops.signal.frames import frame, overlap_and_add
from tinytf.ops.signal.mel import linear_to_mel_weight_matrix, mfccs_from_log_mel_spectrograms
from tinytf.ops.signal.real_fourier import irfft, irfft2d, irfft3d, rfft, rfft2d, rfft3d
from tinytf.ops.signal.shifting import fftshift, ifftshift
from tinytf.ops.signal.spectra import inverse_mdct, inverse_stft, inverse_stft_window_fn, mdct, stft
from tinytf.ops.signal.windows import hamming_window, hann_window, kaiser_bessel_derived_window
from tinytf.ops.signal.windows import kaiser_window, vorbis_window

__all__ = ["dct", "fft", "fft2d", "fft3d", "fftshift", "frame", "hamming_window", "hann_window"]
__all__ += ["idct", "ifft", "ifft2d", "ifft3d", "ifftshift", "inverse_mdct", "inverse_stft"]
__all__ += ["inverse_stft_window_fn", "irfft", "irfft2d", "irfft3d", "kaiser_bessel_derived_window"]
__all__ += ["kaiser_window", "linear_to_mel_weight_matrix", "mdct"]
__all__ += ["mfccs_from_log_mel_spectrograms", "overlap_and_add", "rfft", "rfft2d", "rfft3d"]
__all__ += ["stft", "vorbis_window"]

__getattr__ = _explained(__name__, "signal")
