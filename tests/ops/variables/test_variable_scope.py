"""tf.get_variable and tf.variable_scope: sharing on purpose, never by accident."""

import threading

import pytest

import tinytf as tf
from tinytf.ops.variables.initializers import GlorotUniform, fans


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def test_sharing():
    with tf.variable_scope("model"):
        v = tf.get_variable("v", [1])
    with tf.variable_scope("model", reuse=True):
        assert tf.get_variable("v", [1]) is v
        assert tf.get_variable("v") is v
    with tf.variable_scope("model", reuse=tf.AUTO_REUSE):
        assert tf.get_variable("v", [1]) is v
        w = tf.get_variable("w", [1])
    with tf.variable_scope("model") as scope:
        scope.reuse_variables()
        assert tf.get_variable("w", [1]) is w
    assert [x.name for x in tf.global_variables()] == ["model/v:0", "model/w:0"]


def test_running_a_cell_again_does_not_trap_the_learner(graph):
    code = compile("v = tf.get_variable('v', [2])", "In[7]", "exec")
    exec(code, {"tf": tf})  # noqa: S102
    with pytest.raises(ValueError, match="Variable v already exists, disallowed") as caught:
        exec(code, {"tf": tf})  # noqa: S102
    text = str(caught.value)
    assert "Originally defined at:\n\n  In[7], line 1" in text
    assert "reuse=tf.AUTO_REUSE" in text
    assert "tf.reset_default_graph()" in text
    assert "with tf.Graph().as_default():" in text


def test_names_by_variable_scope_alone():
    with tf.name_scope("n"), tf.variable_scope("a"):
        v = tf.get_variable("v", [])
        op = tf.identity(v, name="i")
    assert (v.op.name, op.op.name) == ("a/v", "n/a/i")


def test_default_names_are_made_unique():
    names = []
    for _ in range(2):
        with tf.variable_scope("outer"):
            for _ in range(2):
                with tf.variable_scope(None, default_name="inner") as scope:
                    names.append((scope.name, scope.original_name_scope))
    assert names == [
        ("outer/inner", "outer/inner/"),
        ("outer/inner_1", "outer/inner_1/"),
        ("outer/inner", "outer_1/inner/"),
        ("outer/inner_1", "outer_1/inner_1/"),
    ]


def test_a_scope_can_be_entered_from_anywhere():
    with tf.variable_scope("a") as a:
        v = tf.get_variable("v", [])
    with tf.variable_scope("b"):
        with tf.variable_scope(a, reuse=True) as again:
            assert again.name == "a"
            assert tf.get_variable("v") is v
        assert tf.get_variable_scope().name == "b"


def test_defaults_are_inherited_and_overridden():
    with tf.variable_scope("a", initializer=tf.ones_initializer(), dtype=tf.float64) as a:
        a.set_use_resource(True)
        v = tf.get_variable("v", [2])
        with tf.variable_scope("b", initializer=tf.constant_initializer(7.0)):
            w = tf.get_variable("w", [2], tf.float32)
    assert v.dtype == tf.float64
    assert w.dtype == tf.float32
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        values = session.run([v, w])
        assert [value.tolist() for value in values] == [[1.0, 1.0], [7.0, 7.0]]


def test_custom_getters_wrap_each_other():
    calls = []

    def noting(text):
        def getter(getter, name, *args, **kwargs):
            calls.append((text, name))
            return getter(name, *args, **kwargs)

        return getter

    with tf.variable_scope("a", custom_getter=noting("outer")):
        with tf.variable_scope("b", custom_getter=noting("inner")):
            v = tf.get_variable("v", [2])
    assert calls == [("inner", "a/b/v"), ("outer", "a/b/v")]
    assert v.name == "a/b/v:0"


def test_regularizers():
    with tf.variable_scope("a", regularizer=lambda v: tf.identity(v, name="loss")):
        tf.get_variable("v", [])
        tf.get_variable("w", [], regularizer=tf.no_regularizer)
    [loss] = tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)
    assert loss.op.name == "a/v/Regularizer/loss"


def test_as_a_decorator():
    @tf.variable_scope("layer", reuse=tf.AUTO_REUSE)
    def weights():
        return tf.get_variable("w", [2])

    assert weights() is weights()
    assert weights().name == "layer/w:0"


def test_scopes_belong_to_threads():
    names = []

    def look():
        with tf.variable_scope("other"):
            names.append(tf.get_variable_scope().name)

    graph = tf.get_default_graph()

    def in_graph():
        with graph.as_default():
            look()

    with tf.variable_scope("mine"):
        thread = threading.Thread(target=in_graph)
        thread.start()
        thread.join()
        assert tf.get_variable_scope().name == "mine"
    assert names == ["other"]


def test_a_failing_body_leaves_the_scope():
    with pytest.raises(ZeroDivisionError), tf.variable_scope("a"):
        raise ZeroDivisionError
    assert tf.get_variable_scope().name == ""


def test_local_variables():
    v = tf.get_local_variable("v", [2])
    assert tf.local_variables() == [v]
    assert tf.trainable_variables() == tf.global_variables() == []


def test_variables_of_a_scope():
    with tf.variable_scope("a") as a:
        v = tf.get_variable("v", [])
    tf.get_variable("ab", [])
    assert a.global_variables() == a.trainable_variables() == [v]
    assert a.local_variables() == []


def test_initializer_and_type_must_agree():
    with pytest.raises(ValueError, match="Initializer type 'float32' and explicit dtype 'int32'"):
        tf.get_variable("v", dtype=tf.int32, initializer=tf.constant([1.0]))
    assert tf.get_variable("w", [2], initializer=tf.zeros_initializer).shape.as_list() == [2]
    made = tf.get_variable("x", initializer=lambda: tf.constant([1, 2, 3]))
    assert (made.shape.as_list(), made.dtype.base_dtype) == ([3], tf.int32)


def test_default_initializers():
    assert tf.get_variable("i", [2], tf.int64).initial_value.op.type == "Const"
    assert tf.get_variable("s", [2], tf.string).dtype.base_dtype == tf.string
    with pytest.raises(ValueError, match="An initializer for variable c of type complex64"):
        tf.get_variable("c", [2], tf.complex64)


@pytest.mark.parametrize(
    ("shape", "expected"), [([], (1, 1)), ([5], (5, 5)), ([3, 4], (3, 4)), ([2, 2, 3, 4], (12, 16))]
)
def test_fans(shape, expected):
    assert fans(shape) == expected


def test_glorot_uniform_keeps_its_bounds():
    w = tf.get_variable("w", [30, 50])
    limit = (6.0 / 80.0) ** 0.5
    with tf.Session() as session:
        session.run(w.initializer)
        value = session.run(w)
    assert abs(value).max() <= limit
    assert abs(value).max() > 0.9 * limit
    assert abs(value.mean()) < 0.05 * limit


def test_initializers_can_be_made_again():
    for initializer in (
        tf.constant_initializer(3.0),
        tf.random_normal_initializer(1.0, 2.0, seed=3),
        GlorotUniform(seed=1),
        tf.variance_scaling_initializer(2.0, "fan_out", "uniform"),
    ):
        config = initializer.get_config()
        assert type(initializer).from_config(config).get_config() == config


@pytest.mark.parametrize(
    "arguments", [{"scale": 0.0}, {"mode": "fan"}, {"distribution": "flat"}], ids=str
)
def test_variance_scaling_refuses(arguments):
    with pytest.raises(ValueError, match="Argument"):
        tf.variance_scaling_initializer(**arguments)


def test_a_mistaken_name_or_shape_in_a_shared_scope_leads_to_the_variable():
    with tf.variable_scope("layer"):
        tf.get_variable("weights", [2])
    with tf.variable_scope("layer", reuse=True):
        with pytest.raises(ValueError, match=r"weight does not exist.*There is layer/weights"):
            tf.get_variable("weight", [2])
        with pytest.raises(ValueError, match=r"(?s)found shape \(2,\)\..*was built at:.*weights"):
            tf.get_variable("weights", [3])
