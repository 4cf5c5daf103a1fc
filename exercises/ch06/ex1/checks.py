"""Checks of ch06.ex1. Everything runs under schedules, whose clock waits for nobody."""

import threading

import tinytf as tf
from tinytf.grading import Wrong, point
from tinytf.grading.assertions import in_every_schedule
from tinytf.testing.schedules.running import run_with_seed

SEEDS = 25
RUNNERS = 3
#: Of the schedule's own time: nobody who can go on needs so long.
PATIENCE = tf.RunOptions(timeout_in_ms=60_000)


def built(answer, runners=RUNNERS):
    """The two operations of an answer."""
    race = answer(runners)
    if not isinstance(race, tuple | list) or len(race) != 2:
        raise Wrong("build_race must return two operations", "(arrive, start)", repr(race)[:60])
    for made in race:
        if not isinstance(made, tf.Operation | tf.Tensor):
            raise Wrong("build_race must return operations", "an operation", type(made).__name__)
    return race


def waits(sess, what, patience=PATIENCE):
    """Whether a step is still waiting when its patience is at an end."""
    try:
        sess.run(what, options=patience)
    except tf.errors.DeadlineExceededError:
        return True
    return False


def begin(work, names):
    """Threads that call `work(name)`, begun."""
    threads = [threading.Thread(target=work, args=[name], name=name) for name in names]
    for thread in threads:
        thread.start()
    return threads


def race_of(answer, runners, arriving, patience=None):
    """A program: so many arrive, and `start` is run once; how many ran, in the end."""

    def program():
        with tf.Graph().as_default(), tf.Session() as sess:
            arrive, start = built(answer, runners)
            ran = []

            def run(name):
                if not waits(sess, arrive, patience):
                    ran.append(name)

            threads = begin(run, [f"runner {number}" for number in range(1, arriving + 1)])
            sess.run(start)
            for thread in threads:
                thread.join()
            return len(ran)

    return program


@point("nobody runs before the start", 1)
def arriving_waits(answer):
    def program():
        with tf.Graph().as_default(), tf.Session() as sess:
            arrive, _ = built(answer)
            return waits(sess, arrive)

    def holds(is_waiting):
        if not is_waiting:
            raise Wrong(
                "somebody arrived and ran on, before `start`",
                "it waits",
                "it went on",
                hint="what could it take that is not there yet?",
            )

    in_every_schedule(program, holds, 3)


@point("the start waits for everybody", 2)
def starting_waits(answer):
    def program():
        """Who has gone on, when one is missing and all the others have arrived."""
        with tf.Graph().as_default(), tf.Session() as sess:
            arrive, start = built(answer)
            went_on = []
            steps = {"start": start, "runner 1": arrive, "runner 2": arrive}

            def run(name):
                if not waits(sess, steps[name]):
                    went_on.append(name)

            for thread in begin(run, steps):
                thread.join()
            return went_on

    def holds(went_on):
        if "start" in went_on:
            raise Wrong(
                f"`start` ran when {RUNNERS - 1} of {RUNNERS} had arrived, or fewer",
                "it waits",
                "it ran",
                hint="how does it find out that all of them are there?",
            )
        if went_on:
            raise Wrong(
                f"{went_on[0]} ran on, because of a `start` that was still waiting for somebody",
                "it waits until all have arrived",
                "it went on",
                hint="tf.group says nothing about order: the signals must depend on the arrivals",
            )

    in_every_schedule(program, holds, SEEDS)


@point("everybody runs, in any schedule", 3)
def everybody_runs(answer):
    in_every_schedule(
        race_of(answer, RUNNERS, RUNNERS),
        RUNNERS,
        SEEDS,
        what="how many of three ran",
        hint="does `start` hear of each one who arrives, and give a signal to each?",
    )


@point("who comes after the start does not run", 1)
def late(answer):
    in_every_schedule(
        race_of(answer, RUNNERS, RUNNERS + 1, PATIENCE),
        RUNNERS,
        SEEDS,
        what=f"four arrived for a race of {RUNNERS}; how many of them ran",
        hint="how many signals does `start` give?",
    )
