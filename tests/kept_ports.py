"""Ports for servers that are told their number."""

import contextlib
from collections.abc import Iterator

from tinytf.distributed.cluster import ports


@contextlib.contextmanager
def kept_ports(count: int) -> Iterator[list[int]]:
    """Numbers of free ports in a row, which nobody else is given while the block lasts.

    A port that is looked for, let go and used later may be somebody else's by then: tests of
    several processes run at the same time. These stay bound; a server can listen there all the
    same, see `ports.reserve`.
    """
    with contextlib.ExitStack() as kept:
        while True:
            first = kept.enter_context(ports.reserve()).getsockname()[1]
            try:
                for port in range(first + 1, first + count):
                    kept.enter_context(ports.reserve(port))
            except (OSError, OverflowError):  # the next one is taken, or is none
                kept.close()
                continue
            yield list(range(first, first + count))
            return
