"""A program that forks while it has a session on a server: both go on with it, each by itself."""

import json
import subprocess
import sys
import textwrap

from tests.oracle.environment import ROOT

PROGRAM = """
import json, os, signal, sys
import tinytf as tf
from tinytf.distributed.local_cluster import LocalCluster

signal.alarm(100)
with LocalCluster({"worker": 1}) as cluster:
    count = tf.Variable(0, use_resource=False)
    more = tf.assign_add(count, 1)
    config = tf.ConfigProto(operation_timeout_in_ms=60_000)
    session = tf.Session(cluster.target(), config=config)
    session.run(count.initializer)
    seen = {"before": [int(session.run(more))], "child": [], "meanwhile": [], "after": []}
    from_child, to_parent = os.pipe()
    from_parent, to_child = os.pipe()
    child = os.fork()
    if child == 0:
        numbers = []
        for _ in range(3):
            os.read(from_parent, 1)
            numbers.append(int(session.run(more)))
            os.write(to_parent, b"x")
        os.read(from_parent, 1)
        numbers.append(int(session.run(count + 100)))  # nodes that the parent does not have
        session.close()
        os.write(to_parent, json.dumps(numbers).encode())
        os._exit(0)
    for _ in range(3):
        os.write(to_child, b"x")
        os.read(from_child, 1)
        seen["meanwhile"].append(int(session.run(more)))
    os.write(to_child, b"x")
    seen["child"] = json.loads(os.read(from_child, 1000))
    os.waitpid(child, 0)
    seen["after"] = [int(session.run(more)), int(session.run(count + 200))]
    unused = os.fork()
    if unused == 0:
        session.close()  # it is the parent's
        os._exit(0)
    os.waitpid(unused, 0)
    seen["after"].append(int(session.run(more)))
    print(json.dumps(seen))
"""


def test_parent_and_child_run_steps_on_the_server():
    process = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(PROGRAM)],
        capture_output=True,
        text=True,
        timeout=110,
        cwd=ROOT,
    )
    assert process.returncode == 0, process.stderr
    assert json.loads(process.stdout.splitlines()[-1]) == {
        "before": [1],
        "child": [2, 4, 6, 107],
        "meanwhile": [3, 5, 7],
        "after": [8, 208, 9],
    }
