"""Sentences as averages of word vectors, through a vocabulary and a table of unknown words."""

import numpy as np
import tensorflow as tf

sentences = ["good great fun", "bad awful", "great great", "awful bad boring", "fun", "boring bad"]
labels = np.array([1, 0, 1, 0, 1, 0], np.float32)
words = tf.string_split(sentences)
bucket = tf.string_to_hash_bucket_fast(words.values, 30)
ids = tf.SparseTensor(words.indices, bucket, words.dense_shape)
tf.set_random_seed(6)
table = tf.get_variable("table", [30, 3], initializer=tf.random_normal_initializer(stddev=0.1))
mean = tf.nn.embedding_lookup_sparse(table, ids, None, combiner="mean")
logits = tf.squeeze(tf.layers.dense(mean, 1, name="out"), 1)
loss = tf.losses.sigmoid_cross_entropy(labels, logits)
train = tf.train.AdamOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(31):
        _, value = sess.run([train, loss])
        if step % 10 == 0:
            print(step, "%.2f" % value)
    print(np.round(sess.run(tf.sigmoid(logits))).astype(int))
