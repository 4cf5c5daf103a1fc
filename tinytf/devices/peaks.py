"""How much memory of each GPU was in use at most while something ran: `tf.devices.peak_memory`."""

from __future__ import annotations

import sys
from typing import Any

from tinytf.devices import asking
from tinytf.devices.asking import readable
from tinytf.devices.device import Memory
from tinytf.devices.simulated import own_accounts


class peak_memory:
    """The most that arrays held at one time on each GPU, while a `with` block ran.

    Counted are arrays of this process, on whatever threads and in whatever sessions they are made:
    values on their way from operation to operation, variables, constants. Regions that a process
    has taken and does not use are not. TensorFlow: `tf.config.experimental.get_memory_info`, with
    `reset_memory_stats` before it; `max_bytes_in_use` of an allocator.

    Attributes:
      bytes: by GPU, "/device:GPU:0"; numbers are those of the machine. Empty inside of the block.
      before: the same for what was in use when the block began.

    Example:
      >>> gpus = tinytf.devices.simulate_gpus(1, memory="64MiB")
      >>> with tf.Graph().as_default(), tf.device("/gpu:0"):
      ...     most = tf.reduce_max(tf.random_uniform([1024, 1024]))
      ...     with tf.Session() as on_gpu, tinytf.devices.peak_memory() as used:
      ...         value = on_gpu.run(most)
      >>> used
      GPU 0: at most 4 MiB in use at one time, 0 bytes of it from before
      >>> gpus = tinytf.devices.simulate_gpus(0)
    """

    def __init__(self) -> None:
        self.bytes: dict[str, int] = {}
        self.before: dict[str, int] = {}
        self._earlier: dict[str, tuple[Memory, int]] = {}

    def __enter__(self) -> peak_memory:
        self.bytes, self.before = {}, {}
        self._earlier = {name: (one, one.restart_peak()) for name, one in _accounts().items()}
        self.before = {name: one.peak for name, (one, _) in self._earlier.items()}
        return self

    def __exit__(self, *error: object) -> None:
        for name, account in _accounts().items():
            self.bytes[name] = account.peak
            known, earlier = self._earlier.get(name, (account, 0))
            self.before.setdefault(name, 0)
            if known is account:
                account.restore_peak(earlier)
        self._earlier = {}

    def __repr__(self) -> str:
        if not self.bytes:
            return "No GPU was used yet."
        return "\n".join(
            f"GPU {name.rpartition(':')[2]}: at most {readable(size)} in use at one time, "
            f"{readable(self.before[name])} of it from before"
            for name, size in self.bytes.items()
        )


def _accounts() -> dict[str, Memory]:
    """This process's accounts on GPUs that it has used so far."""
    wish = asking.asked()
    found: dict[int, Any] = {}
    if wish is not None:
        found = own_accounts(wish.machine)
    elif (cuda := sys.modules.get("tinytf.devices.cuda")) is not None:
        found = cuda.accounts()
    return {f"/device:GPU:{number}": found[number] for number in sorted(found)}
