"""Checks of ch11.ex2."""

from contextlib import contextmanager

import numpy as np

import tinytf as tf
from tinytf.grading import Wrong, does_not_depend_on, equal_to, placed_on, point, transfers
from tinytf.runtime.pruning import prune

PIXELS, HIDDEN = 4, 3
WEIGHTS = PIXELS * HIDDEN + HIDDEN
#: Sizes of batches, and how many there are, may cross.
SMALL = 64


def network(images, labels):
    """A hidden layer; from the same weights each time."""
    first = np.linspace(-1, 1, PIXELS * HIDDEN, dtype=np.float32).reshape(PIXELS, HIDDEN)
    first = tf.get_variable("first", initializer=first)
    second = tf.get_variable("second", initializer=np.ones([HIDDEN, 1], np.float32))
    scores = tf.matmul(tf.tanh(tf.matmul(images, first)), second)
    return tf.reduce_mean(tf.square(scores - labels))


def with_spare(images, labels):
    """The same, with a variable that the loss does not depend on."""
    tf.get_variable("spare", initializer=5.0)
    return network(images, labels)


def data(sizes):
    """The images and labels of each share: not alike, so that it matters how they are weighted."""
    random = np.random.RandomState(sum(sizes))
    found = []
    for number, size in enumerate(sizes):
        images = random.normal(number, 1, [size, PIXELS]).astype(np.float32)
        found.append((images, np.full([size, 1], 2.0 * number - 1, np.float32)))
    return found


def gradient_descent():
    return tf.train.GradientDescentOptimizer(0.1)


@contextmanager
def built(answer, sizes, net=network, make=gradient_descent):
    """The answer's step, and a session in which all is ready."""
    with tf.Graph().as_default():
        shares = []
        for number, values in enumerate(data(sizes)):
            with tf.device(f"/cpu:{number}"):
                made = [tf.Variable(value, trainable=False, name="share") for value in values]
                shares.append(tuple(one.read_value() for one in made))
        step = answer(list(shares), net, make())
        if not isinstance(step, tf.Operation | tf.Tensor):
            raise Wrong("build_step must return the step", "an operation", repr(step)[:80])
        config = tf.ConfigProto(device_count={"CPU": len(sizes)})
        with tf.Session(config=config) as sess:
            sess.run(tf.global_variables_initializer())
            yield getattr(step, "op", step), sess


def wanted(sizes, net, make, steps):
    """The variables after steps with the combined batch."""
    images, labels = (np.concatenate(parts) for parts in zip(*data(sizes), strict=True))
    with tf.Graph().as_default(), tf.Session() as sess:
        step = make().minimize(net(tf.constant(images), tf.constant(labels)))
        sess.run(tf.global_variables_initializer())
        for _ in range(steps):
            sess.run(step)
        return {variable.op.name: sess.run(variable) for variable in tf.trainable_variables()}


def check_values(answer, sizes, net=network, make=gradient_descent, steps=1):
    """The variables are what one batch makes of them."""
    right = wanted(sizes, net, make, steps)
    with built(answer, sizes, net, make) as (step, sess):
        for _ in range(steps):
            sess.run(step)
        for name, value in right.items():
            found = [v for v in tf.trainable_variables() if v.op.name == name]
            if not found:
                there = ", ".join(v.op.name for v in tf.trainable_variables())
                raise Wrong(f"there is no variable {name!r}", "the network's own names", there)
            equal_to(
                sess.run(found[0]),
                value,
                1e-5,
                what=f"{name} after {steps} step{'' if steps == 1 else 's'}, shares of "
                f"{' and '.join(map(str, sizes))} images",
                hint="each image counts as much as any other",
            )


def products(step):
    """The products of matrices of a step, by the number of the device."""
    found = {}
    for op in prune([step], frozenset()):
        if op.type == "MatMul":
            found.setdefault(tf.DeviceSpec.from_string(op.device).device_index, []).append(op)
    return found


def check_devices(answer, sizes):
    """Each share is worked on where it lies, forward and back."""
    with built(answer, sizes) as (step, _):
        found = products(step)
        wanted = range(len(sizes))
        # Two forward, and three back: of both weights, and of the hidden layer.
        got = {f"/cpu:{n}" if n is not None else "anywhere": len(ops) for n, ops in found.items()}
        if sorted(found, key=str) != list(wanted) or len(set(map(len, found.values()))) > 1:
            raise Wrong(
                "products of matrices in a step, by device",
                "as many on the device of each share",
                ", ".join(f"{n} on {place}" for place, n in sorted(got.items())) or "none",
                hint="forward and back: colocate_gradients_with_ops",
            )


@point("a step does what a step with the combined batch does", 2)
def as_one_batch(answer):
    check_values(answer, [4, 4])


@point("also if the shares are not of one size", 3)
def other_sizes(answer):
    check_values(answer, [7, 2], steps=2)


@point("there is one network, and its variables are on /cpu:0", 1)
def one_network(answer):
    with built(answer, [4, 4]) as (_, sess):
        names = sorted(variable.op.name for variable in tf.trainable_variables())
        if names != ["first", "second"]:
            raise Wrong("the variables that are trained", "first, second", ", ".join(names))
        for variable in tf.trainable_variables():
            placed_on(variable, "/cpu:0", sess)


@point("each share is worked on where it lies, forward and back", 2)
def where_they_lie(answer):
    check_devices(answer, [4, 4])


@point("only weights and gradients cross", 1)
def what_crosses(answer):
    with built(answer, [50, 50]) as (step, sess):
        moved = [one for one in transfers(step, sess) if one.bytes]
        most, size = 2 * 4 * WEIGHTS + SMALL, sum(one.bytes for one in moved)
        if size > most or not moved:
            raise Wrong(
                f"what crosses: {', '.join(map(str, moved)) or 'nothing'}",
                f"the weights and their gradients, once each: {2 * 4 * WEIGHTS} bytes",
                f"{size} bytes",
            )


@point("all shares are worked on at the same time", 1)
def at_the_same_time(answer):
    with built(answer, [4, 4]) as (step, _):
        found = products(step)
        if len(found) < 2:
            raise Wrong("devices that multiply matrices", 2, len(found))
        ones, others = list(found.values())[:2]
        for one in ones:
            for other in others:
                for early, late in ((one, other), (other, one)):
                    does_not_depend_on(
                        late, early, hint="a device waits until another has computed something"
                    )
