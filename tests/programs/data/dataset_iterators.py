"""Four kinds of iterators: one-shot, initialisable, reinitialisable, and feedable by a handle."""

import tensorflow as tf

limit = tf.placeholder(tf.int64, [])
initializable = tf.data.Dataset.range(limit).make_initializable_iterator()
value = initializable.get_next()

training = tf.data.Dataset.range(100).map(lambda x: x + 1000)
validation = tf.data.Dataset.range(50)
switching = tf.data.Iterator.from_structure(training.output_types, training.output_shapes)
either = switching.get_next()
train_init, valid_init = (
    switching.make_initializer(training),
    switching.make_initializer(validation),
)

handle = tf.placeholder(tf.string, shape=[])
feedable = tf.data.Iterator.from_string_handle(handle, training.output_types)
fed = feedable.get_next()
one = training.repeat().make_one_shot_iterator()
two = validation.make_initializable_iterator()
with tf.Session() as sess:
    for n in (2, 3):
        sess.run(initializable.initializer, {limit: n})
        while True:
            try:
                print(sess.run(value), end=" ")
            except tf.errors.OutOfRangeError:
                print("end")
                break
    for init in (train_init, valid_init):
        sess.run(init)
        print([int(sess.run(either)) for _ in range(3)])
    handles = sess.run([one.string_handle(), two.string_handle()])
    sess.run(two.initializer)
    print([int(sess.run(fed, {handle: handles[i % 2]})) for i in range(6)])
    try:
        sess.run(tf.data.Dataset.range(3).make_initializable_iterator().get_next())
    except tf.errors.FailedPreconditionError as error:
        print(type(error).__name__)
