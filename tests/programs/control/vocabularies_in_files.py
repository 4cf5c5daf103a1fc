"""Words to numbers and back by files: static tables, vocabularies with room for unknown words."""

import numpy as np
import tensorflow as tf

with open("words.txt", "w") as f:
    f.write("the\nlanguage\nof\nflowers\n")
with open("prices.tsv", "w") as f:
    f.write("rose\t250\t3\ntulip\t120\t10\nlily\t300\t1\n")

index = tf.lookup.TextFileIndex
word_to_id = tf.lookup.StaticHashTable(
    tf.lookup.TextFileInitializer(
        "words.txt", tf.string, index.WHOLE_LINE, tf.int64, index.LINE_NUMBER
    ),
    default_value=-1,
)
id_to_word = tf.lookup.StaticHashTable(
    tf.lookup.TextFileInitializer(
        "words.txt",
        key_dtype=tf.int64,
        key_index=tf.lookup.TextFileIndex.LINE_NUMBER,
        value_dtype=tf.string,
        value_index=tf.lookup.TextFileIndex.WHOLE_LINE,
        vocab_size=4,
    ),
    default_value="?",
)
prices = tf.lookup.StaticHashTable(
    tf.lookup.TextFileInitializer("prices.tsv", tf.string, 0, tf.int64, 1, delimiter="\t"), 0
)
stock = tf.lookup.StaticHashTable(
    tf.lookup.TextFileInitializer("prices.tsv", tf.string, 0, tf.int64, 2), 0, name="stock"
)
# three more numbers for words that nobody knows; which one, their hash says
vocabulary = tf.lookup.StaticVocabularyTable(
    tf.lookup.TextFileInitializer(
        "words.txt", tf.string, index.WHOLE_LINE, tf.int64, index.LINE_NUMBER
    ),
    num_oov_buckets=3,
)
only_hashes = tf.lookup.StaticVocabularyTable(None, num_oov_buckets=5)
small = tf.lookup.StaticVocabularyTable(
    tf.lookup.KeyValueTensorInitializer(["yes", "no"], tf.constant([0, 1], tf.int64)), 1
)

sentence = tf.string_split(["the secret language of small flowers", "flowers of the night"])
ids = vocabulary.lookup(sentence)
embeddings = tf.get_variable(
    "embeddings", [7, 3], initializer=tf.random_uniform_initializer(-1, 1, seed=2)
)
document = tf.nn.embedding_lookup_sparse(embeddings, ids, None, combiner="mean")
worth = prices.lookup(tf.constant(["rose", "lily", "daisy"])) * stock.lookup(
    tf.constant(["rose", "lily", "daisy"])
)

with tf.Session() as sess:
    try:
        sess.run(ids)
    except tf.errors.FailedPreconditionError as e:
        print(type(e).__name__)
    sess.run([tf.tables_initializer(), tf.global_variables_initializer()])
    found = sess.run(ids)
    print(found.values.tolist(), found.dense_shape.tolist())
    known = word_to_id.lookup(tf.constant(["flowers", "trees", "the"]))
    print(sess.run(known).tolist(), sess.run(id_to_word.lookup(known)).tolist())
    print(sess.run([table.size() for table in (word_to_id, prices, vocabulary, small)]))
    print(sess.run(worth).tolist(), sess.run(only_hashes.lookup(tf.constant(["a", "b"]))).tolist())
    print(sess.run(small.lookup(tf.constant(["no", "maybe", "yes"]))).tolist())
    print(document.shape, np.round(np.float64(sess.run(document)), 2).tolist())
print(len(tf.get_collection(tf.GraphKeys.TABLE_INITIALIZERS)), word_to_id.key_dtype)
print(prices.value_dtype, vocabulary.key_dtype, vocabulary.value_dtype)
