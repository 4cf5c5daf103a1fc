"""Where the parts of a step on several tasks meet: one sends a tensor, another receives it.

A key names one tensor of one iteration on its way from one device to another:
"<sender>;<incarnation of the sender, in hex>;<receiver>;<tensor>;<frame>:<iteration>".
It is used once. TensorFlow: core/framework/rendezvous.h.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple, Protocol

from tinytf.framework.cancellation import CancellationManager
from tinytf.framework.dtypes import DType
from tinytf.framework.errors import InvalidArgumentError


class _Dead:
    """Stands for a value on a path that was not taken."""

    def __repr__(self) -> str:
        return "DEAD"


DEAD: Final = _Dead()

#: What comes before a tensor's own name in keys: the number of the edge.
_EDGE = re.compile(r"^edge_\d+_")


class Rendezvous(Protocol):
    """What a step sends through and receives from. Thread-safe."""

    def send(self, key: str, value: Any, dtype: DType) -> None:
        """Leave a value, or `DEAD`, for whoever receives `key`; returns at once."""

    def receive(self, key: str, cancellation: CancellationManager) -> Any:
        """The value sent under `key`, `DEAD` if it is dead, or a `Pending` for either."""


class ParsedKey(NamedTuple):
    """A key in its parts, see the module, and the tasks of both devices."""

    sender: str
    incarnation: int
    receiver: str
    tensor: str
    frame: str
    source: str
    destination: str


def rendezvous_key(attrs: Mapping[str, Any]) -> str:
    """The key of a Send or Recv with these attributes, up to the frame, which follows it.

    Raises:
      InvalidArgumentError: if they are no text, or the key would be none.
    """
    incarnation = attrs["send_device_incarnation"] & ((1 << 64) - 1)
    names = [attrs[name] for name in ("send_device", "recv_device", "tensor_name")]
    try:
        sender, receiver, tensor = (name.decode() for name in names)
    except UnicodeDecodeError:
        raise InvalidArgumentError(
            f"Names of devices and tensors in keys must be UTF-8, got {names}"
        ) from None
    return f"{sender};{incarnation:016x};{receiver};{tensor};"


@functools.lru_cache(maxsize=4096)  # they are the same in every step
def parse_key(key: str) -> ParsedKey:
    """A key in its parts.

    Raises:
      InvalidArgumentError: if it is none.
    """
    parts = key.split(";")
    try:
        sender, incarnation, receiver, tensor, frame = parts
        number, colon, iteration = frame.partition(":")
        if not (number.isdecimal() and colon and iteration.isdecimal() and sender and receiver):
            raise ValueError
        ends = task_of(sender), task_of(receiver)
        return ParsedKey(sender, int(incarnation, 16), receiver, tensor, frame, *ends)
    except ValueError:
        raise InvalidArgumentError(f"Invalid  rendezvous key: {key}") from None


def tensor_of_edge(edge: str) -> str:
    """The tensor's own name in a key: "v:0" of "edge_3_v:0"; TensorFlow's names are the same."""
    return _EDGE.sub("", edge)


def task_of(device: str) -> str:
    """The task of a device: the name without its last part."""
    return device.rpartition("/device:")[0]
