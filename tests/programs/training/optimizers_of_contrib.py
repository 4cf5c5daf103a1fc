"""tf.contrib.opt on one regression: who arrives where, and what wrappers do to gradients."""

import numpy as np
import tensorflow as tf
from tensorflow.contrib import opt, training

rng = np.random.RandomState(9)
rows = rng.randn(32, 4).astype(np.float32)
targets = (rows @ np.array([[1.0], [-1.0], [0.5], [2.0]]) + 0.3).astype(np.float32)
RMSPropW = opt.extend_with_decoupled_weight_decay(tf.train.RMSPropOptimizer)


class AdagradW(opt.DecoupledWeightDecayExtension, tf.train.AdagradOptimizer):
    """Adagrad whose weights decay."""

    def __init__(self, weight_decay, *args, **kwargs):
        super(AdagradW, self).__init__(weight_decay, *args, **kwargs)


def fade(step):
    return 1.0 - tf.to_float(step) / 40.0


def sgd(rate=0.1):
    return tf.train.GradientDescentOptimizer(rate)


OPTIMIZERS = [
    ("adamax", lambda: opt.AdaMaxOptimizer(0.25)),
    ("nadam", lambda: opt.NadamOptimizer(0.1)),
    ("lazy adam", lambda: opt.LazyAdamOptimizer(0.1)),
    ("adam, decay", lambda: opt.AdamWOptimizer(0.01, 0.1)),
    ("momentum, decay", lambda: opt.MomentumWOptimizer(0.01, 0.05, 0.8)),
    ("rmsprop, decay", lambda: RMSPropW(weight_decay=0.01, learning_rate=0.05)),
    ("adagrad, decay", lambda: AdagradW(weight_decay=0.01, learning_rate=0.5)),
    ("add sign", lambda: opt.AddSignOptimizer(0.05, sign_decay_fn=fade)),
    ("power sign", lambda: opt.PowerSignOptimizer(0.05, base=2.0)),
]


def regression():
    w = tf.get_variable("w", [4, 1], initializer=tf.ones_initializer())
    b = tf.get_variable("b", [1], initializer=tf.zeros_initializer())
    loss = tf.reduce_mean(tf.squared_difference(tf.matmul(rows, w) + b, targets))
    return w, b, loss


def step_of(optimizer, loss, step=None):
    """Nothing moves or decays before all gradients are there."""
    pairs = opt.clip_gradients_by_global_norm(optimizer.compute_gradients(loss), clip_norm=5.0)
    with tf.control_dependencies([gradient for gradient, _ in pairs]):
        return optimizer.apply_gradients(pairs, global_step=step)


for name, make in OPTIMIZERS:
    with tf.Graph().as_default(), tf.Session() as sess:
        w, b, loss = regression()
        optimizer = make()
        step = tf.train.create_global_step()
        train = step_of(optimizer, loss, step)
        sess.run(tf.global_variables_initializer())
        for _ in range(20):
            sess.run(train)
        slots = [optimizer.get_slot(w, slot).op.name for slot in optimizer.get_slot_names()]
        print("%-15s %.2f" % (name, sess.run(loss)), sess.run(w)[:, 0].round(2), slots)

with tf.Graph().as_default(), tf.Session() as sess:  # rows that a step does not use
    table = tf.get_variable("table", initializer=tf.ones([4, 2]))
    loss = tf.reduce_sum(tf.square(tf.nn.embedding_lookup(table, [0, 2])))
    train = opt.LazyAdamOptimizer(0.1).minimize(loss)
    decay = opt.MomentumWOptimizer(0.1, 0.0, 0.9).minimize(loss, name="decay")
    sess.run(tf.global_variables_initializer())
    sess.run(train)
    print(sess.run(table)[:, 0].round(3))
    sess.run(decay)
    print(sess.run(table)[:, 0].round(3))

with tf.Graph().as_default(), tf.Session() as sess:  # wrappers
    w, b, loss = regression()
    step = tf.train.create_global_step()
    clipping = opt.VariableClippingOptimizer(sgd(), {w: [0]}, max_norm=1.0)
    clipped = step_of(clipping, loss)
    averaging = opt.MovingAverageOptimizer(sgd(), average_decay=0.5)
    averaged = step_of(averaging, loss, step)
    saver = averaging.swapping_saver()
    dropping = opt.DropStaleGradientOptimizer(sgd(), staleness=2)
    fresh = step_of(dropping, loss, step)
    pairs = training.multiply_gradients(sgd().compute_gradients(loss), {w: 2.0})
    pairs = training.clip_gradient_norms(pairs, max_norm=0.5)
    print([summary.op.name for summary in training.add_gradients_summaries(pairs)])
    sess.run(tf.global_variables_initializer())
    sess.run(clipped)
    print("%.3f" % np.linalg.norm(sess.run(w)), sess.run(w)[:, 0].round(3))
    for _ in range(3):
        sess.run(averaged)
    path = saver.save(sess, "./averages")
    print(sess.run(w)[:, 0].round(3), tf.train.load_variable(path, "w")[:, 0].round(3))
    sess.run(fresh)
    print(
        sess.run([step, "stale_counter:0"]),
        ["%.3f" % n for n in map(np.linalg.norm, sess.run([g for g, _ in pairs]))],
    )
