"""Functions of square matrices: exponentials, logarithms, square roots.

Roots and logarithms are taken of the triangular matrix of Schur's form `A = Q T Qᴴ`, in double
precision, of all matrices of a batch at once. Methods: Higham, "Functions of Matrices" (2008),
chapters 6, 10 and 11.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework import dtypes
from tinytf.framework.array_types import Array
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
from tinytf.ops.array.where import where_v2
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.control_flow.while_loop import while_loop
from tinytf.ops.linalg.eye import eye
from tinytf.ops.linalg.matmul import matmul
from tinytf.ops.linalg.matrices import (
    ANY_FLOAT,
    EXACT,
    adjoint_of,
    check_square,
    like_the_square,
    matrix_transpose,
)
from tinytf.ops.linalg.solving import matrix_solve
from tinytf.ops.math.arithmetic import maximum
from tinytf.ops.math.cast import cast
from tinytf.ops.math.comparison import less
from tinytf.ops.math.complex_numbers import conj
from tinytf.ops.math.exp_log import log
from tinytf.ops.math.is_finite import is_finite
from tinytf.ops.math.power import pow
from tinytf.ops.math.rounding import floor
from tinytf.ops.math.sign import absolute
from tinytf.ops.reduce.reduction import reduce_max, reduce_sum

_EPSILON = np.finfo(np.float64).eps

# Schur's form -------------------------------------------------------------------------------------


def schur(matrices: Any) -> tuple[Any, Any]:
    """T, upper triangular, and Q, unitary, of each of [count, n, n] finite matrices.

    The eigenvectors, made orthogonal one after the other, are nearly Q already; where some of
    them coincide nearly, steps of the QR algorithm do the rest.
    """
    values = matrices.astype(np.complex128)
    _, vectors = np.linalg.eig(values)
    q, _ = np.linalg.qr(vectors)
    t = adjoint_of(q) @ values @ q
    scales = np.abs(values).max(axis=(1, 2), initial=0.0) * _EPSILON * values.shape[-1]
    for last in range(values.shape[-1] - 1, 0, -1):
        _split_off(t, q, last, scales)
    return np.triu(t), q


def _split_off(t: Any, q: Any, last: int, scales: Any) -> None:
    """Turns the leading rows and columns until nothing is left before the diagonal of the last."""
    size = last + 1
    for attempt in range(60):
        rest = np.abs(t[:, last, :last]).max(axis=1)
        open_ones = np.flatnonzero(rest > scales)
        if not len(open_ones):
            return
        block = t[open_ones, :size, :size]
        shifts = _shifts(block, rest[open_ones] if attempt % 10 == 9 else 0.0)
        moved = block - shifts[:, None, None] * np.eye(size)
        turn, _ = np.linalg.qr(moved)
        t[open_ones, :size] = adjoint_of(turn) @ t[open_ones, :size]
        t[open_ones, :, :size] = t[open_ones, :, :size] @ turn
        q[open_ones, :, :size] = q[open_ones, :, :size] @ turn


def _shifts(block: Any, exceptional: Any) -> Any:
    """The eigenvalue of the last two rows and columns that is nearer to the last element."""
    pair = np.linalg.eigvals(block[:, -2:, -2:])
    corner = block[:, -1, -1]
    nearer = np.argmin(np.abs(pair - corner[:, None]), axis=1)
    return pair[np.arange(len(pair)), nearer] + exceptional


def _by_schur(value: Any, function: Any) -> Any:
    """A function of triangular matrices, of any matrices; nan of what is not finite."""
    check_square(value)
    if not value.size:
        return value
    size = value.shape[-1]
    flat = value.reshape(-1, size, size)
    result = np.full(flat.shape, complex(np.nan, np.nan))
    whole = np.flatnonzero(np.isfinite(flat).all(axis=(1, 2)))
    with np.errstate(all="ignore"):
        t, q = schur(flat[whole])
        _tidy(t)
        result[whole] = q @ function(t) @ adjoint_of(q)
    if value.dtype.kind != "c":
        # Real matrices with negative eigenvalues have no real root of this kind.
        far = np.abs(result.imag).max(axis=(1, 2)) > 1e-6 * np.abs(result).max(axis=(1, 2))
        result = result.real
        result[far] = np.nan
    return result.astype(value.dtype).reshape(value.shape)


def _tidy(t: Any) -> None:
    """Eigenvalues that rounding alone has put below the negative real axis are on it."""
    size = t.shape[-1]
    diagonal = np.einsum("kii->ki", t)
    scales = np.abs(t).max(axis=(1, 2), initial=0.0)[:, None] * _EPSILON * 10 * size
    on_axis = (diagonal.real < 0) & (np.abs(diagonal.imag) <= scales)
    diagonal.imag[on_axis] = 0.0


# MatrixSquareRoot ---------------------------------------------------------------------------------

_square_root = define_op(
    "MatrixSquareRoot", "input: T -> output: T", ANY_FLOAT, shape=like_the_square
)


@_square_root.kernel(types={"T": EXACT})
def _square_root_kernel(value: Array) -> Array:
    return _by_schur(value, _triangular_root)


def _triangular_root(t: Any) -> Any:
    """The root of triangular matrices, one diagonal above the other."""
    size = t.shape[-1]
    root = np.zeros_like(t)
    places = np.arange(size)
    root[:, places, places] = np.sqrt(t[:, places, places])
    for k in range(1, size):
        rows, columns = places[: size - k], places[k:]
        inner = 0.0
        if k > 1:
            between = rows[:, None] + np.arange(1, k)
            left, right = root[:, rows[:, None], between], root[:, between, columns[:, None]]
            inner = (left * right).sum(axis=2)
        below = root[:, rows, rows] + root[:, columns, columns]
        root[:, rows, columns] = (t[:, rows, columns] - inner) / below
    return root


@_square_root.gradient
def _square_root_gradient(op: Operation, gradient: Any) -> Any:
    """G with `Rᴴ G + G Rᴴ = gradient`, as one system for all elements of G."""
    root = op.outputs[0]
    sizes: Any = ops.shape(root)
    size, batch = sizes[-1], sizes[:-2]
    whole = ops.concat([batch, [size * size, size * size]], 0)
    identity: Any = eye(size, dtype=root.dtype)
    from_left: Any = matrix_transpose(root, conjugate=True)
    from_right: Any = conj(root)
    left = from_left[..., :, ops.newaxis, :, ops.newaxis]
    right = from_right[..., ops.newaxis, :, ops.newaxis, :]
    both = (
        left * identity[ops.newaxis, :, ops.newaxis, :]
        + right * identity[:, ops.newaxis, :, ops.newaxis]
    )
    column = ops.reshape(gradient, ops.concat([batch, [size * size, 1]], 0))
    solved = matrix_solve(ops.reshape(both, whole), column)
    result = ops.reshape(solved, sizes)
    result.set_shape(op.inputs[0].shape)
    return result


def matrix_square_root(input: Any, name: str | None = None) -> Tensor:
    """R with `R R = input` (TensorFlow: `tf.linalg.sqrtm`).

    Args:
      input: [..., n, n], floating-point or complex.
      name: of the operation.

    Returns:
      a tensor like `input`: the root whose eigenvalues have no negative real part; nan where there
      is none, as for a real matrix with a negative eigenvalue.

    Raises:
      ValueError: if a matrix is not square.

    Example:
      >>> tf.linalg.sqrtm([[4.0, 0.0], [0.0, 9.0]])  # [[2., 0.], [0., 3.]]
    """
    return _square_root(input, name=name)


# MatrixLogarithm ----------------------------------------------------------------------------------

# Like TensorFlow's it has no gradient.
_logarithm = define_op(
    "MatrixLogarithm", "input: T -> output: T", "T: complextype", shape=like_the_square
)


@_logarithm.kernel
def _logarithm_kernel(value: Array) -> Array:
    return _by_schur(value, _triangular_logarithm)


def _triangular_logarithm(t: Any) -> Any:
    """Roots, until they are near the identity; then the logarithm by Gauss's quadrature."""
    size = t.shape[-1]
    identity = np.eye(size)
    diagonal = np.log(np.einsum("kii->ki", t))
    roots = np.zeros(len(t))
    near = t
    for _ in range(100):
        far = ~(np.abs(near - identity).sum(axis=1).max(axis=1) < 0.25)
        far &= np.isfinite(near).all(axis=(1, 2))
        if not far.any():
            break
        near = np.where(far[:, None, None], _triangular_root(near), near)
        roots += far
    x = near - identity
    nodes, weights = np.polynomial.legendre.leggauss(8)
    result = np.zeros_like(t)
    for node, weight in zip((nodes + 1) / 2, weights / 2, strict=True):
        result += weight * _over(x, identity + node * x)
    result *= 2.0 ** roots[:, None, None]
    np.einsum("kii->ki", result)[:] = diagonal
    result[~np.isfinite(diagonal).all(axis=1)] = np.nan
    return result


def _over(x: Any, divisor: Any) -> Any:
    """X times the inverse; nan where there is none."""
    finite = np.isfinite(divisor).all(axis=(1, 2))
    result = np.full_like(x, np.nan)
    result[finite] = np.linalg.solve(divisor[finite], x[finite])
    return result


def matrix_logarithm(input: Any, name: str | None = None) -> Tensor:
    """The logarithm whose exponential is the matrix (TensorFlow: `tf.linalg.logm`).

    Args:
      input: [..., n, n], complex.
      name: of the operation.

    Returns:
      a tensor like `input`: the logarithm whose eigenvalues have imaginary parts from -pi to pi;
      nan of a singular matrix.

    Raises:
      ValueError: if a matrix is not square. TypeError: for real numbers.

    Example:
      >>> tf.linalg.logm([[1.0 + 0.0j, 2.0], [0.0, 1.0]])  # [[0.+0.j, 2.+0.j], [0.+0.j, 0.+0.j]]
    """
    return _logarithm(input, name=name)


# The exponential ----------------------------------------------------------------------------------

#: The diagonal approximants of Padé, and up to which norm they are exact: of degree 7 for 32 bits,
#: of degree 13 for 64.
_PADE_7 = (17297280.0, 8648640.0, 1995840.0, 277200.0, 25200.0, 1512.0, 56.0, 1.0)
_PADE_13_TEXT = """
    64764752532480000.0 32382376266240000.0 7771770303897600.0 1187353796428800.0
    129060195264000.0 10559470521600.0 670442572800.0 33522128640.0 1323241920.0 40840800.0
    960960.0 16380.0 182.0 1.0
"""
_PADE_13 = tuple(map(float, _PADE_13_TEXT.split()))
_APPROXIMANTS = {
    dtypes.float16: (_PADE_7, 3.925724783138660),
    dtypes.float32: (_PADE_7, 3.925724783138660),
    dtypes.complex64: (_PADE_7, 3.925724783138660),
    dtypes.float64: (_PADE_13, 5.371920351148152),
    dtypes.complex128: (_PADE_13, 5.371920351148152),
}


def matrix_exponential(input: Any, name: str | None = None) -> Tensor:
    """The sum of `input**k / k!` over k (TensorFlow: `tf.linalg.expm`).

    A quotient of polynomials approximates it for small matrices; larger ones are halved before,
    and the result is squared as often.

    Args:
      input: [..., n, n], floating-point or complex.
      name: of the scope.

    Returns:
      a tensor like `input`; nan, for the whole batch, if a norm is not finite.

    Raises:
      ValueError: if a matrix is not square, or for another dtype.

    Example:
      >>> tf.linalg.expm([[0.0, 1.0], [0.0, 0.0]])  # [[1., 1.], [0., 1.]]
    """
    with op_scope(name, "matrix_exponential", (input,)):
        x: Any = convert_to_tensor(input, name="input")
        if x.dtype not in _APPROXIMANTS:
            raise ValueError(f"tf.linalg.expm does not support matrices of type {x.dtype}")
        sizes = x.shape.with_rank_at_least(2)
        if sizes.ndims is not None and sizes.as_list()[-2:] == [0, 0]:
            return x
        coefficients, limit = _APPROXIMANTS[x.dtype]
        norms: Any = reduce_max(reduce_sum(absolute(x), axis=-2), axis=-1)
        norms = norms[..., ops.newaxis, ops.newaxis]
        finite: Any = is_finite(reduce_max(norms))
        logarithms: Any = log(norms / limit)
        halvings: Any = floor(logarithms / math.log(2.0))
        times: Any = maximum(halvings + 1.0, 0.0)
        times = where_v2(finite, times, ops.zeros_like(times))
        scales = pow(convert_to_tensor(2.0, times.dtype), times)
        small = where_v2(finite, x, ops.zeros_like(x)) / cast(scales, x.dtype)
        powers = _squared(_quotient(small, coefficients), times)
        result = where_v2(finite, powers, cast(float("nan"), x.dtype))
        result.set_shape(sizes)
        return result


def _quotient(x: Any, coefficients: tuple[float, ...]) -> Any:
    """Padé's approximant: of the even powers V and the odd ones U, (U + V) over (V - U)."""
    sizes: Any = ops.shape(x)
    identity: Any = eye(sizes[-1], dtype=x.dtype)
    square: Any = matmul(x, x)
    even: Any = coefficients[0] * identity
    odd: Any = coefficients[1] * identity
    power: Any = square
    for k in range(2, len(coefficients), 2):
        even += coefficients[k] * power
        odd += coefficients[k + 1] * power
        power = matmul(power, square) if k + 2 < len(coefficients) else power
    odd = matmul(x, odd)
    return matrix_solve(even - odd, even + odd)


def _squared(x: Tensor, times: Tensor) -> Any:
    """Each matrix squared as many times as it says."""
    most = reduce_max(times)
    start = ops.zeros([], dtype=times.dtype)

    def once_more(done: Any, powers: Any) -> Any:
        return done + 1.0, where_v2(less(done, times), matmul(powers, powers), powers)

    _, powers = while_loop(lambda done, _: less(done, most), once_more, [start, x])
    return powers
