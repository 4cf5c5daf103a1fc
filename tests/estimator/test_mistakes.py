"""Mistakes with estimators: the first words are TensorFlow's, the rest says what to do."""

import numpy as np
import pytest

import tinytf as tf
from tests.estimator.models import line, points

E = tf.estimator
Spec = E.EstimatorSpec


def outside():
    with tf.Graph().as_default():
        return tf.constant(1.0)


#: What model_fn returns -> the error, what it begins with, and what it says to do.
SPECS = {
    "no train_op": (
        lambda mode, x: Spec(mode, loss=tf.reduce_sum(x)),
        (ValueError, "Missing train_op.", "train_op=optimizer.minimize(loss, global_step="),
    ),
    "no loss": (
        lambda mode, x: Spec(mode, train_op=tf.no_op()),
        (ValueError, "Missing loss.", "mode='train'"),
    ),
    "many losses": (
        lambda mode, x: Spec(mode, loss=x, train_op=tf.no_op()),
        (ValueError, "Loss must be scalar, given: Tensor(", "tf.reduce_mean(loss)"),
    ),
    "no tensor": (
        lambda mode, x: Spec(mode, loss=1.0, train_op=tf.no_op()),
        (TypeError, "loss must be Tensor, given: 1.0", ""),
    ),
    "another graph": (
        lambda mode, x: Spec(mode, loss=outside(), train_op=tf.no_op()),
        (ValueError, 'loss with "Const:0" must be from the default graph.', "inside model_fn"),
    ),
    "no pair": (
        lambda mode, x: Spec(mode, x, tf.reduce_sum(x), tf.no_op(), {"mean": tf.reduce_mean(x)}),
        (TypeError, "Values of eval_metric_ops must be (metric_value, update_op)", "tf.metrics"),
    ),
    "a hook's class": (
        lambda mode, x: Spec(
            mode, training_hooks=[tf.train.SessionRunHook], loss=x[0, 0], train_op=tf.no_op()
        ),
        (TypeError, "All hooks must be SessionRunHook instances", "is a class"),
    ),
    "no spec": (
        lambda mode, x: x,
        (ValueError, "model_fn should return an EstimatorSpec.", "in mode 'train'"),
    ),
}


def check(error, expected):
    kind, begins, says = expected
    text = "\n".join([str(error.value), *getattr(error.value, "__notes__", [])])
    assert type(error.value) is kind
    assert text.startswith(begins)
    assert says in text


@pytest.mark.parametrize("name", SPECS)
def test_what_a_model_fn_returns(name, tmp_path):
    function, expected = SPECS[name]

    def model_fn(features, mode):
        return function(mode, tf.constant([[1.0], [2.0]]))

    with pytest.raises(Exception) as error:
        E.Estimator(model_fn, tmp_path).train(lambda: {"x": tf.constant([1.0])}, steps=1)
    check(error, expected)


def test_a_model_fn_without_modes(tmp_path):
    def model_fn(features, labels):
        loss = tf.losses.mean_squared_error(labels, features["x"])
        return Spec("train", loss=loss, train_op=tf.no_op())

    with pytest.raises(ValueError) as error:
        next(E.Estimator(model_fn, tmp_path).predict(points(tf)))
    check(error, (ValueError, "Argument `labels` must not be None.", "gets labels=None"))


def test_predictions_of_nothing(tmp_path):
    """They would have no end: nothing is fetched that could exhaust the input."""
    model = E.Estimator(lambda features, mode: Spec(mode, predictions={}), tmp_path)
    with pytest.raises(ValueError, match="predictions is an empty dict"):
        next(model.predict(points(tf)))


def test_labels_that_are_no_column(tmp_path):
    def model_fn(features, labels):
        return tf.losses.mean_squared_error(labels, features["x"])

    with pytest.raises(ValueError, match=r"^Shapes \(\?, 1\) and \(\?,\)") as error:
        E.Estimator(model_fn, tmp_path).train(points(tf))
    assert "tf.expand_dims(labels, 1)" in error.value.__notes__[0]


@pytest.mark.parametrize(
    ("model_fn", "params", "message"),
    [
        (None, None, "model_fn must be provided to Estimator."),
        (lambda x: None, None, "must include features argument."),
        (lambda features: None, {}, "does not include params argument, but params"),
        (lambda features, units: None, None, "has following not expected args: ['units']"),
    ],
)
def test_a_function_that_is_no_model_fn(model_fn, params, message):
    with pytest.raises(ValueError) as error:
        E.Estimator(model_fn, params=params)
    assert message in str(error.value)


#: What input_fn is -> the error, what it begins with, and what it says to do.
INPUTS = {
    "a function of a function": (
        lambda: points(tf),
        (TypeError, "input_fn has returned a function", "without a function around it"),
    ),
    "what it returns": (
        (np.zeros(3), np.zeros(3)),
        (TypeError, "input_fn must be a function that returns features and labels", "lambda"),
    ),
    "three things": (
        lambda: (1, 2, 3),
        (ValueError, "input_fn should return (features, labels) as a len 2 tuple.", "dict"),
    ),
    "an array": (lambda: np.zeros((3, 1)), (IndexError, "only integers", "numpy_input_fn({")),
    "another key": (
        lambda: ({"y": tf.zeros([3, 1])}, tf.zeros([3, 1])),
        (KeyError, "'x'", "(input_fn returns the features ['y'].)"),
    ),
    "nothing": (lambda: None, (TypeError, "'NoneType' object is not", "no features: its `return`")),
}


@pytest.mark.parametrize("name", INPUTS)
def test_what_an_input_fn_returns(name, tmp_path):
    input_fn, expected = INPUTS[name]
    with pytest.raises(Exception) as error:
        E.Estimator(line(tf), tmp_path).train(input_fn, steps=1)
    check(error, expected)


def test_inputs_that_never_end_are_warned_of(tmp_path, caplog, monkeypatch):
    def arrays():
        return {"x": np.zeros([2, 1], np.float32)}, np.zeros(2, np.float32)

    def same(features, mode):
        return Spec(mode, predictions=tf.identity(features["x"]))

    model = E.Estimator(line(tf), tmp_path)
    next(E.Estimator(same, tmp_path).predict(arrays))
    assert "Input graph does not use tf.data.Dataset or contain a QueueRunner." in caplog.text
    assert "as constants of the graph, and the input never ends" in caplog.text
    monkeypatch.setattr("tinytf.estimator.evaluating._MANY", 3)

    class Enough(tf.train.SessionRunHook):
        def after_run(self, run_context, run_values):
            if "This evaluation has taken 3 batches" in caplog.text:
                run_context.request_stop()

    model.evaluate(points(tf, num_epochs=None), hooks=[Enough()])
    assert "num_epochs=1" in caplog.text


def test_input_without_elements_is_warned_of(tmp_path, caplog):
    empty = lambda: tf.data.Dataset.from_tensors(({"x": [[0.0]]}, [0.0])).take(0)  # noqa: E731
    E.Estimator(line(tf), tmp_path).train(empty)
    assert "Training with estimator made no steps. Perhaps input is empty" in caplog.text


def test_a_folder_with_another_model(tmp_path):
    def other(features, labels, mode):
        y = tf.layers.dense(features["x"], 2, name="other")
        return Spec(mode, loss=tf.reduce_mean(y), train_op=tf.no_op())

    E.Estimator(line(tf), tmp_path).train(points(tf), steps=1)
    with pytest.raises(tf.errors.NotFoundError) as error:
        E.Estimator(other, tmp_path).train(points(tf), steps=1)
    begins = "Restoring from checkpoint failed."
    check(error, (tf.errors.NotFoundError, begins, "with another folder begins anew"))


def test_steps_and_names(tmp_path):
    model = E.Estimator(line(tf), tmp_path)
    for call, message in (
        (lambda: model.train(points(tf), steps=1, max_steps=2), "Can not provide both steps and m"),
        (lambda: model.train(points(tf), steps=0), "Must specify steps > 0, given: 0"),
        (lambda: model.train(points(tf), max_steps=-1), "Must specify max_steps > 0, given: -1"),
        (lambda: model.evaluate(points(tf), steps=0), "Must specify steps > 0, given: 0"),
        (model.get_variable_names, "Could not find trained model in model_dir: "),
        (lambda: model.export_saved_model("x", lambda: None), "Couldn't find trained model at"),
    ):
        with pytest.raises(ValueError) as error:
            call()
        assert str(error.value).startswith(message)


def test_members_are_not_overridden():
    class Mine(E.Estimator):
        def train(self, input_fn):
            """Another one."""

    with pytest.raises(
        ValueError, match=r"^Subclasses of Estimator cannot override members of Est"
    ):
        Mine(line(tf))


def test_metrics_whose_names_are_taken(tmp_path):
    def loss(labels):
        return {"loss": tf.metrics.mean(labels)}

    with pytest.raises(
        ValueError, match=r'^Metric with name "loss" is not allowed, because Estima'
    ):
        E.add_metrics(E.Estimator(line(tf), tmp_path), loss).evaluate(points(tf))
    with pytest.raises(ValueError, match=r"has following not expected args: \['mode'\]"):
        E.add_metrics(E.Estimator(line(tf), tmp_path), lambda mode: {})


def test_a_model_without_inputs(tmp_path):
    def model_fn(features, labels, mode):
        w = tf.get_variable("w", initializer=1.0)
        step = tf.train.get_global_step()
        train = tf.train.GradientDescentOptimizer(0.1).minimize(tf.square(w), step)
        return Spec(mode, loss=tf.square(w), train_op=train)

    model = E.Estimator(model_fn, tmp_path).train(lambda: None, steps=2)
    assert model.get_variable_value("w") == pytest.approx(0.64)
    with pytest.raises(ValueError, match=r"features should be a dictionary.*`return` is missing"):
        E.LinearClassifier([], tmp_path).train(lambda: None)


def test_what_a_receiver_function_returns(tmp_path):
    model = E.Estimator(line(tf), tmp_path).train(points(tf), steps=1)
    with pytest.raises(
        AttributeError, match=r"^'tuple' object has no attribute 'features'. The re"
    ):
        model.export_saved_model(tmp_path / "exported", lambda: ({"x": tf.zeros([1, 1])}, None))


def test_no_frame():
    with pytest.raises(TypeError, match=r"must be a DataFrame.*numpy_input_fn takes arrays"):
        E.inputs.pandas_input_fn(np.zeros([3, 2]), shuffle=False)


@pytest.mark.parametrize("text", ["{'cluster': ", "[1, 2]", '{"cluster": ["host:1"]}'])
def test_what_is_no_tf_config(text, monkeypatch):
    monkeypatch.setenv("TF_CONFIG", text)
    with pytest.raises((ValueError, TypeError, AttributeError)) as error:
        E.RunConfig()
    assert f"TF_CONFIG is {text!r}. It holds JSON" in error.value.__notes__[0]
