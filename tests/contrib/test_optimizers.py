"""`optimize_loss`, `create_train_op`, and settings."""

import numpy as np
import pytest

import tinytf as tf

optimize_loss = tf.contrib.layers.optimize_loss
training = tf.contrib.training


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


@pytest.fixture
def square():
    """w, its square, and the global step."""
    w = tf.get_variable("w", initializer=4.0)
    return w, w * w, tf.train.create_global_step()


def after(train, *fetches, steps=1):
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(steps):
            loss = sess.run(train)
        return [float(loss), *(np.asarray(one).item() for one in sess.run(fetches))]


@pytest.mark.parametrize(
    "optimizer",
    [
        "SGD",
        tf.train.GradientDescentOptimizer,
        tf.train.GradientDescentOptimizer(0.25),
        lambda rate: tf.train.GradientDescentOptimizer(rate),
    ],
    ids=["name", "class", "object", "function"],
)
def test_a_step_with_each_kind_of_optimizer(square, optimizer):
    w, loss, step = square
    assert after(optimize_loss(loss, step, 0.25, optimizer), w, step) == [16.0, 2.0, 1]


@pytest.mark.parametrize(
    ("options", "w_after"),
    [
        ({"clip_gradients": 2.0}, 3.5),
        ({"clip_gradients": lambda pairs: [(g * 0.5, v) for g, v in pairs]}, 3.0),
        ({"gradient_multipliers": {"w:0": 0.5}}, 3.0),
        ({"gradient_multipliers": {"w": 0.5}}, 2.0),  # is no variable's name, and passed over
        ({"learning_rate_decay_fn": lambda rate, step: rate * 2.0}, 0.0),
        ({"increment_global_step": False}, 2.0),
        ({"variables": []}, 4.0),
    ],
)
def test_what_is_done_to_gradients(square, options, w_after):
    w, loss, step = square
    if options.get("variables") == []:
        with pytest.raises(ValueError, match="No variables to optimize"):
            optimize_loss(loss, step, 0.25, "SGD", **options)
        return
    found = after(optimize_loss(loss, step, 0.25, "SGD", **options), w, step)
    assert found[1:] == [w_after, 0 if "increment_global_step" in options else 1]


def test_updates_come_first_and_summaries_are_added(square):
    _w, loss, step = square
    seen = tf.get_variable("seen", initializer=0.0, trainable=False)
    tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, seen.assign_add(1.0).op)
    wanted = ["loss", "gradients", "learning_rate", "global_gradient_norm"]
    how = {"clip_gradients": 9.0, "learning_rate_decay_fn": lambda rate, step: rate}
    train = optimize_loss(loss, step, 0.25, "SGD", summaries=wanted, **how)
    assert after(train, seen, steps=2)[1] == 2.0
    tags = {one.op.name for one in tf.get_collection(tf.GraphKeys.SUMMARIES)}
    assert tags == {
        "OptimizeLoss/learning_rate_1",
        "OptimizeLoss/loss",
        "OptimizeLoss/gradients/w_0",
        "OptimizeLoss/global_norm/gradient_norm",
        "OptimizeLoss/global_norm/clipped_gradient_norm",
    }


def test_an_optimizer_that_has_its_own_rate(square):
    w, loss, step = square
    train = optimize_loss(loss, step, None, lambda: tf.train.GradientDescentOptimizer(0.25))
    assert after(train, w, step) == [16.0, 2.0, 1]
    tags = [one.op.name for one in tf.get_collection(tf.GraphKeys.SUMMARIES)]
    assert tags == ["OptimizeLoss/global_norm/gradient_norm", "OptimizeLoss/loss"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"optimizer": "Sgd"}, "Optimizer name should be one of"),
        ({"optimizer": 3}, "Unrecognized optimizer"),
        ({"learning_rate": -1.0}, "Invalid learning_rate -1.0"),
        ({"learning_rate": "fast"}, "Learning rate should be 0d Tensor or float"),
        ({"summaries": ["losses"]}, "Summaries should be one of"),
        ({"clip_gradients": "a"}, "Unknown type"),
    ],
)
def test_mistakes(square, change, words):
    _, loss, step = square
    given = {"global_step": step, "learning_rate": 0.1, "optimizer": "SGD", **change}
    with pytest.raises(ValueError, match=words):
        optimize_loss(loss, **given)


def test_a_loss_that_is_no_scalar(square):
    with pytest.raises(ValueError, match="must be a scalar"):
        optimize_loss(tf.ones([3]) * square[0], square[2], 0.1, "SGD")


def test_create_train_op(square):
    w, loss, step = square
    train = training.create_train_op(
        loss,
        tf.train.GradientDescentOptimizer(0.25),
        transform_grads_fn=training.clip_gradient_norms_fn(2.0),
        summarize_gradients=True,
    )
    assert after(train, w, step) == [16.0, 3.5, 1]
    assert len(tf.get_collection(tf.GraphKeys.SUMMARIES)) == 2


def test_a_loss_that_is_not_finite(square):
    w, _, _ = square
    train = training.create_train_op(w / 0.0, tf.train.GradientDescentOptimizer(0.25))
    with pytest.raises(tf.errors.InvalidArgumentError, match="LossTensor is inf or nan"):
        after(train)


@pytest.fixture
def settings():
    return training.HParams(rate=0.1, layers=[16, 8], name="net", fast=True, depth=3)


def test_settings_are_parsed(settings):
    settings.parse("rate=1,layers=[4,4,2],fast=false,name=a b,depth=-2,layers[0]=7")
    assert settings.values() == {
        "rate": 1.0,
        "layers": [7, 4, 2],
        "name": "a b",
        "fast": False,
        "depth": -2,
    }
    assert type(settings.rate) is float
    assert "rate" in settings
    assert settings.get("rest", 5) == 5


def test_settings_as_json(settings):
    again = training.HParams(rate=0.0, layers=[0], name="", fast=False, depth=0)
    assert again.parse_json(settings.to_json()).values() == settings.values()
    settings.del_hparam("rate")
    assert not hasattr(settings, "rate")


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        (
            lambda s: s.parse("size=3"),
            ValueError,
            "Unknown hyperparameter type for size. There are: rate",
        ),
        (lambda s: s.parse("rate=fast"), ValueError, "Could not parse hparam rate of type 'float'"),
        (lambda s: s.parse("rate"), ValueError, "Malformed hyperparameter value: rate"),
        (
            lambda s: s.set_hparam("depth", 1.5),
            ValueError,
            "Could not cast hparam 'depth' of type 'int'",
        ),
        (lambda s: s.set_hparam("layers", 3), ValueError, "Must pass a list for multi-valued"),
        (
            lambda s: s.set_hparam("rate", [1.0]),
            ValueError,
            "Must not pass a list for single-valued",
        ),
        (lambda s: s.set_hparam("size", 1), KeyError, "size"),
        (lambda s: s.add_hparam("rate", 1.0), ValueError, "name is reserved: rate"),
        (lambda s: s.add_hparam("empty", []), ValueError, "cannot be empty: empty"),
        (lambda s: s.get("rate", "a"), ValueError, "Could not cast hparam 'rate'"),
    ],
)
def test_settings_that_are_none(settings, change, error, words):
    with pytest.raises(error, match=words):
        change(settings)
