"""Hidden checks of ch04.ex3."""

import random

from exercise_checks import JOBS, PS, WORKER_0, WORKER_1, ask, variable

import tinytf as tf
from tinytf.grading import point

OTHER_JOBS = (("store", 2), ("calc", 2))
ANYWHERE = [PS, WORKER_0, WORKER_1]


def layers(seed):
    """Three variables, and three layers of operations on tasks drawn by lot."""
    choose = random.Random(seed)
    have = [variable(f"v{n}", choose.choice(ANYWHERE)) for n in range(3)]
    for layer in range(3):
        made = []
        for number in range(3):
            one, other = choose.sample(have, 2)
            with tf.device(choose.choice(ANYWHERE)):
                made.append(tf.add(tf.sin(one), tf.cos(other), name=f"sum{layer}{number}"))
        have = made
    return choose.sample(have, 2)


@point("programs drawn by lot", 2)
def by_lot(answer):
    for seed in range(4):

        def build(seed=seed):
            return layers(seed)

        build.__doc__ = f"Program {seed}."
        master = ("ps:0", "worker:0", "worker:1")[seed % 3]
        ask(answer, build, master, "which rule was forgotten?", JOBS)


def other_names():
    """The jobs are called store and calc, with two tasks each."""
    kept = [variable(f"kept{n}", f"/job:store/task:{n}") for n in range(2)]
    with tf.device("/job:calc/task:1"):
        total = tf.add(kept[0], kept[1], name="total")
    with tf.device("/job:calc/task:0"):
        first = tf.sin(kept[0], name="first")
    with tf.device("/job:store/task:1"):
        moved = tf.assign(kept[1], total)
        limit = tf.constant([0.5] * 16, name="limit")
    with tf.device("/job:calc/task:0"), tf.control_dependencies([moved]):
        return [tf.add(first[:16], limit, name="result"), total]


@point("jobs of other names", 1)
def other_jobs(answer):
    ask(answer, other_names, "calc:1", "a task is a job's name and a number", OTHER_JOBS)
