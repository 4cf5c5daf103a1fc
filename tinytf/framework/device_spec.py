"""Device names: "/job:ps/replica:0/task:1/device:GPU:0" and the partial forms users write.

Mirrors `tensorflow/python/framework/device_spec.py`.
"""

from __future__ import annotations

import functools
import re
from typing import Any

_PART = re.compile(r"^(job|replica|task|device):(.+)$", re.IGNORECASE)
_SHORT = re.compile(r"^(cpu|gpu):(\d+|\*)$", re.IGNORECASE)


class DeviceSpec:
    """A device name, possibly partial (TensorFlow: `tf.DeviceSpec`).

    Args:
      job: for example "worker"; None when not given.
      replica: an int, or None.
      task: an int, or None.
      device_type: "CPU", "GPU", or None.
      device_index: an int, or None for any.

    Example:
      >>> tf.DeviceSpec.from_string("/job:ps/gpu:1").to_string()
      '/job:ps/device:GPU:1'
    """

    __slots__ = ("device_index", "device_type", "job", "replica", "task")

    def __init__(
        self,
        job: str | None = None,
        replica: int | None = None,
        task: int | None = None,
        device_type: str | None = None,
        device_index: int | None = None,
    ):
        self.job = job or None
        self.replica = None if replica is None else int(replica)
        self.task = None if task is None else int(task)
        self.device_type = device_type.upper() if device_type in ("cpu", "gpu") else device_type
        self.device_index = None if device_index is None else int(device_index)

    @classmethod
    def from_string(cls, spec: str) -> DeviceSpec:
        """Parse a device name.

        Raises:
          ValueError: naming the part that does not parse and the forms that do.
        """
        return cls().parse_from_string(spec)

    def parse_from_string(self, spec: str) -> DeviceSpec:
        """Fill this spec from a name and return it."""
        self.job = self.replica = self.task = self.device_type = self.device_index = None
        for part in spec.split("/"):
            if part:
                self._parse_part(part, spec)
        return self

    def _parse_part(self, part: str, spec: str) -> None:
        short = _SHORT.match(part)
        match = _PART.match(part)
        try:
            if short:
                self._set_device(short.group(1).upper(), short.group(2))
            elif match is None:
                raise ValueError("unknown part")
            elif match.group(1).lower() == "job":
                self.job = match.group(2)
            elif match.group(1).lower() == "device":
                kind, colon, index = match.group(2).partition(":")
                if not colon:
                    raise ValueError("no index")
                kind = kind.upper() if kind.lower() in ("cpu", "gpu") else kind
                self._set_device(None if kind == "*" else kind, index)
            else:
                value = None if match.group(2) == "*" else int(match.group(2))
                setattr(self, match.group(1).lower(), value)
        except ValueError:
            raise ValueError(
                f"Unknown attribute '{part.partition(':')[0]}' is encountered while parsing the "
                f"device spec: '{spec}'. Write it like '/job:worker/replica:0/task:0/"
                f"device:GPU:1', '/cpu:0' or '/gpu:0'; every part may be left out."
            ) from None

    def _set_device(self, kind: str | None, index: str) -> None:
        if self.device_type is not None:
            raise ValueError("two devices")
        self.device_type = kind
        self.device_index = None if index == "*" else int(index)

    def to_string(self) -> str:
        """The canonical name: "" when nothing is given."""
        text = ""
        if self.job is not None:
            text += f"/job:{self.job}"
        if self.replica is not None:
            text += f"/replica:{self.replica}"
        if self.task is not None:
            text += f"/task:{self.task}"
        if self.device_type is not None:
            index = "*" if self.device_index is None else str(self.device_index)
            text += f"/device:{self.device_type}:{index}"
        return text

    def merge_from(self, other: DeviceSpec) -> None:
        """Take every part that `other` gives (TensorFlow 1.x: in place)."""
        if other.job is not None:
            self.job = other.job
        if other.replica is not None:
            self.replica = other.replica
        if other.task is not None:
            self.task = other.task
        if other.device_type is not None:
            self.device_type, self.device_index = other.device_type, other.device_index

    def make_merged_spec(self, other: DeviceSpec) -> DeviceSpec:
        """A new spec: this one, overridden by every part that `other` gives."""
        merged = DeviceSpec(self.job, self.replica, self.task, self.device_type, self.device_index)
        merged.merge_from(other)
        return merged

    def _key(self) -> tuple[Any, ...]:
        return self.job, self.replica, self.task, self.device_type, self.device_index

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DeviceSpec) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        return f"DeviceSpec({self.to_string()!r})"


@functools.lru_cache(maxsize=4096)
def _canonical(name: str) -> str:
    return DeviceSpec.from_string(name).to_string()


def canonical_device(device: Any) -> str:
    """A device name in canonical form, from a string, a `DeviceSpec` or None ("")."""
    if device is None:
        return ""
    if isinstance(device, DeviceSpec):
        return device.to_string()
    if isinstance(device, str):
        return _canonical(device)
    raise TypeError(
        f"A device is a string such as '/gpu:0', a tf.DeviceSpec or None, got {device!r} "
        f"of type {type(device).__name__}"
    )


@functools.lru_cache(maxsize=4096)
def merge_devices(outer: str, inner: str) -> str:
    """Two canonical names, where the parts of `inner` win."""
    if not outer or not inner:
        return inner or outer
    return DeviceSpec.from_string(outer).make_merged_spec(DeviceSpec.from_string(inner)).to_string()
