"""A CSV file read line by line with a reader, a queue of file names, and a queue of instances."""

import tensorflow as tf

with open("my_test.csv", "w") as test_csv:
    test_csv.write("x1, x2 , target\n1.,, 0\n4., 5. , 1\n7., 8. , 0\n")

filename_queue = tf.FIFOQueue(capacity=10, dtypes=[tf.string], shapes=[()])
filename = tf.placeholder(tf.string)
enqueue_filename = filename_queue.enqueue([filename])
close_filename_queue = filename_queue.close()
reader = tf.TextLineReader(skip_header_lines=1)
key, value = reader.read(filename_queue)
x1, x2, target = tf.decode_csv(value, record_defaults=[[-1.0], [-1.0], [-1]])
features = tf.stack([x1, x2])
instance_queue = tf.FIFOQueue(
    capacity=10,
    dtypes=[tf.string, tf.float32, tf.int32],
    shapes=[[], [2], []],
    name="instance_q",
    shared_name="shared_instance_q",
)
enqueue_instance = instance_queue.enqueue([key, features, target])
close_instance_queue = instance_queue.close()
keys, instances, targets = instance_queue.dequeue_up_to(2)
with tf.Session() as sess:
    sess.run(enqueue_filename, feed_dict={filename: "my_test.csv"})
    sess.run(close_filename_queue)
    try:
        while True:
            sess.run(enqueue_instance)
    except tf.errors.OutOfRangeError:
        print("No more files to read")
    sess.run(close_instance_queue)
    try:
        while True:
            print(*sess.run([keys, instances, targets]))
    except tf.errors.OutOfRangeError:
        print("No more training instances")
    print(sess.run(reader.num_records_produced()), sess.run(reader.num_work_units_completed()))
