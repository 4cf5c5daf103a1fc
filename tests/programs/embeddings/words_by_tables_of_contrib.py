"""Words, their numbers and vectors, with the tables of tf.contrib.lookup and embed_sequence."""

import numpy as np
import tensorflow as tf
from tensorflow.contrib import layers, lookup

WORDS = ["the", "cat", "sat", "on", "a", "mat"]
with open("words.txt", "w") as vocabulary:
    vocabulary.write("\n".join(WORDS) + "\n")
with open("counts.tsv", "w") as counts:
    counts.write("".join("%s\t%d\n" % (word, 10 - i) for i, word in enumerate(WORDS)))

sentences = tf.constant(["the cat sat", "a dog sat on a mat", "mat"])
words = tf.string_split(sentences)

table = lookup.string_to_index_table_from_file("words.txt", num_oov_buckets=2)
same = lookup.string_to_index_table_from_tensor(WORDS, default_value=-7)
back = lookup.index_to_string_table_from_tensor(tf.constant(WORDS), default_value="?")
hashed = lookup.IdTableWithHashBuckets(
    lookup.HashTable(lookup.TextFileIdTableInitializer("words.txt"), -1),
    num_oov_buckets=3,
    hasher_spec=lookup.StrongHashSpec([7, 13]),
)
plain = lookup.IdTableWithHashBuckets(None, 5, hasher_spec=lookup.HasherSpec("fasthash", None))
counts = lookup.HashTable(
    lookup.TextFileInitializer(
        "counts.tsv", tf.string, 0, tf.int64, 1, vocab_size=6, delimiter="\t"
    ),
    default_value=0,
)
lines = lookup.HashTable(lookup.TextFileStringTableInitializer("words.txt"), "nothing")
numbers = lookup.HashTable(
    lookup.TextFileInitializer(
        "words.txt",
        tf.string,
        lookup.TextFileIndex.WHOLE_LINE,
        tf.int64,
        lookup.TextFileIndex.LINE_NUMBER,
    ),
    -1,
)
learnt = lookup.MutableDenseHashTable(
    tf.int64, tf.float32, [0.0, 0.0], empty_key=-1, deleted_key=-2
)

ids = table.lookup(words)
dense = tf.sparse_tensor_to_dense(ids, default_value=7)
vectors = layers.embed_sequence(
    dense, vocab_size=8, embed_dim=3, initializer=tf.random_uniform_initializer(-1, 1, seed=24)
)
shared = layers.embed_sequence(dense, 8, 3, unique=True, scope="EmbedSequence", reuse=True)
weights = tf.get_variable("w", [8, 2], initializer=tf.random_normal_initializer(seed=23))
holes = tf.SparseTensor([[0, 0], [0, 1], [2, 0]], tf.constant([1, -1, 3], tf.int64), [4, 2])
mean = layers.safe_embedding_lookup_sparse(weights, holes, combiner="mean")
root = layers.safe_embedding_lookup_sparse([weights], holes, default_id=0, combiner="sqrtn")

print([isinstance(one, lookup.LookupInterface) for one in (table, back, learnt)])
print(isinstance(counts, lookup.InitializableLookupTableBase), vectors.shape)
print(isinstance(lookup.KeyValueTensorInitializer([1], [2]), lookup.TableInitializerBase))
print([v.op.name for v in tf.trainable_variables()])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    tf.tables_initializer().run()
    print(sess.run(dense).tolist(), sess.run(table.size()))
    print(sess.run(same.lookup(words.values)).tolist())
    print([word.decode() for word in sess.run(back.lookup(tf.constant([1, 5, 9], tf.int64)))])
    print(sess.run(hashed.lookup(tf.constant(["cat", "dog", "cow", "hen"]))).tolist())
    print(sess.run(plain.lookup(tf.constant(["cat", "dog", "cow", "hen"]))).tolist())
    print(sess.run(counts.lookup(tf.constant(["the", "mat", "dog"]))).tolist())
    print(sess.run(lines.lookup(tf.constant([2, 8], tf.int64))).tolist())
    print(sess.run(numbers.lookup(tf.constant(["on", "off"]))).tolist())
    old = lookup.string_to_index(tf.constant(["b", "c", "z"]), tf.constant(["a", "b", "c"]))
    names = lookup.index_to_string(old, tf.constant(["A", "B", "C"]), "none")
    tf.tables_initializer().run()
    print(sess.run(old).tolist(), sess.run(names).tolist())
    sess.run(learnt.insert(tf.constant([4, 5], tf.int64), [[1.0, 2.0], [3.0, 4.0]]))
    sess.run(learnt.erase(tf.constant([4], tf.int64)))
    print(sess.run(learnt.lookup(tf.constant([4, 5], tf.int64))).tolist(), sess.run(learnt.size()))
    print(np.array_equal(*sess.run([vectors, shared])), sess.run(vectors)[1].round(2))
    print(sess.run(mean).round(3), sess.run(root).round(3))
