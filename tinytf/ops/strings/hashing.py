"""Hash buckets of strings: the same numbers as TensorFlow's.

Three hash functions, written from their published descriptions, for all strings of one length at a
time, in numpy's 64-bit integers: MurmurHash64A (Appleby), FarmHash's Fingerprint64 (Pike and
Alakuijala), SipHash-2-4 (Aumasson and Bernstein). A string of n bytes is a row of a matrix with n
columns.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from tinytf.framework.errors import invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.shape_inference import unchanged
from tinytf.framework.tensor import Tensor
from tinytf.ops.reduce.axes import one_of
from tinytf.ops.strings.string_cards import NO_DERIVATIVE, text_card, texts

_MASK = (1 << 64) - 1


def hash_strings(function: Callable[[np.ndarray], np.ndarray], x: Any) -> np.ndarray:
    """The hash of each string, as uint64, in the shape of the tensor."""
    strings = texts(x)
    lengths = np.fromiter(map(len, strings), np.int64, len(strings))
    result = np.empty(len(strings), np.uint64)
    for length in np.unique(lengths).tolist():
        places = np.flatnonzero(lengths == length)
        joined = b"".join([strings[i] for i in places])
        result[places] = function(np.frombuffer(joined, np.uint8).reshape(len(places), length))
    return result.reshape(np.shape(x))


def _word(rows: np.ndarray, start: int, size: int = 8) -> Any:
    """Some bytes of each row as one number, the lowest first."""
    part = np.zeros((len(rows), 8), np.uint8)
    part[:, :size] = rows[:, start : start + size]
    return part.view("<u8")[:, 0]


def _rotated(x: Any, right: int) -> Any:
    return (x >> right) | (x << (64 - right))


def _mixed(x: Any) -> Any:
    return x ^ (x >> 47)


# MurmurHash64A ------------------------------------------------------------------------------------

_MURMUR, _SEED = 0xC6A4A7935BD1E995, 0xDECAFCAFFE


def murmur(rows: np.ndarray) -> np.ndarray:
    """MurmurHash64A with TensorFlow's seed."""
    length = rows.shape[1]
    state = np.full(len(rows), _SEED ^ (length * _MURMUR & _MASK), np.uint64)
    for start in range(0, length - length % 8, 8):
        state = (state ^ _mixed(_word(rows, start) * _MURMUR) * _MURMUR) * _MURMUR
    if length % 8:
        state = (state ^ _word(rows, length - length % 8, length % 8)) * _MURMUR
    return _mixed(_mixed(state) * _MURMUR)


# Fingerprint64 ------------------------------------------------------------------------------------

_K0, _K1, _K2 = 0xC3A5C85C97CB3127, 0xB492B66FBE98F273, 0x9AE16A3B2F90404F


def _joined(u: Any, v: Any, factor: Any) -> Any:
    a = _mixed((u ^ v) * factor)
    return _mixed((v ^ a) * factor) * factor


def _farm_to_16(rows: np.ndarray) -> Any:
    length = rows.shape[1]
    factor = (_K2 + 2 * length) & _MASK
    if length >= 8:
        a, b = _word(rows, 0) + _K2, _word(rows, length - 8)
        return _joined(_rotated(b, 37) * factor + a, (_rotated(a, 25) + b) * factor, factor)
    if length >= 4:
        return _joined((_word(rows, 0, 4) << 3) + length, _word(rows, length - 4, 4), factor)
    if length:
        first, middle, last = (rows[:, i].astype(np.uint64) for i in (0, length // 2, length - 1))
        return _mixed((first + (middle << 8)) * _K2 ^ ((last << 2) + length) * _K0) * _K2
    return np.full(len(rows), _K2, np.uint64)


def _farm_to_32(rows: np.ndarray) -> Any:
    length = rows.shape[1]
    factor = (_K2 + 2 * length) & _MASK
    a, b = _word(rows, 0) * _K1, _word(rows, 8)
    c, d = _word(rows, length - 8) * factor, _word(rows, length - 16) * _K2
    first = _rotated(a + b, 43) + _rotated(c, 30) + d
    return _joined(first, a + _rotated(b + _K2, 18) + c, factor)


def _farm_to_64(rows: np.ndarray) -> Any:
    length = rows.shape[1]
    factor = (_K2 + 2 * length) & _MASK
    a, b = _word(rows, 0) * _K2, _word(rows, 8)
    c, d = _word(rows, length - 8) * factor, _word(rows, length - 16) * _K2
    y = _rotated(a + b, 43) + _rotated(c, 30) + d
    z = _joined(y, a + _rotated(b + _K2, 18) + c, factor)
    e, f = _word(rows, 16) * factor, _word(rows, 24)
    g, h = (y + _word(rows, length - 32)) * factor, (z + _word(rows, length - 24)) * factor
    first = _rotated(e + f, 43) + _rotated(g, 30) + h
    return _joined(first, e + _rotated(f + a, 18) + g, factor)


def _weak(rows: np.ndarray, start: int, a: Any, b: Any) -> tuple[Any, Any]:
    w, x, y, z = (_word(rows, start + 8 * i) for i in range(4))
    a = a + w
    b = _rotated(b + a + z, 21)
    total = a + x + y
    return total + z, b + _rotated(total, 44) + a


def _farm_step(rows: np.ndarray, s: int, state: tuple[Any, ...], last: Any = None) -> Any:
    """One block of 64 bytes; the last one, which may overlap with the one before, is special."""
    x, y, z, v0, v1, w0, w1 = state
    factor, by = (_K1, 1) if last is None else (last, 9)
    x = _rotated(x + y + v0 + _word(rows, s + 8), 37) * factor
    y = _rotated(y + v1 + _word(rows, s + 48), 42) * factor
    x = x ^ w1 * by
    y = y + v0 * by + _word(rows, s + 40)
    z = _rotated(z + w0, 33) * factor
    v0, v1 = _weak(rows, s, v1 * factor, x + w0)
    w0, w1 = _weak(rows, s + 32, z + w1, y + _word(rows, s + 16))
    return z, y, x, v0, v1, w0, w1


def farm(rows: np.ndarray) -> np.ndarray:
    """FarmHash's Fingerprint64."""
    length = rows.shape[1]
    for limit, function in ((16, _farm_to_16), (32, _farm_to_32), (64, _farm_to_64)):
        if length <= limit:
            return function(rows)
    zero = np.zeros(len(rows), np.uint64)
    y = zero + ((81 * _K1 + 113) & _MASK)
    z = _mixed(y * _K2 + 113) * _K2
    state: tuple[Any, ...] = (_word(rows, 0) + (81 * _K2 & _MASK), y, z, zero, zero, zero, zero)
    for start in range(0, (length - 1) // 64 * 64, 64):
        state = _farm_step(rows, start, state)
    x, y, z, v0, v1, w0, w1 = state
    factor = ((z & 0xFF) << 1) + _K1
    w0 = w0 + ((length - 1) & 63)
    v0 = v0 + w0
    w0 = w0 + v0
    state = _farm_step(rows, length - 64, (x, y, z, v0, v1, w0, w1), factor)
    x, y, z, v0, v1, w0, w1 = state
    return _joined(
        _joined(v0, w0, factor) + _mixed(y) * _K0 + z, _joined(v1, w1, factor) + x, factor
    )


def fingerprint_cat(first: Any, second: np.ndarray) -> np.ndarray:
    """One fingerprint of two, as they are in this order (TensorFlow: `FingerprintCat64`)."""
    factor = np.uint64(_MURMUR)
    return _mixed(_mixed(((first ^ factor) ^ _mixed(second * factor) * factor) * factor) * factor)


# SipHash-2-4 --------------------------------------------------------------------------------------


def sip(rows: np.ndarray, key: tuple[int, int]) -> np.ndarray:
    """SipHash-2-4 with a key of two numbers."""
    length = rows.shape[1]
    initial = (0x736F6D6570736575, 0x646F72616E646F6D, 0x6C7967656E657261, 0x7465646279746573)
    v = [np.full(len(rows), c ^ (key[i % 2] & _MASK), np.uint64) for i, c in enumerate(initial)]
    whole = length - length % 8
    words = [_word(rows, start) for start in range(0, whole, 8)]
    words.append(_word(rows, whole, length % 8) | np.uint64((length & 0xFF) << 56))
    for word in words:
        v[3] ^= word
        _sip_rounds(v, 2)
        v[0] ^= word
    v[2] ^= np.uint64(0xFF)
    _sip_rounds(v, 4)
    return v[0] ^ v[1] ^ v[2] ^ v[3]


def _sip_rounds(v: list[Any], count: int) -> None:
    for _ in range(count):
        for a, b, turn in ((0, 1, 13), (2, 3, 16)):
            v[a] = v[a] + v[b]
            v[b] = _rotated(v[b], 64 - turn) ^ v[a]
        v[0] = _rotated(v[0], 32)
        for a, b, turn in ((2, 1, 17), (0, 3, 21)):
            v[a] = v[a] + v[b]
            v[b] = _rotated(v[b], 64 - turn) ^ v[a]
        v[2] = _rotated(v[2], 32)


# StringToHashBucket, StringToHashBucketFast, StringToHashBucketStrong -----------------------------


def _buckets(function: Callable[[np.ndarray], np.ndarray], x: Any, num_buckets: int) -> Any:
    return np.asarray(hash_strings(function, x) % np.uint64(num_buckets)).astype(np.int64)


def _hash_kernel(x: Any, *, num_buckets: int) -> Any:
    return _buckets(murmur, x, num_buckets)


def _hash_fast_kernel(x: Any, *, num_buckets: int) -> Any:
    return _buckets(farm, x, num_buckets)


_BUCKETS = "num_buckets: int >= 1"
_hash = define_op(
    "StringToHashBucket",
    "string_tensor: string -> output: int64",
    _BUCKETS,
    shape=unchanged,
    kernel=_hash_kernel,
    no_gradient=NO_DERIVATIVE,
)
_hash_fast = text_card("StringToHashBucketFast", _BUCKETS, "int64", _hash_fast_kernel)
_hash_strong = text_card("StringToHashBucketStrong", f"{_BUCKETS}, key: list(int)", "int64")


@_hash_strong.kernel
def _hash_strong_kernel(x: Any, *, num_buckets: int, key: tuple[int, ...]) -> Any:
    if len(key) != 2:
        raise invalid("Key must have 2 elements")
    return _buckets(functools.partial(sip, key=(key[0], key[1])), x, num_buckets)


def string_to_hash_bucket_fast(input: Any, num_buckets: int, name: str | None = None) -> Tensor:
    """A bucket for each string, always the same (TensorFlow: `tf.string_to_hash_bucket_fast`).

    The hash is FarmHash's Fingerprint64. Who can choose the strings can make all of them fall
    into one bucket: see `string_to_hash_bucket_strong`.

    Args:
      input: a tensor of strings.
      num_buckets: how many buckets there are.
      name: of the operation.

    Returns:
      an int64 tensor of the same shape, with numbers from 0 to `num_buckets - 1`.

    Example:
      >>> tf.string_to_hash_bucket_fast(["a", "ab", "abc"], 10)  # [9, 2, 5]
    """
    return _hash_fast(input, name=name, num_buckets=num_buckets)


def string_to_hash_bucket_strong(
    input: Any, num_buckets: int, key: Any, name: str | None = None
) -> Tensor:
    """A bucket for each string, by a secret key (TensorFlow: `tf.string_to_hash_bucket_strong`).

    The hash is SipHash: without the key nobody can tell which strings share a bucket.

    Args:
      input: a tensor of strings.
      num_buckets: how many buckets there are.
      key: two integers.
      name: of the operation.

    Raises:
      InvalidArgumentError: in a run, for a key of another length.

    Example:
      >>> tf.string_to_hash_bucket_strong(["Hello", "TF"], 3, [1, 2])  # [2, 0]
    """
    return _hash_strong(input, name=name, num_buckets=num_buckets, key=key)


def string_to_hash_bucket(
    string_tensor: Any = None, num_buckets: Any = None, name: str | None = None, input: Any = None
) -> Tensor:
    """A bucket for each string, by an older hash (TensorFlow: `tf.string_to_hash_bucket`).

    TensorFlow says that this hash may change; `string_to_hash_bucket_fast` does not.

    Args:
      string_tensor, input: a tensor of strings, by its older or its newer name.
      num_buckets: how many buckets there are.
      name: of the operation.

    Example:
      >>> tf.string_to_hash_bucket(["a", "ab", "abc"], 10)  # [8, 9, 0]
    """
    strings = one_of("input", input, "string_tensor", string_tensor)
    if num_buckets is None:
        raise TypeError("Expected int for argument 'num_buckets' not None.")
    return _hash(strings, name=name, num_buckets=num_buckets)
