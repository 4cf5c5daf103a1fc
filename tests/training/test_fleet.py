"""A fleet of trials on the tasks of a cluster: who runs where, who is given up, what stays."""

import threading

import pytest

import tinytf as tf
from tinytf.jupyter import fleet as show
from tinytf.training.fleet import Fleet

pytestmark = pytest.mark.timeout(120)


@pytest.fixture(scope="module")
def cluster():
    with tf.LocalCluster(ps=1, worker=2) as running:
        yield running


def counting(sess, more, times=3):
    """Yields a count that lies on the task, and goes up by `more` each time."""
    count = tf.Variable(0.0, name="count")
    add = tf.assign_add(count, more)
    sess.run(count.initializer)
    for _ in range(times):
        yield sess.run(add)


def count_of(cluster, trial):
    """What a trial has left on its task; None if nothing."""
    with tf.Graph().as_default(), tf.container(trial.container):
        count = tf.Variable(0.0, name="count")
        with tf.Session(cluster.target(trial.task)) as sess:
            if not sess.run(tf.is_variable_initialized(count)):
                return None
            return float(sess.run(count))


def test_every_trial_has_its_own_variables_which_stay(cluster):
    with Fleet(
        cluster, counting, [{"more": n} for n in (1.0, 2.0, 3.0, 4.0, 5.0)], name="own"
    ) as fleet:
        trials = fleet.wait()
    assert [trial.scores for trial in trials] == [[n, 2 * n, 3 * n] for n in (1, 2, 3, 4, 5)]
    assert {trial.state for trial in trials} == {"done"}
    assert {trial.task for trial in trials} <= {"worker:0", "worker:1"}
    assert [count_of(cluster, trial) for trial in trials] == [3, 6, 9, 12, 15]
    assert fleet.best() is trials[4]
    assert fleet.best(2) == [trials[4], trials[3]]


def test_all_tasks_work_at_the_same_time(cluster):
    both_are_here = threading.Barrier(2)

    def meeting(sess):
        both_are_here.wait(60)
        yield 1.0

    with Fleet(cluster, meeting, [{}, {}], name="meeting") as fleet:
        assert {trial.task for trial in fleet.wait()} == {"worker:0", "worker:1"}


def test_one_that_looks_bad_is_cancelled_and_forgotten_and_the_others_go_on(cluster):
    def drop(fleet, trial):
        if len(trial.scores) == 2 and trial.score < 4:
            fleet.cancel(trial)

    settings = [{"more": n} for n in (1.0, 2.0, 3.0)]
    with Fleet(cluster, counting, settings, progress=drop, name="drop") as fleet:
        trials = fleet.wait()
    assert [trial.state for trial in trials] == ["cancelled", "done", "done"]
    assert trials[0].scores == [1.0, 2.0]
    assert [count_of(cluster, trial) for trial in trials] == [None, 6, 9]


def test_one_that_waits_in_a_step_is_cancelled_at_once(cluster):
    waits = threading.Event()

    def waiting(sess):
        queue = tf.FIFOQueue(1, tf.float32, shapes=[[]])
        sess.run(queue.size())
        waits.set()
        yield sess.run(queue.dequeue())

    with Fleet(cluster, waiting, [{}], name="waiting") as fleet:
        assert waits.wait(60)
        fleet.cancel(0)
        (trial,) = fleet.wait()
    assert (trial.state, trial.scores, trial.error) == ("cancelled", [], None)


def test_one_that_has_not_begun_is_cancelled_and_never_begins(cluster):
    go_on, begun = threading.Event(), []

    def program(sess, number):
        begun.append(number)
        assert go_on.wait(60)
        yield number

    with Fleet(
        cluster, program, [{"number": n} for n in range(3)], ["worker:1"], name="line"
    ) as fleet:
        fleet.cancel(1)
        go_on.set()
        assert [trial.state for trial in fleet.wait()] == ["done", "cancelled", "done"]
    assert begun == [0, 2]


def test_an_error_of_a_trials_own_is_kept_and_the_others_go_on(cluster):
    def program(sess, number):
        yield 1 / number

    with Fleet(cluster, program, [{"number": n} for n in (1, 0, 2)], name="error") as fleet:
        trials = fleet.wait()
    assert [trial.state for trial in trials] == ["done", "failed", "done"]
    assert isinstance(trials[1].error, ZeroDivisionError)
    assert fleet.best() is trials[0]
    with pytest.raises(
        ValueError, match=r"3 trials are asked for, 2 are done \(0 done, 1 failed, 2 done\)"
    ):
        fleet.best(3)


def test_the_trial_of_a_task_that_dies_begins_again_on_another():
    runs, was_killed = threading.Event(), threading.Event()

    def program(sess, on):
        add = tf.assign_add(tf.Variable(0.0, name="count"), 1.0)
        sess.run(tf.global_variables_initializer())
        yield sess.run(add)
        if not was_killed.is_set():
            runs.set()
            assert was_killed.wait(60)
        yield sess.run(add)

    with tf.LocalCluster(worker=2) as cluster:
        with Fleet(cluster, program, [{"on": 0}, {"on": 1}]) as fleet:
            seen = 0
            while {len(trial.scores) for trial in fleet.trials} != {1}:
                seen = fleet.changed(seen)
            assert runs.wait(60)
            lost = next(trial for trial in fleet.trials if trial.task == "worker:1")
            cluster.kill("worker:1")
            was_killed.set()
            assert {trial.state for trial in fleet.wait()} == {"done"}
    assert lost.task == "worker:0"
    assert lost.scores == [1.0, 2.0]


def test_where_nobody_answers_all_trials_fail_and_say_why():
    with tf.LocalCluster(worker=1) as cluster:
        cluster.kill("worker:0")
        with Fleet(cluster, counting, [{"more": 1.0}] * 2, patience=0.5) as fleet:
            trials = fleet.wait()
    assert [trial.state for trial in trials] == ["failed", "failed"]
    assert all(isinstance(trial.error, tf.errors.UnavailableError) for trial in trials)
    assert "worker:0" in str(trials[0].error)


def test_leaving_the_block_cancels_what_is_left(cluster):
    begun = threading.Event()

    def endless(sess):
        while True:
            begun.set()
            yield 0.0

    with Fleet(cluster, endless, [{}, {}, {}], name="endless") as fleet:
        assert begun.wait(60)
    assert {trial.state for trial in fleet.trials} == {"cancelled"}
    assert fleet.ended


def test_a_session_sees_its_task_alone(cluster):
    def program(sess):
        yield len({device.name.split("/device")[0] for device in sess.list_devices()})

    with Fleet(cluster, program, [{}], name="alone") as fleet:
        assert fleet.wait()[0].scores == [1.0]


def test_what_makes_no_fleet_is_said(cluster):
    with pytest.raises(ValueError, match="needs settings"):
        Fleet(cluster, counting, [])
    with pytest.raises(ValueError, match="needs tasks"):
        Fleet(cluster, counting, [{"more": 1.0}], tasks=[])
    with pytest.raises(TypeError, match=r"a dictionary for each trial, got 0\.5"):
        Fleet(cluster, counting, [0.5])
    with Fleet(cluster, counting, [{"more": 1.0}], name="lookup") as fleet:
        with pytest.raises(LookupError, match="no trial 7: they are 0 to 0"):
            fleet.cancel(7)


def test_it_is_shown_as_a_table(cluster):
    with Fleet(cluster, counting, [{"more": 0.25}], ["worker:1"], name="table") as fleet:
        table = show(fleet)
    assert repr(table).splitlines() == [
        "trial  settings   task      state  score",
        "0      more=0.25  worker:1  done   0.75",
    ]
    assert table._repr_html_().count("height:") == 3
    with pytest.raises(TypeError, match="shows a Fleet, got 3"):
        show(3)


@pytest.mark.parametrize("result", [None, 3.0])
def test_a_program_that_yields_nothing_is_told_to(cluster, result):
    def returns(sess):
        return result

    with Fleet(cluster, returns, [{}], name="returns") as fleet:
        (trial,) = fleet.wait()
    assert trial.state == "failed"
    assert f"'returns' has returned {result}. Write `yield score`" in str(trial.error)
