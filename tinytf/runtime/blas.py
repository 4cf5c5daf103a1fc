"""How many threads BLAS may use: a limit for the process, counted, and given back.

numpy's matrix products run in a BLAS library that has threads of its own. They are switched for the
whole process, not for a thread: whoever needs fewer asks with `limit`, the smallest limit that is
asked for holds, and the last to leave restores what was there. Where no library with a switch is
found (numpy may be built without one), there is nothing to limit.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tinytf.framework.function_library import called_function
from tinytf.framework.operation import Operation

#: Operations whose kernels compute products of matrices, or may call what does.
_USERS = frozenset(
    """
    MatMul BatchMatMul BatchMatMulV2 BatchMatMulV3 Einsum SparseTensorDenseMatMul Conv2D
    Conv2DBackpropInput Conv2DBackpropFilter Conv3D Conv3DBackpropInputV2 Conv3DBackpropFilterV2
    DepthwiseConv2dNativeBackpropFilter Cholesky CholeskyGrad Qr Svd SelfAdjointEigV2 MatrixInverse
    MatrixDeterminant LogMatrixDeterminant MatrixSolve MatrixSolveLs MatrixTriangularSolve PyFunc
    PyFuncStateless
    """.split()
)

#: Those that cut their work into blocks, and have BLAS multiply each: by where the gradient of
#: their result is (an input; -1: it is the result's own shape), and the filter (-1: the result).
_IN_BLOCKS = {"Conv2D": (-1, 1), "Conv2DBackpropInput": (2, 1), "Conv2DBackpropFilter": (2, -1)}
_IN_BLOCKS |= {"Conv3D": (-1, 1), "Conv3DBackpropInputV2": (2, 1)}
_IN_BLOCKS |= {"Conv3DBackpropFilterV2": (2, -1)}
#: With fewer multiplications they are never split: see `kernels.sharding.sizes`.
_MANY = 5_000_000

_lock = threading.Lock()
_libraries: list[Any] | None = None  # guarded by _lock; looked for at the first use
#: By who asked; whoever is gone, was interrupted, and asks no longer. Guarded by _lock.
_limits: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
#: Of each library, from the first limit until all are given back. Guarded by _lock.
_before: list[int] = []


class _Owner:
    """Who holds the limit of a `with` block."""


@contextmanager
def limit(threads: int = 1) -> Iterator[None]:
    """Hold BLAS to so many threads, in the whole process, until the `with` block ends.

    Blocks may be nested, and be entered from several threads: the smallest limit holds. It never
    raises the number of threads.

    Args:
      threads: 1 or more.

    Raises:
      ValueError: for a number below 1.

    Example:
      >>> with blas.limit(1):
      ...     np.dot(a, b)
    """
    owner = _Owner()
    try:
        acquire(threads, owner)
        yield
    finally:
        release(owner)


def acquire(threads: int, owner: object) -> None:
    """`limit`, without its end: call `release` with the same owner later.

    An interrupt from the keyboard may come in the middle: `release` is right then, too.
    """
    if threads < 1:
        raise ValueError(f"BLAS has at least 1 thread. Got a limit of {threads}")
    with _lock:
        if not _before:
            _before[:] = [library.get_num_threads() for library in _find()]
        is_less = threads < min(_limits.values(), default=threads + 1)
        _limits[owner] = threads
        if is_less:
            _apply()


def release(owner: object) -> None:
    """Give back what `acquire` took for `owner`, if it took anything."""
    with _lock:
        threads = _limits.pop(owner, None)
        if threads is not None and threads < min(_limits.values(), default=threads + 1):
            _apply()
            if not _limits:
                _before.clear()


def is_used_by(op: Operation) -> bool:
    """Whether a kernel calls BLAS, as far as is known: functions may."""
    return op.type in _USERS or op.op_def.takes_functions or called_function(op) is not None


def works_in_blocks(op: Operation) -> bool:
    """Whether a kernel has BLAS multiply block by block, and threads of its own take blocks.

    BLAS should have one thread then. False if all shapes are known, and it is not worth threads.
    """
    places = _IN_BLOCKS.get(op.type)
    if places is None:
        return False
    images, filter = (op.outputs[0] if n < 0 else op.inputs[n] for n in places)
    pixels, weights = images.shape.num_elements(), filter.shape.num_elements()
    if not pixels or not weights:
        return True
    return pixels * weights >= _MANY * (filter.shape.as_list()[-1] or 1)


def threads_now() -> int | None:
    """How many threads BLAS may use now; None if no library with a switch was found."""
    with _lock:
        return max((library.get_num_threads() for library in _find()), default=None)


def has_switch() -> bool:
    """Whether a library was found whose threads can be limited."""
    return bool(_libraries) if _libraries is not None else threads_now() is not None


def _apply() -> None:
    for library, before in zip(_find(), _before, strict=True):
        free = getattr(library, "clear_controlling_thread", None)
        if free is not None:  # a newer threadpoolctl listens to one thread, while it lives
            free(force=True)
        library.set_num_threads(min([before, *_limits.values()]))
        if free is not None:
            free(force=True)


def _find() -> list[Any]:
    global _libraries
    if _libraries is None:
        from threadpoolctl import ThreadpoolController

        found = ThreadpoolController().select(user_api="blas").lib_controllers
        _libraries = [lib for lib in found if lib.get_num_threads() is not None]
    return _libraries
