"""A program with flags and tf.app.run, as scripts of 2016 are; its exit code is main's."""

import tensorflow as tf

flags = tf.app.flags
FLAGS = flags.FLAGS
flags.DEFINE_float("learning_rate", 0.2, "Initial learning rate.")
flags.DEFINE_integer("max_steps", 15, "Number of steps.")
flags.DEFINE_string("optimizer", "sgd", "sgd or adam.")
flags.DEFINE_boolean("verbose", True, "Whether to tell.")
flags.DEFINE_list("layers", "4,2", "Units.")


def main(_):
    kinds = {"sgd": tf.train.GradientDescentOptimizer, "adam": tf.train.AdamOptimizer}
    x = tf.ones([1, 3])
    for units in FLAGS.layers:
        x = tf.layers.dense(x, int(units), kernel_initializer=tf.constant_initializer(0.5))
    loss = tf.reduce_sum(tf.square(x - 1.0))
    train = kinds[FLAGS.optimizer](FLAGS.learning_rate / 100).minimize(loss)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for step in range(FLAGS.max_steps):
            _, value = sess.run([train, loss])
            if FLAGS.verbose and step % 7 == 0:
                print("step %d: loss %.3f" % (step, value))
    print(FLAGS.flag_values_dict()["optimizer"], FLAGS.layers)


if __name__ == "__main__":
    tf.app.run(main=main)
