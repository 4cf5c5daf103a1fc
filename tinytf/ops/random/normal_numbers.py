"""Normal numbers out of uniform ones, to the last bit what TensorFlow gets (Box and Muller, 1958).

TensorFlow calls the C library's logarithm, sine and cosine. For float64 Python's `math` is that
library. Its float32 functions are not the correctly rounded ones: they are short polynomials in
float64, after a reduction of the argument, wrong by one in the last place now and then. They are
repeated here with their published constants, over whole arrays.
"""

from __future__ import annotations

import math

import numpy as np

from tinytf.framework.cancellation import look

#: Numbers computed together: few enough for the processor's cache.
_CHUNK = 1 << 14


def _numbers(text: str) -> list[float]:
    """A table, written as text: hexadecimal numbers, exact, with blanks between them."""
    return list(map(float.fromhex, text.split()))


# A float32 z in [0.7, 1.4) is near one of 16 points c: these are 1/c and log(c), nearly.
_INVERSES = np.array(
    _numbers("""
    0x1.661ec79f8f3be 0x1.571ed4aaf883d 0x1.49539f0f010b0 0x1.3c995b0b80385 0x1.30d190c8864a5
    0x1.25e227b0b8ea0 0x1.1bb4a4a1a343f 0x1.12358f08ae5ba 0x1.0953f419900a7 0x1p0
    0x1.e608cfd9a47acp-1 0x1.ca4b31f026aa0p-1 0x1.b2036576afce6p-1 0x1.9c2d163a1aa2dp-1
    0x1.886e6037841edp-1 0x1.767dcf5534862p-1
""")
)
_LOGARITHMS = np.array(
    _numbers("""
    -0x1.57bf7808caadep-2 -0x1.2bef0a7c06ddbp-2 -0x1.01eae7f513a67p-2 -0x1.b31d8a68224e9p-3
    -0x1.6574f0ac07758p-3 -0x1.1aa2bc79c8100p-3 -0x1.a4e76ce8c0e5ep-4 -0x1.1973c5a611cccp-4
    -0x1.252f438e10c1ep-5 0x0p0 0x1.aa5aa5df25984p-5 0x1.c5e53aa362eb4p-4 0x1.526e57720db08p-3
    0x1.bc2860d224770p-3 0x1.1058bc8a07ee1p-2 0x1.4043057b6ee09p-2
""")
)
_LOG_2 = math.log(2)
#: log(1 + r) - r, divided by r squared
_LOG_POLYNOMIAL = _numbers("-0x1.ffffef20a4123p-2 0x1.5575b0be00b6ap-2 -0x1.00ea348b88334p-2")
_COS = _numbers("""
    -0x1.ffffffd0c621cp-2 0x1.55553e1068f19p-5 -0x1.6c087e89a359dp-10 0x1.99343027bf8c3p-16
""")
_SIN = _numbers("-0x1.555545995a603p-3 0x1.1107605230bc4p-7 -0x1.994eb3774cf24p-13")


def log32(x: np.ndarray) -> np.ndarray:
    """The logarithm of positive normal float32 numbers, as the C library's logf has it."""
    bits = x.view(np.uint32)
    shifted = bits - np.uint32(0x3F330000)  # of 0.7: the exponent's field is now that of x / z
    point = (shifted >> np.uint32(19)) & np.uint32(15)
    exponent = shifted.view(np.int32) >> 23
    z = (bits - (shifted & np.uint32(0xFF800000))).view(np.float32).astype(np.float64)
    r = z * _INVERSES.take(point) - 1.0
    start = _LOGARITHMS.take(point) + exponent * _LOG_2
    squared = r * r
    first, second, third = _LOG_POLYNOMIAL
    tail = third * squared + (second * r + first)
    return (tail * squared + (start + r)).astype(np.float32)


def sine_and_cosine32(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Both of float32 numbers between 0 and 7, as the C library's sincosf has them."""
    wide = x.astype(np.float64)
    quarter = np.floor(wide * (2 / math.pi) + 0.5)
    wide -= quarter * (math.pi / 2)
    s = wide * wide
    cubed, fourth = wide * s, s * s
    sine = wide + cubed * _SIN[0] + cubed * s * (_SIN[1] + s * _SIN[2])
    cosine = 1.0 + s * _COS[0] + fourth * _COS[1] + fourth * s * (_COS[2] + s * _COS[3])
    turns = quarter.astype(np.int8)
    odd = (turns & 1).astype(bool)
    sine, cosine = np.where(odd, cosine, sine), np.where(odd, sine, cosine)
    np.negative(sine, out=sine, where=(turns & 2).astype(bool))
    np.negative(cosine, out=cosine, where=((turns + 1) & 2).astype(bool))
    return sine.astype(np.float32), cosine.astype(np.float32)


def box_muller(u1: np.ndarray, u2: np.ndarray) -> np.ndarray:
    """Independent normal numbers, two out of two uniform ones.

    Args:
      u1, u2: in [0, 1), float32 or float64, of the same shape.

    Returns:
      of that shape + (2,) and that type.
    """
    kind = u1.dtype
    # logf reads bits, so that u1 must not be a view with gaps.
    flat1 = np.maximum(u1, kind.type(1e-7)).reshape(-1)
    flat2 = u2.reshape(-1)
    result = np.empty((len(flat1), 2), kind)
    for start in range(0, len(flat1), _CHUNK):
        look()
        part = slice(start, start + _CHUNK)
        angle = (2 * math.pi * flat2[part].astype(np.float64)).astype(kind, copy=False)
        if kind == np.float32:
            logarithm = log32(flat1[part])
            sine, cosine = sine_and_cosine32(angle)
        else:
            logarithm = np.array([math.log(u) for u in flat1[part].tolist()])
            angles = angle.tolist()
            sine = np.array([math.sin(a) for a in angles])
            cosine = np.array([math.cos(a) for a in angles])
        radius = np.sqrt(kind.type(-2) * logarithm)
        np.multiply(sine, radius, out=result[part, 0])
        np.multiply(cosine, radius, out=result[part, 1])
    return result.reshape(*u1.shape, 2)
