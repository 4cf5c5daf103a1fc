"""Variables on parameter servers: in turn, by their size, and at random but always the same."""

import tensorflow as tf
from tensorflow.contrib import training

SHAPES = [("embedding", [1000, 16]), ("w1", [16, 32]), ("b1", [32]), ("w2", [32, 8]), ("b2", [8])]
SHAPES += [("table", [500, 24]), ("step", [])]


def placed(strategy):
    with tf.Graph().as_default():
        setter = tf.train.replica_device_setter(
            cluster={"ps": ["a:1", "b:1", "c:1"], "worker": ["d:1", "e:1"]},
            worker_device="/job:worker/task:1",
            ps_strategy=strategy,
        )
        with tf.device(setter):
            made = [tf.get_variable(name, shape) for name, shape in SHAPES]
            total = tf.add_n([tf.reduce_sum(one) for one in made], name="total")
        return made, total


load = training.byte_size_load_fn
strategies = [
    ("in turn", None),
    ("by size", training.GreedyLoadBalancingStrategy(3, load)),
    ("by number", training.GreedyLoadBalancingStrategy(3, lambda op: 1.0)),
    ("at random", training.RandomStrategy(3)),
    ("another seed", training.RandomStrategy(3, seed=7)),
]
for name, strategy in strategies:
    made, total = placed(strategy)
    tasks = [tf.DeviceSpec.from_string(one.device).task for one in made]
    bytes_of = [0, 0, 0]
    for task, one in zip(tasks, made):
        bytes_of[task] += load(one.op)
    print("%-12s" % name, tasks, bytes_of, total.device)
