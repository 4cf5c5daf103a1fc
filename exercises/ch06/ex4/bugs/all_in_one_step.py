# loses: no deadlock, in any schedule
import tinytf as tf


def build_better_restaurant(orders, room, cook, serve):
    line = tf.FIFOQueue(room, tf.int32, shapes=[[]], name="line")
    dishes = tf.FIFOQueue(room, tf.int32, shapes=[[]], name="dishes")
    order = tf.placeholder(tf.int32, [], name="order")
    put_line, take_line = line.enqueue(order), line.dequeue()
    put_dish, take_dish = dishes.enqueue(order), dishes.dequeue()

    def waiter(sess):
        for number in orders:
            sess.run(put_line, {order: number})

    def chef(sess):
        number = int(sess.run(take_line))
        done = 0
        while True:
            if cook(number):
                sess.run(put_dish, {order: number})
                done += 1
                if done == len(orders):
                    return
                number = int(sess.run(take_line))
            else:  # in one step: the next one comes out, this one goes back
                number = int(sess.run([take_line, put_line], {order: number})[0])

    def guest(sess):
        for _ in range(len(orders)):
            serve(int(sess.run(take_dish)))

    return {"waiter": waiter, "chef": chef, "guest": guest}
