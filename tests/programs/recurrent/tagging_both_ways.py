"""A tagger of sentences: bidirectional LSTMs with peepholes and a projection, masks, metrics."""

import numpy as np
import tensorflow as tf

V, C, H = 12, 4, 8
tf.set_random_seed(3)
tok = tf.placeholder(tf.int32, [None, None], "tokens")
lab = tf.placeholder(tf.int32, [None, None], "labels")
ln = tf.placeholder(tf.int32, [None], "len")
keep = tf.placeholder_with_default(1.0, [])
E = tf.get_variable("E", [V, 6], initializer=tf.random_normal_initializer(seed=1))
e = tf.nn.dropout(tf.nn.embedding_lookup(E, tok), keep)
with tf.variable_scope("bi", initializer=tf.random_uniform_initializer(-0.3, 0.3, seed=5)):
    (of, ob), (sf, sb) = tf.nn.bidirectional_dynamic_rnn(
        tf.contrib.rnn.LSTMCell(H, use_peepholes=True),
        tf.contrib.rnn.LSTMCell(H, num_proj=5),
        e,
        sequence_length=ln,
        dtype=tf.float32,
    )
o = tf.concat([of, ob], axis=-1)
W = tf.get_variable("W", [H + 5, C], initializer=tf.random_normal_initializer(seed=2))
b = tf.get_variable("b", C, initializer=tf.zeros_initializer())
nt = tf.shape(o)[1]
sc = tf.reshape(tf.matmul(tf.reshape(o, [-1, H + 5]), W) + b, [-1, nt, C])
mask = tf.sequence_mask(ln, nt)
losses = tf.nn.sparse_softmax_cross_entropy_with_logits(logits=sc, labels=lab)
loss = tf.reduce_mean(tf.boolean_mask(losses, mask))
pred = tf.cast(tf.argmax(sc, -1), tf.int32)
train = tf.train.AdagradOptimizer(0.3).minimize(loss)
with tf.variable_scope("m"):
    acc, up = tf.metrics.accuracy(lab, pred, weights=tf.cast(mask, tf.float32))
    miou, mup = tf.metrics.mean_per_class_accuracy(lab, pred, C, weights=tf.cast(mask, tf.float32))
r = np.random.RandomState(0)
X = r.randint(V, size=(10, 7))
Y = (X + np.roll(X, 1, 1)) % C
Ls = r.randint(1, 8, 10)
print([v.name for v in tf.trainable_variables()], o.shape, sb.h.shape)
saver = tf.train.Saver(tf.trainable_variables())
with tf.Session() as s:
    s.run(tf.global_variables_initializer())
    s.run(tf.local_variables_initializer())
    for i in range(40):
        now, _ = s.run([loss, train], {tok: X, lab: Y, ln: Ls})
        if i % 10 == 0:
            print("%.4f" % now)
    s.run([up, mup], {tok: X, lab: Y, ln: Ls})
    print(s.run([acc, miou]))
    print(np.round(s.run(of, {tok: X, ln: Ls})[0].sum(1), 3), Ls[0])
    saver.save(s, "./t.ckpt", global_step=3)
for n, sh in tf.train.list_variables("./t.ckpt-3"):
    print(n, sh)
