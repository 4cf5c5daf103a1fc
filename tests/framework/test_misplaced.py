"""Arguments in the wrong place: the message says what it is, and where it goes."""

import pytest

import tinytf as tf


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


@pytest.mark.parametrize(
    ("second", "said"),
    [
        (lambda: tf.constant(2), r"Several fetches are one list: sess\.run\(\[a, b\]\)"),
        (tf.no_op, r"Several fetches are one list"),
        (lambda: tf.RunOptions(timeout_in_ms=3), r"Name it: options=\.\.\."),
        (tf.RunMetadata, r"Name it: run_metadata=\.\.\."),
        (tf.Session, r"Name the session: session=\.\.\."),
    ],
)
def test_what_is_no_feed_dict(second, said):
    a = tf.constant(1)
    with tf.Session() as sess:
        with pytest.raises(TypeError, match=rf"(?s)feed_dict must be a dictionary, got .*{said}"):
            sess.run(a, second())
        assert sess.run(a, []) == sess.run(a, None) == 1  # as in TensorFlow


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (lambda: {"target": tf.Graph()}, r"got Graph\. Name it: tf\.Session\(graph=\.\.\.\)"),
        (lambda: {"target": tf.ConfigProto()}, r"Name it: tf\.Session\(config=\.\.\.\)"),
        (lambda: {"target": tf.constant(1)}, r"got Tensor\. A session is opened without it"),
        (lambda: {"target": tf.no_op}, r"got function\. Call it: tf\.Session\(cluster\.target"),
        (lambda: {"graph": tf.ConfigProto()}, r"`graph` must be a tf\.Graph, but got ConfigProto"),
        (
            lambda: {"config": tf.GPUOptions()},
            r"`config` must be a tf\.ConfigProto.*a part of one: tf\.ConfigProto\(gpu_options",
        ),
    ],
)
def test_what_is_no_argument_of_a_session(settings, said):
    with pytest.raises(TypeError, match=said):
        tf.Session(**settings())


def test_a_server_has_a_target():
    class Server:
        target = "grpc://localhost:1"

    with pytest.raises(TypeError, match=r"It has a target: tf\.Session\(server\.target\)"):
        tf.Session(Server())


def test_a_variable_in_parts_is_run_as_one_tensor():
    table = tf.get_variable("table", [4], partitioner=tf.fixed_size_partitioner(2))
    with tf.Session() as sess:
        with pytest.raises(TypeError, match=r"It is in parts: run tf\.convert_to_tensor\(variable"):
            sess.run(table)
        sess.run(tf.global_variables_initializer())
        assert sess.run(tf.convert_to_tensor(table)).shape == (4,)


@pytest.mark.parametrize(
    "swapped",
    [
        lambda: tf.placeholder([None, 3], tf.float32),
        lambda: tf.get_variable("v", tf.float32),
        lambda: tf.parse_example([b""], {"a": tf.FixedLenFeature(tf.int64, [])}),
    ],
)
def test_a_type_for_a_shape(swapped):
    with pytest.raises(TypeError, match="Were type and shape swapped"):
        swapped()


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("ps:0", "/job:ps/task:0"),
        ("/worker:12", "/job:worker/task:12"),
        ("cuda:1", "/gpu:1"),
        ("cuda", "/gpu:0"),
    ],
)
def test_other_ways_to_write_a_device(written, meant):
    with pytest.raises(ValueError, match=rf"Did you mean '{meant}'\?"), tf.device(written):
        pass
    with tf.device(meant):
        assert tf.no_op().device
