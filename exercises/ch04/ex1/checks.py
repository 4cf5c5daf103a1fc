"""Checks of ch04.ex1."""

from collections import Counter
from contextlib import contextmanager

import numpy as np

import tinytf as tf
from tinytf.distributed.cluster.ports import reserve
from tinytf.distributed.inspection import look
from tinytf.grading import Wrong, point

MOST_BYTES = 1300
WANTED = "/job:worker/replica:0/task:1/"
PATIENCE_MS = 15_000
PRICES = (np.arange(10_000) % 97).astype(np.float32)
#: 300 articles; a sum of their prices is exact in float32.
BASKET = (np.arange(300) % 180 * 53 % 10_000).astype(np.int32)

#: Task -> its server. Three servers in one process talk through the network like real ones.
servers = {}


def cluster():
    """The servers, started when an answer has got so far; they end with this process."""
    if not servers:
        kept = [reserve() for _ in range(3)]
        addresses = [f"localhost:{socket.getsockname()[1]}" for socket in kept]
        spec = tf.train.ClusterSpec({"ps": addresses[:1], "worker": addresses[1:]})
        for job, index in (("ps", 0), ("worker", 0), ("worker", 1)):
            servers[f"{job}:{index}"] = tf.train.Server(spec, job, index)
        for socket in kept:
            socket.close()
    return servers


@contextmanager
def shop(answer, master="worker:1", articles=BASKET, all_prices=PRICES, name="prices"):
    """The variable `prices`, the answer's total, and a session in which both are ready."""
    with tf.Graph().as_default():
        with tf.device("/job:ps/task:0"):
            prices = tf.Variable(all_prices, name=name)
        with tf.device("/job:worker/task:0"):
            basket = tf.Variable(articles, name=f"basket_of_{name}")
        total = answer(prices, basket)
        if not isinstance(total, tf.Tensor) or total.dtype != tf.float32:
            raise Wrong("build_total must return a tensor", "a float32 scalar", repr(total)[:80])
        config = tf.ConfigProto(operation_timeout_in_ms=PATIENCE_MS)
        with tf.Session(cluster()[master].target, config=config) as sess:
            sess.run(tf.global_variables_initializer())
            yield prices, total, sess


def sent():
    """(tensor, from, to) -> the bytes that have been sent of it, in all."""
    addresses = [server.target.removeprefix("grpc://") for server in cluster().values()]
    rows = [row for address in addresses for row in look(address, ["traffic"])["traffic"]]
    return Counter(
        {
            (row["tensor"], task_of(row["source"]), task_of(row["destination"])): row["bytes"]
            for row in rows
        }
    )


def task_of(name):
    """ "worker:1" of "/job:worker/replica:0/task:1"."""
    place = tf.DeviceSpec.from_string(name)
    return f"{place.job}:{place.task}"


def check_total(answer, articles=BASKET, prices=PRICES, name="prices"):
    """What the basket costs."""
    with shop(answer, "worker:1", articles, prices, name) as (_, total, sess):
        value, wanted = sess.run(total), float(prices[articles].sum())
        if np.shape(value) != ():
            raise Wrong("the total is one number", "a scalar", f"shape {np.shape(value)}")
        if float(value) != wanted:
            raise Wrong(
                "the total is not right",
                wanted,
                float(value),
                hint="an article that is in the basket three times is paid for three times",
            )


def check_bytes(answer, most, articles=BASKET, prices=PRICES, name="prices"):
    """What travels in a step."""
    with shop(answer, "worker:1", articles, prices, name) as (_, total, sess):
        before = sent()
        sess.run(total)
        travelled = sent() - before
        if travelled.total() > most:
            told = "; ".join(
                f"{count} bytes from {source} to {to}"
                for (_, source, to), count in sorted(travelled.items())
            )
            raise Wrong(
                f"too much travels: {told}",
                f"at most {most} bytes",
                f"{travelled.total()} bytes",
                hint="where is what is large, and where can it be made small?",
            )


@point("the total is right, however often an article is in the basket", 2)
def the_total(answer):
    check_total(answer)


@point("it is on worker:1, whoever is the master", 1)
def the_place(answer):
    with shop(answer, "worker:0") as (_, total, sess):
        seen = tf.RunMetadata()
        options = tf.RunOptions(output_partition_graphs=True)
        sess.run(total, options=options, run_metadata=seen)
        nodes = [node for part in seen.partition_graphs for node in part.node]
        places = [node.device for node in nodes if node.name == total.op.name]
        if not places or not places[0].startswith(WANTED):
            raise Wrong(
                f"the operation {total.op.name} is elsewhere",
                WANTED[:-1],
                *places[:1],
                hint="something on worker:1 has to take the total over, if it only passes it on",
            )


@point("at most 1300 bytes travel", 3)
def the_bytes(answer):
    check_bytes(answer, MOST_BYTES)


@point("a new price counts in the next step", 1)
def new_prices(answer):
    with shop(answer) as (prices, total, sess):
        sess.run(total)
        sess.run(prices.assign(tf.ones_like(PRICES)))
        value = float(sess.run(total))
        if value != len(BASKET):
            raise Wrong(
                "all prices were set to 1, and the next step does not know it",
                float(len(BASKET)),
                value,
                hint="the total is computed from the variable, in each step, for each article",
            )
