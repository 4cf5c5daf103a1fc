"""From a node to the function that computes it, on the device where it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tinytf.devices.device import Device
from tinytf.framework.kernel_binding import bind
from tinytf.framework.operation import Operation
from tinytf.framework.registry import Kernel
from tinytf.framework.tensor import Tensor
from tinytf.kernels.lookup import host_outputs, kernel_for
from tinytf.placement.messages import no_kernel
from tinytf.runtime.learning import SEQUENTIAL, Parallelism
from tinytf.runtime.passing_on import Take, passing_on


class NodeKernels:
    """Finds and binds the kernels of one step.

    Args:
      resources: the state kernels are bound to.
      devices: by full name, for nodes whose `device` is one of these; None: all on the CPU.
      given: kernels of nodes that are in no registry: transfers.
      parallelism: whose kernels split their work. live: the tensors that carry windows of memory.
    """

    def __init__(
        self,
        resources: Any,
        devices: dict[str, Device] | None,
        given: dict[Operation, Kernel],
        parallelism: Parallelism = SEQUENTIAL,
        live: frozenset[Tensor] = frozenset(),
    ):
        self._resources, self._devices, self._given = resources, devices, given
        self._parallelism, self._live = parallelism, live
        self._constants: dict[Operation, Any] = {}

    def find(self, op: Operation) -> Kernel:
        """The kernel of a node; InvalidArgumentError in TensorFlow's words if there is none."""
        kernel = self._given.get(op)
        if kernel is None:
            kind = self.device_type(op)
            # A constant is there without a kernel: an Identity of a text that was folded, say.
            kernel = kernel_for(op, "CPU" if op.type == "Const" else kind)
        if kernel is None:
            raise no_kernel(op, {d.device_type for d in (self._devices or {}).values()} or {"CPU"})
        return kernel

    def device_type(self, op: Operation) -> str:
        """Of the device that an operation is on: "CPU" or "GPU"."""
        return self._device(op).device_type if self._devices else "CPU"

    def _device(self, op: Operation) -> Device:
        assert self._devices is not None
        return self._devices[op.device]

    def bind(self, op: Operation, kernel: Kernel) -> Callable[..., Any]:
        """The kernel as a function of the node's inputs; not yet adapted to its device."""
        module = self._device(op).array_module if self._devices else np
        return bind(kernel, op, self._resources, module)

    def adapt(
        self, function: Callable[..., Any], op: Operation, kernel: Kernel
    ) -> Callable[..., Any]:
        """A bound kernel as its device runs it; a transfer looks after itself."""
        if any(tensor in self._live for tensor in op.outputs):
            return passing_on(op, self._adapted(function, op, kernel), self._live)
        return self._adapted(function, op, kernel)

    def _adapted(
        self, function: Callable[..., Any], op: Operation, kernel: Kernel
    ) -> Callable[..., Any]:
        if op in self._given:
            return function
        if op.name in self._parallelism.sharded and self.device_type(op) == "CPU":
            from tinytf.kernels.sharding import sharded  # few plans split kernels

            assert self._parallelism.pool is not None
            function = sharded(op, function, self._parallelism.pool) or function
        if not self._devices:
            return function
        return self._device(op).adapt(function, op, kernel)

    def constant(self, op: Operation) -> Any:
        """The value of a Const where it is: single numbers in host memory as numpy scalars."""
        value = op.attrs["value"]
        if value.dtype == object:
            return value
        if value.ndim == 0:
            value = value[()]
        if not self._devices:
            return value
        if op not in self._constants:
            device = self._device(op)
            if not host_outputs(op, device.device_type)[0]:
                value = device.copy_in(value, op.name)
            self._constants[op] = value
        return self._constants[op]

    def take(
        self, asked: Tensor, fetch: Tensor, fed: frozenset[Tensor]
    ) -> Callable[[Any], Any] | None:
        """How to read the variable behind a fetched tensor; None for a value.

        `fetch` is `asked`, or what has received it. The handle of a tensor that stays in the
        session is worth something from then on.
        """
        if asked.op.type in ("GetSessionHandle", "GetSessionHandleV2"):
            return self._resources.session_tensors.keep
        if fetch in fed or not (fetch.dtype.is_ref or fetch in self._live):
            return None
        take = Take.READ.function if fetch.dtype.is_ref else Take.VALUE.function
        assert take is not None
        device = self._device(fetch.op) if self._devices else None
        if device is None or device.memory is None:
            return take
        return lambda source: device.copy_out(take(source))
