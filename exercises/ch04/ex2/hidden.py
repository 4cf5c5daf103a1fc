"""Hidden checks of ch04.ex2."""

from exercise_checks import World

from tinytf.grading import point

OTHER_JOBS = (("boss", 1), ("store", 3))
NEEDS = (("store", 2), ("store", 1))


@point("two tasks that are missing are started, both", 1)
def two_missing(answer):
    world = World()
    world.cluster.kill("worker:0")
    world.cluster.kill("worker:1")
    world.expect(6.0, answer, world.run, ["worker:0", "worker:1"])
    world.expect_closed()


@point("jobs of other names, and work that returns 0", 2)
def other_jobs(answer):
    world = World(OTHER_JOBS, NEEDS)

    def work(sess):
        world.run(sess)
        if world.first_time():
            world.cluster.kill("store:2")
        return world.run(sess) - 6.0

    world.expect(0.0, answer, work, ["store:2"])
    if world.calls != 2:
        world.wrong_calls(2)
    world.expect_closed()
