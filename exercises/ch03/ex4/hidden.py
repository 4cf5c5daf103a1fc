"""Hidden checks of ch03.ex4."""

import random

from exercise_checks import Story, ask_all, really, work

import tinytf as tf
from tinytf.grading import Wrong, plain, point

#: Graphs of the first check, and stories of each.
GRAPHS = 4
ORDERS = 6


def graph(seed):
    """Seven operations with random edges, some of them control dependencies; not all are needed."""
    choose = random.Random(seed)
    names = [f"op{number}" for number in range(7)]
    choose.shuffle(names)
    made = []
    for name in names:
        inputs, after = [], []
        for other in choose.sample(made, min(len(made), choose.randrange(3))):
            (inputs if choose.random() < 0.6 else after).append(other)
        made.append(work(name, *inputs, after=after))
    return choose.sample(made, 2)


def orders(seed):
    """Orders of what a graph needs: right ones, and such with two neighbours exchanged."""
    choose = random.Random(seed)
    with tf.Graph().as_default():
        front, needed = [tensor.op for tensor in graph(seed)], {}
        while front:
            op = front.pop()
            needed[op.name] = [one.op.name for one in op.inputs]
            needed[op.name] += [one.name for one in op.control_inputs]
            front += [*(one.op for one in op.inputs), *op.control_inputs]
    for number in range(ORDERS):
        order = []
        while len(order) < len(needed):
            ready = [n for n in sorted(needed) if n not in order and {*needed[n]} <= {*order}]
            order.append(choose.choice(ready))
        if number % 2 and len(order) > 1:
            place = choose.randrange(len(order) - 1)
            order[place : place + 2] = reversed(order[place : place + 2])
        yield order


@point("orders of graphs that you have not seen", 2)
def random_orders(answer):
    for seed in range(GRAPHS):

        def build(seed=seed):
            return graph(seed)

        for order in orders(seed):
            story = [event for name in order for event in (f"{name} begins", f"{name} ends")]
            stuck = really(build, story, 1)
            with tf.Graph().as_default():
                said = answer(build(), story, 1)
            if plain(said) != (not stuck):
                raise Wrong(
                    f"graph {seed}, on one thread: {', '.join(order)}",
                    not stuck,
                    said,
                    hint=f"the real executor {'stood still: ' + stuck if stuck else 'did it'}",
                )


def two_gpus():
    return [work(name, device=f"/gpu:{name[-1]}") for name in ("p1", "q1", "r0")]


def long_wait():
    """last waits for first through what is between, which nobody fetches."""
    first = work("first")
    middle = work("middle", after=[first])
    return [work("last", middle), work("aside")]


STORIES = [
    Story(two_gpus, "p1+ r0+ r0- p1- q1+ q1-", 4, True, "two GPUs have two streams"),
    Story(two_gpus, "p1+ q1+ p1- q1- r0+ r0-", 4, False, "p1 and q1 are in the stream of GPU 1"),
    Story(
        long_wait,
        "first+ aside+ first- middle+ aside- middle- last+ last-",
        2,
        True,
        "there is room for two, and each begins after what it needs",
    ),
    Story(
        long_wait,
        "first+ first- middle+ last+ middle- last- aside+ aside-",
        2,
        False,
        "last needs what middle computes",
    ),
    Story(
        long_wait,
        "first+ first- last+ last- aside+ aside-",
        2,
        False,
        "last needs middle, which has not run",
    ),
    Story(
        long_wait,
        "aside+ first+ aside- first- middle+ middle- last+ last-",
        1,
        False,
        "there is one thread",
    ),
]


@point("two at once, in programs that you have not seen", 2)
def other_programs(answer):
    ask_all(answer, STORIES)
