"""Requested devices against the devices there are, in TensorFlow's words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tinytf.framework.device_spec import DeviceSpec
from tinytf.framework.errors import InvalidArgumentError
from tinytf.framework.operation import Operation


def check_requested_devices(
    ops: Iterable[Operation], available: Sequence[str], allow_soft_placement: bool
) -> None:
    """Check that every explicit device request can be met.

    Args:
      ops: the pruned graph. available: full names of the devices.
      allow_soft_placement: whether a missing device of the right task may be replaced by its CPU.

    Raises:
      InvalidArgumentError: naming operation, request, devices and the remedy.
    """
    specs = [DeviceSpec.from_string(name) for name in available]
    for op in ops:
        if op.device and not _can_be_met(op.device, specs, allow_soft_placement):
            raise InvalidArgumentError(
                None, op,
                f"Cannot assign a device for operation {op.name}: Could not satisfy explicit "
                f"device specification '{op.device}': {{{{node {op.name}}}}} was explicitly "
                f"assigned to {op.device} but available devices are [ {', '.join(available)} ]. "
                f"Make sure the device specification refers to a valid device, or let "
                f"TensorFlow choose: tf.ConfigProto(allow_soft_placement=True).\n"
                f"\t [[{{{{node {op.name}}}}}]]\n{op.describe_origin()}",
            )  # fmt: skip


def _can_be_met(request: str, specs: list[DeviceSpec], soft: bool) -> bool:
    wanted = DeviceSpec.from_string(request)
    if soft:
        wanted.device_type = wanted.device_index = None
    return any(_overlay(wanted, spec) == spec for spec in specs)


def _overlay(wanted: DeviceSpec, spec: DeviceSpec) -> DeviceSpec:
    """`spec` with every part that `wanted` gives: equal to `spec` when the request fits it."""
    return DeviceSpec(
        spec.job if wanted.job is None else wanted.job,
        spec.replica if wanted.replica is None else wanted.replica,
        spec.task if wanted.task is None else wanted.task,
        spec.device_type if wanted.device_type is None else wanted.device_type,
        spec.device_index if wanted.device_index is None else wanted.device_index,
    )
