"""Checks of ch12.ex2."""

import os
import tempfile
from contextlib import contextmanager

import tinytf as tf
from tinytf.grading import Wrong, point


class Training:
    """Calls of the answer, each with a model that notes its steps.

    Attributes:
      steps: of each call, the global steps in which a step has begun.
    """

    def __init__(self, answer, room):
        self._answer, self.folder, self.steps = answer, os.path.join(room, "run"), []

    def call(self, until):
        """What the answer returns, as a whole number."""
        seen = []
        self.steps.append(seen)

        def note(number):
            seen.append(int(number))
            return number

        def build():
            count = tf.train.get_or_create_global_step()
            weight = tf.get_variable("weight", initializer=1.0)
            speed = tf.get_variable("speed", initializer=1.0, trainable=False)
            with tf.control_dependencies([tf.py_func(note, [count], tf.int64)]):
                faster = speed.assign(0.5 * speed + 1.0)
            with tf.control_dependencies([weight.assign_add(faster)]):
                return tf.assign_add(count, 1)

        got = self._answer(build, self.folder, until)
        if type(got) is not int:
            raise Wrong("go_on must return a step", "an int", repr(got)[:60])
        return got

    def move(self):
        """The folder is somewhere else from now on, and nothing is in its old place."""
        if not os.path.isdir(self.folder):
            raise Wrong("the folder", "it is made", "it is not there")
        self.folder, before = f"{self.folder}.moved", self.folder
        os.rename(before, self.folder)

    def checkpoint(self):
        """The latest checkpoint in the folder."""
        latest = tf.train.latest_checkpoint(self.folder)
        if latest is None:
            there = sorted(os.listdir(os.path.dirname(self.folder)))
            raise Wrong(
                "files in the folder `run`", "a checkpoint", f"none; beside the folder: {there}"
            )
        return latest


@contextmanager
def training(answer):
    """Calls with a new folder, which is not there yet."""
    with tempfile.TemporaryDirectory() as room:
        yield Training(answer, room)


def values(steps):
    """What the model's variables are after so many steps."""
    weight = speed = 1.0
    for _ in range(steps):
        speed = 0.5 * speed + 1.0
        weight += speed
    return [weight, speed, steps]


def same(what, wanted, got, hint=""):
    if wanted != got:
        raise Wrong(what, wanted, got, hint=hint)


@point("a first call begins at step 0, and trains to the end", 1)
def a_first_call(answer):
    with training(answer) as run:
        same("the first call begins at", 0, run.call(3))
        same("its steps", [[0, 1, 2]], run.steps)


@point("the next call begins where the last one ended", 3)
def the_next(answer):
    with training(answer) as run:
        run.call(4)
        got = run.call(6)
        same("after a call that trained to step 4, one begins at", 4, got)
        same("the first of its steps", [4], run.steps[1][:1])


@point("`until` is where it ends, not how many steps it does", 2)
def until_is_a_step(answer):
    with training(answer) as run:
        run.call(3)
        run.call(5)
        counted = [len(steps) for steps in run.steps]
        same("to step 3, then to step 5: how many steps each call does", [3, 2], counted)
        run.call(5)
        same("to step 5 once more: how many steps", 0, len(run.steps[2]))


@point("all variables go on", 2)
def all_variables(answer):
    with training(answer) as run:
        run.call(2)
        run.call(4)
        latest = run.checkpoint()
        there = {name for name, _ in tf.train.list_variables(latest)}
        names = ["weight", "speed", "global_step"]
        lacking = [name for name in names if name not in there]
        if lacking:
            raise Wrong("variables in the checkpoint", names, f"without {', '.join(lacking)}")
        got = [tf.train.load_variable(latest, name).item() for name in names]
        same("weight, speed and step after two and two steps", values(4), got)


@point("the files are in the folder, with the step in their names", 1)
def the_files(answer):
    with training(answer) as run:
        for until in (2, 3):
            run.call(until)
            name = os.path.basename(run.checkpoint())
            same("the name of the latest checkpoint", f"model-{until}", name)


@point("it goes on when the folder was moved", 2)
def was_moved(answer):
    with training(answer) as run:
        run.call(3)
        run.move()
        got = run.call(4)
        same(
            "after step 3 the folder was moved; the next call begins at",
            3,
            got,
            "look into the text file `checkpoint`",
        )
