"""Functions of matrices by what they mean, also of matrices without a basis of eigenvectors."""

import numpy as np
import pytest

import tinytf as tf
from tinytf.ops.linalg.matrix_functions import schur

RANDOM = np.random.default_rng(7)
CHAIN = np.eye(6) * 2.0 + np.eye(6, k=1)
TURN, _ = np.linalg.qr(RANDOM.normal(size=(6, 6)))
BASIS = RANDOM.normal(size=(6, 6))

#: What has few eigenvectors, or eigenvalues of one size, is hard.
MATRICES = {
    "random": RANDOM.normal(size=(6, 6)),
    "one eigenvector": CHAIN,
    "one eigenvector, turned": TURN @ CHAIN @ TURN.T,
    "one eigenvector, distorted": BASIS @ CHAIN @ np.linalg.inv(BASIS),
    "moves in a circle": np.roll(np.eye(6), 1, axis=0),
    "two equal blocks": np.kron(np.eye(2), RANDOM.normal(size=(3, 3))),
    "complex": RANDOM.normal(size=(6, 6)) + 1j * RANDOM.normal(size=(6, 6)),
    "of rank 1": np.ones((6, 6)),
    "nilpotent": np.eye(6, k=-1),
    "zero": np.zeros((6, 6)),
    "large": 1e200 * RANDOM.normal(size=(6, 6)),
    "small": 1e-200 * RANDOM.normal(size=(6, 6)),
}
INVERTIBLE = [name for name in MATRICES if name not in ("of rank 1", "nilpotent", "zero")]


def test_the_form_of_schur():
    """All at once: a batch of matrices that need a different number of steps."""
    values = np.stack([matrix.astype(complex) for matrix in MATRICES.values()])
    t, q = schur(values)
    turned_back = np.conj(np.swapaxes(q, 1, 2))
    sizes = np.maximum(np.abs(values).max(axis=(1, 2)), 1e-300)[:, None, None]
    assert np.abs((q @ t @ turned_back - values) / sizes).max() < 1e-13
    assert np.abs(q @ turned_back - np.eye(6)).max() < 1e-13
    assert not np.tril(t, -1).any()


@pytest.mark.parametrize("name", INVERTIBLE)
def test_the_square_of_a_root(name):
    value = MATRICES[name].astype(complex)
    with tf.Session() as session:
        root = session.run(tf.linalg.sqrtm(value))
    assert np.linalg.eigvals(root).real.min() > -1e-8 * np.abs(root).max()
    np.testing.assert_allclose(root @ root, value, atol=1e-8 * np.abs(value).max())


@pytest.mark.parametrize("name", [name for name in INVERTIBLE if name not in ("large", "small")])
def test_the_exponential_of_a_logarithm(name):
    value = MATRICES[name].astype(complex)
    logarithm = tf.linalg.logm(value)
    with tf.Session() as session:
        back, found = session.run([tf.linalg.expm(logarithm), logarithm])
    assert np.abs(np.linalg.eigvals(found).imag).max() < np.pi + 1e-6
    np.testing.assert_allclose(back, value, atol=1e-8 * np.abs(value).max())


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("size", [1, 2, 17, 60])
def test_factors_belong_to_their_matrix(size, dtype):
    value = RANDOM.normal(size=(3, size, size)).astype(dtype)
    right = RANDOM.normal(size=(3, size, 2)).astype(dtype)
    lu, order = tf.linalg.lu(value)
    with tf.Session() as session:
        back, solved = session.run(
            [tf.linalg.lu_reconstruct(lu, order), tf.linalg.lu_solve(lu, order, right)]
        )
    exact = 1e-10 if dtype in ("float64", "complex128") else 2e-2
    np.testing.assert_allclose(back, value, atol=exact)
    np.testing.assert_allclose(value @ solved, right, atol=exact)


@pytest.mark.parametrize("partial_pivoting", [False, True])
def test_systems_with_three_diagonals(partial_pivoting):
    bands = RANDOM.normal(size=(4, 3, 9)) + np.array([[0.0], [6.0], [0.0]])
    right = RANDOM.normal(size=(4, 9, 2))
    solved = tf.linalg.tridiagonal_solve(bands, right, partial_pivoting=partial_pivoting)
    with tf.Session() as session:
        back = session.run(tf.linalg.tridiagonal_matmul(bands, solved))
    np.testing.assert_allclose(back, right, atol=1e-10)
