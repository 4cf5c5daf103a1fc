"""A step on a cluster that nobody can end says so, once; a healthy one says nothing."""

import threading

import pytest

import tinytf as tf
from tinytf.diagnosis import picture
from tinytf.distributed.client import client_waits
from tinytf.framework import waiting

LONG = 60.0  # seconds; a test that is right never waits that long


@pytest.fixture(scope="module")
def cluster(transport):
    with tf.LocalCluster(ps=1, worker=2) as cluster:
        yield cluster


class Looks:
    """Counts how often waits were looked at; others can wait for it."""

    def __init__(self):
        self._changed = threading.Condition()
        self._count = 0

    def note(self):
        with self._changed:
            self._count += 1
            self._changed.notify_all()

    def several(self, more=5):
        with self._changed:
            wanted = self._count + more
            assert self._changed.wait_for(lambda: self._count >= wanted, LONG)


@pytest.fixture(autouse=True)
def looks(monkeypatch):
    """Waits are looked at all the time; the threads of other tests, and of this one, are nobody."""
    monkeypatch.setattr(waiting, "patience_seconds", 0.02)
    monkeypatch.setattr(client_waits, "LOOK_SECONDS", 0.02)
    before, matters = set(threading.enumerate()) - {threading.main_thread()}, picture.matters
    nobody = ("test's", "tinytf-waits")  # the latter runs `counted`, below

    def matters_here(thread, frame):
        is_known = thread in before or thread.name.startswith(nobody)
        return not is_known and matters(thread, frame)

    monkeypatch.setattr(picture, "matters", matters_here)
    looks, look = Looks(), client_waits.Calls.look

    def counted(calls):
        look(calls)
        looks.note()

    monkeypatch.setattr(client_waits.Calls, "look", counted)
    return looks


class Program:
    def __init__(self, name, with_enqueue=True):
        with tf.device("/job:ps/task:0"):
            self.queue = tf.FIFOQueue(5, [tf.float32], shapes=[[]], shared_name=name, name=name)
            taken = self.queue.dequeue(name="take")
            if with_enqueue:
                self.put = self.queue.enqueue(3.0, name="put")
        with tf.device("/job:worker/task:1"):
            doubled = tf.multiply(taken, 2.0)
        with tf.device("/job:worker/task:0"):
            self.result = doubled + 1.0


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def later(call):
    """In a thread that counts for nobody."""
    thread = threading.Thread(target=call, name="test's own")
    thread.start()
    return thread


def test_what_nobody_can_end_is_told_once(cluster, looks, capfd):
    program = Program("q1")
    other = tf.Session(cluster.target("worker:1"))  # opened when it is used

    def end():
        looks.several(12)
        other.run(program.put)

    with tf.Session(cluster.target("worker:0")) as session, other:
        thread = later(end)
        assert session.run(program.result) == 7.0
        thread.join()
    text = capfd.readouterr().out
    assert text.count("nothing that runs can end it") == 1
    assert "take (QueueDequeueV2), built at" in text
    assert "waits for 1 element in the queue 'q1' (FIFOQueue), 0 of 5 elements, open, on " in text
    assert "on /job:ps/replica:0/task:0." in text
    assert "No thread runs what puts elements in:\n    put (QueueEnqueueV2)" in text


def test_why_stuck_tells_of_a_healthy_wait_too(cluster, looks, capfd):
    program, pictures = Program("q2"), []
    elsewhere = tf.Session(cluster.target("worker:1"))
    elsewhere.run(program.queue.size())
    # As if it were another program's: its handle is not known to be of this one.
    client_waits.leave(elsewhere._backend._calls)

    def end():
        looks.several(12)
        pictures.append(str(tf.why_stuck()))
        elsewhere.run(program.put)

    with tf.Session(cluster.target("worker:0")) as session, elsewhere:
        thread = later(end)
        assert session.run(program.result) == 7.0
        thread.join()
    assert capfd.readouterr().out == ""
    assert "MainThread, for " in pictures[0]
    assert (
        "may go on:\n  take (QueueDequeueV2) waits for 1 element in the queue 'q2'" in pictures[0]
    )


def test_what_only_others_can_do_is_healthy(cluster, looks, capfd):
    program = Program("q3", with_enqueue=False)
    with tf.Graph().as_default():
        other = Program("q3")
        elsewhere = tf.Session(cluster.target("worker:1"))

    def end():
        looks.several(12)
        elsewhere.run(other.put)

    with tf.Session(cluster.target("worker:0")) as session, elsewhere:
        thread = later(end)
        assert session.run(program.result) == 7.0
        thread.join()
    assert capfd.readouterr().out == ""


def counting():
    """A loop that computes until a variable says that it is enough."""
    stop = tf.get_variable("stop", initializer=False, use_resource=True)
    return tf.while_loop(
        lambda i: tf.logical_not(stop.read_value()), lambda i: i + 1, [0], name="count"
    ), stop


def here():
    return counting()


def elsewhere():
    with tf.device("/job:ps/task:0"):
        return counting()


def in_two_parts():
    with tf.device("/job:ps/task:0"):
        number, stop = counting()
    with tf.device("/job:worker/task:0"):
        return number * 2, stop


def in_a_dataset():
    with tf.device("/job:worker/task:0"):
        numbers = tf.data.Dataset.range(2**60).filter(lambda x: x < 0)
        return numbers.make_one_shot_iterator().get_next(), None


@pytest.mark.parametrize("program", [here, elsewhere, in_two_parts, in_a_dataset])
@pytest.mark.parametrize("timeout", [0, 60_000], ids=["no deadline", "with a deadline"])
def test_of_a_step_that_computes_nothing_is_said(cluster, looks, capfd, program, timeout):
    number, stop = program()
    options = tf.RunOptions(timeout_in_ms=timeout) if timeout else None
    with tf.Session(cluster.target("worker:0")) as session:
        if stop is not None:
            session.run(stop.initializer)
            enough = stop.assign(True)
        else:
            enough = None

        def end():
            looks.several(12)
            session.close() if enough is None else session.run(enough)

        session.run(tf.no_op())
        thread = later(end)
        if enough is None:
            with pytest.raises(tf.errors.CancelledError):
                session.run(number, options=options)
        else:
            session.run(number, options=options)
        thread.join()
    assert capfd.readouterr().out == ""


def test_a_thread_of_the_program_may_do_anything(cluster, looks, capfd):
    program = Program("q4")
    elsewhere = tf.Session(cluster.target("worker:1"))

    def work():
        looks.several(12)
        elsewhere.run(program.put)

    with tf.Session(cluster.target("worker:0")) as session, elsewhere:
        thread = threading.Thread(target=work, name="a user's thread")
        thread.start()
        assert session.run(program.result) == 7.0
        thread.join()
    assert capfd.readouterr().out == ""


def test_queue_runners_that_were_never_started(cluster, looks, capfd):
    with tf.device("/job:ps/task:0"):
        queue = tf.FIFOQueue(5, [tf.float32], shapes=[[]], shared_name="q5", name="q5")
        runner = tf.train.QueueRunner(queue, [queue.enqueue(1.0, name="put")])
        tf.train.add_queue_runner(runner)
    result = queue.dequeue(name="take") + 1.0
    elsewhere = tf.Session(cluster.target("worker:1"))

    def end():
        looks.several(12)
        elsewhere.run("put")

    with tf.Session(cluster.target("worker:0")) as session, elsewhere:
        thread = later(end)
        assert session.run(result) == 2.0
        thread.join()
    text = capfd.readouterr().out
    assert text.count("its threads were never started") == 1
    assert "tf.train.start_queue_runners" in text


def test_runners_of_the_same_queue_in_another_container_are_no_help(cluster, looks, capfd):
    def queue_in(container):
        with tf.device("/job:ps/task:0"), tf.container(container):
            return tf.FIFOQueue(5, [tf.float32], shapes=[[]], shared_name="q6", name="q6")

    mine, other = queue_in("mine"), queue_in("other")
    tf.train.add_queue_runner(tf.train.QueueRunner(other, [other.enqueue(1.0, name="another")]))
    mine.enqueue(2.0, name="put")
    result = mine.dequeue(name="take") + 1.0
    elsewhere = tf.Session(cluster.target("worker:1"))

    def end():
        looks.several(12)
        elsewhere.run("put")

    with tf.Session(cluster.target("worker:0")) as session, elsewhere:
        thread = later(end)
        assert session.run(result) == 3.0
        thread.join()
    text = capfd.readouterr().out
    assert "No thread runs what puts elements in:\n    put (QueueEnqueueV2)" in text
    assert "QueueRunner" not in text


class Replica:
    """A replica that trains synchronously; of another program, unless it is `ours`."""

    def __init__(self, cluster, number, needed, ours=False):
        with tf.Graph().as_default() as graph, tf.device("/job:ps/task:0"):
            w, step = tf.Variable(1.0, name=f"w{needed}"), tf.train.get_or_create_global_step()
            sgd = tf.train.GradientDescentOptimizer(0.1)
            self.optimizer = tf.train.SyncReplicasOptimizer(sgd, needed)
            with tf.device(f"/job:worker/task:{number}"):
                self.train = self.optimizer.minimize(2.0 * w, step)
            self.tokens = self.optimizer.get_init_tokens_op()
            self.steps = self.optimizer.get_chief_queue_runner().enqueue_ops
            self.init = tf.global_variables_initializer()
        self.session = tf.Session(cluster.target(f"worker:{number}"), graph)
        if number == 0:
            self.session.run(self.init)
            self.session.run(self.optimizer.chief_init_op)
        self.session.run(self.optimizer.local_step_init_op)
        if not ours:
            client_waits.leave(self.session._backend._calls)
            self.session._backend._calls.run = lambda request, deadline, call: call()


@pytest.fixture
def tokens(cluster):
    """No token queue, no accumulators are left of a test before."""
    tf.Session.reset(cluster.target("worker:0"))
    yield
    tf.Session.reset(cluster.target("worker:0"))


def test_no_chief_makes_steps(cluster, tokens, looks, capfd):
    """It is told though another program has a session: nobody takes what gradients there are."""
    chief, worker = Replica(cluster, 0, 2), Replica(cluster, 1, 2, ours=True)

    def end():
        looks.several(12)
        chief.session.run(chief.tokens)

    with chief.session, worker.session:
        thread = later(end)
        worker.session.run(worker.train)
        thread.join()
    text = capfd.readouterr().out
    assert text.count("nothing that runs can end it") == 1
    assert "waits for 1 element in the queue 'sync_token_q' (FIFOQueue)" in text
    assert (
        "Step 0 has 1 gradient that nobody takes: no chief's queue\n  runner makes steps." in text
    )
    assert "make_session_run_hook(is_chief=True)" in text
    assert "was built, but its threads were never started" not in text


def test_gradients_of_others_that_never_come(cluster, tokens, looks, capfd):
    """All replicas with a session wait for tokens: the step waits for more than there are."""
    chief, worker = Replica(cluster, 0, 3), Replica(cluster, 1, 3, ours=True)
    with chief.session, worker.session:
        threads = [
            later(lambda: chief.session.run(chief.steps)),
            later(lambda: chief.session.run(chief.train)),
        ]

        def end():
            looks.several(12)
            third = tf.Session(cluster.target("worker:1"), worker.session.graph)
            client_waits.leave(third._backend._calls)
            third._backend._calls.run = lambda request, deadline, call: call()
            with third:
                third.run(worker.train)

        threads.append(later(end))
        worker.session.run(worker.train)
        for thread in threads:
            thread.join()
    text = capfd.readouterr().out
    assert text.count("nothing that runs can end it") == 1
    assert "Step 0 has 2 of 3 gradients, of worker:0, worker:1; who gave one waits" in text
    assert "The others never came, or have ended: start them, with the same graph." in text
    assert "the chief has forgotten the first tokens" in text


def test_a_replica_that_may_give_a_gradient_is_waited_for_in_silence(cluster, tokens, looks, capfd):
    chief, worker = Replica(cluster, 0, 2), Replica(cluster, 1, 2, ours=True)
    with chief.session, worker.session:

        def end():
            looks.several(12)
            chief.session.run(chief.train)

        threads = [later(lambda: chief.session.run(chief.steps)), later(end)]
        worker.session.run(worker.train)
        for thread in threads:
            thread.join()
    assert capfd.readouterr().out == ""


def test_the_thread_that_looks_ends_with_the_last_session(cluster):
    before = client_waits._watcher  # of the session of the test before; it ends by itself
    if before is not None:
        before.join(LONG)
    assert client_waits._watcher is None
    with tf.Session(cluster.target("worker:0")) as session:
        session.run(tf.constant(1))
        watcher = client_waits._watcher
        assert watcher.is_alive()
    watcher.join(LONG)
    assert not watcher.is_alive()
