"""Sessions that bring their own picture of the cluster. Prints what they saw as a line of JSON.

`program.py tinytf|tensorflow PORT PORT`; TensorFlow in a network of its own, as its servers listen
everywhere.
"""

import json
import os
import sys

if sys.argv[1] == "tensorflow":
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    import tensorflow.compat.v1 as tf

    tf.disable_v2_behavior()
else:
    import tinytf as tf


A, B = (f"localhost:{port}" for port in sys.argv[2:])
SERVERS = [tf.train.Server({"worker": [address]}, "worker", 0) for address in (A, B)]
TWO = {"w": [A, B]}
W0, W1 = "/job:w/task:0", "/job:w/task:1"


def config(cluster, **others):
    made = tf.ConfigProto(operation_timeout_in_ms=20_000, **others)
    made.cluster_def.CopyFrom(tf.train.ClusterSpec(cluster).as_cluster_def())
    return made


def on(*devices, cluster=TWO, target=SERVERS[0].target, **others):
    """What a step gives that computes something on each of some devices."""
    with tf.Graph().as_default():
        results = []
        for device in devices:
            with tf.device(device):
                results.append(tf.constant(3.0) * 2)
        with tf.Session(target, config=config(cluster, **others)) as session:
            return [float(result) for result in session.run(results)]


def devices():
    with tf.Graph().as_default(), tf.Session(SERVERS[0].target, config=config(TWO)) as session:
        return sorted(device.name for device in session.list_devices())


def across():
    """A step that goes from task to task, in a loop, with a variable."""
    with tf.Graph().as_default():
        with tf.device(W1):
            v = tf.get_variable("v", initializer=2.0, use_resource=False)
        with tf.device(W0):
            fed = tf.placeholder(tf.float32, [])
            sum_ = fed + v
        with tf.device(W1):
            last = tf.while_loop(lambda i, x: i < 5, lambda i, x: (i + 1, x * 2), [0, sum_])[1]
        with tf.Session(SERVERS[0].target, config=config(TWO)) as session:
            session.run(v.initializer)
            values = [float(session.run(last, {fed: number})) for number in (1.0, 2.0)]
            with tf.device(W0):
                more = last + 1
            return [*values, float(session.run(more, {fed: 0.0}))]


def state(first, reader, own_cluster, target=SERVERS[0].target, **others):
    """Whether a variable of one session is there for another."""

    def variable(device, value):
        with tf.device(device):
            return tf.get_variable("state", initializer=value, use_resource=False)

    with tf.Graph().as_default():
        mine = variable(first, 5.0)
        with tf.Session(SERVERS[0].target, config=config(TWO, **others)) as session:
            session.run(mine.initializer)
            with tf.Graph().as_default():
                theirs = variable(reader, 7.0)
                settings = config(TWO) if own_cluster else None
                with tf.Session(target, config=settings) as other:
                    return float(other.run(theirs))


def plain_sessions():
    """Those without a picture go on as before, beside one that has it."""
    with tf.Graph().as_default():
        with tf.device("/job:worker/task:0"):
            v = tf.get_variable("plain", initializer=1.0, use_resource=False)
        with tf.Session(SERVERS[0].target) as session:
            session.run(v.initializer)
            on(W0, W1)
            return float(session.run(v))


PLAIN = "/job:worker/task:0"
QUESTIONS = {
    "another task": lambda: on(W1),
    "both tasks": lambda: on(W0, W1),
    "any device": lambda: on(""),
    "devices": devices,
    "across": across,
    "indices left out": lambda: on("/job:w/task:7", cluster={"w": {0: A, 7: B}}),
    "two jobs": lambda: on("/job:ps/task:0", cluster={"w": [A], "ps": [B]}),
    "isolated": lambda: on(W1, isolate_session_state=True),
    "filtered": lambda: on(W0, device_filters=[W0]),
    "filtered out": lambda: on(W1, device_filters=[W0]),
    "unknown job": lambda: on("/job:nobody/task:0"),
    "the name it was started with": lambda: on(PLAIN),
    "same name and index": lambda: on(W0, cluster={"worker": [A, B]}),
    "without the master": lambda: on(W0, cluster={"w": [B]}),
    "the master under another address": lambda: on(
        W1, cluster={"w": [A.replace("localhost", "127.0.0.1"), B]}
    ),
    "the master twice": lambda: on(W0, cluster={"w": [A], "x": [A]}),
    "no address": lambda: on(W0, cluster={"w": [A, "nonsense"]}),
    "state of task 0 for a plain session": lambda: state(W0, PLAIN, False),
    "state of task 1 for a plain session": lambda: state(
        W1, PLAIN, False, target=SERVERS[1].target
    ),
    "state for another such session": lambda: state(W1, W1, True),
    "isolated state": lambda: state(W1, W1, True, isolate_session_state=True),
    "plain sessions": plain_sessions,
}
PHRASES = (
    "Cannot assign a device",
    "is not included in the provided cluster_def",
    "Found multiple matching tasks",
    "to be the same names that were provided when the server",
    'Could not interpret "nonsense" as a host-port pair',
    "uninitialized value state",
)


def answer(question):
    try:
        return question()
    except Exception as error:
        found = [phrase for phrase in PHRASES if phrase in str(error)]
        return [type(error).__name__, found or str(error)]


print(json.dumps({name: answer(question) for name, question in QUESTIONS.items()}), flush=True)
os._exit(0)  # TensorFlow's servers never end
