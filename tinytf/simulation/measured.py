"""What operations really cost: the times and sizes in traces of steps."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tinytf.framework.device_spec import DeviceSpec
from tinytf.protos.node_def_pb2 import AttrValue

#: Traces count in whole microseconds; what took none of them took something.
_LEAST = 5e-7
#: The name of a device ends with its number; that of a part of one, such as a stream, does not.
_IS_DEVICE = re.compile(r"(?:/|^)device:[^:/]+:\d+$|/[cg]pu:\d+$", re.IGNORECASE)


@dataclass(slots=True)
class Measured:
    """Mean costs by the name of the operation.

    Attributes:
      seconds: of all executions in a step together (an operation in a loop has several).
      device_type: "CPU" or "GPU": what it ran on.
      sizes: bytes of an output, by (operation, output).

    Example:
      >>> from tinytf.simulation.measured import Measured
      >>> x = tf.tanh(tf.random_normal([100, 100]), name="x")
      >>> metadata = tf.RunMetadata()
      >>> options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
      >>> _ = sess.run(x, options=options, run_metadata=metadata)
      >>> Measured.from_steps([metadata]).seconds["x"] > 0
      True
    """

    seconds: dict[str, float] = field(default_factory=dict)
    device_type: dict[str, str] = field(default_factory=dict)
    sizes: dict[tuple[str, int], float] = field(default_factory=dict)

    @classmethod
    def from_steps(cls, steps: Iterable[Any]) -> Measured:
        """From traces of steps: `RunMetadata` or `StepStats` messages.

        The mean is over the steps in which an operation ran. The first step is not left out,
        although it may have been slower: a program that has warmed up traces later ones.
        """
        found = cls()
        counts: dict[str, int] = {}
        for step in steps:
            in_step: dict[str, float] = {}
            for device in getattr(step, "step_stats", step).dev_stats:
                if not _IS_DEVICE.search(device.device):
                    continue  # a part of a device, such as its streams: its work is counted already
                kind = DeviceSpec.from_string(device.device).device_type or "CPU"
                for node in device.node_stats:
                    in_step[node.node_name] = in_step.get(node.node_name, 0.0) + _seconds(node)
                    found.device_type[node.node_name] = kind
                    for output in node.output:
                        memory = output.tensor_description.allocation_description
                        if memory.requested_bytes:
                            found.sizes[node.node_name, output.slot] = memory.requested_bytes
            for name, seconds in in_step.items():
                counts[name] = counts.get(name, 0) + 1
                found.seconds[name] = found.seconds.get(name, 0.0) + seconds
        for name, count in counts.items():
            found.seconds[name] /= count
        return found

    def write_to(self, parameters: Any) -> None:
        """Write it into a map of `AttrValue`s, such as the parameters of a rewriter.

        The keys: `names`, `seconds` and `device_types`, in one order; `tensors` ("name:0") and
        `bytes`.
        """
        names = sorted(self.seconds)
        parameters["names"].list.s.extend(name.encode() for name in names)
        parameters["seconds"].list.f.extend(self.seconds[name] for name in names)
        parameters["device_types"].list.s.extend(self.device_type[n].encode() for n in names)
        tensors = sorted(self.sizes)
        parameters["tensors"].list.s.extend(f"{name}:{slot}".encode() for name, slot in tensors)
        parameters["bytes"].list.f.extend(self.sizes[tensor] for tensor in tensors)

    @classmethod
    def read_from(cls, parameters: Mapping[str, Any]) -> Measured:
        """Read what `write_to` has written; what is missing is empty.

        Raises:
          ValueError: if lists that go together differ in length, or hold what they cannot.
        """

        def listed(name: str) -> Any:
            return (parameters[name] if name in parameters else AttrValue()).list

        names = [name.decode() for name in listed("names").s]
        seconds, kinds = listed("seconds").f, [kind.decode() for kind in listed("device_types").s]
        tensors = [name.decode().rpartition(":") for name in listed("tensors").s]
        sizes = listed("bytes").f
        if not len(names) == len(seconds) == len(kinds) or len(tensors) != len(sizes):
            raise ValueError(
                f"{len(names)} names, {len(seconds)} seconds and {len(kinds)} device types, "
                f"{len(tensors)} tensors and {len(sizes)} sizes have to go together"
            )
        if not all(value >= 0 for value in (*seconds, *sizes)):
            raise ValueError("costs and sizes have to be numbers that are not negative")
        if not all(slot.isdigit() for _, _, slot in tensors):
            raise ValueError('tensors have to be named "operation:output"')
        return cls(
            dict(zip(names, seconds, strict=True)),
            dict(zip(names, kinds, strict=True)),
            {(n, int(slot)): size for (n, _, slot), size in zip(tensors, sizes, strict=True)},
        )


def _seconds(node: Any) -> float:
    nanos = node.op_end_rel_nanos - node.op_start_rel_nanos
    if nanos > 0:
        return nanos * 1e-9
    return max((node.op_end_rel_micros - node.op_start_rel_micros) * 1e-6, _LEAST)
