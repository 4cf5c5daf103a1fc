"""Hash tables: from constants, from a file, with buckets for the rest, and mutable."""

import tensorflow as tf

words = tf.constant(["cat", "dog", "cow", "emu"])
keys = tf.constant(["cat", "dog"])
table = tf.contrib.lookup.HashTable(
    tf.contrib.lookup.KeyValueTensorInitializer(keys, tf.constant([10, 20], tf.int64)), -1
)
with open("vocabulary.txt", "w") as f:
    f.write("emu\ncow\n")
index = tf.contrib.lookup.index_table_from_file("vocabulary.txt", num_oov_buckets=1)
back = tf.contrib.lookup.index_to_string_table_from_file("vocabulary.txt", default_value="?")
mapping = tf.contrib.lookup.index_table_from_tensor(["dog", "cow"], default_value=7)
mutable = tf.contrib.lookup.MutableHashTable(tf.string, tf.int64, default_value=0)
count = mutable.insert(words, mutable.lookup(words) + 1)
with tf.Session() as sess:
    try:
        sess.run(table.lookup(words))
    except tf.errors.FailedPreconditionError as error:
        print(type(error).__name__)
    sess.run(tf.tables_initializer())
    print(sess.run(table.lookup(words)), sess.run(table.size()))
    print(sess.run(index.lookup(words)), sess.run(back.lookup(tf.constant([1, 5], tf.int64))))
    print(sess.run(mapping.lookup(words)))
    for _ in range(2):
        sess.run(count)
    print(sess.run(mutable.lookup(tf.constant(["emu", "bee"]))), sess.run(mutable.size()))
