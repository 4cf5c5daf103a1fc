"""Threads that fill a queue, a coordinator that ends them, and an error that it brings home."""

import threading

import tensorflow as tf

queue = tf.FIFOQueue(20, [tf.int32], shapes=[()])
counter = tf.Variable(0, name="counter", use_resource=True)
enqueue = queue.enqueue(counter.assign_add(1))
runner = tf.train.QueueRunner(queue, [enqueue])
tf.train.add_queue_runner(runner)
batch = queue.dequeue_many(4)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)
    for _ in range(3):
        print(sess.run(batch))
    coord.request_stop()
    coord.join(threads)
    print(coord.should_stop(), [t.is_alive() for t in threads])

coord = tf.train.Coordinator()
done = []


def work(number):
    with coord.stop_on_exception():
        while not coord.should_stop():
            done.append(number)
            if number == 1:
                raise KeyError("one of them fails")
            coord.wait_for_stop()


workers = [threading.Thread(target=work, args=(i,)) for i in range(3)]
for t in workers:
    t.start()
try:
    coord.join(workers)
except KeyError as error:
    print("KeyError", error, sorted(set(done)))
