"""Ports for servers that tests and benchmarks start in processes of their own."""

import contextlib
import socket


def free_ports(count: int) -> list[int]:
    """Numbers of ports that nobody listens on now, all different."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]
