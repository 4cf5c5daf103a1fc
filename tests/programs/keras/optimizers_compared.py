"""The same straight line fitted with each optimizer of Keras, by name and with settings."""

import numpy as np
import tensorflow as tf
from tensorflow.keras import backend as K
from tensorflow.keras import optimizers

rng = np.random.RandomState(1)
x = rng.uniform(-1, 1, (64, 2)).astype(np.float32)
y = x @ np.array([[1.5], [-2.0]], np.float32) + 0.5

for name in ("sgd", "Adam", "RMSprop", "adagrad", "adadelta"):
    found = optimizers.get(name)
    print(type(found).__name__, isinstance(found, optimizers.Optimizer))

model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_dim=2)])
model.set_weights([np.array([[0.1], [0.2]]), np.zeros(1)])
model.compile(optimizers.SGD(lr=0.1, momentum=0.5), "mae", metrics=["mse", "mape"])
print(int(K.get_value(model.optimizer.iterations)), model.metrics_names)
for step in range(3):
    K.set_value(model.optimizer.lr, 0.1 / (step + 1))
    model.train_on_batch(x, y)
print(int(K.get_value(model.optimizer.iterations)), "%.3f" % K.get_value(model.optimizer.lr))
print(["%.3f" % w for w in model.get_weights()[0][:, 0]])

K.clear_session()
KINDS = [
    ("SGD", optimizers.SGD(lr=0.1)),
    ("decaying", optimizers.SGD(lr=0.2, decay=0.1)),
    ("momentum", optimizers.SGD(lr=0.05, momentum=0.8)),
    ("decaying momentum", optimizers.SGD(0.1, momentum=0.8, decay=0.2)),
    ("nesterov", optimizers.SGD(lr=0.05, momentum=0.8, nesterov=True, decay=0.1)),
    ("clipped norm", optimizers.SGD(lr=0.3, clipnorm=1.0)),
    ("clipped value", optimizers.SGD(lr=0.3, clipvalue=0.5)),
    ("RMSprop", optimizers.RMSprop(lr=0.05, rho=0.8)),
    ("RMSprop, momentum", optimizers.RMSprop(lr=0.02, momentum=0.5, epsilon=0.01)),
    ("RMSprop, centred", optimizers.RMSprop(lr=0.02, centered=True, epsilon=0.1)),
    ("all of RMSprop", optimizers.RMSprop(0.01, momentum=0.5, centered=True, epsilon=0.1)),
    ("Adagrad", optimizers.Adagrad(lr=0.5, initial_accumulator_value=0.2, epsilon=0.1)),
    ("Adadelta", optimizers.Adadelta(lr=1.0, rho=0.9, epsilon=0.01)),
    ("Adam", optimizers.Adam(lr=0.1, beta_1=0.8, beta_2=0.99)),
    ("by name", optimizers.get("sgd")),
]


inputs, targets = K.placeholder((None, 2)), K.placeholder((None, 1))
losses, updates, weights = [], [], []
for name, optimizer in KINDS:
    kernel, bias = K.variable([[0.1], [0.2]]), K.variable([0.0])
    loss = tf.reduce_mean(tf.square(tf.matmul(inputs, kernel) + bias - targets))
    losses.append(loss)
    updates += optimizer.get_updates(params=[kernel, bias], loss=loss)
    weights += [tf.reshape(kernel, [-1]), bias]
step_of_all = K.function([inputs, targets], losses, updates=updates)
for start in list(range(0, 64, 16)) * 2:
    found = step_of_all([x[start : start + 16], y[start : start + 16]])
values = K.batch_get_value(weights)
for number, (name, optimizer) in enumerate(KINDS):
    line = np.concatenate(values[2 * number : 2 * number + 2])
    print("%-18s" % name, ["%.2f" % w for w in line], "%.2f" % found[number])
