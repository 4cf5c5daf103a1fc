"""Hidden checks of ch06.ex1."""

from exercise_checks import PATIENCE, SEEDS, begin, built, race_of, waits

import tinytf as tf
from tinytf.grading import point
from tinytf.grading.assertions import in_every_schedule


@point("races of other sizes", 1)
def other_sizes(answer):
    for runners in (1, 2, 5):
        in_every_schedule(
            race_of(answer, runners, runners + 2, PATIENCE),
            runners,
            SEEDS,
            what=f"{runners + 2} arrived for a race of {runners}; how many of them ran",
        )


@point("a second start is a second race", 1)
def another_race(answer):
    def program():
        with tf.Graph().as_default(), tf.Session() as sess:
            arrive, start = built(answer, 2)
            threads = begin(lambda _: sess.run(arrive), [f"runner {n}" for n in range(1, 5)])
            sess.run(start)
            sess.run(start)
            for thread in threads:
                thread.join()
            return "all four ran"

    hint = "four arrived for two races of two, and `start` was run twice"
    in_every_schedule(program, "all four ran", SEEDS, hint=hint)


@point("two races in one graph have nothing to do with each other", 1)
def two_races(answer):
    def program():
        with tf.Graph().as_default(), tf.Session() as sess:
            arrive, start = built(answer, 2)
            arrive_elsewhere, _ = built(answer, 2)
            ran = []

            def run(name):
                if not waits(sess, arrive if name == "here" else arrive_elsewhere):
                    ran.append(name)

            threads = begin(run, ["here", "elsewhere"])
            if not waits(sess, start):
                ran.append("start")
            for thread in threads:
                thread.join()
            return ran

    what = "one runner each arrived at two lines for two (a queue shared by its name?); who went on"
    in_every_schedule(program, [], SEEDS, what=what)
