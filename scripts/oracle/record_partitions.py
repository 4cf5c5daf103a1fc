"""Record how TensorFlow's master cuts steps into parts, one for each task.

It writes tests/distributed/master/recorded_partitions.json.gz.

    python3 scripts/oracle/record_partitions.py

The programs are those of `tests/distributed/master/partition_programs.py`; the parts are those
that a real master reports in `RunMetadata.partition_graphs`. TensorFlow's servers listen on all
interfaces, so the script runs in a network of its own (`unshare`, which needs root).
"""

from __future__ import annotations

import base64
import os
import socket
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.oracle.environment import continue_in_own_network, continue_under_tensorflow

if __name__ == "__main__":
    continue_in_own_network()
    continue_under_tensorflow()  # before anything is imported that only that environment has

from tests.distributed.master.partition_programs import PROGRAMS, write


def free_address() -> str:
    """An address that a server can have."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"localhost:{probe.getsockname()[1]}"


def task_of(device: str) -> str:
    """The short name of a task, "ps:0", by that of one of its devices."""
    _, job, _, task, *_ = device.split("/")
    return f"{job.partition(':')[2]}:{task.partition(':')[2]}"


class Parts:
    """The parts of a step, in a form that can be compared.

    What is fed and fetched is on the master's task in TensorFlow, and goes to others from there:
    these edges are left out, as our master sends feeds and fetches where they are needed.
    """

    def __init__(self, graphs: Any, original: Any):
        self._tasks = {node.name: task_of(node.device) for graph in graphs for node in graph.node}
        self._nodes = {node.name: node for graph in graphs for node in graph.node}
        self._original = {node.name: node for node in original.node}
        self._users: dict[str, list[str]] = {}
        for node in self._nodes.values():
            for text in node.input:
                name = text.removeprefix("^").partition(":")[0]
                self._users.setdefault(name, []).append(node.name)

    def described(self) -> dict[str, Any]:
        """See `partition_programs.read`."""
        nodes: dict[str, list[str]] = {}
        loops: dict[str, int] = {}
        edges = set()
        for name, node in self._nodes.items():
            task = self._tasks[name]
            if name in self._original:
                nodes.setdefault(task, []).append(name)
            elif name.startswith("_cloop") and node.op == "Merge":
                loops[task] = loops.get(task, 0) + 1
            elif node.op in ("_Send", "_HostSend") and not node.attr["client_terminated"].b:
                edge = self._edge(node)
                if edge is not None:
                    edges.add(edge)
        return {
            "nodes": {task: sorted(names) for task, names in nodes.items()},
            "edges": sorted(edges),
            "loops": loops,
        }

    def _edge(self, send: Any) -> tuple[str, str, str] | None:
        source = send.input[0].partition(":")[0]
        key = send.attr["tensor_name"].s
        recv = next(
            node
            for node in self._nodes.values()
            if node.op in ("_Recv", "_HostRecv") and node.attr["tensor_name"].s == key
        )
        if self._nodes[source].attr["client_terminated"].b:
            return None
        users = [self._nodes[user] for user in self._users.get(recv.name, ())]
        if users and all(user.attr["client_terminated"].b for user in users):
            return None
        tensor = send.input[0]
        if source not in self._original:  # the empty constant of a control edge
            tensor = self._nodes[source].input[0]
        return tensor, self._tasks[send.name], self._tasks[recv.name]


def main() -> int:
    """Record."""
    import tensorflow.compat.v1 as tf

    tf.logging.set_verbosity(tf.logging.ERROR)
    tf.disable_v2_behavior()
    cluster = {"ps": [free_address()], "worker": [free_address(), free_address()]}
    servers = [
        tf.train.Server(cluster, job, index)
        for job, addresses in cluster.items()
        for index in range(len(addresses))
    ]
    config = tf.ConfigProto()
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    config.graph_options.optimizer_options.opt_level = -1
    options = tf.RunOptions(output_partition_graphs=True)
    found = {}
    for name, program in PROGRAMS.items():
        with tf.Graph().as_default() as graph:
            fetches, feeds, targets = program(tf)
            initializer = tf.global_variables_initializer()
            with tf.Session(servers[1].target, config=config) as session:
                session.run(initializer)
                metadata = tf.RunMetadata()
                session.run([fetches, targets], feeds, options, metadata)
        definition = graph.as_graph_def()
        found[name] = {
            "graph": base64.b64encode(definition.SerializeToString()).decode(),
            "fetches": [tensor.name for tensor in fetches],
            "feeds": [tensor.name for tensor in feeds],
            "targets": [op.name for op in targets],
            "parts": Parts(metadata.partition_graphs, definition).described(),
        }
    write(found)
    print(f"{len(found)} programs")
    sys.stdout.flush()
    os._exit(0)  # TensorFlow's servers cannot be stopped


if __name__ == "__main__":
    raise SystemExit(main())
