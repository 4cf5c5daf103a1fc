"""Programs over three tasks, whose parts TensorFlow's partitioner and ours are compared by.

Each builds a graph in TensorFlow and returns (fetches, feeds, targets). Constants that cross have
more than 16 numbers: TensorFlow copies smaller ones to all tasks that need them. `read` gives what
scripts/oracle/record_partitions.py has recorded.
"""

import base64
import gzip
import json
from pathlib import Path

from tests.oracle.environment import write_atomically

FILE = Path(__file__).with_name("recorded_partitions.json.gz")
LARGE = [1.0] * 32
PS, MASTER, OTHER = "/job:ps/task:0", "/job:worker/task:0", "/job:worker/task:1"


def constants(tf):
    with tf.device(PS):
        a = tf.constant(LARGE, name="a")
    with tf.device(OTHER):
        b = tf.multiply(a, 3.0, name="b")
    with tf.device(MASTER):
        return [tf.add(a, b, name="c")], {}, []


def one_receive_for_all(tf):
    with tf.device(PS):
        a = tf.constant(LARGE, name="a")
    with tf.device(OTHER):
        users = [tf.square(a), tf.exp(a), tf.negative(a)]
        return [tf.add_n(users, name="sum")], {}, []


def several_outputs(tf):
    with tf.device(PS):
        a, b = tf.split(tf.constant(LARGE), 2, name="split")
    with tf.device(OTHER):
        return [tf.add(a, b, name="sum")], {}, []


def references(tf):
    with tf.device(PS):
        v = tf.get_variable("v", initializer=LARGE, use_resource=False)
    with tf.device(OTHER):
        x = tf.constant(LARGE)
        with tf.control_dependencies([tf.add(v, x, name="sum").op]):
            change = v.assign_add(x)
    return [], {}, [change.op]


def resources(tf):
    with tf.device(PS):
        v = tf.get_variable("v", initializer=LARGE, use_resource=True)
    with tf.device(OTHER):
        x = tf.constant(LARGE)
        change = v.assign_add(x * v, read_value=False)
    return [], {}, [change]


def feeds_and_fetches(tf):
    with tf.device(MASTER):
        x = tf.placeholder(tf.float32, [2], name="x")
    with tf.device(OTHER):
        y = tf.square(x, name="y")
    with tf.device(PS):
        z = tf.add(x, y, name="z")
    return [y, z], {x: [1.0, 2.0]}, []


def control_edges(tf):
    with tf.device(PS):
        first = tf.no_op(name="first")
    with tf.device(OTHER), tf.control_dependencies([first]):
        a, b = tf.constant(1.0, name="a"), tf.constant(2.0, name="b")
        second = tf.group(a, b, name="second")
    with tf.device(PS), tf.control_dependencies([second, a.op]):
        last = tf.no_op(name="last")
    return [], {}, [last]


def training(tf):
    with tf.device(PS):
        w = tf.get_variable("w", initializer=[[1.0], [2.0]], use_resource=True)
        b = tf.get_variable("b", initializer=[0.0], use_resource=False)
    with tf.device(OTHER):
        x = tf.constant([[1.0, 2.0]])
        loss = tf.reduce_sum(tf.square(tf.matmul(x, w) + b), name="loss")
        step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    return [], {}, [step]


def conditional(tf):
    with tf.device(MASTER):
        p = tf.placeholder(tf.bool, [], name="p")
    with tf.device(PS):
        x = tf.constant(3.0, name="x")

    def double():
        with tf.device(OTHER):
            return x * 2.0

    def negative():
        with tf.device(MASTER):
            return -x

    with tf.device(MASTER):
        return [tf.identity(tf.cond(p, double, negative), name="result")], {p: True}, []


def loop(tf):
    def body(i, x):
        with tf.device(PS):
            x = x * 2
        with tf.device(OTHER):
            x = x + i
        with tf.device(MASTER):
            return i + 1, x

    with tf.device(MASTER):
        start = [tf.constant(0), tf.constant(1)]
        return list(tf.while_loop(lambda i, x: i < 5, body, start)), {}, []


def loop_of_another_task(tf):
    """The loop is on the parameter server, its condition on a worker, its result on the master."""

    def condition(i, x):
        with tf.device(OTHER):
            return tf.logical_and(i < 5, x < 100)

    with tf.device(PS):
        _, x = tf.while_loop(condition, lambda i, x: (i + 1, x * 3), [tf.constant(0), 1])
    with tf.device(MASTER):
        return [tf.identity(x, name="result")], {}, []


def nested_loops(tf):
    def inner(j, x):
        with tf.device(OTHER):
            return j + 1, x + j

    def outer(i, x):
        with tf.device(PS):
            x = x + 1
        _, x = tf.while_loop(lambda j, x: j < i, inner, [tf.constant(0), x])
        with tf.device(MASTER):
            x = tf.cond(i % 2 > 0, lambda: x * 2, lambda: x)
            return i + 1, x

    with tf.device(MASTER):
        start = [tf.constant(0), tf.constant(1)]
        return list(tf.while_loop(lambda i, x: i < 4, outer, start)), {}, []


def loop_invariants(tf):
    with tf.device(PS):
        w = tf.constant(LARGE, name="w")

    def body(i, x):
        with tf.device(OTHER):
            x = x * w
        with tf.device(MASTER):
            return i + 1, x + w

    with tf.device(MASTER):
        _, x = tf.while_loop(lambda i, x: i < 3, body, [tf.constant(0), tf.ones([32])])
        return [x], {}, []


def gradient_of_a_loop(tf):
    with tf.device(MASTER):
        w = tf.constant(LARGE, name="w")

    def body(i, x):
        with tf.device(PS):
            x = x * w
        with tf.device(OTHER):
            return i + 1, tf.sin(x)

    with tf.device(MASTER):
        _, x = tf.while_loop(lambda i, x: i < 3, body, [tf.constant(0), tf.ones([32])])
        return [x, *tf.gradients(x, w)], {}, []


def queue(tf):
    with tf.device(PS):
        q = tf.FIFOQueue(3, [tf.float32], [[]], shared_name="q")
        put = q.enqueue([7.0])
    with tf.device(OTHER), tf.control_dependencies([put]):
        return [tf.identity(q.dequeue(), name="taken")], {}, []


PROGRAMS = {
    program.__name__: program
    for program in (
        constants,
        one_receive_for_all,
        several_outputs,
        references,
        resources,
        feeds_and_fetches,
        control_edges,
        training,
        conditional,
        loop,
        loop_of_another_task,
        nested_loops,
        loop_invariants,
        gradient_of_a_loop,
        queue,
    )
}


def write(found):
    """Write the recording; the same content gives the same file."""
    text = json.dumps(found, separators=(",", ":"), sort_keys=True)
    write_atomically(FILE, gzip.compress(text.encode(), mtime=0))


def read():
    """Program -> its graph (bytes), feeds, fetches and targets (names), parts: TensorFlow's.

    Of the parts: "nodes", task -> names; "edges", of [tensor or "^operation", from, to]; "loops",
    how many control loops a task has.
    """
    found = json.loads(gzip.decompress(FILE.read_bytes()))
    for program in found.values():
        program["graph"] = base64.b64decode(program["graph"])
    return found
