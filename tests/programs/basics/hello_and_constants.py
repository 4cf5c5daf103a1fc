"""The first program: a greeting, and arithmetic of constants and placeholders."""

import tensorflow as tf

hello = tf.constant("Hello, TensorFlow!")
a = tf.constant(2)
b = tf.constant(3)

with tf.Session() as sess:
    print(sess.run(hello))
    print("a=2, b=3")
    print("Addition with constants: %i" % sess.run(a + b))
    print("Multiplication with constants: %i" % sess.run(a * b))

a = tf.placeholder(tf.int16)
b = tf.placeholder(tf.int16)
add = tf.add(a, b)
mul = tf.multiply(a, b)
with tf.Session() as sess:
    print("Addition with variables: %i" % sess.run(add, feed_dict={a: 2, b: 3}))
    print("Multiplication with variables: %i" % sess.run(mul, feed_dict={a: 2, b: 3}))

matrix1 = tf.constant([[3.0, 3.0]])
matrix2 = tf.constant([[2.0], [2.0]])
product = tf.matmul(matrix1, matrix2)
print(product)
with tf.Session() as sess:
    print(sess.run(product))
