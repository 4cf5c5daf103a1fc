"""Keras models that both libraries train, from the same weights; `tf` is either one."""

import numpy as np


def dense(tf, layers):
    """Regularizer, constraint, batch normalization, dropout that drops nothing; validation."""
    kernel = {"kernel_regularizer": tf.keras.regularizers.l2(0.01)}
    model = tf.keras.Sequential(name="dense_model")
    model.add(layers.Dense(8, activation="relu", input_shape=(4,), **kernel))
    model.add(layers.BatchNormalization(momentum=0.8))
    model.add(layers.Dropout(0.0))
    model.add(layers.Dense(6, "tanh", kernel_constraint=tf.keras.constraints.max_norm(1.0)))
    model.add(layers.Dense(3, activation="softmax"))
    model.compile("sgd", "categorical_crossentropy", metrics=["accuracy", "mse"])
    labels = tf.keras.utils.to_categorical(np.arange(20) % 3, 3)
    return model, numbers(20, 4), labels, {"validation_split": 0.2, "batch_size": 6}


def images(tf, layers):
    """Convolutions, and what comes between them."""
    model = tf.keras.models.Sequential(
        [
            layers.Conv2D(4, (3, 3), activation="relu", padding="same", input_shape=(8, 8, 2)),
            layers.MaxPooling2D(),
            layers.ZeroPadding2D(1),
            layers.Conv2D(3, 2, strides=2),
            layers.LeakyReLU(0.2),
            layers.AveragePooling2D((2, 2), 1, "same"),
            layers.Conv2DTranspose(2, 2, strides=2),
            layers.Flatten(),
            layers.Reshape((-1, 2)),
            layers.Permute((2, 1)),
            layers.GlobalAveragePooling1D(),
            layers.Dense(1),
        ]
    )
    model.compile(tf.keras.optimizers.SGD(lr=0.02, momentum=0.9, nesterov=True), loss="mse")
    return model, numbers(10, 8, 8, 2), numbers(10, 1), {"batch_size": 4}


def words(tf, layers):
    """Vectors for numbers, yes and no, Adam; weights of examples."""
    model = tf.keras.Sequential([layers.Embedding(10, 4, input_length=5), layers.Flatten()])
    model.add(layers.Dense(1))
    model.add(layers.Activation("sigmoid"))
    model.compile(tf.keras.optimizers.Adam(0.02), "binary_crossentropy", metrics=["acc", "mae"])
    x, y = np.arange(60).reshape(12, 5) * 7 % 10, np.arange(12) % 2
    return model, x, y, {"batch_size": 5, "sample_weight": np.arange(12.0) / 6, "epochs": 4}


def branches(tf, layers):
    """Two inputs and two outputs, a shared layer, a model within the model; RMSprop."""
    a, b = tf.keras.Input((3,), name="a"), tf.keras.layers.Input(shape=(3,), name="b")
    shared = layers.Dense(4, activation="elu", name="shared")
    both = layers.concatenate([shared(a), shared(b)])
    inner = tf.keras.Sequential([layers.Dense(4, input_shape=(8,)), layers.ReLU(2.0)], name="inner")
    mixed = layers.add([inner(both), shared(a)])
    mixed = layers.Lambda(lambda x: x * 0.5)(mixed)
    first = layers.Dense(2, activation="softmax", name="first")(mixed)
    second = layers.Dense(1, name="second")(layers.Multiply()([mixed, shared(b)]))
    model = tf.keras.Model(inputs=[a, b], outputs=[first, second])
    losses = {"first": "sparse_categorical_crossentropy", "second": "mae"}
    optimizer = tf.keras.optimizers.RMSprop(0.01, clipvalue=0.5)
    model.compile(optimizer, losses, metrics={"first": ["accuracy"]}, loss_weights=[1.0, 0.3])
    x, y = [numbers(9, 3), numbers(9, 3) * 2], [np.arange(9) % 2, numbers(9, 1)]
    return model, x, y, {"batch_size": 4, "validation_data": (x, y)}


MODELS = (dense, images, words, branches)


def numbers(*shape):
    """Some, the same each time."""
    return np.sin(np.arange(np.prod(shape)) * 1.7).reshape(shape).astype(np.float32)


def train(tf):
    """What models look like and what becomes of them, by name."""
    return {make.__name__: one(tf, make) for make in MODELS}


def one(tf, make):
    """The answers of one model."""
    tf.keras.backend.clear_session()
    model, x, y, how = make(tf, tf.keras.layers)
    count = len(model.get_weights())
    shapes = [w.shape for w in model.get_weights()]  # variances are positive
    model.set_weights([numbers(*s) * 0.4 + (0.5 if len(s) == 1 else 0.0) for s in shapes])
    how = {"epochs": 3, **how}
    history = model.fit(x, y, verbose=0, shuffle=False, **how)
    predicted, batch = model.predict(x, batch_size=4), model.evaluate(x, y, verbose=0)
    listed = predicted if isinstance(predicted, list) else [predicted]
    return {
        "variables": [v.name for v in model.weights],
        "trained": [v.name for v in model.trainable_weights],
        "layers": [[each.name, str(each.output_shape)] for each in model.layers],
        "metrics": model.metrics_names,
        "count": count,
        "history": history.history,
        "epochs": history.epoch,
        "predicted": [p.tolist() for p in listed],
        "evaluated": np.asarray(batch).tolist(),
        "weights": [w.tolist() for w in model.get_weights()],
        "more": float(np.ravel(model.train_on_batch(x, y))[0]),
    }
