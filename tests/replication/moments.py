"""Kill a task with SIGKILL at a random moment, many times; each training has to end well by itself.

    python -m tests.replication.moments 20
    python -m tests.replication.moments 20 between_graph_sync --seed 3

So many moments for each program: the chief, a worker and the parameter server in turn. A training
ends well if it ends within `AT_MOST` seconds, with the accuracy of one process. The exit code is
the number of those that did not.
"""

import argparse
import random
import sys
import tempfile
import time
from collections import Counter

from tests.distributed.waiting import until
from tests.replication.running import (
    NOISE,
    ONE_PROCESS,
    PROGRAMS,
    VICTIMS,
    chief,
    numbers,
    saved,
    start,
    task_of,
)

#: Seconds after which a training is called hung.
AT_MOST = 180.0


def undisturbed(name):
    """How long a program takes to begin, and then to train, when nobody is killed, in seconds."""
    with tempfile.TemporaryDirectory() as folder, start(name, folder) as run:
        created = time.monotonic()
        training_begins(run)
        begun = time.monotonic()
        run.wait(AT_MOST)
        return begun - created, time.monotonic() - begun


def training_begins(run):
    """Wait until the chief says that it does."""
    began = until(lambda: numbers(run, chief(run), "from step") or run.over, AT_MOST)
    assert began, told(run)


def moment(name, victim, seconds, in_training):
    """Kill a task so long after the start, or the beginning of the training.

    Returns:
      What came of it, in a word, and all that can be said.
    """
    with tempfile.TemporaryDirectory() as folder, start(name, folder) as run:
        if in_training:
            training_begins(run)
        try:
            run.wait(seconds)
            return "was over before", ""
        except TimeoutError:
            pass
        at = saved(folder)
        try:
            run.kill(task_of(run, victim))
        except ValueError:
            return "was over before", ""
        try:
            code = run.wait(AT_MOST)
        except TimeoutError as error:
            return "hung", f"{error}\n{told(run)}"
        reached = numbers(run, chief(run), "accuracy")
        began = numbers(run, chief(run), "from step")
        story = f"saved before: {at}, began at {began}, accuracy {reached}"
        if code != 0 or not reached or reached[-1] < ONE_PROCESS - NOISE:
            return "failed", f"exit code {code}, {story}\n{told(run)}"
        return "well", story


def told(run):
    """All that the launcher and the tasks have said."""
    words = ["launch:", *run.events]
    for task in run.tasks:
        words += [f"{task}:", run.output(task)]
    return "\n".join(words)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("times", type=int)
    parser.add_argument("programs", nargs="*", default=PROGRAMS)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    failures = 0
    for name in options.programs:
        chance = random.Random(f"{name}{options.seed}")
        before, training = undisturbed(name)
        found = Counter()
        for number in range(options.times):
            victim = VICTIMS[number % len(VICTIMS)]
            in_training = chance.random() < 0.85
            seconds = (training if in_training else before) * chance.random()
            outcome, story = moment(name, victim, seconds, in_training)
            found[outcome] += 1
            when = f"{seconds:.1f} s after {'training began' if in_training else 'the start'}"
            print(f"{name} {number}: {victim} {when}: {outcome}; {story}", flush=True)
        took = f"{before:.0f} s before and {training:.0f} s of training"
        print(f"{name}: {options.times} moments in {took}: {dict(found)}", flush=True)
        failures += found["hung"] + found["failed"]
    return failures


if __name__ == "__main__":
    sys.exit(main())
