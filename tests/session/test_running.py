"""What a run computes, and what it prepares: only what is needed, once, compiled once."""

import time

import numpy as np
import pytest

import tinytf as tf
from tests.framework.temporary_ops import counter, temporary_op
from tinytf.session import local, local_runner, results


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


@pytest.fixture
def sess(graph):
    with tf.Session() as sess:
        yield sess


@pytest.fixture
def compilations(sess, monkeypatch):
    """The signatures the session's backend was asked to compile."""
    asked = []
    original = sess._backend.compile

    def compile(signature):
        asked.append(tuple([t.name for t in tensors] for tensors in signature[:2]))
        return original(signature)

    monkeypatch.setattr(sess._backend, "compile", compile)
    return asked


# Only what is needed, and once --------------------------------------------------------------------


def test_what_no_fetch_needs_never_runs(sess):
    with counter() as (noted, notes):
        x = noted(tf.constant(2.0), name="x")
        noted(x, name="useless")
        assert sess.run(tf.identity(x)) == 2
        assert notes == [2]


def test_a_node_runs_once_whoever_needs_it(sess):
    with counter() as (noted, notes):
        x = noted(tf.constant(2.0))
        y, z = tf.identity(x), tf.identity(x)
        assert sess.run([y, z, [x], y, x.name, x.op]) == [2, 2, [2], 2, 2, None]
        assert len(notes) == 1
        sess.run([y, z])
        assert len(notes) == 2


def test_a_node_whose_value_is_fed_does_not_run(sess):
    with counter() as (noted, notes):
        x = noted(tf.constant(2.0))
        assert sess.run(tf.identity(x), {x: 5.0}) == 5
        assert notes == []
        with tf.control_dependencies([x]):
            after = tf.constant(1.0)
        assert sess.run(tf.identity(after)) == 1
        assert notes == [2]


def test_control_inputs_run_first(sess):
    order = []
    with temporary_op("TestNote", "", "label: string") as card:
        card.shape(lambda c: [])

        @card.kernel
        def _(*, label):
            order.append(label)
            return ()

        first = card(label="first")
        with tf.control_dependencies([first]):
            second = card(label="second")
        with tf.control_dependencies([second, first]):
            third = card(label="third")
        sess.run([third, second])
    assert order == [b"first", b"second", b"third"]


# Compiled once ------------------------------------------------------------------------------------


def test_a_signature_is_compiled_once(sess, compilations):
    x = tf.placeholder(tf.float32, name="x")
    y = tf.identity(x, name="y")
    for value in range(5):
        assert sess.run(y, {x: value}) == value
        assert sess.run([y, y], {x: value}) == [value, value]
    assert compilations == [(["x:0"], ["y:0"]), (["x:0"], ["y:0"])]


def test_a_plan_outlives_additions_to_the_graph(sess, compilations):
    x = tf.placeholder(tf.float32, name="x")
    y = tf.identity(x, name="y")
    assert sess.run(y, {x: 1}) == 1
    z = tf.identity(y, name="z")
    assert sess.run(y, {x: 2}) == 2
    assert sess.run(z, {x: 3}) == 3
    assert compilations == [(["x:0"], ["y:0"]), (["x:0"], ["z:0"])]


def test_a_node_that_changes_is_compiled_again(sess, compilations):
    c = tf.constant([1.0, 2.0], name="c")
    other = tf.constant([5.0], name="other")
    y = tf.identity(c, name="y")
    assert sess.run(y).tolist() == [1, 2]
    y.op._update_input(0, other)
    assert sess.run(y).tolist() == [5]
    with counter() as (noted, notes):
        y.op._add_control_input(noted(tf.constant(7.0)).op)
        assert sess.run(y).tolist() == [5]
        assert notes == [7]
    y.op._remove_all_control_inputs()
    y.op._set_attr("_note", tf.AttrValue(i=3))
    assert sess.run(y).tolist() == [5]
    assert len(compilations) == 4


def test_signatures_tell_fetches_and_feeds_apart(sess):
    x, y = tf.placeholder(tf.float32, name="x"), tf.placeholder(tf.float32, name="y")
    p = tf.stack([x, y])
    assert sess.run(p, {x: 1, y: 2}).tolist() == [1, 2]
    assert sess.run(p, {y: 1, x: 2}).tolist() == [2, 1]
    assert sess.run([p], {"x:0": 1, y: 2})[0].tolist() == [1, 2]
    assert sess.run((p,), {(x, y): (3, 4)})[0].tolist() == [3, 4]
    assert sess.run((p,), {(y, x): (3, 4)})[0].tolist() == [4, 3]
    assert sess.run((p,), {(x,): (5,), y: 6})[0].tolist() == [5, 6]
    with pytest.raises(TypeError, match="feed_dict must be a dictionary"):
        sess.run(p, [x, y])


def test_unhashable_fetches_are_compiled_every_time(sess):
    class Strange(dict):
        __hash__ = None

    c = tf.constant(1.0)
    assert sess.run(Strange(a=c)) == {"a": 1}
    assert isinstance(sess.run(Strange(a=c)), Strange)


# What comes back ----------------------------------------------------------------------------------


def test_values_that_later_change_are_the_callers_own(sess):
    x = tf.placeholder(tf.float32, [None])
    value = np.zeros(3, np.float32)
    fetched = sess.run(x, {x: value})
    fetched[0] = 7
    value[1] = 8
    assert value.tolist() == [0, 8, 0]
    assert fetched.tolist() == [7, 0, 0]


def test_subclasses_of_arrays_are_fed_as_arrays(sess):
    x = tf.placeholder(tf.float32, [None, None])
    matrix = np.ma.masked_array([[1.0, 2.0]], mask=[[True, False]], dtype=np.float32)
    assert type(sess.run(tf.identity(x), {x: matrix})) is np.ndarray


def test_strings_that_are_fed_are_looked_at(sess):
    s = tf.placeholder(tf.string)
    assert sess.run(s, {s: np.array(["ü", b"b"], object)}).tolist() == ["ü".encode(), b"b"]
    with pytest.raises(TypeError, match="Expected binary or unicode string, got 3"):
        sess.run(s, {s: np.array(["a", 3], object)})


def test_feeds_name_the_users_line(sess):
    x = tf.placeholder(tf.float32, [2], name="x")  # the placeholder's line
    for value in ([1], "text", 10**400, [[1], [2, 3]]):
        with pytest.raises((ValueError, TypeError), match="the placeholder's line"):
            sess.run(x, {x: value})


CURES = [
    ([None, 784], (784,), "np.reshape(value, (-1, 784)), which has shape (1, 784)"),
    ([None, 784], (5, 28, 28), "np.reshape(value, (-1, 784)), which has shape (5, 784)"),
    ([None, 1], (10,), "np.reshape(value, (-1, 1)), which has shape (10, 1)"),
    ([12], (3, 4), "np.reshape(value, (12,))"),
    ([], (1,), "np.reshape(value, ())"),
    ([3, 4], (4, 3), "np.transpose(value), which has shape (3, 4)"),
]


@pytest.mark.parametrize(("wanted", "given", "cure"), CURES)
def test_a_feed_whose_elements_would_fit_says_how(sess, wanted, given, cure):
    x, value = tf.placeholder(tf.float32, wanted), np.arange(float(np.prod(given))).reshape(given)
    with pytest.raises(ValueError, match=r"Cannot feed value of shape") as info:
        sess.run(x, {x: value})
    assert f"Its elements would fit: feed {cure}." in str(info.value)
    typed = eval(cure.partition(", which")[0], {"np": np, "value": value})  # noqa: S307
    assert sess.run(x, {x: typed}).size == value.size


@pytest.mark.parametrize(
    ("wanted", "given"), [([None, 3], (2, 6)), ([3], (2, 2)), ([2, None, None], (4,)), ([3], ())]
)
def test_rows_are_not_torn_apart_for_a_feed(sess, wanted, given):
    x = tf.placeholder(tf.float32, wanted)
    with pytest.raises(ValueError, match="Cannot feed value of shape") as info:
        sess.run(x, {x: np.zeros(given)})
    assert "would fit" not in str(info.value)


# Options and metadata -----------------------------------------------------------------------------


def unoptimised():
    """A configuration under which the graph runs as it was built."""
    config = tf.ConfigProto()
    config.graph_options.optimizer_options.opt_level = tf.OptimizerOptions.L0
    return config


def test_a_full_trace_has_every_node_once(graph):
    with counter() as (noted, _), tf.Session(config=unoptimised()) as sess:
        x = tf.placeholder(tf.float32, name="x")
        y = noted(noted(x, name="a"), name="b")
        noted(y, name="useless")
        z = tf.stack([tf.identity(y, name="i"), y], name="z")
        metadata = tf.RunMetadata()
        options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
        sess.run(z, {x: 1}, options, metadata)
    (device,) = metadata.step_stats.dev_stats
    assert device.device == "/job:localhost/replica:0/task:0/device:CPU:0"
    assert [n.node_name for n in device.node_stats] == ["a", "b", "i", "z"]
    labels = {n.node_name: n.timeline_label for n in device.node_stats}
    assert labels["z"] == "z = Pack(i, b)"
    starts = [n.all_start_micros for n in device.node_stats]
    assert starts == sorted(starts)
    assert all(0 <= n.op_end_rel_micros <= n.all_end_rel_micros for n in device.node_stats)


def test_without_a_trace_metadata_stays_empty(sess):
    metadata = tf.RunMetadata()
    sess.run(tf.constant(1), options=tf.RunOptions(), run_metadata=metadata)
    assert metadata == tf.RunMetadata()


def test_metadata_is_of_the_last_step_alone(sess):
    x = tf.placeholder(tf.float32, [])
    checked = tf.check_numerics(x * 2.0, "no number")
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE, output_partition_graphs=True)
    metadata = tf.RunMetadata()
    sess.run(checked, {x: 1.0}, options=options, run_metadata=metadata)
    nodes = len(metadata.step_stats.dev_stats[0].node_stats)

    sess.run(checked, {x: 1.0}, options=options, run_metadata=metadata)
    assert [len(device.node_stats) for device in metadata.step_stats.dev_stats] == [nodes]
    assert len(metadata.partition_graphs) == 1

    with pytest.raises(tf.errors.InvalidArgumentError):
        sess.run(checked, {x: float("nan")}, options=options, run_metadata=metadata)
    assert len(metadata.step_stats.dev_stats[0].node_stats) == nodes

    sess.run(checked, {x: 1.0}, run_metadata=metadata)
    assert not metadata.ListFields()


def test_the_pruned_graph_on_request(sess):
    x = tf.placeholder(tf.float32, name="x")
    y = tf.identity(x, name="y")
    tf.identity(y, name="useless")
    metadata = tf.RunMetadata()
    sess.run(y, {x: 1}, tf.RunOptions(output_partition_graphs=True), metadata)
    (graph,) = metadata.partition_graphs
    assert [(n.name, list(n.input)) for n in graph.node] == [
        ("y", ["_arg_x_0_0"]),
        ("_arg_x_0_0", []),
    ]
    assert {n.device for n in graph.node} == {"/job:localhost/replica:0/task:0/device:CPU:0"}


def test_devices(graph):
    config = tf.ConfigProto(device_count={"CPU": 3})
    with tf.Session(config=config) as sess:
        names = [device.name for device in sess.list_devices()]
        with tf.device("/cpu:2"):
            assert sess.run(tf.constant(1)) == 1
    assert names == [f"/job:localhost/replica:0/task:0/device:CPU:{i}" for i in range(3)]
    with tf.device("/cpu:5"), tf.Session(config=config) as sess:
        lost = tf.constant(1, name="lost")
        with pytest.raises(
            tf.errors.InvalidArgumentError, match="Could not satisfy explicit device specification"
        ) as caught:
            sess.run(lost)
    assert caught.value.op is lost.op
    assert "lost = tf.constant(1" in str(caught.value)


# Errors -------------------------------------------------------------------------------------------


def test_the_error_of_a_kernel_names_op_line_and_cause(sess):
    with temporary_op("TestBreaks", "x: float -> y: float") as card:
        card.shape(lambda c: c.input(0))

        @card.kernel
        def _(x):
            raise tf.errors.OutOfRangeError(None, None, "no more")

        broken = card(tf.constant(1.0), name="broken")  # where it was built
        with pytest.raises(tf.errors.OutOfRangeError) as caught:
            sess.run(tf.identity(broken))
    error = caught.value
    assert error.op is broken.op
    assert error.node_def.name == "broken"
    assert error.message.startswith("no more\n\t [[{{node broken}}]]")
    assert "# where it was built" in str(error)


def test_a_session_goes_on_after_an_error(sess):
    x = tf.placeholder(tf.float32, name="x")
    y = tf.identity(x)
    with pytest.raises(tf.errors.InvalidArgumentError, match="You must feed a value"):
        sess.run(y)
    assert sess.run(y, {x: 2}) == 2


def test_partial_runs_keep_values_between_calls(sess):
    with counter() as (noted, notes):
        a, b = tf.placeholder(tf.float32, []), tf.placeholder(tf.float32, [])
        c = noted(a)
        d = tf.stack([c, b])
        handle = sess.partial_run_setup([c, d], [a, b])
        assert sess.partial_run(handle, c, {a: 1.0}) == 1
        assert sess.partial_run(handle, d, {b: 2.0}).tolist() == [1, 2]
        assert notes == [1]


def test_a_partial_fetch_that_lacks_a_feed_names_it(sess):
    a = tf.placeholder(tf.float32, [], name="a")
    b = tf.placeholder(tf.float32, [], name="b")
    d = tf.stack([a, b])
    handle = sess.partial_run_setup([d], [a, b])
    with pytest.raises(tf.errors.InvalidArgumentError, match="Not fed yet: a:0"):
        sess.partial_run(handle, d, {b: 1.0})


def test_a_partial_run_runs_operations(sess):
    with counter() as (noted, notes):
        a = tf.placeholder(tf.float32, [])
        op = tf.group(noted(a))
        handle = sess.partial_run_setup([op], [a])
        assert sess.partial_run(handle, [op], {a: 1.0}) == [None]
        assert notes == [1]


def test_a_closed_session_refuses_everything():
    c = tf.constant(1)
    sess = tf.Session()
    call = sess.make_callable(c)
    handle = sess.partial_run_setup([c])
    sess.close()
    for use in (
        lambda: sess.run(c),
        call,
        lambda: sess.partial_run(handle, c),
        lambda: c.eval(session=sess),
    ):
        with pytest.raises(RuntimeError, match="Attempted to use a closed Session"):
            use()


def test_a_partial_run_that_is_over_leaves_nothing_with_the_session(sess):
    a = tf.placeholder(tf.float32, [], name="a")
    b = a + 1.0
    for _ in range(3):
        handle = sess.partial_run_setup([a, b], [a])
        assert sess.partial_run(handle, a, {a: 1.0}) == 1
        assert sess.partial_run(handle, b) == 2
    assert sess._backend.cancellation._callbacks == {}


def test_each_call_of_a_partial_run_has_its_own_time(monkeypatch):
    a, b = tf.placeholder(tf.float32, []), tf.placeholder(tf.float32, [])
    c, d = a + 1.0, b + 1.0
    with tf.Session(config=tf.ConfigProto(operation_timeout_in_ms=100_000)) as sess:
        handle = sess.partial_run_setup([c, d], [a, b])
        assert sess.partial_run(handle, c, {a: 1.0}) == 2
        now = time.monotonic
        monkeypatch.setattr(time, "monotonic", lambda: now() + 1000)
        assert sess.partial_run(handle, d, {b: 2.0}) == 3


def test_feeds_that_are_no_dictionary_are_refused_wherever_a_step_is_run(sess):
    y = tf.constant(1.0)
    runs = sess.run, lambda fetches, feeds: sess.observe(fetches, lambda plan: None, feeds)
    for run in runs:
        with pytest.raises(TypeError, match=r"feed_dict must be a dictionary, got \[1\.0\]$"):
            run(y, [1.0])
        with pytest.raises(TypeError, match=r"got <tf.Session local>. Name the session: session="):
            run(y, sess)


def test_a_fetch_that_is_large_is_shown_in_part(sess):
    metadata = tf.RunMetadata()
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    sess.run(tf.constant(1.0) + 2.0, options=options, run_metadata=metadata)
    with pytest.raises(TypeError, match=r"\.\.\. has invalid type .*jupyter\.timeline") as raised:
        sess.run(metadata)
    assert len(str(raised.value)) < 600


@pytest.mark.parametrize("traced", [False, True])
def test_a_step_whose_session_was_closed_meanwhile_is_cancelled(traced):
    """As in TensorFlow, also where nothing but straight code runs."""
    sess = tf.Session()
    y = tf.py_func(lambda: (sess.close(), np.float32(1.0))[1], [], tf.float32) + 1.0
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE) if traced else None
    with pytest.raises(tf.errors.CancelledError, match="closed"):
        sess.run(y, options=options, run_metadata=tf.RunMetadata() if traced else None)


@pytest.mark.parametrize("devices", [1, 2])
def test_a_step_that_begins_just_as_its_session_is_closed_is_cancelled(devices, monkeypatch):
    """On two devices, what the plan starts from is freed at once; see `LocalBackend.close`."""
    with tf.device("/cpu:1" if devices == 2 else ""):
        x = tf.placeholder(tf.float32, [])
        y = tf.check_numerics(x, "bad") * 2.0
    with tf.device("/cpu:0" if devices == 2 else ""):
        z = y + 1.0
    sess = tf.Session(config=tf.ConfigProto(device_count={"CPU": devices}))
    assert sess.run(z, {x: 1.0}) == 3.0

    def placed_late(*arguments):
        sess.close()
        return results.place_feeds(*arguments)

    for module in (local, local_runner):
        monkeypatch.setattr(module, "place_feeds", placed_late)
    with pytest.raises(tf.errors.CancelledError, match="Session has been closed"):
        sess.run(z, {x: np.nan})


def test_a_fetch_that_memory_has_no_room_for():
    """It is a view of one element until the caller gets an array of his own."""
    large = tf.broadcast_to(1.0, [2**46], name="large")
    with tf.Session() as sess:
        with pytest.raises(tf.errors.ResourceExhaustedError, match="allocate") as caught:
            sess.run(large)
    assert caught.value.op.name == "large"
