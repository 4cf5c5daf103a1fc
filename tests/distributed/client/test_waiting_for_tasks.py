"""Sessions wait for the tasks of their cluster: who is missing, how so, and what ends the wait."""

import signal
import socket
import threading

import pytest

import tinytf as tf
from tests.waiting import past_deadline
from tinytf.distributed.client import remote_session, waiting_texts
from tinytf.distributed.cluster import ports, task_advice
from tinytf.distributed.inspection import look
from tinytf.distributed.master import calls, cluster_step
from tinytf.distributed.wire import grpc_client

LONG = 30.0  # seconds; a test that is right never waits that long


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


@pytest.fixture(autouse=True)
def soon(monkeypatch):
    """What is said after some seconds is said at once."""
    monkeypatch.setattr(grpc_client, "QUIET_SECONDS", 0.6)


@pytest.fixture
def three(graph):
    return tf.constant(3)


class Places:
    """Three tasks of which only worker:0 runs; the ports of the others are theirs."""

    def __init__(self):
        self.kept = [ports.reserve() for _ in range(3)]
        addresses = [f"localhost:{kept.getsockname()[1]}" for kept in self.kept]
        self.spec = tf.train.ClusterSpec({"ps": addresses[:1], "worker": addresses[1:]})
        self.master = tf.train.Server(self.spec, "worker", 0)
        self.others = []

    def start(self, job, index):
        self.others.append(tf.train.Server(self.spec, job, index))

    def close(self):
        for server in [self.master, *self.others]:
            server.stop()
        for kept in self.kept:
            kept.close()


@pytest.fixture
def places():
    places = Places()
    yield places
    places.close()


def in_thread(call):
    """Runs it; returns a thread, and where its result, or its error, will be."""
    results = []

    def run():
        try:
            results.append(call())
        except Exception as error:
            results.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    return thread, results


class Output:
    """What is printed, by any thread, as it comes."""

    def __init__(self, monkeypatch):
        self.text, self.said = "", threading.Event()

        def note(*texts, **options):
            self.text += " ".join(map(str, texts)) + "\n"
            self.said.set()

        monkeypatch.setattr("builtins.print", note)


def test_says_whom_it_waits_for_once_and_goes_on(places, monkeypatch, three):
    output = Output(monkeypatch)
    with tf.Session(places.master.target) as session:
        thread, results = in_thread(lambda: session.run(three))
        assert output.said.wait(LONG)
        places.start("ps", 0)
        places.start("worker", 1)
        thread.join(LONG)
        assert results == [3]
        assert session.run(three) == 3
    text = output.text
    assert text.count("The session waits for 2 tasks of its cluster:") == 1
    ps, worker = places.spec.task_address("ps", 0), places.spec.task_address("worker", 1)
    assert f"/job:ps/replica:0/task:0 at {ps} has not answered for " in text
    assert f"/job:worker/replica:0/task:1 at {worker} has not answered for " in text
    assert "refused: nothing listens there" in text
    assert "tinytf serve --job ps --task 0 --cluster ps=" in text
    assert "cluster.restart('worker:1'), or %cluster restart worker:1)" in text


def test_silent_is_not_refused(places, monkeypatch, three):
    """Somebody listens at the port, and says nothing: as a paused process does."""
    output = Output(monkeypatch)
    host, port = places.spec.task_address("ps", 0).split(":")
    with socket.create_server((host, int(port)), backlog=64):
        with tf.Session(places.master.target) as session:
            thread, results = in_thread(lambda: session.run(three))
            assert output.said.wait(LONG)
            session.close()
            thread.join(LONG)
    (silent,) = [line for line in output.text.splitlines() if line.startswith("/job:ps")]
    (refused,) = [line for line in output.text.splitlines() if line.startswith("/job:worker")]
    assert "silent: the connection is not refused, but no answer comes" in silent
    assert "refused: nothing listens there" in refused
    assert isinstance(results[0], tf.errors.CancelledError)


def test_deadline_names_who_did_not_answer(places, three):
    places.start("worker", 1)

    def run(options):
        config = tf.ConfigProto(operation_timeout_in_ms=options.timeout_in_ms)
        with tf.Session(places.master.target, config=config) as session:
            session.run(three)

    text = past_deadline(run, "refused", first=300).message
    assert text.startswith("Deadline Exceeded: the session could not be created within ")
    assert "/job:ps/replica:0/task:0 at localhost:" in text
    assert "refused" in text
    assert "/job:worker/replica:0/task:1 at" not in text
    assert "device_filters" in text


def test_device_filters_leave_tasks_out(places, three):
    config = tf.ConfigProto(device_filters=["/job:worker/task:0"])
    with tf.Session(places.master.target, config=config) as session:
        assert session.run(three) == 3
        assert [d.name for d in session.list_devices()] == [
            "/job:worker/replica:0/task:0/device:CPU:0"
        ]


def test_what_a_look_tells(places, monkeypatch, three):
    output = Output(monkeypatch)
    address = places.master.target.removeprefix("grpc://")
    assert look(address, ["waits"])["waits"]["sessions"] == []
    config = tf.ConfigProto(device_filters=["/job:ps", "/job:worker/task:0"])
    with tf.Session(places.master.target, config=config) as session:
        thread, results = in_thread(lambda: session.run(three))
        assert output.said.wait(LONG)
        (call,) = look(address, ["waits"])["waits"]["sessions"]
        assert call["filters"] == ["/job:ps", "/job:worker/task:0"]
        assert [task["task"] for task in call["tasks"]] == ["/job:ps/replica:0/task:0"]
        assert call["tasks"][0]["state"] == task_advice.REFUSED
        session.close()
        thread.join(LONG)
    assert isinstance(results[0], tf.errors.CancelledError)


def test_an_interrupt_ends_the_wait_on_both_sides(places, monkeypatch, three):
    output = Output(monkeypatch)
    main = threading.main_thread().ident

    def interrupt():
        assert output.said.wait(LONG)
        signal.pthread_kill(main, signal.SIGINT)

    thread, _ = in_thread(interrupt)
    with tf.Session(places.master.target) as session:
        with pytest.raises(KeyboardInterrupt):
            session.run(three)
        thread.join(LONG)
        places.start("ps", 0)
        places.start("worker", 1)
        assert session.run(three) == 3
    assert not places.master._master.roll_calls._open


def test_another_task_at_an_address_is_not_taken_for_it(places, monkeypatch, three):
    """Addresses that were mixed up: worker:1 listens where ps:0 should."""
    output = Output(monkeypatch)
    ps = places.spec.task_address("ps", 0)
    mixed = tf.train.ClusterSpec({"ps": ["localhost:1"], "worker": {1: ps}})
    with tf.train.Server(mixed, "worker", 1), tf.Session(places.master.target) as session:
        thread, _ = in_thread(lambda: session.run(three))
        assert output.said.wait(LONG)
        session.close()
        thread.join(LONG)
    assert "answers, but not as this task: /job:worker/replica:0/task:1 listens" in output.text


def test_a_server_that_is_not_there(monkeypatch, three):
    output = Output(monkeypatch)
    kept = ports.reserve()
    with kept, tf.Session(f"grpc://localhost:{kept.getsockname()[1]}") as session:
        thread, _ = in_thread(lambda: session.run(three))
        assert output.said.wait(LONG)
        session.close()
        thread.join(LONG)
    assert "Still waiting for a server at grpc://localhost:" in output.text
    assert "It is refused: nothing listens there" in output.text


def test_two_tasks_with_one_address(monkeypatch, three):
    output = Output(monkeypatch)
    with ports.reserve() as kept:
        address = f"localhost:{kept.getsockname()[1]}"
        spec = {"ps": [address], "worker": [address]}
        with tf.train.Server(spec, "ps", 0) as server, tf.Session(server.target) as session:
            thread, _ = in_thread(lambda: session.run(three))
            assert output.said.wait(LONG)
            session.close()
            thread.join(LONG)
    assert f"gives {address} to /job:ps/replica:0/task:0 as well: one task, one" in output.text
    assert "Start it" not in output.text


def test_what_listens_and_is_no_server(monkeypatch, three):
    """Somebody who says nothing; and somebody who speaks something else."""
    config = tf.ConfigProto(operation_timeout_in_ms=10)
    monkeypatch.setattr(remote_session, "_GRACE_SECONDS", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as mute:
        target = f"grpc://localhost:{mute.getsockname()[1]}"
        with (
            tf.Session(target, config=config) as session,
            pytest.raises(tf.errors.DeadlineExceededError, match=r"0\.51 s. It is silent"),
        ):
            session.run(three)
    details = "Failed parsing HTTP/2 (Expected SETTINGS frame as the first frame)"
    error = tf.errors.UnavailableError(None, None, f"failed to connect: {details}")
    assert "is another program: it answers, but" in waiting_texts._state("localhost:1", error)


def test_the_command_that_starts_a_task():
    spec = tf.train.ClusterSpec({"ps": ["a:1", "b:2"], "worker": ["c:3"]})
    command = task_advice.start_command(spec, "/job:ps/replica:0/task:1")
    assert command == "tinytf serve --job ps --task 1 --cluster ps=a:1,b:2 worker=c:3"
    sparse = tf.train.ClusterSpec({"worker": {3: "c:3"}})
    command = task_advice.start_command(sparse, "/job:worker/replica:0/task:3")
    assert command == "tinytf serve --job worker --task 3 --cluster-file CLUSTER.json"


class TestATimeoutOfHalfASecond:
    """It ends the wait in well under two seconds, whoever is missing and whoever set it."""

    MOST = 2.0
    CONFIG = tf.ConfigProto(operation_timeout_in_ms=500)
    OPTIONS = tf.RunOptions(timeout_in_ms=500)

    @pytest.fixture(autouse=True)
    def handed_on(self, monkeypatch):
        """The seconds that each call of a session was given."""
        given = []
        call = remote_session.ClientTransport.call

        def noting(transport, path, request, response, timeout=None, *more, **named):
            given.append(timeout)
            return call(transport, path, request, response, timeout, *more, **named)

        monkeypatch.setattr(remote_session.ClientTransport, "call", noting)
        return given

    def ends_in_time(self, target, config, options, handed_on, fetch):
        with tf.Session(target, config=config) as session:
            with pytest.raises(tf.errors.DeadlineExceededError):
                session.run(fetch, options=options)
            times = handed_on.copy()  # closing a session has a time of its own
        assert times
        assert all(0.5 <= seconds < self.MOST for seconds in times)

    @pytest.mark.parametrize(("config", "options"), [(CONFIG, None), (None, OPTIONS)])
    def test_without_a_server(self, config, options, handed_on, three):
        with ports.reserve() as kept:
            target = f"grpc://localhost:{kept.getsockname()[1]}"
            self.ends_in_time(target, config, options, handed_on, three)

    @pytest.mark.parametrize(("config", "options"), [(CONFIG, None), (None, OPTIONS)])
    def test_without_another_task(self, config, options, handed_on, places, three):
        self.ends_in_time(places.master.target, config, options, handed_on, three)

    def test_between_tasks(self):
        assert calls.PATIENCE_SECONDS < cluster_step.GRACE_SECONDS < remote_session._GRACE_SECONDS
        assert remote_session._GRACE_SECONDS < self.MOST - 0.5
