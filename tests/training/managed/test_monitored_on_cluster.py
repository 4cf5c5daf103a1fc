"""Monitored sessions on a cluster of processes: waiting for the chief, and killed tasks."""

import logging
import random
import threading

import pytest

import tinytf as tf
from tests.distributed.waiting import until
from tests.waiting import LONG
from tinytf.framework import waiting
from tinytf.testing import leaks
from tinytf.training.managed import session_manager

#: Tasks are started again, which takes long where many programs do so at once.
pytestmark = pytest.mark.timeout(5 * LONG)


@pytest.fixture(scope="module")
def processes(tmp_path_factory):
    """A parameter server and two workers; they may write into the working folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("cluster"))
        with tf.LocalCluster(ps=1, worker=2) as cluster:
            yield cluster


@pytest.fixture
def cluster(processes):
    """The cluster as it is when it has just begun: all tasks live, without variables."""
    for name in processes.tasks:
        if not processes.task(name).alive:
            processes.restart(name)
    tf.Session.reset(processes.target("worker:0"))
    yield processes
    tf.summary.FileWriterCache.clear()


@pytest.fixture
def folder(tmp_path):
    """For checkpoints: of this test, in the working folder."""
    return tmp_path.name


@pytest.fixture
def losses(caplog):
    """Waits for the next session that is lost; it is told to the log."""

    class Losses(logging.Handler):
        def __init__(self):
            super().__init__()
            self._came = threading.Semaphore(0)

        def emit(self, record):
            if "The session was lost." in record.getMessage():
                self._came.release()

        def wait(self):
            assert self._came.acquire(timeout=LONG)

    handler = Losses()
    logger = logging.getLogger("tinytf")
    logger.addHandler(handler)
    yield handler
    logger.removeHandler(handler)


class Keeping(tf.train.SessionRunHook):
    """Keeps what the global step was whenever a session has begun."""

    def __init__(self):
        self.began_at = []

    def begin(self):
        self._step = tf.train.get_global_step()

    def after_create_session(self, session, coord):
        self.began_at.append(int(session.run(self._step)))


class Program:
    """A graph of one worker, and its training."""

    def __init__(self, cluster, folder, index=0):
        self._target, self._is_chief = cluster.target("worker", index), index == 0
        self._folder = folder
        worker = f"/job:worker/task:{index}"
        self.keeping = Keeping()
        self.graph = tf.Graph()
        with (
            self.graph.as_default(),
            tf.device(
                tf.train.replica_device_setter(cluster=cluster.cluster_spec, worker_device=worker)
            ),
        ):
            self.w = tf.get_variable("w", initializer=100.0)
            self.step = tf.train.get_or_create_global_step()
            with tf.control_dependencies([self.w.assign_sub(1.0)]):
                self.train_op = self.step.assign_add(1)

    def session(self, *hooks, **options):
        with self.graph.as_default():
            return tf.train.MonitoredTrainingSession(
                self._target,
                self._is_chief,
                self._folder,
                save_checkpoint_steps=5,
                hooks=[self.keeping, *hooks],
                **options,
            )

    def train(self, last_step, after=lambda step: None):
        """Train until a step; `after` is called after each."""
        with self.session(tf.train.StopAtStepHook(last_step=last_step)) as sess:
            while not sess.should_stop():
                after(int(sess.run(self.train_op)))


class Training(threading.Thread):
    """A program that trains on a thread of its own; `end` raises what it has failed with."""

    def __init__(self, program, last_step, after=lambda step: None):
        super().__init__()
        self.program, self._arguments, self.error = program, (last_step, after), None
        self.start()

    def run(self):
        try:
            self.program.train(*self._arguments)
        except BaseException as error:
            self.error = error

    def end(self):
        self.join(3 * LONG)
        assert not self.is_alive()
        if self.error is not None:
            raise self.error


def test_a_parameter_server_that_is_started_again_is_restored(cluster, folder):
    program = Program(cluster, folder)
    with program.session() as sess:
        assert [int(sess.run(program.train_op)) for _ in range(7)][-1] == 7
        cluster.restart("ps:0")
        assert int(sess.run(program.train_op)) == 6  # the last checkpoint was at 5
        assert float(sess.run(program.w)) == 94.0
        cluster.restart("worker:0")  # whose server has the session
        assert int(sess.run(program.train_op)) == 7 - 1
    assert program.keeping.began_at == [0, 5, 5]
    with program.session() as sess:  # what was saved at the end
        assert int(sess.run(program.step)) == 6


def test_a_parameter_server_that_is_gone_is_waited_for(cluster, folder, losses, capfd):
    program = Program(cluster, folder)
    killed = threading.Event()

    def kill(step):
        if step == 7 and not killed.is_set():
            cluster.kill("ps:0")
            killed.set()

    training = Training(program, 12, kill)
    losses.wait()
    cluster.restart("ps:0")
    training.end()
    assert killed.is_set()
    assert program.keeping.began_at == [0, 5]
    assert tf.train.latest_checkpoint(folder).endswith("-12")


def test_both_workers_go_on_after_it(cluster, folder):
    chief, worker = Program(cluster, folder), Program(cluster, folder, 1)
    has_begun, was_killed = threading.Event(), threading.Event()

    def kill(step):
        if step >= 20 and not was_killed.is_set():
            assert has_begun.wait(LONG)
            was_killed.set()
            cluster.restart("ps:0")

    trainings = [Training(chief, 200, kill), Training(worker, 200, lambda step: has_begun.set())]
    for training in trainings:
        training.end()
    assert len(chief.keeping.began_at) == 2
    assert chief.keeping.began_at[1] >= 15
    assert len(worker.keeping.began_at) in (1, 2)  # the chief may have done all meanwhile
    assert tf.train.latest_checkpoint(folder).endswith(("-200", "-201"))


class Clock(session_manager.Clock):
    """Notes that somebody waits; its pauses end when a test says so."""

    def __init__(self):
        self.waits, self.go_on = threading.Event(), threading.Event()
        self.what = ""

    def pause(self, seconds, what):
        self.what = what
        self.waits.set()
        assert self.go_on.wait(LONG)


def test_a_worker_waits_for_the_chief(cluster, folder, monkeypatch):
    clock = Clock()
    monkeypatch.setattr(session_manager.SessionManager, "_clock", clock)
    worker, chief = Program(cluster, folder, 1), Program(cluster, folder)
    training = Training(worker, 4)
    assert clock.waits.wait(LONG)
    assert "the chief to make the model ready (Variables not initialized: w" in clock.what
    with chief.session() as sess:
        clock.go_on.set()
        training.end()
        assert int(sess.run(chief.step)) == 4
    assert worker.keeping.began_at == [0]


def test_a_chief_that_never_comes(cluster, folder, monkeypatch, capsys, interrupt_when):
    monkeypatch.setattr(waiting, "patience_seconds", 0.0)
    worker = Program(cluster, folder, 1)
    with leaks.none_left(), pytest.raises(tf.errors.DeadlineExceededError) as caught:
        worker.session(max_wait_secs=3)  # longer than the first look takes
    text = str(caught.value)
    assert "Session was not ready after waiting 3 secs. 2 variables have no value: w, " in text
    assert "The chief is to initialise or restore them" in text
    said = capsys.readouterr().out
    assert said.count("Waiting for the model to be ready. 2 variables have no value: w, gl") == 1
    assert not worker.graph.finalized
    main = threading.get_ident()
    interrupt_when(lambda: until(lambda: "the chief" in waiting.what_for(main)))
    with leaks.none_left(), pytest.raises(KeyboardInterrupt):
        worker.session()


def test_an_interrupt_ends_the_wait_for_a_server(cluster, folder, losses, interrupt_when):
    program = Program(cluster, folder)

    def train():
        with program.session() as sess:
            sess.run(program.train_op)
            cluster.kill("ps:0")
            interrupt_when(losses.wait)
            sess.run(program.train_op)

    with pytest.raises(KeyboardInterrupt):
        train()
    assert not program.graph.finalized


def test_the_end_tells_of_a_server_that_is_gone(cluster, folder):
    """As in TensorFlow: the last checkpoint could not be saved."""
    program = Program(cluster, folder)
    sess = program.session()
    sess.run(program.train_op)
    cluster.kill("ps:0")
    with pytest.raises(tf.errors.UnavailableError, match=r"cluster\.restart"):
        sess.close()
    assert sess.should_stop()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_tasks_are_killed_at_random(cluster, folder, seed):
    chance = random.Random(seed)
    tasks = [chance.choice(["ps:0", "ps:0", "worker:0", "worker:1"]) for _ in range(4)]
    chief, worker = Program(cluster, folder), Program(cluster, folder, 1)
    steps = threading.Semaphore(0)
    trainings = [Training(each, 400, lambda step: steps.release()) for each in (chief, worker)]
    for task in tasks:
        for _ in range(chance.randrange(60)):
            while not steps.acquire(timeout=0.05) and any(map(Training.is_alive, trainings)):
                pass
        cluster.restart(task)
    for training in trainings:
        training.end()
    assert int(tf.train.latest_checkpoint(folder).rpartition("-")[2]) >= 400
