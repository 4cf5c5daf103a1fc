"""Checks of ch12.ex1."""

import glob
import os
import tempfile
from contextlib import contextmanager

import tinytf as tf
from tinytf.grading import Wrong, point


class PowerCut(Exception):
    """What ends a call of the answer in the middle."""


class Training:
    """Calls of the answer with one folder, and what they have done.

    Attributes:
      steps: of each call, the global steps in which a step has begun. saves: every checkpoint of
      the folder that was seen: its file, and which it was.
    """

    def __init__(self, answer, folder, goal):
        self._answer, self.folder, self._goal = answer, folder, goal
        self.steps, self.saves = [], set()

    def call(self, until, every, dies_at=None):
        """What the answer returns; None if it died at a step."""
        seen = []
        self.steps.append(seen)

        def note(number):
            self._look()
            if number == dies_at:
                raise PowerCut
            seen.append(int(number))
            return number

        def build():
            count = tf.train.get_or_create_global_step()
            weight = tf.get_variable("weight", initializer=0.0)
            speed = tf.get_variable("speed", initializer=0.0, trainable=False)
            with tf.control_dependencies([tf.py_func(note, [count], tf.int64)]):
                faster = speed.assign(0.5 * speed + 1.0)
            with tf.control_dependencies([weight.assign_add(faster)]):
                step = tf.assign_add(count, 1)
            return step, -tf.abs(weight - self._goal)

        result = None
        try:
            result = self._answer(build, self.folder, until, every)
        except Exception:
            if dies_at is None or dies_at in seen or not seen:
                raise
        self._look()
        return result

    def _look(self):
        for path in self.files():
            about = os.stat(path)
            self.saves.add((path, about.st_ino, about.st_mtime_ns))

    def files(self):
        """The indexes of the folder's checkpoints."""
        return glob.glob(os.path.join(glob.escape(self.folder), "*.index"))

    def values(self, place="", what="the latest checkpoint"):
        """The weight, the speed and the step of a folder's latest checkpoint."""
        latest = tf.train.latest_checkpoint(os.path.join(self.folder, place))
        if latest is None:
            where = f"the folder {place}" if place else "the folder"
            raise Wrong(f"{what}, in {where}", "a checkpoint", "there is none")
        there = {name for name, _ in tf.train.list_variables(latest)}
        lacking = {"weight", "speed", "global_step"} - there
        if lacking:
            raise Wrong(what, "all variables", f"without {', '.join(sorted(lacking))}")
        return [float(tf.train.load_variable(latest, name)) for name in ("weight", "speed")] + [
            int(tf.train.load_variable(latest, "global_step"))
        ]


@contextmanager
def training(answer, goal=100.0):
    """Calls with a new folder."""
    with tempfile.TemporaryDirectory() as folder:
        yield Training(answer, folder, goal)


def wanted(steps):
    """What the model's variables are after so many steps."""
    weight = speed = 0.0
    for _ in range(steps):
        speed = 0.5 * speed + 1.0
        weight += speed
    return [weight, speed, steps]


def same(what, expected, got, hint=""):
    if expected != got:
        raise Wrong(what, expected, got, hint=hint)


def score_is(what, expected, got):
    if type(got) not in (float, int) or abs(got - expected) > 1e-4:
        raise Wrong(what, expected, repr(got)[:60])


@point("it trains to the end, and saves there", 1)
def to_the_end(answer):
    with training(answer) as run:
        run.call(5, 2)
        same("steps that were done", [[0, 1, 2, 3, 4]], run.steps)
        same("weight, speed and step in the latest checkpoint", wanted(5), run.values())


@point("it goes on after a power cut", 3)
def goes_on(answer):
    with training(answer) as run:
        run.call(9, 3, dies_at=7)
        run.call(9, 3)
        same(
            "saved every 3 steps, died at step 7, called again: the steps of both calls",
            [[0, 1, 2, 3, 4, 5, 6], [6, 7, 8]],
            run.steps,
        )


@point("as if nothing had happened: all variables go on", 2)
def nothing_happened(answer):
    with training(answer) as run:
        run.call(6, 2, dies_at=5)
        run.call(6, 2)
        same(
            "weight, speed and step, at the end",
            wanted(6),
            run.values(),
            "speed is not trained, but it is part of the optimizer",
        )


@point("it does not save too often", 2)
def seldom(answer):
    with training(answer) as run:
        run.call(8, 4)
        if not 2 <= len(run.saves) <= 4:
            raise Wrong(
                "8 steps, saved every 4: checkpoints that were written",
                "2, at steps 4 and 8, and at most one more at the beginning and one at the end",
                len(run.saves),
            )


@point("only the last three are left", 1)
def three_left(answer):
    with training(answer) as run:
        run.call(10, 2)
        left = sorted(run.files(), key=os.path.getmtime)
        if not 1 <= len(left) <= 3:
            raise Wrong("checkpoints in the folder, at the end", "3", len(left))
        same("the step of the latest", 10, run.values()[2])


@point("the best one is kept, and its score returned", 2)
def the_best(answer):
    with training(answer, goal=wanted(4)[0] + 0.1) as run:
        got = run.call(8, 2)
        same(
            "step 4 has the best score: weight, speed and step in the folder best",
            wanted(4),
            run.values("best", "the best one"),
        )
        score_is("the best score", -0.1, got)


@point("a call that goes on does not put a worse one in its place", 2)
def the_best_stays(answer):
    with training(answer, goal=wanted(2)[0] + 0.1) as run:
        run.call(6, 2, dies_at=5)
        got = run.call(6, 2)
        same(
            "step 2 has the best score; then it died at step 5, and went on: the folder best",
            wanted(2),
            run.values("best", "the best one"),
            "how good was the best one, before it died?",
        )
        score_is("the best score", -0.1, got)
