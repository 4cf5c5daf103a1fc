"""Keras in graphs: what training beside TensorFlow (tests/interop/test_keras.py) does not show."""

import re

import numpy as np
import pytest

import tinytf as tf

K, layers = tf.keras.backend, tf.keras.layers
X = np.arange(12, dtype=np.float32).reshape(6, 2) / 10
Y = X.sum(1, keepdims=True)


@pytest.fixture(autouse=True)
def new_graph():
    K.clear_session()
    yield
    K.clear_session()


def small(**how):
    model = tf.keras.Sequential([layers.Dense(3, input_shape=(2,)), layers.Dense(1)])
    model.compile("sgd", "mse", **how)
    return model


def test_layers_in_a_graph_of_ones_own():
    """As the tutorial does it: Keras' layers, a loss of tf, an optimizer of tf.train."""
    x = tf.placeholder(tf.float32, [None, 2])
    dropped = layers.Dropout(0.5)(layers.Dense(64, activation="relu")(x))
    loss = tf.reduce_mean(layers.Dense(1)(dropped) ** 2)
    step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    with tf.Session() as sess:
        K.set_session(sess)
        assert K.get_session() is sess
        sess.run(tf.global_variables_initializer())
        sess.run(step, {x: X, K.learning_phase(): 1})
        dead = (sess.run(dropped, {x: X, K.learning_phase(): 1}) == 0).mean()
        assert dead > (sess.run(dropped, {x: X}) == 0).mean()


def test_variables_keep_values_that_they_have():
    """Keras' session initialises what has no value, and nothing else."""
    model = small()
    kernel = model.weights[0]
    with tf.Session() as sess:
        sess.run(kernel.initializer)
        sess.run(kernel.assign(tf.ones([2, 3])))
        assert (model.get_weights()[0] == 1).all()


def test_a_sequential_that_learns_its_shape_from_arrays():
    model = tf.keras.Sequential([layers.Dense(4, name="a"), layers.Dense(1)])
    model.compile("adam", "mae")
    with pytest.raises(ValueError, match="no variables yet"):
        model.save_weights("nowhere")
    assert len(model.fit(X, Y, epochs=2, verbose=0).history["loss"]) == 2
    assert [v.name for v in model.weights][:2] == ["a/kernel:0", "a/bias:0"]


def test_a_model_of_ones_own_class():
    class Twice(tf.keras.Model):
        def __init__(self):
            super().__init__(name="twice")
            self.layer = layers.Dense(1, use_bias=False, kernel_initializer="ones")

        def call(self, inputs):
            return 2.0 * self.layer(inputs)

    model = Twice()
    model.compile(tf.train.AdamOptimizer(0.1), "mse")
    assert model.predict(X).tolist() == (2 * Y).tolist()
    before = model.evaluate(X, Y, verbose=0)
    model.fit(X, Y, epochs=3, verbose=0)
    assert model.evaluate(X, Y, verbose=0) < before


def test_a_model_that_is_frozen_in_another():
    """A critic learns by itself; behind a generator it stays as it is."""
    critic = tf.keras.Sequential([layers.Dense(1, activation="sigmoid", input_shape=(2,))])
    critic.compile("adam", "binary_crossentropy")
    critic.trainable = False
    noise = tf.keras.Input((3,), name="noise")
    both = tf.keras.Model(noise, critic(layers.Dense(2)(noise)))
    both.compile("adam", "binary_crossentropy")
    for model, x, changed in ((both, np.ones([4, 3]), [0, 0, 1, 1]), (critic, X, [1, 1, 0, 0])):
        variables = critic.weights + both.trainable_weights
        before = K.batch_get_value(variables)
        model.train_on_batch(x, np.ones([len(x), 1]))
        after = K.batch_get_value(variables)
        assert [int((a != b).any()) for a, b in zip(before, after, strict=True)] == changed


def test_weights_go_into_a_file_and_back(tmp_path):
    model = small()
    model.save_weights(str(tmp_path / "weights"))
    before = model.get_weights()
    model.set_weights([w + 1 for w in before])
    model.load_weights(str(tmp_path / "weights"))
    assert all((a == b).all() for a, b in zip(before, model.get_weights(), strict=True))
    with pytest.raises(ValueError, match="HDF5 is not in tinytf"):
        model.save_weights("weights.h5")


def test_what_is_printed(capsys):
    small().fit(X, Y, validation_data=(X, Y), callbacks=[])
    first, epoch, values = capsys.readouterr().out.splitlines()
    assert (first, epoch) == ("Train on 6 samples, validate on 6 samples", "Epoch 1/1")
    assert re.fullmatch(r"6/6 - \d+s - loss: [\d.]+ - val_loss: [\d.]+", values)
    small().summary()
    shown = capsys.readouterr().out.splitlines()
    assert shown[0] == 'Model: "sequential_1"'
    assert shown[4] == "dense_2 (Dense)              (None, 3)                 9         "
    assert shown[-4:-1] == ["Total params: 13", "Trainable params: 13", "Non-trainable params: 0"]


def test_callbacks():
    class Slower(tf.keras.callbacks.Callback):
        def on_epoch_end(self, epoch, logs=None):
            rates.append(float(K.get_value(self.model.optimizer.lr)))

    rates = []
    schedule = tf.keras.callbacks.LearningRateScheduler(lambda epoch: 0.5 / (epoch + 1))
    stop = tf.keras.callbacks.EarlyStopping("loss", min_delta=1e9, restore_best_weights=True)
    history = small().fit(X, Y, epochs=9, verbose=0, callbacks=[schedule, Slower(), stop])
    assert (rates, history.epoch) == ([0.5, 0.25], [0, 1])


def test_order_is_numpys():
    """`fit` shuffles as numpy.random does, once for each epoch: seeds give the same order."""
    seen = []

    class Watch(tf.keras.callbacks.Callback):
        def on_batch_end(self, batch, logs=None):
            seen.append(logs["loss"])

    for _ in range(2):
        np.random.seed(3)
        K.clear_session()
        model = small()
        model.set_weights([np.ones(w.shape) for w in model.get_weights()])
        model.fit(X, Y, batch_size=1, verbose=0, callbacks=[Watch()])
    assert seen[:6] == seen[6:]
    assert len(set(seen)) == 6


def of_nothing():
    tf.keras.Sequential([layers.Dense(1, input_shape=(2,))]).fit(X, Y)


def of_other_lengths():
    small().fit(X, Y[1:])


def of_another_input():
    a, b = tf.keras.Input((2,)), tf.keras.Input((2,))
    tf.keras.Model(a, layers.add([a, b]))


def of_rows_for_numbers():
    model = tf.keras.Sequential([layers.Dense(3, activation="softmax", input_shape=(2,))])
    model.compile("sgd", "sparse_categorical_crossentropy")
    model.fit(X, np.eye(6)[:, :3], verbose=0)


def of_wrong_weights():
    small().set_weights([np.ones([2, 3])])


def of_two():
    inputs = tf.keras.Input((2,)), tf.keras.Input((2,))
    return tf.keras.Model(inputs, layers.add(inputs))


MISTAKES = {
    of_nothing: (RuntimeError, "You must compile your model before training/testing"),
    of_other_lengths: (ValueError, "should have the same number of samples"),
    of_another_input: (ValueError, "Graph disconnected: cannot obtain value for tensor"),
    of_rows_for_numbers: (ValueError, r"dense to have shape \(1,\) but got array with shape \(3,"),
    lambda: small().fit(Y, Y): (ValueError, "Error when checking input: expected dense_input to"),
    lambda: layers.Reshape((5,))(tf.keras.Input((3,))): (ValueError, "total size of new array"),
    lambda: tf.keras.Input(): (ValueError, "Please provide to Input either a `shape`"),
    lambda: tf.keras.regularizers.get("l3"): (ValueError, "Unknown regularizer: 'l3'"),
    of_wrong_weights: (ValueError, "weight list of length 1, but the layer was expecting 4"),
    lambda: small(target_tensors=1): (TypeError, "arguments that tinytf does not have"),
    lambda: tf.keras.Sequential([3]): (TypeError, "must be an instance of class Layer"),
    lambda: tf.keras.optimizers.get("sdg"): (ValueError, "Unknown optimizer: sdg"),
    lambda: tf.keras.optimizers.SGD(rate=1): (TypeError, "Unexpected keyword argument"),
    lambda: tf.keras.losses.get("msq"): (ValueError, "Unknown loss function: msq"),
    lambda: layers.Dense(2, "rellu"): (ValueError, "Did you mean 'relu'"),
    lambda: small().fit(tf.data.Dataset.range(3)): (ValueError, "Please provide arrays"),
    lambda: small().get_layer("dens"): (ValueError, "No such layer: dens"),
    lambda: small().compile("sgd", "msq"): (ValueError, "Unknown loss function: msq"),
    lambda: small().compile("sgd", "mse", ["acu"]): (ValueError, "Unknown metric function: acu"),
    lambda: small().fit(X, Y, batch_size=0): (ValueError, "batch_size should be a positive"),
    lambda: small().fit(X, None): (ValueError, "to see 1 array.*'dense_1'.*but instead got 0"),
    lambda: of_two().predict(X): (ValueError, "to see 2 array.*'input_1', 'input_2'.*got 1"),
    lambda: tf.keras.Sequential([layers.Dense(1)]).summary(): (ValueError, "has not yet been buil"),
    lambda: layers.Dense(1, kernel_regularizer="l3")(X): (ValueError, "Unknown regularizer: 'l3'"),
    lambda: layers.Dense(1, kernel_constraint="pos")(X): (ValueError, "Unknown constraint: 'pos'"),
}


@pytest.mark.parametrize(("nesterov", "expected"), [(False, 0.0), (True, -0.25)])
def test_momentum_while_the_rate_decays(nesterov, expected):
    """What is summed up are gradients times the rates that they had, as in Keras."""
    w = K.variable(1.0)
    sgd = tf.keras.optimizers.SGD(0.5, momentum=0.5, decay=1.0, nesterov=nesterov)
    steps = sgd.get_updates(w * 1.0, [w])
    for _ in range(2):
        K.get_session().run(steps)
    assert K.get_value(w) == pytest.approx(expected)


def test_regularizers_and_constraints_by_name():
    how = {"kernel_regularizer": "l2", "activity_regularizer": "l1", "kernel_constraint": "non_neg"}
    layer = layers.Dense(1, kernel_initializer="ones", **how)
    y = layer(tf.constant([[2.0, 1.0]]))
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        of_kernel, of_output = sess.run(layer.losses)
        assert (of_kernel, of_output) == pytest.approx((0.02, 0.03))
        sess.run(layer.kernel.assign(layer.kernel.constraint(layer.kernel - 2.0)))
        assert sess.run(y) == 0.0


@pytest.mark.parametrize("mistake", MISTAKES, ids=range(len(MISTAKES)))
def test_mistakes(mistake):
    kind, words = MISTAKES[mistake]
    with pytest.raises(kind, match=words):
        mistake()
