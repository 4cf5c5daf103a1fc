"""Device names: "/job:ps/replica:0/task:1/device:GPU:0" and the partial forms users write.

Mirrors `tensorflow/python/framework/device_spec.py`.
"""

from __future__ import annotations

import functools
import re
from typing import Any

#: job, replica, task, device type, device index; None for what is left open.
Components = tuple[str | None, int | None, int | None, str | None, int | None]

#: What may be written short: "/gpu:0" for "/device:GPU:0".
_SHORT = frozenset(["CPU", "GPU", "TPU", "CUSTOM", "EPU"])

_HINT = (
    "Write it like '/job:worker/replica:0/task:0/device:GPU:1', '/cpu:0' or '/gpu:0'; every part "
    "may be left out, and '/gpu:*' is any GPU."
)


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


def _number(value: Any) -> int | None:
    return None if value is None else int(value)


def _type(value: Any) -> str | None:
    return value.upper() if value in ("cpu", "gpu") else _text(value)


_CONVERTED = {
    "job": _text,
    "replica": _number,
    "task": _number,
    "device_type": _type,
    "device_index": _number,
}


class DeviceSpec:
    """A device name, possibly partial (TensorFlow: `tf.DeviceSpec`).

    All parts can be set later; None leaves one open. Specs are equal if they print the same.

    Args:
      job: for example "worker". replica, task: numbers.
      device_type: "CPU", "GPU". device_index: its number; it means nothing without a type.

    Raises:
      ValueError: if a number is none.

    Example:
      >>> spec = tf.DeviceSpec.from_string("/job:ps/gpu:1")
      >>> spec.task = 0
      >>> spec.to_string(), spec.replace(device_type="CPU").to_string()
      ('/job:ps/task:0/device:GPU:1', '/job:ps/task:0/device:CPU:1')
    """

    __slots__ = ("device_index", "device_type", "job", "replica", "task")

    job: str | None
    replica: int | None
    task: int | None
    device_type: str | None
    device_index: int | None

    def __init__(
        self,
        job: Any = None,
        replica: Any = None,
        task: Any = None,
        device_type: Any = None,
        device_index: Any = None,
    ):
        self.job, self.replica, self.task = job, replica, task
        self.device_type, self.device_index = device_type, device_index

    def __setattr__(self, name: str, value: Any) -> None:
        convert = _CONVERTED.get(name)
        object.__setattr__(self, name, value if convert is None else convert(value))

    @classmethod
    def from_string(cls, spec: str | None) -> DeviceSpec:
        """Parse a device name; None and "" leave everything open.

        Raises:
          ValueError: naming the part that does not parse and the forms that do.
          TypeError: if it is no string.
        """
        return cls(*_components_of(spec))

    def parse_from_string(self, spec: str | None) -> DeviceSpec:
        """Fill this spec from a name and return it; errors as for `from_string`."""
        self.__init__(*_components_of(spec))  # type: ignore[misc]
        return self

    def to_string(self) -> str:
        """The canonical name: "" when nothing is given.

        Example:
          >>> tf.DeviceSpec(job="ps", device_type="GPU").to_string()
          '/job:ps/device:GPU:*'
        """
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

    def merge_from(self, dev: DeviceSpec) -> None:
        """Take every part that `dev` gives (TensorFlow 1.x: in place).

        Example:
          >>> spec = tf.DeviceSpec.from_string("/job:ps/cpu:0")
          >>> spec.merge_from(tf.DeviceSpec(task=1))
          >>> spec.to_string()
          '/job:ps/task:1/device:CPU:0'
        """
        self.__init__(*_merged(self.components(), dev.components()))  # type: ignore[misc]

    def make_merged_spec(self, dev: DeviceSpec) -> DeviceSpec:
        """A new spec: this one, overridden by every part that `dev` gives."""
        return type(self)(*_merged(self.components(), dev.components()))

    def replace(self, **kwargs: Any) -> DeviceSpec:
        """A new spec in which the parts named are as given; None opens one."""
        names = ("job", "replica", "task", "device_type", "device_index")
        return type(self)(**{**dict(zip(names, self.components(), strict=True)), **kwargs})

    def components(self) -> Components:
        """(job, replica, task, device type, device index)."""
        return self.job, self.replica, self.task, self.device_type, self.device_index

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DeviceSpec) and self.to_string() == other.to_string()

    def __hash__(self) -> int:
        return hash(self.to_string())

    def __repr__(self) -> str:
        return (
            f"<DeviceSpec(job={self.job}, replica={self.replica}, task={self.task}, "
            f"device_type={self.device_type}, device_index={self.device_index})>"
        )


def _merged(outer: Components, inner: Components) -> Components:
    """Each part as `inner` gives it, else as `outer` does: "/cpu:1" keeps its 1 in "/gpu:*"."""
    job, replica, task, kind, index = (
        o if i is None else i for o, i in zip(outer, inner, strict=True)
    )
    return job, replica, task, kind, index  # type: ignore[return-value]


def _components_of(spec: Any) -> Components:
    if spec is not None and not isinstance(spec, str):
        raise TypeError(
            f"A device is a string such as '/gpu:0', a tf.DeviceSpec or None, got {spec!r} of "
            f"type {type(spec).__name__}."
        )
    return _parsed(spec or "")


@functools.lru_cache(maxsize=4096)
def _parsed(spec: str) -> Components:
    parts: dict[str, Any] = {}
    for text in spec.split("/"):
        name, *values = text.split(":")
        if len(values) == 1 and name in ("job", "replica", "task"):
            parts[name] = values[0] if name == "job" else _index(values[0], spec)
        elif len(values) <= 1 and name.upper() in _SHORT:
            _set_device(parts, name.upper(), *values, spec=spec)
        elif len(values) == 2 and name == "device":
            _set_device(parts, *values, spec=spec)
        elif name:
            raise ValueError(
                f"Unknown attribute '{name}' is encountered while parsing the device spec: "
                f"'{spec}'. {_meant(text)}{_HINT}"
            )
    return (
        parts.get("job"),
        parts.get("replica"),
        parts.get("task"),
        _type(parts.get("type")),
        parts.get("index"),
    )


def _meant(part: str) -> str:
    """What another way to write it was to be: "gpu0", "GPU 1", "cuda:0"; "ps:0" for a task."""
    if match := re.fullmatch(r"(?i)(?:device[:_ ]?)?(cpu|gpu|cuda)s?[:_ -]?(\d*)", part.strip()):
        return f"Did you mean '/{match[1].lower().replace('cuda', 'gpu')}:{match[2] or 0}'? "
    task = re.fullmatch(r"(ps|worker|chief|master):(\d+)", part.strip())
    return f"Did you mean '/job:{task[1]}/task:{task[2]}'? " if task else ""


def _set_device(parts: dict[str, Any], kind: str, index: str = "*", *, spec: str) -> None:
    if "type" in parts:
        raise ValueError(
            f"Multiple device types are not allowed while parsing the device spec: {spec}. "
            f"An operation is on one device; build it once for each of several."
        )
    parts["type"] = kind
    if index != "*":
        parts["index"] = _index(index, spec)


def _index(text: str, spec: str) -> int:
    try:
        return int(text)
    except ValueError as error:
        raise ValueError(f"{error} in the device spec '{spec}'. {_HINT}") from None


def device_text(device: Any) -> str:
    """A device name as it was given, from a string or a `DeviceSpec`.

    Raises:
      TypeError: for anything else; None, too.
    """
    if isinstance(device, DeviceSpec):
        return device.to_string()
    if isinstance(device, bytes):
        return device.decode()
    if isinstance(device, str):
        return device
    raise TypeError(
        f"Expected binary or unicode string, got {device!r}. A device is a string such as "
        f"'/gpu:0' or a tf.DeviceSpec; the empty string asks for none."
    )


def components_of_device(device: Any) -> Components:
    """The parts of a device given as a string or a `DeviceSpec`; errors of `from_string`."""
    return device.components() if isinstance(device, DeviceSpec) else _components_of(device)


def canonical_device(device: Any) -> str:
    """A device name in canonical form, from a string, a `DeviceSpec` or None ("")."""
    return DeviceSpec(*components_of_device(device)).to_string()


@functools.lru_cache(maxsize=4096)
def merge_devices(outer: Components, inner: str) -> str:
    """The canonical name of a device: what `inner` gives, and for the rest what `outer` does.

    Raises:
      ValueError: if `inner` does not parse.
    """
    return DeviceSpec(*_merged(outer, _parsed(inner))).to_string()
