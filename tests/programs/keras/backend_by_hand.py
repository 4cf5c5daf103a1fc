"""Logistic regression on tf.keras.backend alone, as code for several backends was written."""

import numpy as np
import tensorflow as tf
from tensorflow.keras import backend as K

print(K.floatx(), K.image_data_format(), K.epsilon())
session = tf.Session()
K.set_session(session)

rng = np.random.RandomState(2)
features = rng.normal(0, 1, (30, 3)).astype(K.floatx())
labels = (features[:, :1] - features[:, 1:2] > 0).astype(K.floatx())

x = K.placeholder(shape=(None, 3), name="x")
y = K.placeholder(ndim=2)
weights = K.variable(np.full((3, 1), 0.1), name="weights")
bias = K.variable(np.zeros(1), name="bias", constraint=tf.keras.constraints.NonNeg())
print(K.int_shape(x), K.ndim(y), K.int_shape(weights), x.name)

said = tf.keras.activations.get("sigmoid")(tf.matmul(x, weights) + bias)
likely = y * K.log(said + K.epsilon()) + (1.0 - y) * K.log(1.0 - said + K.epsilon())
loss = -tf.reduce_mean(likely)
penalty = 0.01 * tf.reduce_sum(K.square(weights))
score = K.function([x, y], [loss, penalty])
updates = tf.keras.optimizers.SGD(lr=0.5).get_updates(loss=loss + penalty, params=[weights, bias])
train = K.function([x, y], [tf.shape(x)[0]], updates=updates)
seen = K.variable(0.0)
count_rows = K.function(
    [x], [seen * 1.0], updates=[(seen, seen + tf.cast(tf.shape(x)[0], "float32"))]
)

print(["%.3f" % value for value in score([features, labels])])
for step in range(20):
    (count,) = train([features, labels])
    count_rows([features])
print(
    int(count),
    float(K.get_value(seen)),
    count_rows([features[:5]]),
    ["%.3f" % value for value in score([features, labels])],
)
print(["%.3f" % value for value in K.get_value(weights)[:, 0]], K.get_value(bias).shape)

K.set_value(weights, np.array([[1.0], [-1.0], [0.0]]))
print([v.tolist() for v in K.batch_get_value([weights, weights * 2.0])])
K.batch_set_value([(weights, np.ones((3, 1))), (bias, np.array([2.0]))])
distance = K.sqrt(tf.reduce_sum(K.pow(weights, 2.0))) + K.exp(bias - 2.0)
print("%.3f" % K.eval(distance)[0], K.eval(K.concatenate([weights, weights + 1.0], axis=0)).ravel())
print(K.get_uid("block"), K.get_uid("block"), K.get_uid("other"))
assert K.get_session() is session

# Noise that is there in training only, by the learning phase.
noise = K.random_normal((2, 3), mean=10.0, stddev=0.1, seed=7)
layer = tf.keras.layers.Lambda(
    lambda t: tf.cond(tf.cast(K.learning_phase(), tf.bool), lambda: t + noise, lambda: t)
)
noisy = layer(x)
both = K.function([x, K.learning_phase()], [noisy])
rows = np.zeros((2, 3))
print(both([rows, 0])[0].sum(), (both([rows, 1])[0] > 9).all())
dropped = tf.keras.layers.Dropout(0.5)(x)
print(session.run(dropped, {x: np.ones((1, 3)), K.learning_phase(): 0}).tolist())

K.clear_session()
K.set_learning_phase(1)
print(K.learning_phase(), len(tf.global_variables()), K.get_uid("block"))
with K.name_scope("again"):
    print(K.placeholder(shape=(2,), dtype="int32").name, K.cast(K.variable(1.5), "int32").dtype)
K.set_learning_phase(0)
K.clear_session()
