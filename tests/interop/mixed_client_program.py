"""A client of a mixed cluster: `program.py LIBRARY TARGET`. Prints what it saw as a line of JSON.

The same program for both libraries. The cluster has the tasks ps:0 and worker:0, perhaps worker:1;
the session is on worker:0. Before the last part it prints "ready" and waits for a line: then the
parameter server is gone.
"""

import json
import os
import sys
import threading
import time

import numpy as np

library, target = sys.argv[1:3]
if library == "tinytf":
    import tinytf as tf
else:
    import tensorflow.compat.v1 as tf

    tf.disable_v2_behavior()
PS, MASTER = "/job:ps/task:0", "/job:worker/task:0"
seen = {}
never_closed = []


def note(function, name=None):
    """Keep what a part of the program saw: a value, or the error it ended with."""
    began = time.monotonic()
    try:
        value = function()
    except tf.errors.OpError as error:
        value = [type(error).__name__, error.op and error.op.name, error.message]
    except Exception as error:
        value = [type(error).__name__, None, str(error)]
    seen[name or function.__name__] = value
    print(
        f"{name or function.__name__}: {time.monotonic() - began:.1f} s {value}"[:1500],
        file=sys.stderr,
        flush=True,
    )


def session(graph, **config):
    return tf.Session(target, graph=graph, config=tf.ConfigProto(**config))


def fetch(build, feeds=None, **config):
    """The value of what `build` builds, as a list."""
    with tf.Graph().as_default() as graph:
        fetches = build()
        with session(graph, **config) as sess:
            sess.run(tf.global_variables_initializer())
            values = sess.run(fetches, feeds)
    return [np.asarray(value).tolist() for value in values]


def devices():
    with tf.Graph().as_default() as graph, session(graph) as sess:
        found = [device.name for device in sess.list_devices()]
    seen["tasks"] = sorted(name.replace("/replica:0", "").partition("/device")[0] for name in found)
    return sorted(found)


note(devices)
OTHER = "/job:worker/task:1" if "/job:worker/task:1" in seen["tasks"] else PS


def train(resource, suffix):
    """60 steps of SGD: variables on the parameter server, the model on the workers."""
    random = np.random.RandomState(0)
    inputs = random.rand(32, 4).astype(np.float32)
    labels = inputs @ np.array([[1.0], [-2.0], [3.0], [0.5]], np.float32) + np.float32(0.25)
    with tf.Graph().as_default() as graph:
        with tf.device(PS):
            w = tf.get_variable(f"w_{suffix}", initializer=tf.zeros([4, 1]), use_resource=resource)
            b = tf.get_variable(f"b_{suffix}", initializer=tf.zeros([1]), use_resource=resource)
        x, y = tf.placeholder(tf.float32, [None, 4]), tf.placeholder(tf.float32, [None, 1])
        with tf.device(OTHER if OTHER != PS else MASTER):
            predicted = tf.matmul(x, w) + b
            loss = tf.reduce_mean(tf.square(predicted - y))
            step = tf.train.GradientDescentOptimizer(0.2).minimize(loss)
        with session(graph) as sess:
            sess.run(tf.global_variables_initializer())
            for _ in range(60):
                sess.run(step, {x: inputs, y: labels})
            return float(sess.run(loss, {x: inputs, y: labels}))


note(lambda: train(False, library + "_ref"), "loss with references")
note(lambda: train(True, library + "_resource"), "loss with resources")


def moved():
    """Every task has a part."""
    with tf.device(PS):
        a = tf.constant([1.0, 2.0, 3.0])
        names = tf.constant(["a", "b"])
    with tf.device(OTHER):
        b = a * 2.0 + tf.cast(tf.size(names), tf.float32)
    with tf.device(MASTER):
        c = tf.reduce_sum(b - a)
        joined = tf.strings.join([names, "!"])
    return [a, b, c, tf.cast(tf.equal(joined, ["a!", "b!"]), tf.int32)]


note(lambda: fetch(moved), "moved")


def control():
    """Across tasks, the read waits for the assignment."""
    with tf.device(PS):
        v = tf.get_variable(f"v_{library}", initializer=1.0, use_resource=True)
    with tf.device(MASTER):
        ready = tf.constant(5.0) * 2.0
    with tf.device(PS), tf.control_dependencies([ready]):
        changed = v.assign_add(3.0, read_value=False)
    with tf.device(MASTER), tf.control_dependencies([changed]):
        three = tf.constant(3.0)
    with tf.device(PS), tf.control_dependencies([three]):
        return [v.read_value(), ready]


note(lambda: fetch(control), "control edges")


def condition(value):
    def build():
        with tf.device(MASTER):
            x = tf.constant(value)
        with tf.device(PS):
            kept = x + 1

        def double():
            with tf.device(OTHER):
                return kept * 2

        def negative():
            with tf.device(MASTER):
                return -kept

        result = tf.cond(x > 0, double, negative)
        with tf.device(PS):
            return [result, result + 1]

    return fetch(build)


note(lambda: [condition(3), condition(-3)], "cond")


def loop():
    """The counter on the master, the body on the others."""

    def body(i, x):
        with tf.device(PS):
            x = x * 2
        with tf.device(OTHER):
            x = x + i
        with tf.device(MASTER):
            return i + 1, x

    with tf.device(MASTER):
        return list(tf.while_loop(lambda i, x: i < 5, body, [tf.constant(0), tf.constant(1)]))


note(lambda: fetch(loop), "loop")


def nested():
    """A loop in a loop, a constant and a condition inside."""

    def inner(j, x):
        with tf.device(OTHER):
            return j + 1, x + j

    def outer(i, x):
        with tf.device(PS):
            start = tf.constant(0)
            x = x + 1
        _, x = tf.while_loop(lambda j, x: j < i, inner, [start, x])
        with tf.device(MASTER):
            x = tf.cond(i % 2 > 0, lambda: x * 2, lambda: x)
            return i + 1, x

    with tf.device(MASTER):
        return list(tf.while_loop(lambda i, x: i < 4, outer, [tf.constant(0), tf.constant(1)]))


note(lambda: fetch(nested), "nested loops")


def gradient():
    """Of a loop whose body is elsewhere: what it pushes on stacks comes back."""
    with tf.device(MASTER):
        w = tf.constant([2.0, 3.0])

    def body(i, x):
        with tf.device(PS):
            x = x * w
        with tf.device(OTHER):
            return i + 1, tf.sin(x)

    with tf.device(MASTER):
        _, x = tf.while_loop(lambda i, x: i < 3, body, [tf.constant(0), tf.ones([2])])
        return [x, tf.gradients(x, w)[0]]


note(lambda: fetch(gradient), "gradient of a loop")


def division():
    """An error on the parameter server, in a step that others wait for.

    They hear of it before the master does, whom the parameter server answers when it has computed.
    """
    with tf.device(PS):
        divided = tf.floordiv(1, tf.constant([0, 1])[0], name="divided")
        large = tf.random_normal([1500, 1500])
        slow = tf.reduce_sum(large @ large @ large)
    with tf.device(OTHER):
        return [divided + 1, slow]


def queue(last):
    """A queue on the parameter server."""
    with tf.Graph().as_default() as graph:
        with tf.device(PS):
            q = tf.FIFOQueue(3, [tf.float32], [[]], shared_name=f"{library}_{last}")
            put, close, size = q.enqueue([7.0]), q.close(), q.size()
            taken = q.dequeue(name="taken")
        with tf.device(MASTER):
            result = taken + 1.0
        with session(graph) as sess:
            sess.run(put)
            first = float(sess.run(result))
            seen[f"{last} first"] = first, int(sess.run(size))
            if last == "closed":
                sess.run(close)
                return float(sess.run(result))
            if last == "late":
                return float(sess.run(result, options=tf.RunOptions(timeout_in_ms=700)))
            threading.Timer(1.5, sess.close).start()
            return float(sess.run(result))


note(lambda: fetch(division), "division")
note(lambda: queue("closed"), "closed queue")
note(lambda: queue("late"), "deadline")
note(lambda: fetch(moved), "moved again")


def killed():
    with tf.Graph().as_default() as graph:
        with tf.device(PS):
            q = tf.FIFOQueue(3, [tf.float32], [[]], shared_name="never")
            taken = q.dequeue(name="taken")
        with tf.device(MASTER):
            result = taken + 1.0
        sess = session(graph)
        never_closed.append(sess)  # TensorFlow's master would wait for the dead task
        sess.run(q.size())
        threading.Timer(0.5, lambda: print("ready", flush=True)).start()
        return float(sess.run(result, options=tf.RunOptions(timeout_in_ms=90_000)))


note(killed)
print(json.dumps(seen), flush=True)
os._exit(0)
