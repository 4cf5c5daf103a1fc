"""Layers, regularizers, constraints and initializers of one's own, in a model that is trained."""

import numpy as np
import tensorflow as tf
from tensorflow.keras import constraints, initializers, layers, regularizers


class Staircase(initializers.Initializer):
    """0, 1, 2 and so on, times a step."""

    def __init__(self, step=0.1):
        self.step = step

    def __call__(self, shape, dtype=None, partition_info=None):
        count = int(np.prod(shape))
        steps = np.arange(count, dtype=np.float32).reshape([int(size) for size in shape])
        return tf.constant(steps * self.step, dtype=dtype or tf.float32)


class UnitSum(regularizers.Regularizer):
    """Columns of weights had better sum to one."""

    def __init__(self, strength):
        self.strength = strength

    def __call__(self, x):
        return self.strength * tf.reduce_sum(tf.square(tf.reduce_sum(x, axis=0) - 1.0))


class Between(constraints.Constraint):
    """All weights between two limits."""

    def __init__(self, low, high):
        self.low, self.high = low, high

    def __call__(self, w):
        return tf.clip_by_value(w, self.low, self.high)


class Bilinear(layers.Layer):
    """x W y for pairs in one vector, with a gate that is not trained."""

    def __init__(self, units, **kwargs):
        super().__init__(**kwargs)
        self.units = units
        self.input_spec = layers.InputSpec(ndim=2)

    def build(self, input_shape):
        half = int(input_shape[-1]) // 2
        self.input_spec = layers.InputSpec(ndim=2, axes={-1: 2 * half})
        self.kernel = self.add_weight(
            name="kernel",
            shape=(half, half * self.units),
            initializer=Staircase(0.05),
            regularizer=UnitSum(0.01),
            constraint=Between(-0.5, 0.5),
        )
        self.gate = self.add_weight("gate", [self.units], initializer="ones", trainable=False)
        super().build(input_shape)

    def call(self, inputs):
        left, right = tf.split(inputs, 2, axis=1)
        turned = tf.reshape(tf.matmul(left, self.kernel), [-1, self.units, tf.shape(right)[1]])
        return tf.reduce_sum(turned * right[:, tf.newaxis], axis=2) * self.gate


model = tf.keras.Sequential(
    [
        Bilinear(3, input_shape=(4,), name="pairs"),
        layers.Dense(
            2,
            kernel_initializer=initializers.get("ones"),
            kernel_regularizer=regularizers.l1_l2(l1=0.01, l2=0.02),
            bias_regularizer=regularizers.get("l2"),
            kernel_constraint=constraints.get("non_neg"),
        ),
        layers.Dense(
            1,
            kernel_initializer=Staircase(),
            kernel_regularizer=regularizers.L1L2(l2=0.1),
            kernel_constraint=constraints.MaxNorm(1.0),
        ),
    ]
)
print([v.name for v in model.trainable_weights], [v.name for v in model.non_trainable_weights])
print(
    len(model.losses), ["%.3f" % value for value in tf.keras.backend.batch_get_value(model.losses)]
)

rng = np.random.RandomState(2)
x = rng.uniform(-1, 1, (20, 4))
y = (x[:, 0] * x[:, 2] + x[:, 1] * x[:, 3]).reshape(-1, 1)
model.compile(tf.keras.optimizers.SGD(lr=0.5), loss="mse", metrics=["mae"])
history = model.fit(x, y, batch_size=10, epochs=3, shuffle=False, verbose=0)
print(["%.3f" % loss for loss in history.history["loss"]])
kernel, gate = model.get_layer("pairs").get_weights()
print(["%.3f" % w for w in kernel.ravel()], gate.tolist())
second = model.layers[1].get_weights()[0]
print((second >= 0).all(), ["%.3f" % w for w in second.ravel()])
print("%.3f" % np.linalg.norm(model.layers[2].get_weights()[0]))
try:
    model.layers[0](tf.ones([2, 6]))
except ValueError as error:
    print(str(error).split(":")[0][:54])
