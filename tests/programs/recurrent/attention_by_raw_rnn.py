"""Additive attention written out in the loop of tf.nn.raw_rnn, with a mask of lengths."""

import numpy as np
import tensorflow as tf

V, H, B = 11, 8, 4
r = np.random.RandomState(1)
src = tf.constant(r.randint(1, V, (B, 6)))
lens = tf.constant([6, 3, 5, 1])
tgt = tf.constant(r.randint(1, V, (B, 5)))
tl = tf.constant([5, 2, 4, 3])
with tf.variable_scope("s2s", initializer=tf.random_uniform_initializer(-0.3, 0.3, seed=2)):
    E = tf.get_variable("E", [V, H])
    W = tf.get_variable("att_w", [H, H])
    v = tf.get_variable("v", [H])
    enc, st = tf.nn.dynamic_rnn(
        tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.LSTMCell(H) for _ in range(2)]),
        tf.nn.embedding_lookup(E, src),
        lens,
        dtype=tf.float32,
        scope="enc",
    )
    cell = tf.nn.rnn_cell.LSTMCell(H)
    ke = tf.tensordot(enc, W, [[2], [0]])
    mask = tf.sequence_mask(lens, 6)
    ti = tf.transpose(tf.nn.embedding_lookup(E, tgt), [1, 0, 2])
    ta = tf.TensorArray(tf.float32, 5).unstack(ti)

    def loop_fn(time, out, state, ls):
        if out is None:
            ctx = tf.zeros([B, H])
            nst = st[-1]
            emit = tf.zeros([2 * H])
        else:
            sc = tf.reduce_sum(v * tf.tanh(ke + tf.expand_dims(out, 1)), 2)
            sc = tf.where(mask, sc, tf.fill(tf.shape(sc), -1e9))
            a = tf.nn.softmax(sc)
            ctx = tf.reduce_sum(tf.expand_dims(a, 2) * enc, 1)
            nst = state
            emit = tf.concat([out, ctx], 1)
        fin = time >= tl
        nxt = tf.cond(
            tf.reduce_all(fin),
            lambda: tf.zeros([B, 2 * H]),
            lambda: tf.concat([ta.read(tf.minimum(time, 4)), ctx], 1),
        )
        return fin, nxt, nst, emit, None

    ota, fs, _ = tf.nn.raw_rnn(cell, loop_fn, scope="dec")
    o = tf.transpose(ota.stack(), [1, 0, 2])
    logits = tf.layers.dense(o, V, name="proj")
w = tf.sequence_mask(tl, tf.shape(o)[1], dtype=tf.float32)
loss = tf.reduce_sum(
    tf.nn.sparse_softmax_cross_entropy_with_logits(labels=tgt[:, : tf.shape(o)[1]], logits=logits)
    * w
) / tf.reduce_sum(w)
g = tf.gradients(loss, tf.trainable_variables())
with tf.control_dependencies(g):  # nothing is updated that a gradient still reads
    train = tf.train.GradientDescentOptimizer(0.5).apply_gradients(zip(g, tf.trainable_variables()))
print([x.name for x in tf.trainable_variables()], logits.shape)
with tf.Session() as s:
    s.run(tf.global_variables_initializer())
    for i in range(6):
        print("%.4f" % s.run([loss, train])[0])
    print(s.run(fs).h.round(3)[:2], s.run(tf.global_norm(g)).round(4))
