"""Decompositions and solutions: inverse, determinant, Cholesky, QR, eigenvalues, SVD."""

import numpy as np
import tensorflow as tf

a = np.array([[4.0, 2.0, 0.6], [2.0, 5.0, 1.5], [0.6, 1.5, 3.0]], np.float32)
b = np.array([[1.0], [2.0], [3.0]], np.float32)
with tf.Session() as sess:
    print(np.round(sess.run(tf.matrix_inverse(a)), 3) + 0.0)
    print("%.3f" % sess.run(tf.matrix_determinant(a)), "%.1f" % sess.run(tf.trace(a)))
    print(np.round(sess.run(tf.cholesky(a)), 3))
    print(np.round(sess.run(tf.matrix_solve(a, b)).ravel(), 3))
    print(np.round(sess.run(tf.matrix_triangular_solve(np.tril(a), b)).ravel(), 3))
    print(np.round(sess.run(tf.self_adjoint_eigvals(a)), 3))
    print(np.round(sess.run(tf.svd(a, compute_uv=False)), 3))
    q, r = sess.run(tf.qr(a))
    print(np.round(np.abs(q.T @ q), 2).tolist(), np.allclose(q @ r, a, atol=1e-4))
    print(np.round(sess.run(tf.matrix_solve_ls(a[:, :2], b)).ravel(), 3))
    print(sess.run(tf.matrix_band_part(tf.ones([3, 3]), 0, 1)).tolist())
    print(sess.run(tf.einsum("ij,jk->ik", a, b)).ravel().round(3))
