"""CUDA cards, through cupy: one stream and one memory pool each.

cupy is imported when a session is opened, and only where it is installed. An operation runs on the
card's arrays if it has a function for them (`GpuKernel.on_card`); otherwise its inputs are copied
into host memory, numpy computes there, and the results are copied back: slower, but every
operation that a GPU has in TensorFlow works. docs/gpu.md says more.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import os
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tinytf.devices import memory_texts, visible
from tinytf.devices.asking import readable
from tinytf.devices.device import Device, DeviceAttributes
from tinytf.devices.gpu_kernel import GpuKernel
from tinytf.devices.memory import Options, Taken
from tinytf.framework.errors import ResourceExhaustedError
from tinytf.framework.kernel_binding import bind
from tinytf.framework.operation import Operation
from tinytf.framework.registry import Kernel
from tinytf.resources.tensor_array import TensorArray
from tinytf.resources.variable import Variable

#: Types a card's arrays can have here. Values of others stay in host memory.
_ON_CARDS = frozenset(
    "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 "
    "complex128 qint8 quint8 qint16 quint16 qint32".split()
)
#: From this size on, copies go through page-locked memory, which the card reads by itself.
_PINNED_BYTES = 1 << 16


class CudaMemory:
    """What a process uses of a card's memory, as `Memory`; cupy's pool counts it.

    By default nearly all that is free is taken at the first use, as TensorFlow does: the pool gets
    one large block and serves everything from it, which is fast, and a second program finds out
    at its start rather than in the middle. With `allow_growth` the pool grows up to the limit.

    Args:
      pool: cupy's. label: the card in messages. total: its memory in bytes. options: how much.
      free: bytes nobody has taken.
    """

    def __init__(self, pool: Any, label: str, total: int, options: Options, free: int):
        self.pool, self.label, self.total, self.options = pool, label, total, options
        self.limit = options.limit(total, free)
        self.peak = 0
        self._reserved = options.growth
        self._lock = threading.Lock()
        pool.set_limit(size=self.limit)

    @property
    def in_use(self) -> int:
        """What arrays hold now, in bytes."""
        return int(self.pool.used_bytes())

    def hold(self, array: Any, holder: str, allocator_of: str) -> None:
        """See `Memory.hold`; the pool knows already."""
        self.peak = max(self.peak, self.in_use)

    def restart_peak(self) -> int:
        """See `Memory.restart_peak`."""
        earlier, self.peak = self.peak, self.in_use
        return earlier

    def restore_peak(self, earlier: int) -> None:
        """See `Memory.restore_peak`."""
        self.peak = max(self.peak, earlier)

    def reserve(self, out_of_memory: type[BaseException]) -> None:
        """Take everything now, if the options say so; nine tenths of it if that is refused ..."""
        with self._lock:
            if self._reserved:
                return
            self._reserved = True
            size, failed = self.limit, list[int]()
            while size > self.limit // 10:
                try:
                    self.pool.malloc(size)  # given back at once: the pool keeps it
                    break
                except out_of_memory:
                    failed.append(size)
                    size = int(size * 0.9)
        if failed:
            taken = Taken(size, tuple(failed), 0, ())
            print("\n".join(memory_texts.refused(self.label, self.total, taken)), flush=True)

    def exhausted(self, op: Operation | None, device: str, error: BaseException) -> Exception:
        """The error of an operation that the memory does not suffice for, in TensorFlow's words."""
        wanted = "a tensor"
        outputs = [] if op is None else [t for t in op.outputs if t.shape.is_fully_defined()]
        if outputs:
            largest = max(outputs, key=lambda tensor: tensor.shape.num_elements() or 0)
            sizes = tuple(size or 0 for size in largest.shape.as_list())
            kind = largest.dtype.as_numpy_dtype
            wanted = f"tensor with {memory_texts.tensor(sizes, kind)}"
        number = device.rpartition(":")[2]
        return ResourceExhaustedError(
            f"OOM when allocating {wanted} on {device} by allocator GPU_{number}_bfc\n"
            f"{self.label}: {readable(self.in_use)} are in use, of {readable(self.limit)} that "
            f"this program may take, of {readable(self.total)} in all. cupy: {error}\n"
            f"What to do: compute in smaller batches, put large variables on the CPU, with "
            f'tf.device("/cpu:0"), or end other programs on the card (`nvidia-smi` lists them).'
        )


class _Card:
    """One card of this process: what all sessions share."""

    def __init__(self, cupy: Any, number: int, options: Options):
        self.number = number
        self.device = cupy.cuda.Device(number)
        properties = cupy.cuda.runtime.getDeviceProperties(number)
        self.name = properties["name"].decode()
        self.description = (
            f"device: {number}, name: {self.name}, pci bus id: "
            f"{properties['pciDomainID']:04x}:{properties['pciBusID']:02x}:"
            f"{properties['pciDeviceID']:02x}.0, compute capability: "
            f"{properties['major']}.{properties['minor']}"
        )
        with self.device:
            #: Of its own: nothing waits for cupy's default stream, which users may use as well.
            self.stream = cupy.cuda.Stream(non_blocking=True)
            free, total = cupy.cuda.runtime.memGetInfo()
            pool = cupy.cuda.MemoryPool()
            label = f"GPU {number} ({self.name})"
            self.memory = CudaMemory(pool, label, total, options, free)


class CudaDevice(Device):
    """A CUDA card as a session's device: its values are cupy's arrays.

    Args:
      attributes: its name, type, memory limit. cupy: the module. card: shared by sessions.
    """

    def __init__(self, attributes: DeviceAttributes, cupy: Any, card: _Card):
        super().__init__(attributes)
        self.array_module = self._cupy = cupy
        self._card = card
        self.memory = self._memory = card.memory
        self._out_of_memory: type[BaseException] = cupy.cuda.memory.OutOfMemoryError

    @contextlib.contextmanager
    def _here(self, op: Operation | None = None) -> Iterator[None]:
        """The calling thread works on this card, on its stream and in its pool."""
        cupy, card = self._cupy, self._card
        try:
            with card.device, card.stream, cupy.cuda.using_allocator(card.memory.pool.malloc):
                self._memory.reserve(self._out_of_memory)
                yield
        except self._out_of_memory as error:
            raise self._memory.exhausted(op, self.name, error) from None

    # Copies -------------------------------------------------------------------------------------

    def copy_in(self, value: Any, holder: str) -> Any:
        """A value from host memory, on the card; through page-locked memory, which cupy keeps."""
        if not isinstance(value, np.ndarray | np.generic) or value.dtype.name not in _ON_CARDS:
            return value
        with self._here():
            return self._cupy.asarray(value)

    def copy_out(self, value: Any) -> Any:
        """A value of the card, in host memory; waits for what computes it."""
        if not isinstance(value, self._cupy.ndarray):
            return value
        with self._here():
            stream = self._card.stream
            if value.nbytes < _PINNED_BYTES:
                result = value.get(stream=stream)
                stream.synchronize()
            else:
                pinned = importlib.import_module("cupyx").empty_pinned(value.shape, value.dtype)
                value.get(stream=stream, out=pinned)
                stream.synchronize()
                result = pinned.copy()  # page-locked memory is scarce: it does not leave here
        return result[()] if result.ndim == 0 else result

    # Kernels ------------------------------------------------------------------------------------

    def adapt(
        self, function: Callable[..., Any], op: Operation, kernel: Kernel
    ) -> Callable[..., Any]:
        if not isinstance(kernel, GpuKernel):
            return function
        if all(kernel.host_inputs) and all(kernel.host_outputs) and not _variables_of(op):
            return _with_numpy(function)
        types = {t.dtype.base_dtype.name for t in (*op.inputs, *op.outputs)}
        through_host = self._through_host(_with_numpy(function), op, kernel)
        if kernel.on_card is None or not types <= _ON_CARDS | {"resource", "string"}:
            return through_host
        if kernel.on_card is not kernel.function:
            own = Kernel(kernel.op_type, "GPU", kernel.on_card)
            function = bind(own, op, array_module=self._cupy)
        return self._natively(function, op, kernel, through_host)

    def _natively(
        self,
        function: Callable[..., Any],
        op: Operation,
        kernel: GpuKernel,
        through_host: Callable[..., Any],
    ) -> Callable[..., Any]:
        on_host = (True,) * kernel.wants_step + kernel.host_inputs

        def run(*arguments: Any, out: Any = None) -> Any:
            values = [self._put(v, here, op) for v, here in zip(arguments, on_host, strict=True)]
            if any(isinstance(v, Variable) and _in_host_memory(v) for v in values):
                return through_host(*arguments)  # until something of the card is assigned to it
            with self._here(op):
                result = function(*values)
            if result is NotImplemented:  # an unusual case of a function of tinytf.kernels.cupy_*
                return through_host(*arguments)
            return self._results(result, op, kernel)

        return run

    def _through_host(
        self, function: Callable[..., Any], op: Operation, kernel: GpuKernel
    ) -> Callable[..., Any]:
        def run(*arguments: Any, out: Any = None) -> Any:
            borrowed = [_Borrowed(self, v) for v in arguments if isinstance(v, Variable)]
            copies = iter(borrowed)
            values = [
                next(copies).copy
                if isinstance(v, Variable)
                else _ReadOut(self, v)
                if isinstance(v, TensorArray)
                else self.copy_out(v)
                for v in arguments
            ]
            result = function(*values)
            for one in borrowed:
                one.give_back()
                result = one.original if result is one.copy else result
            return self._results(result, op, kernel)

        return run

    def _results(self, result: Any, op: Operation, kernel: GpuKernel) -> Any:
        """What a kernel returned, each value in the memory where it belongs."""
        self._memory.hold(None, op.name, self.name)
        if op.op_def.single_output:
            return self._put(result, kernel.host_outputs[0], op)
        if not isinstance(result, list | tuple):
            return result
        return [
            self._put(value, here, op)
            for value, here in zip(result, kernel.host_outputs, strict=True)
        ]

    def _put(self, value: Any, on_host: bool, op: Operation) -> Any:
        return self.copy_out(value) if on_host else self.copy_in(value, op.name)


class _Borrowed:
    """A variable for a kernel that computes with numpy: a copy of it, whose changes come back."""

    def __init__(self, device: CudaDevice, original: Variable):
        self._device, self.original = device, original
        self.copy = type(original)(original.name, original.dtype, original.shape)
        self._before = None
        if original.is_initialized:
            self.copy.assign(device.copy_out(original.read()), validate_shape=False)
            self._before = self.copy.read()

    def give_back(self) -> None:
        """Give the variable the copy's value, if that is another now."""
        if not self.copy.is_initialized:
            self.original.clear()
            return
        after = self.copy.read()
        if after is self._before:
            return
        value = self._device.copy_in(after, self.original.name)
        self.original.assign(value, validate_shape=False)


class _ReadOut:
    """A TensorArray for a kernel that computes with numpy: what it reads is copied out."""

    def __init__(self, device: CudaDevice, array: TensorArray):
        self._device, self._array = device, array

    @property  # type: ignore[misc]
    def __class__(self) -> Any:  # kernels check what they are given
        return TensorArray

    def __len__(self) -> int:
        return len(self._array)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._array, name)

    def read(self, index: int) -> Any:
        """An element, in host memory."""
        return self._device.copy_out(self._array.read(index))


def _variables_of(op: Operation) -> bool:
    return any(tensor.dtype.is_ref or tensor.dtype == "resource" for tensor in op.inputs)


def _in_host_memory(variable: Variable) -> bool:
    return variable.is_initialized and isinstance(variable.read(), np.ndarray)


def _with_numpy(function: Callable[..., Any]) -> Callable[..., Any]:
    """A bound kernel that was bound to cupy, bound to numpy."""
    if isinstance(function, functools.partial) and "xp" in function.keywords:
        return functools.partial(function.func, *function.args, **{**function.keywords, "xp": np})
    return function


# The cards of this process ------------------------------------------------------------------------

_lock = threading.Lock()
_cards: dict[int, _Card] = {}  # guarded by _lock


def cuda_devices(config: Any, task: str, incarnation: int) -> list[Device]:
    """The cards that a session uses; none, and one clear line once, where CUDA does not work.

    Args:
      config: a `ConfigProto`; `gpu_options` and `device_count["GPU"]` choose. The environment
        variable CUDA_VISIBLE_DEVICES is the driver's own.
      task: its full name. incarnation: as in `DeviceAttributes`.

    Raises:
      InvalidArgumentError: for options that name what is not there.
    """
    cupy = _working_cupy()
    if cupy is None:
        return []
    chosen = visible.by_options(config, cupy.cuda.runtime.getDeviceCount())
    options = Options.of(config.gpu_options, os.environ.get("TF_FORCE_GPU_ALLOW_GROWTH"))
    devices: list[Device] = []
    for index, number in enumerate(chosen):
        with _lock:
            card = _cards.get(number)
            if card is None:  # the options of the first session hold for the process
                card = _cards[number] = _Card(cupy, number, options)
        name = f"{task}/device:GPU:{index}"
        attributes = DeviceAttributes(name, "GPU", card.memory.limit, incarnation, card.description)
        devices.append(CudaDevice(attributes, cupy, card))
    return devices


def accounts() -> dict[int, CudaMemory]:
    """What this process uses of its cards, by their numbers."""
    with _lock:
        return {number: card.memory for number, card in _cards.items()}


@functools.cache
def _working_cupy() -> Any:
    """The module cupy if it can compute, else None, and says why."""
    if os.environ.get(visible.VARIABLE) in ("", "-1"):
        return None  # asked for: no card
    try:
        cupy = importlib.import_module("cupy")
        if not hasattr(cupy, "ndarray"):
            return None  # not cupy: some folder of that name where the program was started
        cupy.zeros(1).sum().item()  # a driver can be there and too old for this cupy
    except Exception as error:  # cupy's errors share no class with those of missing libraries
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        print(
            f"cupy is installed, but finds no working CUDA ({reason}); computing on the CPU. "
            f"docs/gpu.md says what it needs.",
            flush=True,
        )
        return None
    return cupy
