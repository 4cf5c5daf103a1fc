"""Session managers: who makes a model ready, who waits for that, and what they are told."""

import threading

import pytest

import tinytf as tf
from tests.distributed.fake_cluster import FakeCluster
from tests.waiting import LONG
from tinytf.framework import waiting
from tinytf.training.managed.looking_again import Clock
from tinytf.training.managed.session_manager import SessionManager


class FakeClock(Clock):
    """Time that passes in pauses only; `during` is called in the pause of that number."""

    def __init__(self):
        self.time, self.pauses, self.whats, self.during = 0.0, [], [], {}

    def now(self):
        return self.time

    def pause(self, seconds, what):
        self.pauses.append(seconds)
        self.whats.append(what)
        self.time += seconds
        self.during.pop(len(self.pauses), lambda: None)()


@pytest.fixture
def clock(monkeypatch):
    clock = FakeClock()
    monkeypatch.setattr(SessionManager, "_clock", clock)
    return clock


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


class Model:
    """Two variables on the parameter server; every program of a test builds it anew."""

    def __init__(self):
        with tf.device("/job:ps/task:0"):
            self.v = tf.Variable(1.0, name="v")
            self.w = tf.Variable([2.0], name="w")
        self.init = tf.global_variables_initializer()
        self.manager = tf.train.SessionManager(ready_op=tf.report_uninitialized_variables())


@pytest.fixture
def cluster():
    with FakeCluster(ps=1, worker=2) as cluster:
        yield cluster


def as_chief(cluster):
    """What another program does: the chief, which makes the model ready."""

    def run():
        with tf.Graph().as_default():
            model = Model()
            model.manager.prepare_session(cluster.target("worker", 0), model.init).close()

    return run


# Waiting for the chief -----------------------------------------------------------------------


def test_a_worker_waits_until_the_chief_is_ready(cluster, clock, capsys):
    model = Model()
    clock.during[14] = as_chief(cluster)
    with model.manager.wait_for_session(cluster.target("worker", 1)) as sess:
        assert sess.run(model.v) == 1.0
    assert len(clock.pauses) == 14
    told, ready = capsys.readouterr().out.splitlines()
    assert told == (
        "Waiting for the model to be ready. 2 variables have no value: v, w. The chief is to "
        "initialise or restore them: the program that was started as such (is_chief=True, by "
        "convention task 0 of the workers), with the same graph, on the same cluster. Does it "
        "run? This program looks again every 30 seconds."
    )
    assert ready == f"The model is ready, after {clock.time:.0f} seconds."
    assert set(clock.whats) == {
        "the chief to make the model ready (Variables not initialized: v, w)"
    }


def test_a_variable_that_the_chiefs_graph_has_not(cluster, clock, capsys):
    Model()
    clock.during[1] = as_chief(cluster)
    with tf.device("/job:ps/task:0"):
        tf.Variable(1.0, name="extra")
    manager = tf.train.SessionManager(ready_op=tf.report_uninitialized_variables())
    with pytest.raises(tf.errors.DeadlineExceededError) as raised:
        manager.wait_for_session(cluster.target("worker", 1), max_wait_secs=9)
    expected = (
        "1 variable has no value: extra. All others have one. If the chief still initialises or "
        "restores, this passes; if not, its graph may have no such variable."
    )
    assert expected in raised.value.message
    assert f'extra (VariableV2) was built at:\n  File "{__file__}"' in raised.value.message
    assert expected in capsys.readouterr().out


def test_short_waits_are_quiet_and_each_look_is_a_new_session(cluster, clock, capsys):
    model = Model()
    clock.during[2] = as_chief(cluster)
    with model.manager.wait_for_session(cluster.target("worker", 1)):
        methods = cluster.methods("client", "worker:1")
    assert capsys.readouterr().out == ""
    assert methods.count("CreateSession") == 3
    assert methods.count("CloseSession") == 2


def test_pauses_are_short_at_first_and_never_longer_than_asked_for(cluster, clock):
    model = Model()
    model.manager._recovery_wait_secs = 2
    with pytest.raises(tf.errors.DeadlineExceededError):
        model.manager.wait_for_session(cluster.target("worker", 1), max_wait_secs=20)
    assert clock.pauses[:4] == [0.25] * 4
    assert sorted(clock.pauses[:-1]) == clock.pauses[:-1]
    assert max(clock.pauses) == 2
    assert sum(clock.pauses) == 20


def test_it_waits_only_so_long_and_says_for_what(cluster, clock, capsys):
    model = Model()
    with pytest.raises(tf.errors.DeadlineExceededError) as raised:
        model.manager.wait_for_session(cluster.target("worker", 1), max_wait_secs=9)
    assert raised.value.message.startswith(
        "Session was not ready after waiting 9 secs. 2 variables have no value: v, w. The chief"
    )
    assert capsys.readouterr().out.endswith("every 30 seconds, for at most 9 seconds in all.\n")


def test_what_is_missing_is_told_of_the_last_look(cluster, clock):
    model = Model()

    def initialise_one():
        with tf.Graph().as_default():
            other = Model()
            with tf.Session(cluster.target("worker", 0)) as sess:
                sess.run(other.v.initializer)

    clock.during[1] = initialise_one
    with pytest.raises(tf.errors.DeadlineExceededError, match="1 variable has no value: w"):
        model.manager.wait_for_session(cluster.target("worker", 1), max_wait_secs=5)


def test_no_chief_can_help_a_session_of_ones_own(clock, capsys):
    tf.Variable(1.0, name="v")
    manager = tf.train.SessionManager(ready_op=tf.report_uninitialized_variables())
    with pytest.raises(tf.errors.DeadlineExceededError, match="pass the target of a server"):
        manager.wait_for_session("", max_wait_secs=5)
    assert "The session's target is ''" in capsys.readouterr().out


def test_many_names_are_not_all_shown(clock):
    for number in range(9):
        tf.Variable(1.0, name=f"v{number}")
    manager = tf.train.SessionManager(ready_op=tf.report_uninitialized_variables())
    with pytest.raises(tf.errors.DeadlineExceededError, match="v4, v5 and 3 more"):
        manager.wait_for_session("", max_wait_secs=5)


def test_local_variables_of_a_worker_are_initialised_when_the_others_are(cluster, clock):
    model = Model()
    local = tf.get_variable("local", initializer=5.0, collections=[tf.GraphKeys.LOCAL_VARIABLES])
    manager = tf.train.SessionManager(
        local_init_op=local.initializer,
        ready_op=tf.report_uninitialized_variables(),
        ready_for_local_init_op=tf.report_uninitialized_variables([model.v, model.w]),
    )
    clock.during[3] = as_chief(cluster)
    with manager.wait_for_session(cluster.target("worker", 1)) as sess:
        assert sess.run(local) == 5.0


def test_servers_that_are_missing_count_as_waiting():
    """The session cannot even be opened: the time for it is limited, too."""
    spec = {"worker": ["127.0.0.1:0", "127.0.0.1:1"]}  # nobody listens on port 1
    server = tf.train.Server(spec, job_name="worker", task_index=0)
    try:
        tf.Variable(1.0, name="v")
        manager = tf.train.SessionManager(ready_op=tf.report_uninitialized_variables())
        with pytest.raises(tf.errors.DeadlineExceededError, match="not ready after waiting 1 secs"):
            manager.wait_for_session(server.target, max_wait_secs=1)
    finally:
        server.stop()


def test_waiting_can_be_interrupted_and_looked_at(cluster, interrupt_when):
    model = Model()
    main, seen = threading.get_ident(), []

    def until():
        pause = threading.Event()
        for _ in range(int(LONG / 0.005)):
            if "the chief to make" in waiting.what_for(main):
                break
            pause.wait(0.005)
        seen.append(str(tf.why_stuck()))

    interrupt_when(until)
    with pytest.raises(KeyboardInterrupt):
        model.manager.wait_for_session(cluster.target("worker", 1))
    assert "the chief to make the model ready (Variables not initialized: v, w)" in seen[0]


# The chief -----------------------------------------------------------------------------------


def test_a_second_chief_is_warned(cluster, caplog):
    as_chief(cluster)()
    assert caplog.messages == []
    as_chief(cluster)()
    [message] = caplog.messages
    assert "is initialised already, and is initialised again now" in message
    assert "there are two chiefs" in message


def test_errors_say_where_variables_were_made_and_close_the_session(monkeypatch):
    v = tf.Variable(1.0, name="v")
    tf.Variable(1.0, name="late")
    manager = tf.train.SessionManager(ready_op=tf.report_uninitialized_variables())
    closed = []
    monkeypatch.setattr(tf.Session, "close", lambda session: closed.append(session))
    with pytest.raises(RuntimeError) as raised:
        manager.prepare_session("", v.initializer)
    text = str(raised.value)
    assert "error: Variables not initialized: late\n" in text
    assert "make init_op after the last of them" in text
    assert 'tf.Variable(1.0, name="late")' in text
    assert len(closed) == 1


def test_local_variables_that_nobody_initialises():
    tf.get_variable("local", initializer=1.0, collections=[tf.GraphKeys.LOCAL_VARIABLES])
    manager = tf.train.SessionManager(ready_op=tf.report_uninitialized_variables())
    with pytest.raises(RuntimeError, match=r"tf\.local_variables_initializer\(\) initialises them"):
        manager.prepare_session("", tf.global_variables_initializer())


def test_what_a_saver_does_not_restore():
    v = tf.Variable(1.0, name="v")
    saver = tf.train.Saver([v])
    with tf.Session() as sess:
        sess.run(v.initializer)
        path = saver.save(sess, "./model")
    tf.Variable(1.0, name="w")
    init = tf.global_variables_initializer()
    manager = tf.train.SessionManager(ready_op=tf.report_uninitialized_variables())
    for source in ({"checkpoint_dir": "."}, {"checkpoint_filename_with_path": path}):
        with pytest.raises(RuntimeError, match=r"restored from \./?m?o?d?e?l?, so init_op was not"):
            manager.prepare_session("", init, saver, **source)


def test_ready_ops_that_give_something_else():
    manager = tf.train.SessionManager(ready_op=tf.constant(True, name="ready"))
    with pytest.raises(TypeError, match="a vector of strings, empty if all is"):
        manager.prepare_session("", tf.no_op())


def test_other_failures_of_a_ready_op_are_not_waited_out(clock):
    failing = tf.py_func(lambda: 1 / 0, [], tf.string)
    with pytest.raises(tf.errors.UnknownError, match="ZeroDivisionError"):
        tf.train.SessionManager(ready_op=failing).wait_for_session("")
    assert clock.pauses == []


def saved_by_another(value):
    def save():
        with tf.Graph().as_default(), tf.Session() as sess:
            v = tf.Variable(value, name="v")
            sess.run(v.initializer)
            tf.train.Saver().save(sess, "./model")

    return save


def test_checkpoints_are_waited_for(clock, capsys):
    v = tf.Variable(1.0, name="v")
    clock.during[12] = saved_by_another(7.0)
    manager, saver = tf.train.SessionManager(), tf.train.Saver()
    settings = {"saver": saver, "checkpoint_dir": ".", "wait_for_checkpoint": True}
    with manager.prepare_session("", v.initializer, **settings) as sess:
        assert sess.run(v) == 7.0
    assert capsys.readouterr().out.startswith("Waiting for a checkpoint in .: there is none yet.")
    assert saver.last_checkpoints == ["./model"]


def test_if_no_checkpoint_comes_the_model_is_initialised(clock):
    v = tf.Variable(1.0, name="v")
    settings = {"checkpoint_dir": ".", "wait_for_checkpoint": True, "max_wait_secs": 50}
    manager = tf.train.SessionManager()
    with manager.prepare_session("", v.initializer, tf.train.Saver(), **settings) as sess:
        assert sess.run(v) == 1.0
    assert sum(clock.pauses) == 50


def test_feeds_and_options_of_local_init_op():
    start = tf.placeholder(tf.float32, [])
    local = tf.get_variable("local", initializer=start, collections=[tf.GraphKeys.LOCAL_VARIABLES])
    manager = tf.train.SessionManager(
        local_init_op=local.initializer,
        local_init_feed_dict={start: 6.0},
        local_init_run_options=tf.RunOptions(timeout_in_ms=60_000),
    )
    with manager.prepare_session("") as sess:
        assert sess.run(local) == 6.0


# The saver that others share -----------------------------------------------------------------


def test_the_saver_of_the_collection_or_a_new_one():
    from tinytf.training.saver import _get_saver_or_default

    tf.Variable(1.0, name="v")
    saver = _get_saver_or_default()
    assert saver.saver_def.sharded
    assert tf.get_collection(tf.GraphKeys.SAVERS) == [saver]
    assert _get_saver_or_default() is saver
    tf.add_to_collection(tf.GraphKeys.SAVERS, tf.train.Saver())
    with pytest.raises(RuntimeError, match="More than one item in collection savers"):
        _get_saver_or_default()
