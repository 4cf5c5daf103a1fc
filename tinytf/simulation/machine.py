"""A machine, or a cluster: devices with their memories, and the links between them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class Link:
    """A way between devices. It carries one tensor after the other, in the order they are sent.

    Routes that are given the same `Link` share it: all that enters a parameter server, for
    example, comes through the one network card it has.

    Attributes:
      latency: seconds from the last byte sent to the tensor being there; does not occupy the link.
      bandwidth: bytes a second; infinite for devices that share their memory.
      handling: seconds for which a device is busy with sending a tensor, and again the one that
        receives it, however large it is: the "overhead" of the LogP model.
      name: for timelines.

    Example:
      >>> from tinytf.simulation.machine import Link
      >>> Link(latency=0.001, bandwidth=1e9).seconds(2_000_000)
      0.003
    """

    latency: float
    bandwidth: float = math.inf
    handling: float = 0.0
    name: str = ""

    def seconds(self, size: float) -> float:
        """How long a tensor of `size` bytes takes when nothing else is on the link."""
        return 2 * self.handling + self.latency + size / self.bandwidth


#: What no time passes on.
NO_LINK = Link(0.0)


class Machine:
    """Devices and the links between them. A device runs one node at a time.

    Args:
      devices: name -> bytes of memory; None when it bounds nothing.
      links: the link from one device to another, by their names: a function, or a dict with
        pairs as keys. It is asked once for each pair, so it may make a new `Link` each time.

    Example:
      >>> from tinytf.simulation.machine import Link, Machine
      >>> wire = Link(latency=1e-5, bandwidth=1e9)
      >>> machine = Machine({"cpu": None, "gpu": 12 << 30}, lambda source, destination: wire)
      >>> machine.link("cpu", "gpu") is wire
      True
    """

    def __init__(
        self,
        devices: Mapping[str, float | None],
        links: Callable[[str, str], Link] | Mapping[tuple[str, str], Link] | None = None,
    ):
        self.devices = dict(devices)
        self._ask = links
        self._links: dict[tuple[str, str], Link] = {}

    def link(self, source: str, destination: str) -> Link:
        """The link from one device to another.

        Raises:
          ValueError: if there is none.
        """
        route = (source, destination)
        if route not in self._links:
            if self._ask is None:
                found: Link | None = NO_LINK
            elif isinstance(self._ask, Mapping):
                found = self._ask.get(route)
            else:
                found = self._ask(source, destination)
            if found is None:
                raise ValueError(f"There is no link from {source!r} to {destination!r}")
            self._links[route] = found
        return self._links[route]
