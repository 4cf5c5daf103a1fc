"""Checks of ch03.ex1."""

import numpy as np

import tinytf as tf
from tinytf.grading import Wrong, point
from tinytf.testing.schedules.running import run_with_seed

PARTS = [["a1", "a2", "a3"], ["b1", "b2"], ["c1"]]
SEEDS = 40


def built(answer, log, parts=PARTS):
    """The answer's operation, in the default graph, and those that write, by their text."""
    writing = {}

    def note(text):
        log.append(text.decode())
        return np.bool_(True)

    def write(text):
        if text in writing:
            raise Wrong(f"write({text!r}) was called a second time")
        writing[text] = tf.py_func(note, [text], tf.bool, name=f"write_{text}").op
        return writing[text]

    made = answer([list(part) for part in parts], write)
    if not isinstance(made, tf.Operation | tf.Tensor):
        raise Wrong(
            "build_log must return one operation",
            "an operation",
            f"a {type(made).__name__}",
            hint="tf.group(...) makes one operation of many",
        )
    return made, writing


def logs(answer, parts=PARTS):
    """(seed, what is written), under one schedule after the other."""
    for seed in range(SEEDS):

        def program():
            log = []
            with tf.Graph().as_default(), tf.Session() as sess:
                sess.run(built(answer, log, parts)[0])
            return log

        run = run_with_seed(program, seed)
        if run.error is not None:
            raise run.error
        yield seed, run.value


def needs(op):
    """Everything that has to run before an operation."""
    found, front = set(), [op]
    while front:
        one = front.pop()
        for before in (*(tensor.op for tensor in one.inputs), *one.control_inputs):
            if before not in found:
                found.add(before)
                front.append(before)
    return found


def check_texts(answer, parts=PARTS):
    """One run writes every text, once."""
    wanted = sorted(text for part in parts for text in part)
    log = []
    with tf.Session() as sess:
        sess.run(built(answer, log, parts)[0])
    if sorted(log) != wanted:
        raise Wrong(
            "one run writes other texts",
            wanted,
            sorted(log),
            hint="a text that the returned operation does not wait for is pruned away",
        )


def check_order(answer, parts=PARTS):
    """In every schedule the texts of each list come in their order."""
    for seed, log in logs(answer, parts):
        for part in parts:
            got = [text for text in log if text in part]
            if got != part:
                raise Wrong(
                    f"schedule {seed} (run_with_seed(..., {seed})) writes {' '.join(log)}: a list "
                    "is not in its order",
                    part,
                    got,
                    hint="an operation waits only for what was built before, in the block "
                    "of tf.control_dependencies in which it is built",
                )


def check_freedom(answer, parts=PARTS):
    """No text waits for one of another list."""
    _, writing = built(answer, [], parts)
    for part in parts:
        for text in part:
            if text not in writing:
                raise Wrong(f"{text!r} is not written at all")
            before = needs(writing[text])
            others = [other for other, op in writing.items() if op in before and other not in part]
            if others:
                raise Wrong(
                    f"{text} has to wait for a text of another list, so no schedule can write it "
                    "first",
                    "it waits for none",
                    f"it waits for {', '.join(others)}",
                    hint="begin anew with every list: its first text waits for nothing",
                )


@point("one operation writes every text, once", 1)
def every_text(answer):
    check_texts(answer)


@point("the texts of a list come in their order, in every schedule", 2)
def in_order(answer):
    check_order(answer)


@point("texts of different lists wait for nothing of each other", 3)
def side_by_side(answer):
    check_freedom(answer)
