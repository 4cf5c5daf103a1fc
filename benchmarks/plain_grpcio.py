"""Plain calls of grpcio that carry bytes and nothing else: what a floor of calls over gRPC is.

`python benchmarks/plain_grpcio.py serve|measure KIND CLUSTER [JOB INDEX]`, as `in_cluster.py`.
"""

import json
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

import grpc
import numpy as np

from benchmarks.in_cluster import MEGABYTE
from benchmarks.programs import seconds

LIMITS = [("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)]


@cache
def content(size: int) -> bytes:
    """So many bytes, which are really there."""
    return np.ones(size, np.uint8).tobytes()


def serve(address: str) -> None:
    """/plain/Take wants bytes, and /plain/Give sends as many."""
    unary = grpc.unary_unary_rpc_method_handler
    methods = {
        "Take": unary(lambda request, context: b""),
        "Give": unary(lambda request, context: content(int(request))),
    }
    server = grpc.server(ThreadPoolExecutor(4), options=LIMITS)
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("plain", methods),))
    server.add_insecure_port(address)
    server.start()
    print("0", flush=True)
    sys.stdin.read()


def call(channel: Any, what: str) -> Callable[[], Any]:
    """A call that sends bytes ("feed4": 4 MB), gets some ("fetch4", "move4"), or neither."""
    size = int("".join(filter(str.isdigit, what)) or 0) * MEGABYTE
    if what.startswith(("fetch", "move")):
        give = channel.unary_unary("/plain/Give")
        return lambda: give(str(size).encode())
    take = channel.unary_unary("/plain/Take")
    return lambda: take(content(size))


def measure(address: str) -> None:
    """Time what the input asks for."""
    channel = grpc.insecure_channel(address, options=LIMITS)
    for line in sys.stdin:
        what, times = json.loads(line)
        once = call(channel, what)
        once()
        print(min(seconds(once) for _ in range(times)), flush=True)


if __name__ == "__main__":
    address = json.loads(sys.argv[3])["worker"][0]
    serve(address) if sys.argv[1] == "serve" else measure(address)
