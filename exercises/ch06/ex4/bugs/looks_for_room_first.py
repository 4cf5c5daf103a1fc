# loses: no deadlock, in any schedule
import tinytf as tf


def build_better_restaurant(orders, room, cook, serve):
    import time

    line = tf.FIFOQueue(room, tf.int32, shapes=[[]], name="line")
    dishes = tf.FIFOQueue(room, tf.int32, shapes=[[]], name="dishes")
    order = tf.placeholder(tf.int32, [], name="order")
    put_line, take_line = line.enqueue(order), line.dequeue()
    put_dish, take_dish = dishes.enqueue(order), dishes.dequeue()
    size = line.size()

    def waiter(sess):
        for number in orders:
            while sess.run(size) == room:
                time.sleep(0.001)  # noqa: TID251 - what a learner writes
            sess.run(put_line, {order: number})

    def chef(sess):
        done = 0
        while done < len(orders):
            number = int(sess.run(take_line))
            if cook(number):
                sess.run(put_dish, {order: number})
                done += 1
            else:
                sess.run(put_line, {order: number})

    def guest(sess):
        for _ in range(len(orders)):
            serve(int(sess.run(take_dish)))

    return {"waiter": waiter, "chef": chef, "guest": guest}
