"""Servers and clients whose calls are timed: plain grpcio, tinytf, and a real TensorFlow.

`python benchmarks/wire_programs.py server KIND` prints where it listens and goes on until its
input ends. `... client KIND ADDRESS` reads lines "WHAT BYTES TIMES" and answers each with the
seconds of one call, the shortest of TIMES. A real TensorFlow's server listens on all interfaces:
`benchmarks.wire` starts it in a network of its own.
"""

import importlib
import os
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

LIMITS = [("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)]
LIBRARIES = {"tinytf": "tinytf", "tensorflow": "tensorflow.compat.v1"}


# What everything is held against: grpcio without any of us, nothing but bytes.


def serve_plain() -> tuple[str, Any]:
    """A server of /plain/Take, which wants bytes, and /plain/Give, which sends as many."""
    from concurrent.futures import ThreadPoolExecutor

    import grpc

    content: dict[int, bytes] = {}

    def give(request: bytes, context: Any) -> bytes:
        size = int(request)
        if size not in content:
            content[size] = np.ones(size, np.uint8).tobytes()
        return content[size]

    methods = {
        "Take": grpc.unary_unary_rpc_method_handler(lambda request, context: b""),
        "Give": grpc.unary_unary_rpc_method_handler(give),
    }
    server = grpc.server(ThreadPoolExecutor(4), options=LIMITS)
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("plain", methods),))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    return f"127.0.0.1:{port}", server


def plain_call(address: str, what: str, size: int) -> Callable[[], Any]:
    """A call that sends bytes ("feed"), gets some ("fetch"), or neither ("step")."""
    import grpc

    channel = grpc.insecure_channel(address, options=LIMITS)
    if what == "fetch":
        give = channel.unary_unary("/plain/Give")
        return lambda: give(str(size).encode())
    take = channel.unary_unary("/plain/Take")
    data = np.ones(size, np.uint8).tobytes()
    return lambda: take(data)


# The same through a session, written once for both libraries.


def library(kind: str) -> Any:
    """tinytf, or TensorFlow as it was."""
    tf = importlib.import_module(LIBRARIES[kind])
    if kind == "tensorflow":
        tf.disable_v2_behavior()
        tf.logging.set_verbosity(tf.logging.ERROR)
    return tf


def step(tf: Any, target: str, what: str, size: int) -> Callable[[], Any]:
    """A step that feeds a tensor, fetches one, or does neither."""
    with tf.Graph().as_default():
        if what == "feed":
            x = tf.placeholder(tf.float32, [size // 4])
            count, value = tf.size(x), np.ones(size // 4, np.float32)
            session = tf.Session(target)
            return lambda: session.run(count, {x: value})
        if what == "fetch":
            v = tf.get_variable(f"v{size}", initializer=tf.ones([size // 4]), use_resource=True)
            read = v.read_value()
            session = tf.Session(target)
            session.run(v.initializer)
            return lambda: session.run(read)
        c = tf.constant(3.0)
        session = tf.Session(target)
        return lambda: session.run(c)


# The two kinds of process.


def serve(kind: str) -> None:
    """Print where, and serve until the input ends."""
    if kind == "plain":
        address, server = serve_plain()
    else:
        server = library(kind).train.Server.create_local_server()
        address = server.target if isinstance(server.target, str) else server.target.decode()
    print(address, flush=True)
    sys.stdin.read()
    os._exit(0)  # TensorFlow's servers cannot be stopped


def ask(kind: str, address: str) -> None:
    """Time what the input asks for."""
    calls: dict[tuple[str, int], Callable[[], Any]] = {}
    for line in sys.stdin:
        what, size, times = line.split()
        key = what, int(size)
        if key not in calls:
            make = plain_call if kind == "plain" else step
            first = () if kind == "plain" else (library(kind),)
            calls[key] = make(*first, address, *key)
            calls[key]()
        print(min(seconds(calls[key]) for _ in range(int(times))), flush=True)


def seconds(call: Callable[[], Any]) -> float:
    """Of one call; what it returns goes after that."""
    start = time.perf_counter()
    result = call()
    taken = time.perf_counter() - start
    del result
    return taken


if __name__ == "__main__":
    serve(sys.argv[2]) if sys.argv[1] == "server" else ask(*sys.argv[2:])
