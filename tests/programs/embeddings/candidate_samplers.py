"""Sampled softmax by hand: negative words drawn four ways, and accidental hits taken out."""

import numpy as np
import tensorflow as tf

words = ["the", "cat", "sat", "on", "mat", "dog", "ran", "to", "tree", "bird"]
counts = [40, 10, 8, 16, 4, 9, 6, 14, 3, 2]
with open("vocabulary.csv", "w") as f:
    for word, count in zip(words, counts):
        f.write("%s,%d\n" % (word, count))

tf.set_random_seed(20)
true_classes = tf.constant([[1, 5], [4, 8], [2, 6]], tf.int64)  # two right words for each context
samplers = [
    (
        "unigrams",
        tf.nn.fixed_unigram_candidate_sampler(
            true_classes,
            num_true=2,
            num_sampled=5,
            unique=True,
            range_max=10,
            distortion=0.75,
            unigrams=counts,
            seed=1,
        ),
    ),
    (
        "from a file",
        tf.nn.fixed_unigram_candidate_sampler(
            true_classes, 2, 4, False, 10, vocab_file="vocabulary.csv", num_shards=1, seed=2
        ),
    ),
    ("learned", tf.nn.learned_unigram_candidate_sampler(true_classes, 2, 4, True, 10, seed=3)),
    ("log-uniform", tf.nn.log_uniform_candidate_sampler(true_classes, 2, 5, True, 10, seed=4)),
    ("all", tf.nn.all_candidate_sampler(true_classes, 2, 10, unique=True)),
]

# the loss: right words against drawn ones, with logits corrected by how often each is drawn
weights = tf.get_variable("weights", [10, 4], initializer=tf.random_normal_initializer(0, 0.3, 5))
context = tf.constant(np.random.RandomState(2).randn(3, 4).astype(np.float32))
sampled, true_expected, sampled_expected = samplers[0][1]
ids, at, minus = tf.nn.compute_accidental_hits(true_classes, sampled, num_true=2)
true_w = tf.nn.embedding_lookup(weights, true_classes)
true_logits = tf.reduce_sum(tf.expand_dims(context, 1) * true_w, 2) - tf.log(true_expected)
sampled_w = tf.nn.embedding_lookup(weights, sampled)
sampled_logits = tf.matmul(context, sampled_w, transpose_b=True) - tf.log(sampled_expected)
places = tf.stack([ids, tf.cast(at, tf.int32)], 1)
hits = tf.sparse_to_dense(places, tf.shape(sampled_logits), minus, validate_indices=False)
logits = tf.concat([true_logits, sampled_logits + hits], 1)
labels = tf.concat([tf.fill([3, 2], 0.5), tf.zeros([3, 5])], 1)
losses = tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits)
gradient = tf.gradients(losses, weights)[0]

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for name, candidates in samplers:
        drawn, of_true, of_sampled = sess.run(candidates)
        print("%-12s" % name, drawn.tolist(), [c.shape.as_list() for c in candidates])
        print("   ", np.round(np.float64(of_true[0]), 3).tolist(), end=" ")
        print(np.round(np.float64(of_sampled[:3]), 3).tolist())
    found = sess.run([sampled, ids, at, minus, losses, hits])
    print([words[i] for i in found[0]], found[1].tolist(), found[2].tolist())
    print(
        (found[3] < -1e30).all(), (found[5] < 0).sum(), np.round(np.float64(found[4]), 2).tolist()
    )
    print(type(gradient).__name__, gradient.dense_shape is not None)
