"""Steps over several tasks that fail, are too slow, or are given up: one cause, nothing left."""

import signal
import threading
import time

import pytest

import tinytf as tf
from tests.distributed.waiting import Gate
from tinytf.distributed.client import client_waits
from tinytf.distributed.cluster import ports
from tinytf.distributed.master.calls import Calls, is_consequence
from tinytf.distributed.wire.wire_errors import (
    error_from_peer,
    from_task,
    is_derived,
    mark_derived,
    origin_of,
)
from tinytf.framework.errors import (
    AbortedError,
    CancelledError,
    DeadlineExceededError,
    InternalError,
    InvalidArgumentError,
    UnavailableError,
    with_operation,
)

LONG = 30.0  # seconds; a test that is right never waits that long


class Cluster:
    """One ps and two workers, all in this process; a client of worker:0."""

    def __init__(self):
        self.kept = [ports.reserve() for _ in range(3)]
        addresses = [f"localhost:{kept.getsockname()[1]}" for kept in self.kept]
        self.spec = tf.train.ClusterSpec({"ps": addresses[:1], "worker": addresses[1:]})
        self.servers = {}
        for name in ("ps:0", "worker:0", "worker:1"):
            self.start(name)

    def start(self, name):
        job, _, index = name.partition(":")
        self.servers[name] = tf.train.Server(self.spec, job, int(index))

    def stop(self, name):
        self.servers.pop(name).stop(grace_seconds=0)

    def session(self, **config):
        config = tf.ConfigProto(**config)
        return tf.Session(self.servers["worker:0"].target, config=config)

    def worker(self, name):
        return self.servers[name]._worker

    def close(self):
        for server in self.servers.values():
            server.stop()
        for kept in self.kept:
            kept.close()


def until(is_so):
    """Wait for what tells nobody; the last look."""
    end, pause = time.monotonic() + LONG, threading.Event()
    while not is_so() and time.monotonic() < end:
        pause.wait(0.01)
    return is_so()


@pytest.fixture
def cluster():
    with tf.Graph().as_default():
        cluster = Cluster()
        try:
            yield cluster
            # Whatever happened, no step is left anywhere, and no tensor that nobody takes.
            for server in cluster.servers.values():
                assert until(lambda: len(server._worker.steps) == 0), server  # noqa: B023
        finally:
            cluster.close()


class Program:
    """A queue and a variable on ps:0, what comes of them on worker:1, and that on worker:0."""

    def __init__(self):
        with tf.device("/job:ps/task:0"):
            self.v = tf.get_variable("v", initializer=[1.0, 2.0], use_resource=False)
            self.queue = tf.FIFOQueue(10, [tf.float32], shapes=[[]], shared_name="q", name="q")
            self.enqueue, self.taken = self.queue.enqueue(1.0), self.queue.dequeue(name="take")
            self.size = self.queue.size()
            self.number = tf.placeholder(tf.int32, [], name="number")
            quotient = tf.div(7, self.number, name="quotient")
        with tf.device("/job:worker/task:1"):
            self.doubled = tf.multiply(self.taken, 2.0, name="doubled")
            self.sum, more = tf.add(self.v, 1.0, name="sum"), quotient + 1
        with tf.device("/job:worker/task:0"):
            self.result, self.most = self.doubled + 1.0, more + 1
            self.total = tf.reduce_sum(self.sum)
        self.all = [self.most, more, quotient]


@pytest.fixture
def program(cluster):
    return Program()


def fails(kind, call):
    with pytest.raises(kind) as caught:
        call()
    assert type(caught.value) is kind
    text = caught.value.message
    assert text.count("From /job:") <= 1
    assert text.count("was built at") <= 1
    assert "_recv" not in text
    assert "_send" not in text
    return caught.value


# The cause ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [1, 3])
def test_the_root_cause_arrives_once(cluster, program, count):
    with cluster.session() as session:
        error = fails(
            tf.errors.InvalidArgumentError,
            lambda: session.run(program.all[:count], {program.number: 0}),
        )
        assert error.op.name == "quotient"
        lines = error.message.splitlines()
        assert lines[:3] == [
            "From /job:ps/replica:0/task:0:",
            "Integer division by zero",
            "\t [[{{node quotient}}]]",
        ]
        assert lines[3].startswith("quotient (FloorDiv) was built at:")
        assert session.run(program.most, {program.number: 7}) == 3


def test_consequences_wait_for_their_cause():
    cause, copy = InternalError(None, None, "cause"), mark_derived(AbortedError(None, None, "copy"))
    slow = DeadlineExceededError(None, None, "Timed out: v/_recv/_2 (_Recv) waits for v from ps")
    for consequence in (copy, slow, CancelledError(None, None, "withdrawn")):
        calls, told = Calls(), []
        calls.when_failed(lambda: told.append(calls.first_error()))  # noqa: B023
        calls.failed(consequence)
        assert told == []
        calls.failed(cause)
        assert told == [cause]
        with pytest.raises(InternalError):
            calls.wait()
    calls = Calls()
    calls.failed(DeadlineExceededError(None, None, "q (QueueDequeueV2) waits for 1 element in q"))
    calls.failed(slow)
    with pytest.raises(DeadlineExceededError, match="1 element"):
        calls.wait()


@pytest.mark.parametrize("when", ["before", "while it begins"])
def test_calls_that_begin_when_all_are_withdrawn_are_withdrawn_too(when):
    calls = Calls()

    class OneCall:
        was_cancelled = False

        def cancel(self):
            self.was_cancelled = True

    class SomePeers:
        def start(self, *arguments):
            if when != "before":
                calls.cancel()
            self.call = OneCall()
            return self.call

    if when == "before":
        calls.cancel()
    peers = SomePeers()
    calls.start(peers, "/job:ps/replica:0/task:0", "RunGraph", None, None)
    assert peers.call.was_cancelled


def test_errors_keep_their_marks_on_the_way():
    with tf.Graph().as_default():
        op = tf.constant(1, name="c").op
    error = from_task(
        "/job:ps/replica:0/task:0", mark_derived(UnavailableError(None, None, "gone"))
    )
    assert with_operation(error, op).is_derived
    assert from_task("/job:worker/replica:0/task:1", error) is error


def test_what_tensorflow_tells_of_another_task_is_a_copy():
    text = (
        "Integer division by zero\n\t [[{{node q}}]]\n"
        "Additional GRPC error information from remote target /job:ps/replica:0/task:0 "
        "while calling /tensorflow.WorkerService/RecvTensor:\n"
        ':{"created":"@1.5","description":"Error received from peer"}\n\t [[q/_recv/_3]]'
    )
    error = InvalidArgumentError(None, None, text)
    assert origin_of(error) == "/job:ps/replica:0/task:0"
    told = from_task("/job:worker/replica:0/task:1", error)
    assert is_derived(told)
    assert told.message == (
        "From /job:ps/replica:0/task:0:\nInteger division by zero\n\t [[{{node q}}]]"
    )


def test_transfers_are_not_named_beside_the_operation():
    text = "bad\n\t [[{{node c}}]]\n\t [[{{node c/_recv/_3}}]]\n\t [[{{node d/_recv/_5}}]]"
    with tf.Graph().as_default() as graph:
        c = tf.constant(1, name="c")
        error = error_from_peer(3, text, graph)
        assert error.op is c.op
        assert error.message.startswith("bad\n\t [[{{node c}}]]\nc (Const) was built at:")
        error = error_from_peer(14, "gone\n\t [[{{node c/_recv/_3}}]]", graph)
        assert error.op is c.op


# Deadlines ----------------------------------------------------------------------------------------


@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize("where", ["options", "config"])
@pytest.mark.parametrize("which", ["taken", "result"])
def test_a_deadline_names_what_waits_and_where(cluster, program, where, which):
    config = {"operation_timeout_in_ms": 300} if where == "config" else {}
    options = tf.RunOptions(timeout_in_ms=300) if where == "options" else None
    with cluster.session(**config) as session:
        fetch = getattr(program, which)
        session.run(program.enqueue, options=tf.RunOptions(timeout_in_ms=60_000))
        session.run(fetch, options=tf.RunOptions(timeout_in_ms=60_000))  # it is compiled now
        error = fails(DeadlineExceededError, lambda: session.run(fetch, options=options))
        assert error.op.name == "take"
        assert error.message.startswith("From /job:ps/replica:0/task:0:\nTimed out waiting")
        assert "take (QueueDequeueV2) waits for 1 element in the queue 'q'" in error.message
        assert "0 of 10 elements" in error.message
        assert "silent" not in error.message
        # Nothing was consumed, nobody waits any more.
        session.run(program.enqueue, options=tf.RunOptions(timeout_in_ms=60_000))
        assert session.run(program.size, options=tf.RunOptions(timeout_in_ms=60_000)) == 1
        value = session.run(fetch, options=tf.RunOptions(timeout_in_ms=60_000))
        assert value == (1.0 if which == "taken" else 3.0)


@pytest.mark.parametrize(
    ("text", "says_little"),
    [
        ("finished: take (QueueDequeueV2) waits for 1 element\n\t [[{{node take}}]]", 0),
        ("finished: a/_recv/_5 (_Recv) waits for a; b (QueueDequeueV2) waits for 1 element\n", 0),
        ("finished: it was still running, at take (QueueDequeueV2)\n\t [[{{node take}}]]", 0),
        ("finished: a/_recv/_5 (_Recv) waits for a; b/_recv/_6 (_HostRecv) waits for b\n", 1),
        ("finished: a/_recv/_5 (_Recv)\n\t [[{{node a/_recv/_5}}]]", 1),
        ("finished: it was still running, at a/_recv/_5 (_Recv), in iteration 3\n", 1),
    ],
)
def test_a_part_that_only_receives_has_not_said_the_cause(text, says_little):
    error = DeadlineExceededError(None, None, "Timed out waiting: the step has " + text)
    assert is_consequence(error) == says_little


# Steps that are given up --------------------------------------------------------------------------


def run_in_thread(call):
    results = []

    def run():
        try:
            results.append(call())
        except BaseException as error:
            results.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    return thread, results


def waits_at(cluster, name, session, program):
    """Until the dequeue of a step waits on ps:0."""
    queue = cluster.servers["ps:0"]._resources
    assert until(
        lambda: any(
            getattr(resource, "kind", "") == "FIFOQueue" and resource.snapshot().dequeues
            for *_, resource in queue.items()
        )
    )


def vanish(transport):
    """All its connections end, those in use as well."""
    transport._grpc.close()
    if transport._unix is not None:
        transport._unix.close()


@pytest.mark.parametrize("how", ["close", "reset", "interrupt", "vanish"])
def test_a_dequeue_that_is_given_up_takes_nothing(cluster, program, how):
    session, other = cluster.session(), cluster.session()
    assert other.run(program.size) == 0
    if how == "interrupt":
        main = threading.main_thread().ident

        def interrupt():
            waits_at(cluster, "ps:0", session, program)
            signal.pthread_kill(main, signal.SIGINT)

        thread, _ = run_in_thread(interrupt)
        with pytest.raises(KeyboardInterrupt):
            session.run(program.result)
        thread.join()
    else:
        thread, results = run_in_thread(lambda: session.run(program.result))
        waits_at(cluster, "ps:0", session, program)
        if how == "close":
            session.close()
        elif how == "vanish":  # as the end of the client's process would
            vanish(session._backend._transport)
            client_waits.leave(session._backend._calls)
            session._backend._closed = True
        else:
            tf.Session.reset(cluster.servers["worker:0"].target, ["of nobody"])
            other = cluster.session()
        thread.join(LONG)
        assert isinstance(results[0], CancelledError), results
        said = {"close": "explicit call to `Session::Close()`", "reset": "was reset by"}
        assert said.get(how, "") in results[0].message
        if how == "close":
            with pytest.raises(RuntimeError, match="closed Session"):
                session.run(program.result)
        elif how == "reset":
            assert "is not found" in fails(AbortedError, lambda: session.run(program.size)).message
    assert until(lambda: len(cluster.worker("ps:0").steps) == 0)
    other.run(program.enqueue)
    assert other.run(program.size) == 1
    other.close()
    session.close()


def test_closing_while_another_task_is_silent(cluster, program):
    """The registration of a step with a task that does not answer is given up as well."""
    registering, original = threading.Event(), cluster.worker("ps:0").register_graph
    go_on = threading.Event()

    def silent(request, withdrawn):
        registering.set()
        go_on.wait(LONG)
        return original(request, withdrawn)

    path = "/tensorflow.WorkerService/RegisterGraph"
    cluster.servers["ps:0"]._transport.dispatch.services[path] = tf_request(), silent
    session = cluster.session()
    thread, results = run_in_thread(lambda: session.run(program.result))
    assert registering.wait(LONG)
    # Steps of the master alone, new nodes: they wait for their turn, or not, and can be ended.
    late, more = run_in_thread(lambda: session.run(program.total))
    session.close()
    thread.join(LONG)
    late.join(LONG)
    go_on.set()
    assert isinstance(results[0], CancelledError), results
    assert isinstance(more[0], CancelledError | RuntimeError | AbortedError), more
    with cluster.session() as session:
        assert session.run(program.size) == 0


def tf_request():
    from tinytf.protos import worker_pb2

    return worker_pb2.RegisterGraphRequest


# Tasks that end, and begin again ------------------------------------------------------------------


def test_a_task_that_ends_ends_the_steps_that_need_it(cluster, program):
    with cluster.session() as session:
        thread, results = run_in_thread(lambda: session.run(program.result))
        waits_at(cluster, "ps:0", session, program)
        cluster.stop("worker:1")
        thread.join(LONG)
        (error,) = results
        assert isinstance(error, UnavailableError | AbortedError | CancelledError), error
        error = fails(UnavailableError, lambda: session.run(program.result))
        address = cluster.spec.task_address("worker", 1)
        assert f"/job:worker/replica:0/task:1 at grpc://{address} does not" in error.message
        assert "tinytf serve --job worker --task 1 --cluster ps=" in error.message
        assert "%cluster restart worker:1" in error.message
        session.run(program.enqueue)  # the others go on
        assert session.run(program.taken) == 1.0


@pytest.mark.parametrize("has_run", [True, False])
def test_a_task_that_was_restarted(cluster, program, has_run):
    initializer = tf.global_variables_initializer()
    with cluster.session() as session:
        session.run(initializer)
        if has_run:
            assert session.run(program.total) == 5.0
        cluster.stop("ps:0")
        cluster.start("ps:0")
        error = fails(AbortedError, lambda: session.run(program.total))
        assert "/job:ps/replica:0/task:0 was restarted since this session began" in error.message
        assert "Open a new Session" in error.message
        fails(AbortedError, lambda: session.run(program.total))
    with cluster.session() as session:
        error = fails(tf.errors.FailedPreconditionError, lambda: session.run(program.total))
        assert "Attempting to use uninitialized value v" in error.message
        assert "has been initialised since the restart at " in error.message
        session.run(initializer)
        assert session.run(program.total) == 5.0


def test_a_master_that_was_restarted(cluster, program):
    with cluster.session() as session:
        session.run(program.enqueue)
        cluster.stop("worker:0")
        cluster.start("worker:0")
        error = fails(AbortedError, lambda: session.run(program.size))
        assert "is not found" in error.message
        assert "Open a new Session" in error.message
    with cluster.session() as session:
        assert session.run(program.size) == 1  # the queue is of ps:0
    # The sessions of the master's earlier process are gone everywhere.
    known = cluster.worker("ps:0")._sessions
    assert until(lambda: [h for h in known if h and h not in cluster_handles(cluster)] == [])


def cluster_handles(cluster):
    return [s.handle for server in cluster.servers.values() for s in server._master.sessions()]


def test_the_master_waits_elsewhere_when_a_task_ends(cluster, program):
    """What ps:0 says at its end is a consequence; yet nobody waits for its cause for ever."""
    with Gate() as gate:
        with tf.device("/job:worker/task:0"):
            waits = gate.card(tf.constant(1.0))
        with cluster.session() as session:
            thread, results = run_in_thread(lambda: session.run([waits, program.taken]))
            assert gate.reached.wait(LONG)
            waits_at(cluster, "ps:0", session, program)
            cluster.stop("ps:0")
            thread.join(LONG)
            assert not thread.is_alive()
            assert isinstance(results[0], CancelledError | UnavailableError), results
            assert "/job:ps/replica:0/task:0" in results[0].message
            assert gate.withdrawn.wait(LONG)


def test_gate_is_closed_by_the_end_of_a_session(cluster):
    """A kernel that waits on another task is told when its step is given up."""
    with Gate() as gate:
        with tf.device("/job:worker/task:1"):
            waits = gate.card(tf.constant(1.0))
        with tf.device("/job:worker/task:0"):
            result = waits + 1.0
        session = cluster.session()
        thread, results = run_in_thread(lambda: session.run(result))
        assert gate.reached.wait(LONG)
        session.close()
        assert gate.withdrawn.wait(LONG)
        thread.join(LONG)
        assert isinstance(results[0], CancelledError)
