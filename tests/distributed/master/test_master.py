"""What requests mean to a master: no sockets, no threads but the test's own."""

import threading

import numpy as np
import pytest

import tinytf as tf
from tests.distributed.waiting import Gate
from tests.waiting import past_deadline
from tinytf.devices.device import CpuDevice, DeviceAttributes
from tinytf.distributed.cluster.cluster_spec import ClusterSpec
from tinytf.distributed.master.master import Master
from tinytf.distributed.tasks.peers import Peers
from tinytf.distributed.wire import framing
from tinytf.distributed.worker.worker import Worker
from tinytf.framework.cancellation import CancellationManager
from tinytf.framework.errors import CancelledError
from tinytf.protos import master_pb2 as messages
from tinytf.protos import worker_pb2
from tinytf.resources.manager import ResourceManager

TASK = "/job:worker/replica:0/task:0"
CLUSTER = ClusterSpec({"worker": ["localhost:1"]})


def nobody(address, task):
    raise AssertionError(f"{task} was called, and there is nobody at {address}")


@pytest.fixture
def master():
    devices = [CpuDevice(DeviceAttributes(TASK + "/device:CPU:0", "CPU", 1, 7))]
    peers = Peers(CLUSTER, nobody)
    config = tf.ConfigProto()
    worker = Worker(TASK, devices, ResourceManager("worker"), peers, config, nobody)
    return Master(worker, peers, config)


def as_parcel(message):
    """A message, as it arrives."""
    return framing.parse(type(message), message.SerializeToString())


class Client:
    """Speaks to a master in messages, with names."""

    def __init__(self, master, graph, **config):
        self.master = master
        self.graph = graph
        definition = graph.as_graph_def()
        request = messages.CreateSessionRequest(
            graph_def=definition, config=tf.ConfigProto(**config)
        )
        response = master.create_session(request, CancellationManager())
        self.handle, self.version = response.session_handle, response.graph_version

    def request(self, fetches=(), feeds=None, targets=(), **fields):
        request = messages.RunStepRequest(
            session_handle=self.handle, fetch=fetches, target=targets, **fields
        )
        for name, value in (feeds or {}).items():
            request.feed.add(name=name, tensor=tf.make_tensor_proto(value))
        return request

    def run(self, *arguments, withdrawn=None, **fields):
        request = as_parcel(self.request(*arguments, **fields))
        return self.master.run_step(request, withdrawn or CancellationManager())

    def values(self, *arguments, **fields):
        request = as_parcel(self.request(*arguments, **fields))
        response = self.master.run_step(request, CancellationManager())
        return {name: value.tolist() for name, value in response.by_name().items()}

    def close(self):
        request = messages.CloseSessionRequest(session_handle=self.handle)
        self.master.close_session(request, CancellationManager())


@pytest.fixture
def graph():
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, name="x")
        tf.identity(x, name="y")
        tf.identity(tf.constant([1, 2], name="c"), name="d")
        v = tf.get_variable("v", initializer=[3.0], use_resource=False)
        tf.assign_add(v, [1.0], name="more")
        with tf.device("/job:worker/task:0"):
            tf.constant(1, name="on_worker")
    return graph


def start(function):
    """Run a function in a thread; returns a function that waits and gives its result or error."""
    outcome = []

    def work():
        try:
            outcome.append(function())
        except tf.errors.OpError as error:
            outcome.append(error)

    thread = threading.Thread(target=work)
    thread.start()

    def wait():
        thread.join()
        return outcome[0]

    return wait


# Steps --------------------------------------------------


def test_feeds_fetches_and_targets(master, graph):
    client = Client(master, graph)
    assert client.values(["y:0", "d:0"], {"x:0": 2.5}) == {"y:0": 2.5, "d:0": [1, 2]}
    assert client.values(["y", "y:0"], {"x": 2.5}) == {"y": 2.5, "y:0": 2.5}
    assert client.values(targets=["v/Assign"]) == {}
    assert client.values(["v:0"]) == {"v:0": [3.0]}


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ((["zz:0"],), "NotFoundError", "FetchOutputs node zz:0: not found"),
        ((["d:0"], {"zz:0": 1}), "NotFoundError", "FeedInputs: unable to find feed output zz:0"),
        (((), {}, ["zz"]), "NotFoundError", "Some target nodes not found: zz"),
        ((["d:1"],), "InvalidArgumentError", "d has 1 outputs"),
        ((["d:x"],), "InvalidArgumentError", "d has 1 outputs"),
        ((["x:0"], {"x:0": 1.0}), "InvalidArgumentError", "x:0 is both fed and fetched"),
        ((["y:0"], {"x:0": 1}), "InvalidArgumentError", "x:0 is of type int32.* of type float32"),
        ((["y:0"],), "InvalidArgumentError", r"must feed a value for .* 'x'[^$]*\{\{node x\}\}"),
        ((["v:0"],), "FailedPreconditionError", r"uninitialized value v[^$]*\{\{node v\}\}"),
    ],
)
def test_errors_of_steps(master, graph, arguments, error, words):
    client = Client(master, graph)
    with pytest.raises(getattr(tf.errors, error), match=words):
        client.run(*arguments)
    response = client.run(*arguments, store_errors_in_response_body=True).message
    assert response.status_code == getattr(tf.errors, error).error_code
    assert "imported graph" not in response.status_error_message
    assert client.values(["d:0"]) == {"d:0": [1, 2]}


def test_malformed_feeds_change_nothing(master, graph):
    client = Client(master, graph)
    client.run(targets=["v/Assign"])
    request = client.request(["more:0"], {"x:0": [1.0, 2.0]})
    request.feed[0].tensor.tensor_content = b"123"
    with pytest.raises(tf.errors.InvalidArgumentError, match="feed x:0: Malformed tensor"):
        master.run_step(as_parcel(request), CancellationManager())
    request = client.request(["more:0"], {"x:0": 1.0})
    request.feed.add().CopyFrom(request.feed[0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="x:0 is given twice"):
        master.run_step(as_parcel(request), CancellationManager())
    assert client.values(["v:0"]) == {"v:0": [3.0]}


def test_a_request_that_arrives_twice(master, graph):
    client = Client(master, graph)
    client.run(targets=["v/Assign"])
    client.run(["more:0"], request_id=5)
    with pytest.raises(tf.errors.AbortedError, match="RunStep request was received twice"):
        client.run(["more:0"], request_id=5)
    assert client.values(["v:0"]) == {"v:0": [4.0]}


def test_timeouts(master):
    with Gate() as gate, tf.Graph().as_default() as graph:
        gate.card(tf.constant(1.0), name="wait")
        client = Client(master, graph)
        error = past_deadline(lambda options: client.run(["wait:0"], options=options))
        assert "waits for the test's gate" in str(error)


def test_traces(master, graph):
    client = Client(master, graph)
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE, output_partition_graphs=True)
    metadata = client.run(["y:0"], {"x:0": 1.0}, options=options).message.metadata
    (device,) = metadata.step_stats.dev_stats
    assert device.device == TASK + "/device:CPU:0"
    assert [node.node_name for node in device.node_stats] == ["y"]
    assert {node.name for node in metadata.partition_graphs[0].node} == {"_arg_x_0_0", "y"}


# Cancellation --------------------------------------------------


@pytest.fixture
def waiting(master):
    with Gate() as gate, tf.Graph().as_default() as graph:
        gate.card(tf.constant(1.0), name="wait")
        tf.constant(5, name="five")
        client = Client(master, graph)
        yield client, gate


def test_a_step_waits_and_goes_on(waiting):
    client, gate = waiting
    outcome = start(lambda: client.values(["wait:0"]))
    gate.reached.wait()
    assert client.values(["five:0"]) == {"five:0": 5}  # others are served meanwhile
    gate.open()
    assert outcome() == {"wait:0": 1.0}


def test_a_withdrawn_call_ends_its_step(waiting):
    client, gate = waiting
    withdrawn = CancellationManager()
    outcome = start(lambda: client.run(["wait:0"], withdrawn=withdrawn))
    gate.reached.wait()
    withdrawn.start_cancel(CancelledError(None, None, "the client is gone"))
    assert isinstance(outcome(), tf.errors.CancelledError)
    assert gate.withdrawn.is_set()


def test_closing_a_session_cancels_its_steps(waiting):
    client, gate = waiting
    outcome = start(lambda: client.run(["wait:0"]))
    gate.reached.wait()
    client.close()
    error = outcome()
    assert isinstance(error, tf.errors.CancelledError)
    assert error.message.startswith("Step was cancelled by an explicit call to `Session::Close()`.")
    with pytest.raises(tf.errors.AbortedError, match=f"Session {client.handle} is not found."):
        client.run(["five:0"])


def test_reset_and_stop_cancel_steps(waiting):
    client, gate = waiting
    outcome = start(lambda: client.run(["wait:0"]))
    gate.reached.wait()
    client.master.reset(messages.ResetRequest(), CancellationManager())
    assert "the server was reset" in outcome().message
    again = Client(client.master, client.graph)
    gate.reached.clear()
    outcome = start(lambda: again.run(["wait:0"]))
    gate.reached.wait()
    client.master.close()
    assert "its server was stopped" in outcome().message


# Graphs --------------------------------------------------


def extend(client, graph_def, version):
    request = messages.ExtendSessionRequest(
        session_handle=client.handle, graph_def=graph_def, current_graph_version=version
    )
    return client.master.extend_session(request, CancellationManager()).new_graph_version


def test_extending(master, graph):
    client = Client(master, graph)
    before = graph.version
    with graph.as_default():
        tf.identity(graph.get_tensor_by_name("d:0"), name="e")
    new = graph.as_graph_def(from_version=before)
    with pytest.raises(tf.errors.AbortedError, match="version is 0 but caller expected 3"):
        extend(client, new, 3)
    assert extend(client, new, client.version) == client.version + 1
    assert client.values(["e:0"]) == {"e:0": [1, 2]}
    with pytest.raises(tf.errors.InvalidArgumentError, match="e"):  # it is there already
        extend(client, new, client.version + 1)
    assert extend(client, tf.GraphDef(), client.version + 1) == client.version + 2
    assert client.values(["e:0"]) == {"e:0": [1, 2]}


def node(name, op, *inputs):
    definition = tf.GraphDef()
    definition.node.add(name=name, op=op, input=inputs)
    return definition


@pytest.mark.parametrize(
    ("definition", "error"),
    [
        (node("a", "NoSuchOp"), "NotFoundError"),
        (node("a", "Identity", "nowhere"), "InvalidArgumentError"),
        (node("a", "Identity", "a"), "InvalidArgumentError"),
        (node("a", "Const"), "InvalidArgumentError"),
        (node("a b", "NoOp"), "InvalidArgumentError"),
        (node("x", "NoOp"), "InvalidArgumentError"),
        (tf.GraphDef(versions={"min_consumer": 10**6}), "InvalidArgumentError"),
    ],
)
def test_malformed_graphs_change_nothing(master, graph, definition, error):
    kind = getattr(tf.errors, error)
    client = Client(master, graph)
    names = set(master._session(client.handle).graph._by_name)
    with pytest.raises(kind):
        extend(client, definition, client.version)
    assert set(master._session(client.handle).graph._by_name) == names
    assert extend(client, tf.GraphDef(), client.version) == client.version + 1
    sessions = len(master._sessions)
    definition.node.add(name="x", op="NoOp")  # twice, in one case
    definition.node.add(name="x", op="NoOp")
    with pytest.raises(tf.errors.OpError):
        master.create_session(
            messages.CreateSessionRequest(graph_def=definition), CancellationManager()
        )
    assert len(master._sessions) == sessions


# State --------------------------------------------------


def test_variables_are_shared_by_name(master, graph):
    first, second = Client(master, graph), Client(master, graph)
    alone = Client(master, graph, isolate_session_state=True)
    first.run(targets=["v/Assign"])
    assert second.values(["v:0"]) == {"v:0": [3.0]}
    with pytest.raises(tf.errors.FailedPreconditionError):
        alone.run(["v:0"])
    first.close()
    assert second.values(["v:0"]) == {"v:0": [3.0]}  # the task's, not the session's


def test_reset_forgets_containers_and_sessions(master, graph):
    client = Client(master, graph)
    client.run(targets=["v/Assign"])
    master.reset(messages.ResetRequest(container=["other"]), CancellationManager())
    with pytest.raises(tf.errors.AbortedError):
        client.run(["d:0"])
    client = Client(master, graph)
    assert client.values(["v:0"]) == {"v:0": [3.0]}
    master.reset(messages.ResetRequest(), CancellationManager())
    with pytest.raises(tf.errors.FailedPreconditionError):
        Client(master, graph).run(["v:0"])


# Partial runs and callables --------------------------------------------------


@pytest.fixture
def sums(master):
    with tf.Graph().as_default() as graph:
        a = tf.placeholder(tf.float32, [], name="a")
        b = tf.placeholder(tf.float32, [], name="b")
        first = tf.identity(a, name="first")
        with tf.control_dependencies([first]):
            tf.identity(b, name="second")
    return Client(master, graph)


def set_up(client, fetches, feeds):
    request = messages.PartialRunSetupRequest(
        session_handle=client.handle, fetch=fetches, feed=feeds
    )
    return client.master.partial_run_setup(request, CancellationManager()).partial_run_handle


def test_partial_runs(sums):
    handle = set_up(sums, ["first:0", "second:0"], ["a:0", "b:0"])
    withdrawn = CancellationManager()
    response = sums.run(["first:0"], {"a:0": 1.0}, partial_run_handle=handle, withdrawn=withdrawn)
    assert [tensor.name for tensor in response.tensors] == ["first:0"]
    withdrawn.start_cancel()  # the first call is over: the run goes on
    assert sums.values(["second:0"], {"b:0": 2.0}, partial_run_handle=handle) == {"second:0": 2}
    with pytest.raises(tf.errors.InvalidArgumentError, match="Must run PartialRunSetup"):
        sums.run(["second:0"], {"b:0": 2.0}, partial_run_handle=handle)


def test_errors_of_partial_runs(sums):
    handle = set_up(sums, ["first:0"], ["a:0", "b:0"])
    for arguments, words in [
        ((["second:0"], {}), "The fetch second:0 was not specified in partial_run_setup."),
        ((["first:0"], {"second:0": 1.0}), "The feed second:0 was not specified"),
    ]:
        with pytest.raises(tf.errors.InvalidArgumentError, match=words):
            sums.run(*arguments, partial_run_handle=handle)
    assert sums.values(["first:0"], {"a:0": 1.0}, partial_run_handle=handle) == {"first:0": 1}
    with pytest.raises(tf.errors.InvalidArgumentError, match="a:0 has already been fed"):
        sums.run([], {"a:0": 1.0}, partial_run_handle=handle)
    with pytest.raises(tf.errors.InvalidArgumentError, match="first:0 has already been fetched"):
        sums.run(["first:0"], partial_run_handle=handle)


def test_callables(sums):
    def call(handle, *values):
        request = messages.RunCallableRequest(session_handle=sums.handle, handle=handle)
        request.feed.extend(tf.make_tensor_proto(np.float32(value)) for value in values)
        response = sums.master.run_callable(as_parcel(request), CancellationManager())
        return [value.tolist() for value in response.values()]

    request = messages.MakeCallableRequest(session_handle=sums.handle)
    request.options.feed.extend(["b:0", "a:0"])
    request.options.fetch.extend(["second:0", "first:0", "second:0"])
    handle = sums.master.make_callable(request, CancellationManager()).handle
    assert call(handle, 1, 2) == [1, 2, 1]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Expected 2 feed tensors, but got 1"):
        call(handle, 1)
    release = messages.ReleaseCallableRequest(session_handle=sums.handle, handle=handle)
    sums.master.release_callable(release, CancellationManager())
    with pytest.raises(tf.errors.InvalidArgumentError, match="No such callable handle"):
        call(handle, 1, 2)


def test_devices(master, graph):
    client = Client(master, graph, device_count={"CPU": 4})
    request = messages.ListDevicesRequest(session_handle=client.handle)
    (device,) = master.list_devices(request, CancellationManager()).local_device
    status = master.worker.get_status(worker_pb2.GetStatusRequest(), CancellationManager())
    assert status.device_attributes[0] == device
    assert (device.name, device.incarnation, device.xla_global_id) == (
        TASK + "/device:CPU:0",
        7,
        -1,
    )
