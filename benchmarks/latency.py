"""Calls to a task whose py_func computes.

A py_func is Python, and keeps the interpreter's lock; the threads that answer calls need it, too.
Servers therefore shorten the switch interval while they live (`tinytf.runtime.switch_interval`).
Measured: the middle and the worst hundredth of the times of two kinds of calls to a task in another
process, while a py_func spins in it, while it is idle, and with the interval that Python sets.
"""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

import tinytf as tf
from tinytf.distributed.wire.client_transport import ClientTransport
from tinytf.protos import worker_pb2

DEFAULT_SECONDS = 0.005
MEASURED_SECONDS = 0.5
#: side -> whether a py_func spins, and the switch interval if it is not the server's own.
HOW = {
    "busy, servers' interval": (True, 0.0),
    "idle": (False, 0.0),
    "busy, Python's interval": (True, DEFAULT_SECONDS),
}
SIDES = tuple(HOW)
CALLS = "GetStatus", "RunStep"
PARTS = {f"{call}, {what}": "s" for call in CALLS for what in ("median", "99th percentile")}
WARM_UP = 20


@contextmanager
def task(spins: bool, interval: float) -> Iterator[str]:
    """The address of a server in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.latency", "--serve"]
    command += [str(int(spins)), str(interval)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip()
    finally:
        process.stdin.close()
        process.wait()
        process.stdout.close()


def serve(spins: bool, interval: float) -> None:
    """In the other process: a server, and a step of its own client that never ends."""
    import os
    import threading

    def end() -> None:
        sys.stdin.read()
        os._exit(0)

    threading.Thread(target=end, daemon=True).start()
    server = tf.train.Server.create_local_server()
    if interval:
        sys.setswitchinterval(interval)

    def spin() -> Any:
        print(server.target.removeprefix("grpc://"), flush=True)
        total = 0
        while True:
            for number in range(1000):
                total += number * number

    if not spins:
        print(server.target.removeprefix("grpc://"), flush=True)
        server.join()
    with tf.Session(server.target) as session:
        session.run(tf.py_func(spin, [], tf.float32))


def times_of(call: Callable[[], Any]) -> list[float]:
    """The median and the 99th percentile of calls, one after the other, in seconds."""
    for _ in range(WARM_UP):
        call()
    found = []
    end = time.perf_counter() + MEASURED_SECONDS
    while time.perf_counter() < end:
        begin = time.perf_counter()
        call()
        found.append(time.perf_counter() - begin)
    return [float(value) for value in np.percentile(found, [50, 99])]


def measure(spins: bool, interval: float) -> list[float]:
    """The parts of the row."""
    with task(spins, interval) as address, tf.Graph().as_default():
        transport = ClientTransport(address)
        path, request = "/tensorflow.WorkerService/GetStatus", worker_pb2.GetStatusRequest()
        result = tf.placeholder(tf.float32, []) + 1.0
        with tf.Session(f"grpc://{address}") as session:
            run = session.make_callable(result, [result.op.inputs[0]])
            found = times_of(lambda: transport.call(path, request, worker_pb2.GetStatusResponse))
            found += times_of(lambda: run(1.0))
        transport.close()
    return found


PROGRAMS = {
    "calls to a task whose py_func computes": lambda tf, folder: {
        side: measure(*how) for side, how in HOW.items()
    }
}


if __name__ == "__main__":
    serve(sys.argv[2] == "1", float(sys.argv[3]))
