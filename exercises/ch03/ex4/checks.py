"""Checks of ch03.ex4."""

import threading
from dataclasses import dataclass

import numpy as np

import tinytf as tf
from tinytf.grading import Wrong, point
from tinytf.runtime.executor import Observer

#: For what can happen; it takes milliseconds, on a busy machine more.
PATIENCE = 20.0
#: For what cannot: nothing comes, however long one waits.
IN_VAIN = 0.2
GPUS = 2

work_op = tf.user_ops.define_op("Work", "x: n * float -> y: float", "n: int >= 0")
work_op.shape(lambda c: tf.TensorShape([]))


class StandStillError(Exception):
    """The executor does not go on as the story wants it."""


class Stage(Observer):
    """Lets the kernels of a step begin and end in the order of a story, or finds that it cannot.

    The executor decides what it starts. A kernel that it has started waits here until the story
    says that it begins, and then until it says that it ends.
    """

    now = None

    def __init__(self, story, patience):
        self.story, self.patience, self.place, self.inside = story, patience, 0, 0
        self.stuck = ""
        self.changed = threading.Condition()

    @property
    def next(self):
        """What has to happen next; "" at the end."""
        return self.story[self.place] if self.place < len(self.story) else ""

    def running(self, unit, iteration, dead):
        """The executor starts something."""
        self.inside += 1

    def finished(self, unit, iteration, results, dead, ready):
        """The executor knows that something has ended, and what has become ready by it."""
        self.inside -= 1

    def play(self, name):
        """A kernel: it begins and ends when the story says so."""
        with self.changed:
            self.await_turn(f"{name} begins")
            self.await_turn(f"{name} ends")

    def await_turn(self, event):
        """Let this happen when the story says so. The lock is held."""
        self.changed.wait_for(lambda: self.stuck or self.next == event, self.patience)
        if self.stuck or self.next != event:
            self.stand_still(f"{event!r} came as well")
        self.place += 1
        self.changed.notify_all()

    def stand_still(self, otherwise):
        """Give up, and let all kernels go."""
        self.stuck = self.stuck or (f"{self.next!r} did not come" if self.next else otherwise)
        self.changed.notify_all()
        raise StandStillError(self.stuck)

    def choose(self, ready):
        """Of what the executor could start now, the one that begins first in the story."""
        names = [unit.op.name for unit, _, _ in ready]
        aside = [n for n, (unit, _, _) in enumerate(ready) if unit.op.type != "Work"]
        if aside:
            return aside[0]  # what carries a fetch from a GPU to the client is not told of
        with self.changed:
            if not self.inside and self.next.removesuffix(" begins") not in names:
                self.stand_still(
                    f"'{names[0]} begins' came as well"
                )  # nothing runs that could help
            first = [f"{name} begins" for name in names]
            wanted = [event for event in self.story[self.place :] if event in first]
            return first.index(wanted[0]) if wanted else 0


@work_op.kernel
def work_on_cpu(*values, node):
    Stage.now.play(node.name)
    return np.float32(0)


work_op.kernel(work_on_cpu, device="GPU")


def work(name, *inputs, device="/cpu:0", after=()):
    """An operation that does what the story says, in the default graph."""
    with tf.device(device), tf.control_dependencies(after):
        return work_op(list(inputs), name=name)


def really(build, story, threads, patience=PATIENCE):
    """Let the real executor do a story: "" if it does, else where it stood still.

    On one thread it is known at once that it cannot go on; on several, nothing comes for a while.
    """
    with tf.Graph().as_default():
        fetches = build()
        tf.devices.simulate_gpus(GPUS, memory="64MiB")
        try:
            with tf.Session() as sess:
                Stage.now = stage = Stage(story, patience)
                sess.observe(fetches, lambda plan: stage, None, threads, stage.choose)
        except (StandStillError, tf.errors.OpError):
            if not stage.stuck:
                raise
            return stage.stuck
        finally:
            tf.devices.simulate_gpus(0)
    return f"the step was over, and {stage.next!r} had not come" if stage.next else ""


@dataclass
class Story:
    """A story of a program: whether it can happen, with how many threads, and why (not).

    The text has "a+" for "a begins" and "a-" for "a ends".
    """

    build: object
    text: str
    threads: int
    can: bool
    why: str

    @property
    def events(self):
        return [
            f"{item[:-1]} {'begins' if item[-1] == '+' else 'ends'}" for item in self.text.split()
        ]

    def ask(self, answer):
        """What does the answer say of it? Wrong, with what the real executor does, if not so."""
        with tf.Graph().as_default():
            said = answer(self.build(), self.events, self.threads)
        if not isinstance(said, bool | np.bool_):
            raise Wrong("can_happen says True or False", "a bool", repr(said)[:60])
        if said == self.can:
            return
        told = f"{', '.join(self.events)} ({self.threads} thread{'s' * (self.threads > 1)})"
        if self.can:
            stuck = really(self.build, self.events, self.threads, PATIENCE)
            done = f"; the real executor {stuck or 'has just done exactly this'}"
            raise Wrong(f"this can happen: {told}{done}", True, said, hint=self.why)
        stuck = really(self.build, self.events, self.threads, IN_VAIN)
        tried = f"; the real executor was given the chance, and {stuck or 'did it'}"
        raise Wrong(f"this cannot happen: {told}{tried}", False, said, hint=self.why)


def ask_all(answer, stories):
    for story in stories:
        story.ask(answer)


# Programs: what is fetched ------------------------------------------------------------------------


def diamond():
    a = work("a")
    b, c = work("b", a), work("c", a)
    return [work("d", b, c)]


def pair():
    left = work("left")
    right = work("right")
    return [right, left.op]


def promise():
    """b waits for a, by a control dependency; c for nothing."""
    a = work("a")
    b = work("b", after=[a])
    return [b, work("c")]


def chain():
    """The fetch needs a and b; c is built, and nobody wants it."""
    a = work("a")
    b = work("b", a)
    work("c", b)
    return [b]


def four():
    return [work(name) for name in "abcd"]


def beside():
    """Two operations on one GPU, one on the CPU."""
    return [work("a", device="/gpu:0"), work("b", device="/gpu:0"), work("c")]


STORIES = {
    "edges": [
        Story(diamond, "a+ a- b+ b- c+ c- d+ d-", 1, True, "each begins after what it needs"),
        Story(
            diamond,
            "a+ a- c+ c- b+ b- d+ d-",
            1,
            True,
            "b and c are both ready then; that b was built first gives it no right to be first",
        ),
        Story(diamond, "b+ b- a+ a- c+ c- d+ d-", 1, False, "b needs what a computes"),
        Story(diamond, "a+ a- b+ b- d+ d- c+ c-", 1, False, "d needs both, b and c"),
        Story(
            diamond,
            "a+ b+ a- b- c+ c- d+ d-",
            2,
            False,
            "b needs what a computes, and that is there when a has ended, not when it begins",
        ),
        Story(
            pair,
            "left+ left- right+ right-",
            1,
            True,
            "right is fetched first, but the order of fetches is none for the executor",
        ),
        Story(
            pair,
            "right+ right- left+ left-",
            1,
            True,
            "left was built first, but no edge says that it runs first",
        ),
    ],
    "control": [
        Story(
            promise,
            "a+ a- b+ b- c+ c-",
            1,
            True,
            "b has a control dependency on a: so a runs, and first; c waits for nothing",
        ),
        Story(
            promise,
            "b+ b- a+ a- c+ c-",
            1,
            False,
            "b has a control dependency on a: its counter counts that edge like an input",
        ),
        Story(
            promise,
            "a+ a- c+ c- b+ b-",
            1,
            True,
            "a control dependency says after, not right after: others may run in between",
        ),
        Story(promise, "c+ c- a+ a- b+ b-", 1, True, "c waits for nothing, so it may be first"),
        Story(
            promise,
            "a+ b+ a- b- c+ c-",
            2,
            False,
            "a control dependency waits until a has ended, not until it begins",
        ),
    ],
    "needed": [
        Story(chain, "a+ a- b+ b-", 1, True, "c is not fetched, and nothing that is needs it"),
        Story(
            chain,
            "a+ a- b+ b- c+ c-",
            1,
            False,
            "c is in the graph and not in the step: nothing that is fetched needs it",
        ),
        Story(chain, "a+ a-", 1, False, "b is fetched: without it the step is not over"),
        Story(chain, "b+ b-", 1, False, "a is not fetched, but b needs it: it runs as well"),
        Story(
            promise,
            "b+ b- c+ c-",
            1,
            False,
            "a is not fetched, but b has a control dependency on it: it runs as well",
        ),
    ],
    "threads": [
        Story(
            pair,
            "left+ right+ left- right-",
            2,
            True,
            "one device is not one at a time: with two threads two operations run on one CPU",
        ),
        Story(
            diamond,
            "a+ a- c+ b+ c- b- d+ d-",
            2,
            True,
            "b and c need nothing of each other, and there are two threads",
        ),
        Story(pair, "left+ right+ left- right-", 1, False, "the only thread is busy with left"),
        Story(
            four,
            "a+ b+ a- c+ d+ b- c- d-",
            2,
            False,
            "when d begins, b and c are still running, and there are two threads",
        ),
        Story(four, "a+ b+ a- c+ b- d+ c- d-", 2, True, "never more than two run at a time"),
        Story(four, "d+ c+ b+ d- a+ a- b- c-", 3, True, "never more than three run at a time"),
    ],
    "stream": [
        Story(beside, "a+ a- b+ b- c+ c-", 4, True, "one after the other"),
        Story(
            beside,
            "a+ b+ a- b- c+ c-",
            4,
            False,
            "a and b are in one GPU's stream, which is worked off in order: free threads do not "
            "help",
        ),
        Story(beside, "a+ c+ a- b+ c- b-", 4, True, "c is on the CPU, beside the stream"),
    ],
}


@point("an operation begins when what it needs has ended, whoever was built or fetched first", 2)
def edges(answer):
    ask_all(answer, STORIES["edges"])


@point("a control dependency is waited for, and others may come in between", 1)
def control(answer):
    ask_all(answer, STORIES["control"])


@point("a step runs what the fetches need, and nothing else", 1)
def needed(answer):
    ask_all(answer, STORIES["needed"])


@point("one device runs as many at once as there are threads", 2)
def at_once(answer):
    ask_all(answer, STORIES["threads"])


@point("a GPU runs one after the other, beside the CPU", 2)
def stream(answer):
    ask_all(answer, STORIES["stream"])
