"""Malformed and hostile requests: a clean status, nothing changed, and the server goes on serving.

Without sockets (`hostile.Desk`); `test_bad_peers.py` sends some of them through real ones.
"""

import subprocess
import sys

import numpy as np
import pytest

import tinytf as tf
from tests.distributed.server.hostile import LOOK, MASTER, WORKER, Desk
from tinytf.framework.cancellation import CancellationManager
from tinytf.framework.errors import OpError
from tinytf.framework.rendezvous import rendezvous_key
from tinytf.protos import graph_pb2, master_pb2, worker_pb2


def test_every_method_is_here(desk):
    assert {*desk.PATHS, LOOK} == set(desk.services)
    assert set(desk.requests()) == set(desk.PATHS)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'{"what": 3}',
        b'{"what": ["nobody"]}',
        b'{"what": [[]]}',
        b'{"what": [null]}',
        b"[" * 60_000,
        b"\xff",
        b"1" * 70_000,
        b'{"what": ["\\u0000"]}',
    ],
)
def test_looks_that_are_none(desk, data):
    assert isinstance(desk.send(LOOK, data), tf.errors.InvalidArgumentError)


# Graphs ---------------------------------------------------------------------------------------


def node(graph_def, name, op, *inputs, **attrs):
    found = graph_def.node.add(name=name, op=op, input=inputs)
    for key, value in attrs.items():
        if isinstance(value, tf.DType):
            found.attr[key].type = value.as_datatype_enum
        elif isinstance(value, bytes):
            found.attr[key].s = value
        elif isinstance(value, int):
            found.attr[key].i = value
        else:
            found.attr[key].tensor.CopyFrom(value)
    return found


def graph(build):
    result = graph_pb2.GraphDef()
    result.versions.producer = 1645
    node(result, "one", "Const", dtype=tf.float32, value=tf.make_tensor_proto(1.0))
    build(result)
    return result


def cycle(g):
    node(g, "a", "Identity", "b", T=tf.float32)
    node(g, "b", "Identity", "a", T=tf.float32)


def negative(g):
    tensor = tf.make_tensor_proto(1.0)
    tensor.tensor_shape.dim.add(size=-5)
    node(g, "c", "Const", dtype=tf.float32, value=tensor)


def huge(g):
    tensor = tf.make_tensor_proto(1.0)
    tensor.tensor_shape.dim.add(size=1 << 40)
    node(g, "c", "Const", dtype=tf.float32, value=tensor)


def unfolded(g):
    for number in range(5):
        tensor = tf.make_tensor_proto(1.0)
        tensor.tensor_shape.dim.add(size=1 << 18)
        node(g, f"c{number}", "Const", dtype=tf.float32, value=tensor)


def twice(g):
    node(g, "one", "NoOp")


def far_too_many(g):
    for number in range(5001):
        node(g, f"n{number}", "NoOp")


def group_of_nobody(g):
    node(g, "a", "NoOp").attr["_class"].list.s.append(b"loc:@nobody")


def on_device(name):
    def build(g):
        node(g, "a", "Identity", "one", T=tf.float32).device = name

    return build


def called(name):
    return lambda g: node(g, name, "NoOp")


def functions(count):
    """Functions that call each other, `count` deep."""

    def build(g):
        for number in range(count + 1):
            function = g.library.function.add()
            function.signature.name = f"f{number}"
            function.signature.input_arg.add(name="x", type=1)
            function.signature.output_arg.add(name="y", type=1)
            op = "Identity" if number == count else f"f{number + 1}"
            inner = function.node_def.add(name="c", op=op, input=["x"])
            if number == count:
                inner.attr["T"].type = 1
            function.ret["y"] = "c:output:0" if number == count else "c:y:0"
        node(g, "a", "f0", "one")

    return build


REFUSED_GRAPHS = {
    "an unknown op": (lambda g: node(g, "a", "NoSuchOp"), tf.errors.NotFoundError, "NoSuchOp"),
    "a cycle": (cycle, tf.errors.InvalidArgumentError, "in a cycle"),
    "one name twice": (twice, tf.errors.InvalidArgumentError, "not unique"),
    "an unknown input": (
        lambda g: node(g, "a", "Identity", "nobody", T=tf.float32),
        tf.errors.InvalidArgumentError,
        "Unknown input node 'nobody'",
    ),
    "an output that is not there": (
        lambda g: node(g, "a", "Identity", "one:7", T=tf.float32),
        tf.errors.InvalidArgumentError,
        "one",
    ),
    "a missing attribute": (
        lambda g: node(g, "a", "Identity", "one"),
        tf.errors.InvalidArgumentError,
        "T",
    ),
    "an attribute of another kind": (
        lambda g: node(g, "a", "Identity", "one", T=b"float"),
        tf.errors.InvalidArgumentError,
        "type",
    ),
    "a type that does not fit": (
        lambda g: node(g, "a", "Identity", "one", T=tf.int32),
        tf.errors.InvalidArgumentError,
        "int32",
    ),
    "a negative size": (negative, tf.errors.InvalidArgumentError, "-5"),
    "a tensor that is declared huge": (huge, tf.errors.ResourceExhaustedError, "unfolded_bytes"),
    "many that are together": (unfolded, tf.errors.ResourceExhaustedError, "4194304"),
    "too many nodes": (
        far_too_many,
        tf.errors.ResourceExhaustedError,
        "but this server takes 5000",
    ),
    "an unknown colocation group": (group_of_nobody, tf.errors.InvalidArgumentError, "nobody"),
    "a device that is none": (
        on_device("/device:CPU:zero"),
        tf.errors.InvalidArgumentError,
        "/device:CPU:zero",
    ),
    "control characters": (called("a\x1b[2J"), tf.errors.InvalidArgumentError, "invalid"),
    "a zero byte": (called("a\0b"), tf.errors.InvalidArgumentError, "invalid characters"),
    "a name that turns its text": (called("a\u202eb"), tf.errors.InvalidArgumentError, "invalid"),
    "functions inside each other": (functions(3000), tf.errors.InvalidArgumentError, "nest"),
}


@pytest.mark.parametrize("what", REFUSED_GRAPHS)
@pytest.mark.parametrize("method", ["CreateSession", "ExtendSession", "RegisterGraph"])
def test_graphs_that_are_refused(desk, method, what):
    build, error, words = REFUSED_GRAPHS[what]
    definition = graph(build)
    if method == "CreateSession":
        path, request = MASTER + method, master_pb2.CreateSessionRequest(graph_def=definition)
    elif method == "ExtendSession":
        path = MASTER + method
        request = master_pb2.ExtendSessionRequest(
            session_handle=desk.victim,
            graph_def=definition,
            current_graph_version=desk.master._sessions[desk.victim].version,
        )
    else:
        path = WORKER + method
        request = worker_pb2.RegisterGraphRequest(
            session_handle=desk.worker_session,
            graph_def=definition,
            create_worker_session_called=True,
        )
    before = desk.state()
    answer = desk.send(path, request.SerializeToString())
    assert isinstance(answer, error), answer
    assert words in answer.message
    assert desk.state() == before


def steps_of(desk, definition, fetch):
    create = master_pb2.CreateSessionRequest(graph_def=definition)
    answer = desk.good(MASTER + "CreateSession", create)
    handle = master_pb2.CreateSessionResponse.FromString(answer).session_handle
    request = master_pb2.RunStepRequest(session_handle=handle, fetch=[fetch])
    return desk.send(MASTER + "RunStep", request.SerializeToString())


def loops(depth):
    def build(g):
        before = "one"
        for number in range(depth):
            frame = f"frame{number}".encode()
            node(g, f"in{number}", "Enter", before, T=tf.float32, frame_name=frame)
            before = f"in{number}"

    return build


def endless(g):
    function = g.library.function.add()
    function.signature.name = "f"
    function.signature.input_arg.add(name="x", type=1)
    function.signature.output_arg.add(name="y", type=1)
    function.node_def.add(name="c", op="f", input=["x"])
    function.ret["y"] = "c:y:0"
    node(g, "a", "f", "one")


REFUSED_STEPS = {
    "a device that nobody has": (on_device("/job:nobody/task:3"), "a:0", "/job:nobody"),
    "a function that calls itself": (endless, "a:0", "nest more than 100 deep"),
    "loops inside each other": (loops(3000), "in2999:0", "more than 100 loops"),
    "an output that is not there": (lambda g: None, "one:5", "has 1 outputs"),
    "an output that is no number": (lambda g: None, "one:x", "counted from 0"),
}


@pytest.mark.parametrize("what", REFUSED_STEPS)
def test_steps_that_are_refused(desk, what):
    build, fetch, words = REFUSED_STEPS[what]
    answer = steps_of(desk, graph(build), fetch)
    assert isinstance(answer, tf.errors.InvalidArgumentError)
    assert words in answer.message


def test_a_graph_that_computes_too_much_memory(desk):
    def build(g):
        sizes = tf.make_tensor_proto(np.int64([1 << 20, 1 << 20, 1 << 20]))
        node(g, "sizes", "Const", dtype=tf.int64, value=sizes)
        filled = node(g, "a", "Fill", "sizes", "one", T=tf.float32)
        filled.attr["index_type"].type = tf.int64.as_datatype_enum

    answer = steps_of(desk, graph(build), "a:0")
    assert isinstance(answer, tf.errors.ResourceExhaustedError | tf.errors.InvalidArgumentError)


def test_functions_of_other_processes_are_not_called(desk):
    program = (
        "import sys, tinytf as tf\n"
        "tf.py_func(lambda: 1.0, [], tf.float32, name='python')\n"
        "sys.stdout.buffer.write(tf.get_default_graph().as_graph_def().SerializeToString())\n"
    )
    made = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    answer = steps_of(desk, graph_pb2.GraphDef.FromString(made.stdout), "python:0")
    assert isinstance(answer, OpError)
    assert "pyfunc_" in answer.message
    assert "process" in answer.message


def test_tokens_that_somebody_guesses_call_nothing(desk):
    called = []
    with tf.Graph().as_default() as own:
        tf.py_func(lambda: called.append(1), [], tf.float32, name="python")
        good = own.as_graph_def().node[-1].attr["token"].s
    for token in (b"pyfunc_0", b"", b"\xff", good[:-1], good + b"0", good.upper()):
        definition = graph(lambda g: None)
        guess = node(definition, "a", "PyFunc", token=token)
        guess.attr["Tin"].list.SetInParent()
        guess.attr["Tout"].list.type.append(1)
        assert isinstance(steps_of(desk, definition, "a:0"), OpError)
    assert not called


# Handles, keys and numbers -----------------------------------------------------------------------


@pytest.mark.parametrize("handle", ["", "nobody", "\x00", "0" * 70_000, "é"])
def test_sessions_and_parts_that_nobody_knows(desk, handle):
    for path, request in desk.requests().items():
        for field in ("session_handle", "graph_handle", "partial_run_handle"):
            changed = type(request)()
            changed.CopyFrom(request)
            if not hasattr(request, field) or path == WORKER + "CreateWorkerSession":
                continue
            if path.startswith(WORKER) and field == "session_handle" and not handle:
                continue  # that of masters that make none
            if field == "partial_run_handle" and not handle:
                continue
            setattr(changed, field, handle)
            before = desk.state()
            answer = desk.send(path, changed.SerializeToString())
            assert isinstance(answer, tf.errors.AbortedError | tf.errors.InvalidArgumentError), path
            assert desk.state() == before


def key(device, incarnation, tensor="on", frame="0:0"):
    return f"{device};{incarnation:016x};{device};{tensor};{frame}"


def receive(desk, rendezvous_key, step_id=5):
    request = worker_pb2.RecvTensorRequest(step_id=step_id, rendezvous_key=rendezvous_key)
    return desk.send(WORKER + "RecvTensor", request.SerializeToString())


def receive_several(desk, *keys):
    request = worker_pb2.RecvTensorRequest(step_id=5, rendezvous_key="\n".join(keys))
    return desk.worker.tensors.recv_tensors(request, CancellationManager())


def test_keys_of_tensors(desk):
    steps = len(desk.worker.steps)
    own = desk.worker.devices[0].attributes.incarnation
    wrong = tf.errors.InvalidArgumentError
    for text in (
        "",
        ";",
        ";;;;",
        "a;b",
        "a;b;c;d;e;f",
        f"{desk.device};zz;{desk.device};on;0:0",
        key(desk.device, own, frame="0"),
        key(desk.device, own, frame="x:y"),
        key(desk.device, own, frame="0:-1"),
        key("", own),
        key("/job:b/replica:0/task:0/device:CPU:0", own),
    ):
        assert isinstance(receive(desk, text), wrong), text
        assert [type(error) for error in receive_several(desk, text, key(desk.device, own))] == [
            wrong,
            wrong,
        ]
    restarted = receive(desk, key(desk.device, own ^ 1))
    assert isinstance(restarted, tf.errors.AbortedError)
    assert "different device incarnation" in restarted.message
    for error in receive_several(desk, key(desk.device, own), key(desk.device, own ^ 1)):
        assert "different device incarnation" in error.message
    # What nobody sends is waited for until the client goes; nothing of it stays.
    assert isinstance(receive(desk, key(desk.device, own)), tf.errors.CancelledError)
    assert len(desk.worker.steps) == steps


@pytest.mark.parametrize("step_id", [0, -1, -(2**63), 2**63 - 1])
def test_numbers_of_steps(step_id):
    with Desk() as desk:
        _run_and_clean_up(desk, step_id)


def _run_and_clean_up(desk, step_id):
    run = desk.requests()[WORKER + "RunGraph"]
    run.step_id = step_id
    first = desk.send(WORKER + "RunGraph", run.SerializeToString())
    second = desk.send(WORKER + "RunGraph", run.SerializeToString())
    # The same number again: what the first sent to nobody is still there.
    assert all(isinstance(answer, bytes | OpError) for answer in (first, second))
    desk.good(WORKER + "CleanupGraph", worker_pb2.CleanupGraphRequest(step_id=step_id))
    assert len(desk.worker.steps) == 0
    desk.check()


def test_a_request_that_comes_twice():
    paths = MASTER + "RunStep", MASTER + "RunCallable", WORKER + "RunGraph"
    with Desk() as desk:  # of its own: others may have cleared the variables that all share
        for number, path in enumerate(paths, 4711):
            request = desk.requests()[path]
            request.request_id = number
            desk.good(path, request)
            answer = desk.send(path, request.SerializeToString())
            assert isinstance(answer, tf.errors.AbortedError)
            assert "received twice" in answer.message
        desk.check()


def test_what_a_part_did_not_ask_for(desk):
    run = desk.requests()[WORKER + "RunGraph"]
    run.send[0].name = "nobody"
    answer = desk.send(WORKER + "RunGraph", run.SerializeToString())
    assert isinstance(answer, tf.errors.InvalidArgumentError)
    assert "Nothing was sent for" in answer.message
    run = desk.requests()[WORKER + "RunGraph"]
    run.recv_key.append("nobody")
    answer = desk.send(WORKER + "RunGraph", run.SerializeToString())
    assert isinstance(answer, tf.errors.InvalidArgumentError)
    assert "nobody" in answer.message
    desk.good(WORKER + "CleanupGraph", worker_pb2.CleanupGraphRequest(step_id=run.step_id))


def test_names_of_devices_in_keys_that_are_no_text(desk):
    request = desk._register_request()
    request.graph_def.node[0].attr["send_device"].s = b"\xff\xfe"
    answer = desk.send(WORKER + "RegisterGraph", request.SerializeToString())
    assert isinstance(answer, tf.errors.InvalidArgumentError)
    assert "must be UTF-8" in answer.message
    assert (
        rendezvous_key(
            {
                "send_device": b"a",
                "recv_device": b"b",
                "tensor_name": b"t",
                "send_device_incarnation": -1,
            }
        )
        == f"a;{'f' * 16};b;t;"
    )


def test_timeouts_beyond_all_clocks(desk):
    run = desk.requests()[WORKER + "RunGraph"]
    run.timeout_in_ms = 2**63 - 1
    desk.good(WORKER + "RunGraph", run)
    desk.good(WORKER + "CleanupGraph", worker_pb2.CleanupGraphRequest(step_id=run.step_id))
    step = desk.step(desk.canary, ["product:0"])
    step.options.timeout_in_ms = 2**63 - 1
    desk.good(MASTER + "RunStep", step)


# Filters ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["Const", "a/b//c", "^v", "/job:a/task:-1", "loc:@nobody"])
def test_device_filters_that_are_none(desk, text):
    before = desk.state()
    create = master_pb2.CreateSessionRequest()
    create.config.device_filters.append(text)
    reset = master_pb2.ResetRequest(container=["elsewhere"], device_filters=[text])
    for method, request in (("CreateSession", create), ("Reset", reset)):
        answer = desk.send(MASTER + method, request.SerializeToString())
        assert isinstance(answer, tf.errors.InvalidArgumentError), answer
        assert "Invalid device filter" in answer.message
    assert desk.state() == before
