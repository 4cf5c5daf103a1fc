"""`tf.linalg`: linear algebra."""

from tinytf.api.names import explained as _explained
from tinytf.ops.linalg import mixed_matmul as _mixed_products
from tinytf.ops.array.diag import diag as tensor_diag
from tinytf.ops.array.diag import diag_part as tensor_diag_part
from tinytf.ops.linalg.band_part import matrix_band_part as band_part
from tinytf.ops.linalg.eye import eye
from tinytf.ops.math.clip import global_norm
from tinytf.ops.linalg.contraction import cross, matvec, tensordot, trace
from tinytf.ops.linalg.decompositions import cholesky, qr, svd
from tinytf.ops.linalg.decompositions import self_adjoint_eig as eigh
from tinytf.ops.linalg.decompositions import self_adjoint_eigvals as eigvalsh
from tinytf.ops.linalg.einsum import einsum
from tinytf.ops.linalg.inverses import logdet, slogdet
from tinytf.ops.linalg.inverses import matrix_determinant as det
from tinytf.ops.linalg.inverses import matrix_inverse as inv
from tinytf.ops.linalg.lu import lu, lu_matrix_inverse, lu_reconstruct, lu_solve
from tinytf.ops.linalg.matrices import adjoint, matrix_transpose
from tinytf.ops.linalg.matrices import matrix_transpose as transpose
from tinytf.ops.linalg.matrix_functions import matrix_exponential as expm
from tinytf.ops.linalg.matrix_functions import matrix_logarithm as logm
from tinytf.ops.linalg.matrix_functions import matrix_square_root as sqrtm
from tinytf.ops.linalg.norms import l2_normalize, norm, normalize
from tinytf.ops.linalg.ranks import matrix_rank, pinv
from tinytf.ops.linalg.solving import cholesky_solve
from tinytf.ops.linalg.solving import matrix_solve as solve
from tinytf.ops.linalg.solving import matrix_solve_ls as lstsq
from tinytf.ops.linalg.solving import matrix_triangular_solve as triangular_solve
from tinytf.ops.linalg.tridiagonal import tridiagonal_matmul, tridiagonal_solve
from tinytf.ops.linalg.matmul import matmul
from tinytf.ops.linalg.matrix_diag import matrix_diag as diag
from tinytf.ops.linalg.matrix_diag import matrix_diag_part as diag_part
from tinytf.ops.linalg.matrix_diag import matrix_set_diag as set_diag

__all__ = ["adjoint", "band_part", "cholesky", "cholesky_solve", "cross", "det", "diag"]
__all__ += ["diag_part", "eigh", "eigvalsh", "einsum", "expm", "eye", "inv", "l2_normalize"]
__all__ += ["logdet", "logm", "lstsq", "lu", "lu_matrix_inverse", "lu_reconstruct", "lu_solve"]
__all__ += ["matmul", "matrix_rank", "matrix_transpose", "matvec", "norm", "normalize", "pinv"]
__all__ += ["qr", "set_diag", "slogdet", "solve", "sqrtm", "svd", "tensor_diag", "tensor_diag_part"]
__all__ += ["tensordot", "trace", "transpose", "triangular_solve", "tridiagonal_matmul"]
__all__ += ["tridiagonal_solve"]

__getattr__ = _explained(__name__, "linalg")
