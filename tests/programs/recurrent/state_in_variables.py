"""A character model whose state stays in variables between steps, and a partial run of it."""

import numpy as np
import tensorflow as tf

text = "hello world, this is a tiny char rnn. " * 10
chars = sorted(set(text))
c2i = {c: i for i, c in enumerate(chars)}
data = np.array([c2i[c] for c in text])
V = len(chars)
B, T, H = 3, 8, 10
x = tf.placeholder(tf.int32, [B, None])
y = tf.placeholder(tf.int32, [B, None])
init = tf.random_uniform_initializer(-0.2, 0.2, seed=1)
with tf.variable_scope("rnn", initializer=init):
    cells = [tf.nn.rnn_cell.LSTMCell(H, forget_bias=1.0, name="l%d" % i) for i in range(2)]
    cells = [tf.nn.rnn_cell.ResidualWrapper(c) if i else c for i, c in enumerate(cells)]
    cell = tf.nn.rnn_cell.MultiRNNCell(cells)
    zero = cell.zero_state(B, tf.float32)
    store = [
        [
            tf.get_variable(
                "s%d%s" % (i, n), [B, H], trainable=False, initializer=tf.zeros_initializer()
            )
            for n in "ch"
        ]
        for i in range(2)
    ]
    state_in = tuple(tf.nn.rnn_cell.LSTMStateTuple(*p) for p in store)
    out, state = tf.nn.dynamic_rnn(
        cell, tf.one_hot(x, V)[:, :, :H], initial_state=state_in, swap_memory=True
    )
    logits = tf.layers.dense(out, V)
loss = (
    tf.contrib.seq2seq.sequence_loss(logits, y, tf.ones_like(y, tf.float32))
    if hasattr(tf.contrib, "seq2seq")
    else tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits))
)
opt = tf.train.AdamOptimizer(0.02)
gv = [(tf.clip_by_norm(g, 1.0), v) for g, v in opt.compute_gradients(loss)]
train = opt.apply_gradients(gv)
with tf.control_dependencies([train]):
    keep = tf.group(*[v.assign(s) for vs, st in zip(store, state) for v, s in zip(vs, st)])
reset = tf.variables_initializer(store[0] + store[1])
print([v.name for v in tf.trainable_variables()])
with tf.Session() as s:
    s.run(tf.global_variables_initializer())
    n = len(data) // B
    D = data[: B * n].reshape(B, n)
    for e in range(1):
        s.run(reset)
        for i in range(0, n - T - 1, T):
            with_state = s.run(
                [loss, train, keep], {x: D[:, i : i + T], y: D[:, i + 1 : i + T + 1]}
            )
            print("%.5f" % with_state[0])
    h = s.partial_run_setup([loss, out, logits], [x, y])
    o = s.partial_run(h, out, {x: D[:, :4]})
    print(o.shape)
    print("%.3f" % s.partial_run(h, loss, {y: D[:, 1:5]}))
