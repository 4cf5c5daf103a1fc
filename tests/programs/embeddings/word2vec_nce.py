"""Skip-gram with noise-contrastive estimation: embeddings, nce_loss, and nearest words."""

import collections

import numpy as np
import tensorflow as tf

corpus = "the cat sat on the mat the dog sat on the rug a cat and a dog sat".split()
count = collections.Counter(corpus).most_common()
dictionary = {word: i for i, (word, _) in enumerate(count)}
data = [dictionary[word] for word in corpus]
pairs = [(data[i], data[j]) for i in range(len(data)) for j in (i - 1, i + 1) if 0 <= j < len(data)]
vocabulary_size, embedding_size, num_sampled = len(dictionary), 6, 4

tf.set_random_seed(3)
train_inputs = tf.placeholder(tf.int32, shape=[None])
train_labels = tf.placeholder(tf.int32, shape=[None, 1])
embeddings = tf.Variable(tf.random_uniform([vocabulary_size, embedding_size], -1.0, 1.0))
embed = tf.nn.embedding_lookup(embeddings, train_inputs)
nce_weights = tf.Variable(tf.truncated_normal([vocabulary_size, embedding_size], stddev=0.4))
nce_biases = tf.Variable(tf.zeros([vocabulary_size]))
loss = tf.reduce_mean(
    tf.nn.nce_loss(
        weights=nce_weights,
        biases=nce_biases,
        labels=train_labels,
        inputs=embed,
        num_sampled=num_sampled,
        num_classes=vocabulary_size,
    )
)
optimizer = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
norm = tf.sqrt(tf.reduce_sum(tf.square(embeddings), axis=1, keepdims=True))
normalized_embeddings = embeddings / norm
similarity = tf.matmul(normalized_embeddings, normalized_embeddings, transpose_b=True)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    total = 0.0
    for step in range(60):
        batch = pairs[step % 2 :: 2]
        feed = {train_inputs: [a for a, _ in batch], train_labels: [[b] for _, b in batch]}
        _, value = session.run([optimizer, loss], feed_dict=feed)
        total += value
        if step % 20 == 19:
            print("Average loss at step", step + 1, ": %.2f" % (total / 20))
            total = 0.0
    print(np.round(np.diag(session.run(similarity)), 2).tolist())
