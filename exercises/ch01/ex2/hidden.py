"""Hidden checks of ch01.ex2."""

import random

from exercise_checks import ask, compare

import tinytf as tf
from tinytf.grading import Wrong, point


@point("other runs of the same program", 1)
def other_runs(answer):
    ask(
        answer,
        ("tax", []),
        ("receipt", ["net"]),
        ("valid", []),
        ("reduced", ["net"]),
        ("sold/initial_value", []),
        ("gross", ["gross"]),
    )


@point("other programs", 2)
def other_programs(answer):
    for seed in range(12):
        with tf.Graph().as_default():
            fetch, fed = program(seed)
            try:
                compare(answer, fetch, fed)
            except (LookupError, RecursionError) as error:
                raise Wrong(
                    f"which_run fails for a program it has not seen: {type(error).__name__}: "
                    f"{error}",
                    hint="ask the operations that you get: no name may be written down",
                ) from None


def program(seed):
    """A program drawn by lot: what is fetched, and what is fed."""
    choose = random.Random(seed)
    tensors = [tf.placeholder(tf.float32, [], name=f"given{i}") for i in range(2)]
    given = [tensor.op for tensor in tensors]
    store = tf.Variable(1.0, name="store")
    tensors.append(store.value())
    waited_for = set()
    for number in range(10):
        first, second = choose.choice(tensors), choose.choice(tensors)
        waits = [choose.choice(tensors)] if number and choose.random() < 0.4 else []
        waited_for |= {tensor.op for tensor in waits}
        with tf.control_dependencies(waits):
            name = f"step{number}"
            if choose.random() < 0.2:
                tensors.append(tf.assign_add(store, first, name=name))
            else:
                tensors.append(choose.choice([tf.add, tf.multiply])(first, second, name=name))
    in_the_middle = choose.sample([tensor.op for tensor in tensors[3:]], choose.randrange(4))
    fetch = choose.choice([tensor.op for tensor in tensors[-4:]])
    # What an assignment gives is a variable: it is not fed.
    fed = [op for op in in_the_middle if op.type != "AssignAdd" and op not in waited_for]
    return fetch, given + fed
