"""Operations on strings: split, join, substrings, numbers, hashes, and regular expressions."""

import tensorflow as tf

words = tf.string_split(["the quick brown fox", "a dog"])
with tf.Session() as sess:
    print(sess.run(words.values), sess.run(words.dense_shape))
    print(sess.run(tf.string_join(["a", ["b", "c"]], separator="-")))
    print(sess.run(tf.reduce_join([["x", "y"], ["z", "w"]], 1, separator="+")))
    print(
        sess.run(tf.substr(["hello", "world"], 1, 3)),
        sess.run(tf.as_string([1.5, 2.25], precision=2)),
    )
    print(
        sess.run(tf.string_to_number(["3.5", "-2"])),
        sess.run(tf.string_to_hash_bucket_fast(["a", "b"], 100)),
    )
    print(sess.run(tf.string_to_hash_bucket_strong(["a"], 1000, [1, 2])))
    print(sess.run(tf.regex_replace(["a1b22"], "[0-9]+", "#")), sess.run(tf.string_strip([" a "])))
    print(
        sess.run(tf.strings.length(["", "four"])),
        sess.run(tf.encode_base64("hi")),
        sess.run(tf.decode_base64("aGk")),
    )
    print(sess.run(tf.decode_raw(["\x01\x02"], tf.uint8)).tolist())
    print(sess.run(tf.equal(["a", "b"], "a")), sess.run(tf.unique(["b", "a", "b"])).idx)
