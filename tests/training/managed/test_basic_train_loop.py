"""Supervisors on a cluster, as programs of 2016 use them, and what faults do to them."""

import threading
from pathlib import Path

import pytest

import tinytf as tf
from tests.distributed.fake_cluster import FakeCluster
from tests.waiting import LONG

ROOT = Path(__file__).parents[3]


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def cluster():
    with FakeCluster(ps=1, worker=2) as cluster:
        yield cluster


class Program:
    """A task's program: a count on the parameter server, and a supervisor."""

    def __init__(self, cluster, index=0):
        self.cluster, self.target = cluster, cluster.target("worker", index)
        with tf.Graph().as_default():
            with tf.device("/job:ps/task:0"):
                self.count = tf.train.get_or_create_global_step().assign_add(1)
            self.sv = tf.train.Supervisor(
                is_chief=index == 0,
                logdir="logs",
                save_model_secs=0,  # what is saved when, the tests decide
                save_summaries_secs=0,
            )

    def managed(self):
        return self.sv.managed_session(self.target, start_standard_services=False)

    def save(self, sess):
        self.sv.saver.save(sess, self.sv.save_path, self.sv.global_step)


def test_a_restarted_server_is_met_with_a_new_session(cluster):
    """What is restored is what was saved: later steps are lost, and done again."""
    program, seen = Program(cluster), []

    def train(sess):
        seen.append(int(sess.run(program.count)))
        if seen == [1, 2]:
            program.save(sess)
        if seen == [1, 2, 3]:
            cluster.restart("ps:0")
        if seen[-1] == 4:
            program.sv.request_stop()

    tf.train.basic_train_loop(program.sv, train, master=program.target)
    assert seen == [1, 2, 3, 3, 4]


def test_without_a_checkpoint_it_begins_at_nothing(cluster):
    program, seen = Program(cluster), []

    def train(sess):
        seen.append(int(sess.run(program.count)))
        if seen == [1, 2]:
            cluster.restart("ps:0")
        if len(seen) == 4:
            program.sv.request_stop()

    tf.train.basic_train_loop(program.sv, train, master=program.target)
    assert seen == [1, 2, 1, 2]


def test_a_killed_server_ends_the_program_and_the_next_one_goes_on(cluster):
    program = Program(cluster)

    def train():
        with program.managed() as sess:
            sess.run(program.count)
            program.save(sess)
            sess.run(program.count)
            cluster.kill("ps:0")
            sess.run(program.count)

    with pytest.raises(tf.errors.UnavailableError, match="ps:0"):
        train()
    assert program.sv.should_stop()
    cluster.restart("ps:0")
    again = Program(cluster)
    with again.managed() as sess:
        assert sess.run(again.count) == 2


def test_a_worker_waits_for_the_chief_and_counts_with_it(cluster, capsys):
    chief, worker = Program(cluster), Program(cluster, 1)
    found = []

    def work():
        with worker.managed() as sess:
            found.append(int(sess.run(worker.count)))

    thread = threading.Thread(target=work)
    thread.start()
    cluster.wait_until(lambda: "CloseSession" in cluster.methods("client", "worker:1"))
    with chief.managed() as sess:
        thread.join(LONG)
        assert found == [1]
        assert sess.run(chief.count) == 2
    assert worker.sv.summary_writer is None


def by_both(program, cluster, until):
    """What the chief and another worker give, each in a thread."""
    results = {}

    def run(index):
        try:
            results[index] = program(cluster, index, until)
        except tf.errors.OpError as error:
            results[index] = error

    threads = [threading.Thread(target=run, args=(index,)) for index in (1, 0)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_digits_between_graphs_with_a_killed_parameter_server(monkeypatch):
    """The program of the books, three times: whole, broken off, and begun again."""
    monkeypatch.syspath_prepend(str(ROOT / "notebooks"))
    import digits

    images, labels = digits.load()

    def program(cluster, index, until, when_started=lambda sess: None):
        with tf.Graph().as_default():
            device = f"/job:worker/task:{index}"
            with tf.device(tf.train.replica_device_setter(worker_device=device, ps_tasks=1)):
                step = tf.Variable(0, name="global_step", trainable=False)
                pixels, digit = tf.placeholder(tf.float32, [None, 64]), tf.placeholder(tf.int32)
                loss, accuracy = digits.network(pixels, digit)
                train = tf.train.AdagradOptimizer(0.1).minimize(loss, global_step=step)
            sv = tf.train.Supervisor(
                is_chief=index == 0,
                logdir="logs",
                global_step=step,
                summary_op=None,
                save_model_secs=0,  # by the program itself, at the end
            )
            with sv.managed_session(cluster.target("worker", index)) as sess:
                when_started(sess)
                done = 0
                while not sv.should_stop() and done < until:
                    rows = slice(50 * (done % 30), 50 * (done % 30) + 50)
                    feed = {pixels: images[rows], digit: labels[rows]}
                    _, done = sess.run([train, step], feed)
                if sv.is_chief:
                    sv.saver.save(sess, sv.save_path, step)
                everything = {pixels: images[:1500], digit: labels[:1500]}
                return int(done), float(sess.run(accuracy, everything))

    with tf.LocalCluster(ps=1, worker=2) as cluster:
        first = by_both(program, cluster, 100)
        assert all(steps >= 100 and accuracy > 0.5 for steps, accuracy in first.values())

        def killer(sess):
            cluster.kill("ps:0")

        with pytest.raises((tf.errors.UnavailableError, tf.errors.AbortedError)):
            program(cluster, 0, 10_000, killer)
        cluster.restart("ps:0")
        # Its name has the step before the other worker's last updates.
        saved = int(tf.train.load_variable("logs", "global_step"))
        assert saved >= 100
        started = []
        program(cluster, 0, 110, lambda sess: started.append(int(sess.run("global_step:0"))))
        assert started == [saved]
