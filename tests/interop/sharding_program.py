"""Variables on two parameter servers, containers, isolation and resets, under either library.

    python sharding_program.py                 a cluster of TensorFlow's servers, its client
    python sharding_program.py tinytf          the same, all of it tinytf's
    python sharding_program.py tinytf PYTHON   tinytf's client on the servers that PYTHON, which has
                                               TensorFlow, starts with this file and "serve"

To be run in a network namespace. Prints what the client saw as one line of JSON, for
test_sharding.py.
"""

import json
import os
import socket
import subprocess
import sys


def library(name):
    if name == "tinytf":
        import tinytf as tf
    else:
        import tensorflow.compat.v1 as tf

        tf.disable_v2_behavior()
    return tf


def start_servers(tf):
    """The targets of two parameter servers and two workers, all in this process."""
    sockets = [socket.create_server(("localhost", 0)) for _ in range(4)]
    addresses = [f"localhost:{one.getsockname()[1]}" for one in sockets]
    for one in sockets:
        one.close()
    spec = tf.train.ClusterSpec({"ps": addresses[:2], "worker": addresses[2:]})
    tasks = [("ps", 0), ("ps", 1), ("worker", 0), ("worker", 1)]
    servers = [tf.train.Server(spec, job_name=job, task_index=index) for job, index in tasks]
    return servers, [server.target for server in servers]


def outcome(function):
    """What a call gives, or the class of what it raises."""
    try:
        value = function()
    except Exception as error:
        return type(error).__name__
    return [one.tolist() for one in value] if isinstance(value, list) else value.tolist()


def counters(tf, container, start):
    """A graph of two variables on two servers, what adds 1 to both, and their initializer."""
    with tf.Graph().as_default() as graph:
        with tf.device(tf.train.replica_device_setter(ps_tasks=2)), tf.container(container):
            values = [tf.Variable(start, name="x"), tf.Variable(start, name="y", use_resource=True)]
            more = tf.group(*[tf.assign_add(v, 1.0).op for v in values])
        start = tf.variables_initializer(values)
    return graph, values, more, start


def sharded(tf, targets):
    """Training over a table in two parts, seen from another master."""
    seen = {}
    with tf.Graph().as_default():
        with tf.device(tf.train.replica_device_setter(ps_tasks=2)):
            table = tf.get_variable(
                "t",
                [6, 2],
                initializer=tf.zeros_initializer(),
                partitioner=tf.fixed_size_partitioner(2),
            )
            rows = tf.nn.embedding_lookup(table, [5, 0, 3, 3], "div")
            loss = tf.reduce_sum(tf.square(rows - 1.0))
            step = tf.train.get_or_create_global_step()
            train = tf.train.AdagradOptimizer(0.5).minimize(loss, global_step=step)
            whole = tf.identity(table)
        initialise = tf.global_variables_initializer()
        with tf.Session(targets[2]) as session:
            session.run(initialise)
            seen["losses"] = []
            for _ in range(4):
                seen["losses"].append(float(session.run(loss)))
                session.run(train)
        with tf.Session(targets[0]) as session:
            seen["trained"] = outcome(lambda: session.run([whole, step]))
    return seen


def containers(tf, targets):
    """Two programs with the same names in two containers; one container is reset."""
    seen = {}
    programs = {name: counters(tf, name, start) for name, start in (("a", 1.0), ("", 5.0))}
    for name, (graph, values, more, start) in programs.items():
        with tf.Session(targets[2], graph=graph) as session:
            session.run(start)
            session.run(more)
            seen[f"in {name!r}"] = outcome(lambda s=session, v=values: s.run(v))
    graph, values, more, start = programs["a"]
    by_master, by_another = (tf.Session(targets[i], graph=graph) for i in (2, 3))
    seen["before"] = [outcome(lambda s=s: s.run(values)) for s in (by_master, by_another)]
    tf.Session.reset(targets[2], ["a"])
    seen["sessions of the master"] = outcome(lambda: by_master.run(values))
    seen["sessions of another"] = outcome(lambda: by_another.run(values))
    for name, (graph, values, *_) in programs.items():
        with tf.Session(targets[1], graph=graph) as session:
            seen[f"{name!r} after"] = outcome(lambda s=session, v=values: s.run(v))
    tf.Session.reset(targets[3])
    graph, values, more, start = programs[""]
    with tf.Session(targets[1], graph=graph) as session:
        for number, variable in enumerate(values):
            seen[f"default {number} after"] = outcome(lambda s=session, v=variable: s.run(v))
        session.run(start)
        seen["again"] = outcome(lambda: session.run(values))
    tf.Session.reset(targets[0], ["none of this name"])
    return seen


def configured(tf, targets):
    """Isolated sessions, and sessions that see fewer tasks."""
    seen = {}
    graph, values, more, start = counters(tf, "", 2.0)
    alone = tf.ConfigProto(isolate_session_state=True)
    with tf.Session(targets[2], graph=graph) as shared:
        shared.run(start)
        with tf.Session(targets[2], graph=graph, config=alone) as session:
            seen["not initialised"] = outcome(lambda: session.run(values))
            session.run(start)
            session.run(more)
            seen["isolated"] = outcome(lambda: session.run(values))
        seen["shared"] = outcome(lambda: shared.run(values))
    filters = [
        ["/job:ps"],
        ["/job:ps/task:1"],
        ["/job:worker"],
        ["/job:worker/task:1", "/job:ps"],
        ["/job:else"],
    ]
    for chosen in filters:
        config = tf.ConfigProto(device_filters=chosen)
        with tf.Session(targets[2], graph=graph, config=config) as session:
            tasks = {device.name.partition("/device")[0] for device in session.list_devices()}
            seen[f"tasks, {chosen}"] = sorted(tasks)
            seen[f"values, {chosen}"] = outcome(lambda s=session: s.run(values))
    return seen


def main(name="tensorflow", python=None):
    if name == "serve":
        servers, targets = start_servers(library("tensorflow"))
        print(json.dumps(targets), flush=True)
        sys.stdin.read()
        return
    tf, child, servers = library(name), None, []
    if python is None:
        servers, targets = start_servers(tf)
    else:
        child = subprocess.Popen(
            [python, __file__, "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        targets = json.loads(child.stdout.readline())
    seen = [part(tf, targets) for part in (sharded, containers, configured)]
    print(json.dumps({key: value for part in seen for key, value in part.items()}), flush=True)
    if child is not None:
        child.stdin.close()
        child.wait()
    for server in servers if name == "tinytf" else ():
        server.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
    sys.stdout.flush()
    os._exit(0)  # TensorFlow's servers cannot be stopped
