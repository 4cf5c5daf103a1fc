"""The same network with tf.layers.dense, saved, restored and used."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(42)
rows = rng.rand(120, 12).astype(np.float32)
labels = (rows[:, :4].sum(1) > rows[:, 4:8].sum(1)).astype(np.int32)

tf.set_random_seed(42)
X = tf.placeholder(tf.float32, shape=(None, 12), name="X")
y = tf.placeholder(tf.int32, shape=(None), name="y")
with tf.name_scope("dnn"):
    hidden1 = tf.layers.dense(X, 16, name="hidden1", activation=tf.nn.relu)
    hidden2 = tf.layers.dense(hidden1, 8, name="hidden2", activation=tf.nn.elu)
    logits = tf.layers.dense(hidden2, 2, name="outputs")
    y_proba = tf.nn.softmax(logits)
with tf.name_scope("loss"):
    xentropy = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits)
    loss = tf.reduce_mean(xentropy, name="loss")
training_op = tf.train.AdamOptimizer(0.01).minimize(loss, name="train")
accuracy = tf.reduce_mean(tf.cast(tf.nn.in_top_k(logits, y, 1), tf.float32))
saver = tf.train.Saver()

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for epoch in range(40):
        sess.run(training_op, feed_dict={X: rows, y: labels})
        if epoch % 10 == 9:
            print(epoch, "%.3f" % accuracy.eval({X: rows, y: labels}))
    save_path = saver.save(sess, "./my_model_final.ckpt")
    print(save_path)

with tf.Session() as sess:
    saver.restore(sess, "./my_model_final.ckpt")
    Z = sess.run(logits, feed_dict={X: rows[:10]})
    print("Predicted classes:", np.argmax(Z, axis=1))
    print("Actual classes:   ", labels[:10])
    print(np.round(sess.run(y_proba, {X: rows[:1]}), 2))
print([v.name for v in tf.global_variables()][:5], hidden2.name, logits.name)
