"""Checks of ch10.ex1."""

from collections import Counter
from contextlib import contextmanager

import numpy as np

import tinytf as tf
from tinytf.grading import Wrong, does_not_depend_on, equal_to, placed_on, point, transfers
from tinytf.runtime.pruning import prune

DEVICES = ("/cpu:0", "/cpu:1")
#: A device may have so much of the weights, or of the work.
MOST = 0.6


def network(images, hidden):
    """Pixels and weights with small whole numbers: sums are exact, in whatever order."""
    random = np.random.RandomState(hidden)
    sizes = (images, 64), (64, hidden), (hidden, 10)
    return [random.randint(-3, 4, size).astype(np.float32) for size in sizes]


@contextmanager
def built(answer, images=50, hidden=64):
    """The answer's scores, what they should be, and a session in which all is ready."""
    pixels, first, second = network(images, hidden)
    with tf.Graph().as_default():
        pair = []
        for device in DEVICES:
            with tf.device(device):
                pair.append(tf.Variable(pixels, name="images"))
        scores = answer(pair, first.copy(), second.copy())
        if not isinstance(scores, tf.Tensor):
            raise Wrong("build_scores must return a tensor", "the scores", repr(scores)[:80])
        with tf.Session(config=tf.ConfigProto(device_count={"CPU": 2})) as sess:
            sess.run(tf.global_variables_initializer())
            yield scores, np.maximum(pixels @ first, 0) @ second, sess


def check_values(answer, images, hidden):
    """What the network says."""
    with built(answer, images, hidden) as (scores, wanted, sess):
        equal_to(
            sess.run(scores),
            wanted,
            what=f"the scores of {images} images, {hidden} hidden units",
            hint="hidden unit n has column n of `first`, and row n of `second`",
        )


def check_bytes(answer, images, hidden):
    """What crosses in a step, in both directions."""
    with built(answer, images, hidden) as (scores, _, sess):
        moved = transfers(scores.op, sess)
        most, size = 40 * images, sum(one.bytes for one in moved)
        if size > most:
            raise Wrong(
                f"too much crosses: {', '.join(map(str, moved))}",
                f"at most {most} bytes",
                f"{size} bytes",
                hint="what is smaller than a half of the hidden layer, and has all of it in it?",
            )


def products(scores):
    """The products of matrices in a step, by device."""
    found = {device: [] for device in DEVICES}
    for op in prune([scores.op], frozenset()):
        if op.type == "MatMul":
            place = tf.DeviceSpec.from_string(op.device)
            if place.device_index is None:
                raise Wrong(
                    f"the product {op.name} is pinned to nothing",
                    "/cpu:0 or /cpu:1",
                    op.device or "no device",
                )
            found[f"/cpu:{place.device_index}"].append(op)
    return found


def share(amounts, what):
    """Neither device may have much more than half of it."""
    total = sum(amounts[device] for device in DEVICES)
    for device in DEVICES:
        if amounts[device] > MOST * total or not amounts[device]:
            raise Wrong(
                f"{device} has {amounts[device] / (total or 1):.0%} of {what}", "about half of it"
            )


@point("the scores are right", 2)
def the_scores(answer):
    check_values(answer, 50, 64)


@point("they are on /cpu:1", 1)
def the_place(answer):
    with built(answer) as (scores, _, sess):
        placed_on(scores, "/cpu:1", sess)


@point("each device has half of the weights and does half of the work", 2)
def both_have_half(answer):
    with built(answer) as (scores, _, _sess):
        weights, work = Counter(), Counter()
        for variable in tf.global_variables():
            if not variable.op.name.startswith("images"):
                index = tf.DeviceSpec.from_string(variable.device).device_index or 0
                weights[f"/cpu:{index}"] += variable.shape.num_elements()
        share(weights, "the weights")
        for device, ops in products(scores).items():
            for op in ops:
                rows, columns = op.outputs[0].shape.as_list()
                work[device] += rows * columns * op.inputs[1].shape.num_elements() // columns
        share(work, "the work")


@point("at most 2,000 bytes cross", 3)
def the_bytes(answer):
    check_bytes(answer, 50, 64)


@point("both devices work at the same time", 2)
def at_the_same_time(answer):
    with built(answer) as (scores, _, _sess):
        found = products(scores)
        for one, other in (DEVICES, DEVICES[::-1]):
            if not found[one]:
                raise Wrong(f"no product is computed on {one}", "some on each device", "none")
            for op in found[one]:
                for awaited in found[other]:
                    does_not_depend_on(
                        op, awaited, hint="one device waits until the other has computed something"
                    )
