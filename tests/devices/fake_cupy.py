"""A stand-in for cupy: arrays over numpy's memory that are as particular as cupy's.

Where real cupy 13 and 14 differ from numpy, so does this: nothing becomes a numpy array unasked,
numpy's arrays do not mix with its own, functions that cupy lacks are missing, ufuncs have no
methods for foreign arrays (`np.add.reduce`), no `where=`, every result is an array, also a single
number, and indices that are out of bounds wrap around.

It is put into `sys.modules` as "cupy" by `installed`; `Machine` says what cards there are.
"""

from __future__ import annotations

import contextlib
import sys
import threading
import types
import weakref
from dataclasses import dataclass, field
from typing import Any

import numpy as np

__version__ = "14.2.0 (a stand-in)"

#: What real cupy has no function for: `set(dir(numpy)) - set(dir(cupy))`, the functions of it.
MISSING = frozenset(
    "asmatrix block bmat einsum_path frompyfunc geomspace histogram_bin_edges insert isnat matvec "
    "nanpercentile nanquantile polyder polydiv polyint spacing unstack vecdot vecmat".split()
)
#: Keyword arguments of numpy's functions that cupy's do not have.
NO_KEYWORDS = frozenset({"where", "initial", "subok", "like", "device"})
#: Functions that take numpy's arrays.
TAKES_NUMPY = frozenset({"asarray", "array", "ascontiguousarray"})
METHODS = (
    "all any argmax argmin argpartition argsort astype clip conj conjugate copy cumprod cumsum "
    "diagonal dot flatten max mean min nonzero partition prod ptp ravel repeat reshape round "
    "searchsorted squeeze std sum swapaxes take trace transpose var view"
).split()


class OutOfMemoryError(MemoryError):
    """cupy.cuda.memory.OutOfMemoryError."""


class CUDARuntimeError(RuntimeError):
    """cupy_backends.cuda.api.runtime.CUDARuntimeError."""


# Cards --------------------------------------------------------------------------------------------


@dataclass
class Machine:
    """The cards there are, and what was done with them."""

    memory: list[int] = field(default_factory=lambda: [1 << 30])
    failure: str = ""  # what every call of the driver says
    synchronised: int = 0
    pinned: int = 0
    used: set[tuple[int, bool]] = field(default_factory=set)  # (card, on a stream of its own)


machine = Machine()
_local = threading.local()


def _now(name: str, default: Any) -> Any:
    value = getattr(_local, name, None)
    return default if value is None else value


@contextlib.contextmanager
def _set(name: str, value: Any) -> Any:
    before = _now(name, None)
    setattr(_local, name, value)
    try:
        yield value
    finally:
        setattr(_local, name, before)


class _Scoped:
    """A context manager that can be entered again inside itself, by any thread."""

    name = ""

    def __enter__(self) -> Any:
        stack = _local.__dict__.setdefault("stack", [])
        scope = _set(self.name, self)
        stack.append(scope)
        return scope.__enter__()

    def __exit__(self, *error: Any) -> None:
        _local.stack.pop().__exit__(None, None, None)


class Device(_Scoped):
    name = "device"

    def __init__(self, number: int):
        self.id = number


class Stream(_Scoped):
    name = "stream"

    def __init__(self, non_blocking: bool = False):
        self.non_blocking = non_blocking

    def synchronize(self) -> None:
        machine.synchronised += 1


class MemoryPool:
    def __init__(self) -> None:
        self.used, self.peak, self.limit, self.largest = 0, 0, 0, 0
        self.card = _now("device", Device(0)).id

    def set_limit(self, size: int | None = None) -> None:
        self.limit = size or 0

    def used_bytes(self) -> int:
        return self.used

    def malloc(self, size: int) -> Any:
        size = -(-size // 512) * 512
        there = min(self.limit or machine.memory[self.card], machine.memory[self.card])
        if self.used + size > there:
            raise OutOfMemoryError(
                f"Out of memory allocating {size:,} bytes (allocated so far: {self.used:,} bytes)."
            )
        self.used += size
        self.peak, self.largest = max(self.peak, self.used), max(self.largest, size)
        block = _Block()
        weakref.finalize(block, self._free, size)
        return block

    def _free(self, size: int) -> None:
        self.used -= size


class _Block:
    """Memory of a card."""


class _Runtime:
    def getDeviceCount(self) -> int:
        _check_driver()
        return len(machine.memory)

    def getDeviceProperties(self, number: int) -> dict[str, Any]:
        return {
            "name": b"Stand-in A100",
            "major": 8,
            "minor": 0,
            "pciDomainID": 0,
            "pciDeviceID": 0,
            "pciBusID": number + 4,
            "totalGlobalMem": machine.memory[number],
        }

    def memGetInfo(self) -> tuple[int, int]:
        total = machine.memory[_now("device", Device(0)).id]
        return total, total


def _check_driver() -> None:
    if machine.failure:
        raise CUDARuntimeError(machine.failure)


@contextlib.contextmanager
def using_allocator(malloc: Any) -> Any:
    with _set("malloc", malloc):
        yield


_default_pool = MemoryPool()

# Arrays -------------------------------------------------------------------------------------------


def _indices(array: np.ndarray, key: Any) -> Any:
    """Indices as cupy takes them: those that are out of bounds wrap around."""
    parts = key if isinstance(key, tuple) else (key,)
    bare, axis = [], 0
    for part in parts:
        part = _bare(part) if isinstance(part, ndarray) else part
        if isinstance(part, np.ndarray) and part.ndim and not isinstance(key, ndarray | tuple):
            raise TypeError("Unsupported type <class 'numpy.ndarray'>")
        if isinstance(part, np.ndarray) and part.dtype.kind in "iu" and axis < array.ndim:
            part = part % array.shape[axis] if array.shape[axis] else part
        axis += part is not None
        bare.append(part)
    return tuple(bare) if isinstance(key, tuple) else bare[0]


class _Flags:
    def __init__(self, array: np.ndarray):
        self.c_contiguous, self.f_contiguous = array.flags.c_contiguous, array.flags.f_contiguous
        self.owndata = array.base is None


class ndarray(np.lib.mixins.NDArrayOperatorsMixin):
    """cupy.ndarray."""

    __array_priority__ = 100
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, array: np.ndarray, memory: Any):
        self._array, self._memory = array, memory

    dtype = property(lambda self: self._array.dtype)
    shape = property(lambda self: self._array.shape)
    ndim = property(lambda self: self._array.ndim)
    size = property(lambda self: self._array.size)
    nbytes = property(lambda self: self._array.nbytes)
    itemsize = property(lambda self: self._array.itemsize)
    strides = property(lambda self: self._array.strides)
    flags = property(lambda self: _Flags(self._array))
    base = property(lambda self: None if self._array.base is None else self)
    T = property(lambda self: _wrap(self._array.T, self))
    mT = property(lambda self: _wrap(self._array.mT, self))
    real = property(lambda self: _wrap(self._array.real, self))
    imag = property(lambda self: _wrap(self._array.imag, self))
    __cuda_array_interface__ = property(lambda self: {"shape": self.shape, "version": 3})

    def get(self, stream: Any = None, order: str = "C", out: Any = None) -> np.ndarray:
        if out is not None:
            out[...] = self._array
            return out
        return self._array.copy()

    def __array__(self, *arguments: Any, **more: Any) -> Any:
        raise TypeError(
            "Implicit conversion to a NumPy array is not allowed. "
            "Please use `.get()` to construct a NumPy array explicitly."
        )

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        if method != "__call__" or ufunc.__name__ in MISSING:
            return NotImplemented
        if not set(options) <= {"out", "dtype", "casting"}:
            raise TypeError(f"Wrong arguments {sorted(options)}")
        return _call(ufunc, inputs, options)

    def __array_function__(self, func: Any, kinds: Any, arguments: Any, options: Any) -> Any:
        path = func.__module__.split(".")[1:]
        if func.__name__ in MISSING or path not in ([], ["linalg"]):
            return NotImplemented
        return _call(func, arguments, options)

    def __getitem__(self, key: Any) -> Any:
        return _wrap(self._array[_indices(self._array, key)], self)

    def __setitem__(self, key: Any, value: Any) -> None:
        if isinstance(value, np.ndarray):
            raise TypeError("Unsupported type <class 'numpy.ndarray'>")
        self._array[_indices(self._array, key)] = _bare(value)

    def __len__(self) -> int:
        return len(self._array)

    def __iter__(self) -> Any:
        return (self[i] for i in range(len(self._array)))

    def __bool__(self) -> bool:
        return bool(self._array)

    def __int__(self) -> int:
        return int(self._array)

    def __float__(self) -> float:
        return float(self._array)

    def __complex__(self) -> complex:
        return complex(self._array)

    def item(self) -> Any:
        return self._array.item()

    def tolist(self) -> Any:
        return self._array.tolist()

    def tobytes(self) -> bytes:
        return self._array.tobytes()

    def fill(self, value: Any) -> None:
        self._array.fill(_bare(value))

    def sort(self, axis: int = -1) -> None:
        self._array.sort(axis)

    def __repr__(self) -> str:
        return repr(self._array)


def _method(name: str) -> Any:
    def call(self: ndarray, *arguments: Any, **options: Any) -> Any:
        if name == "take":
            options["mode"] = "wrap"
        return _call(getattr(np.ndarray, name), (self, *arguments), options)

    return call


for _name in METHODS:
    setattr(ndarray, _name, _method(_name))


def _bare(value: Any) -> Any:
    """A value with numpy's arrays in the place of these."""
    if isinstance(value, ndarray):
        return value._array
    if isinstance(value, list | tuple):
        return type(value)(map(_bare, value)) if type(value) in (list, tuple) else value
    return value


def _refuse_numpy(value: Any) -> None:
    if isinstance(value, np.ndarray):
        raise TypeError("Unsupported type <class 'numpy.ndarray'>")
    for item in value if isinstance(value, list | tuple) else ():
        _refuse_numpy(item)


def _call(function: Any, arguments: Any, options: dict[str, Any], numpy_too: bool = False) -> Any:
    name = getattr(function, "__name__", "")
    if NO_KEYWORDS & set(options) and not isinstance(function, np.ufunc):
        raise TypeError(f"{name}() got an unexpected keyword argument")
    if not numpy_too:
        for value in (*arguments, *options.values()):
            _refuse_numpy(value)
    machine.used.add(
        (_now("device", Device(0)).id, getattr(_now("stream", None), "non_blocking", False))
    )
    bare = {key: _bare(value) for key, value in options.items()}
    with np.errstate(all="ignore"):
        result = function(*_bare(tuple(arguments)), **bare)
    out = options.get("out")
    if out is not None:
        return out[0] if isinstance(out, tuple) else out
    sources = [a for a in arguments if isinstance(a, ndarray)]
    return _wrap(result, *sources)


def _wrap(result: Any, *sources: ndarray) -> Any:
    """A result as an array on the card; a view shares the memory of what it is a view of."""
    if isinstance(result, tuple) and hasattr(result, "_fields"):
        return type(result)(*(_wrap(item, *sources) for item in result))
    if isinstance(result, list | tuple):
        return type(result)(_wrap(item, *sources) for item in result)
    if isinstance(result, np.generic):
        result = np.asarray(result)
    if not isinstance(result, np.ndarray):
        return result
    if result.dtype.kind not in "biufc":
        raise TypeError(f"Unsupported dtype {result.dtype}")
    for source in sources:
        if result is source._array or np.may_share_memory(result, source._array):
            return ndarray(result, source._memory)
    malloc = _now("malloc", None) or _default_pool.malloc
    return ndarray(result, malloc(result.nbytes))


# The module ---------------------------------------------------------------------------------------


class _Namespace(types.ModuleType):
    """A module whose functions are numpy's, for these arrays."""

    def __init__(self, name: str, source: Any):
        super().__init__(name)
        self._source = source

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name in MISSING or not hasattr(self._source, name):
            raise AttributeError(f"module 'cupy' has no attribute '{name}'")
        function = getattr(self._source, name)
        if not callable(function) or isinstance(function, type):
            return function

        def call(*arguments: Any, **options: Any) -> Any:
            _check_driver()
            if isinstance(function, np.ufunc) and not set(options) <= {"out", "dtype", "casting"}:
                raise TypeError(f"Wrong arguments {sorted(options)}")
            if name == "take":
                options["mode"] = "wrap"
            if name in TAKES_NUMPY:
                taken = [a.copy() if isinstance(a, np.ndarray) else a for a in arguments]
                return _call(function, taken, options, numpy_too=True)
            return _call(function, arguments, options)

        call.__name__ = name
        return call


def module() -> types.ModuleType:
    """The module `cupy`."""
    cupy = _Namespace("cupy", np)
    cupy.__spec__ = types.SimpleNamespace(name="cupy")
    cupy.__version__ = __version__
    cupy.ndarray = ndarray
    cupy.linalg = _Namespace("cupy.linalg", np.linalg)
    cupy.cuda = types.SimpleNamespace(
        Device=Device,
        Stream=Stream,
        MemoryPool=MemoryPool,
        using_allocator=using_allocator,
        memory=types.SimpleNamespace(OutOfMemoryError=OutOfMemoryError),
        runtime=_Runtime(),
    )
    return cupy


def _empty_pinned(shape: Any, dtype: Any) -> np.ndarray:
    machine.pinned += 1
    return np.empty(shape, dtype)


@contextlib.contextmanager
def installed(**how: Any) -> Any:
    """The stand-in as the module that `import cupy` finds; `how` describes the machine."""
    global machine
    before = {name: sys.modules.get(name) for name in ("cupy", "cupyx")}
    machine = Machine(**how)
    cupyx = types.ModuleType("cupyx")
    cupyx.empty_pinned = _empty_pinned
    sys.modules.update(cupy=module(), cupyx=cupyx)
    try:
        yield machine
    finally:
        for name, old in before.items():
            if old is None:
                del sys.modules[name]
            else:
                sys.modules[name] = old
