# loses: what cannot be cooked yet is cooked after what it needs
import tinytf as tf


def build_better_restaurant(orders, room, cook, serve):
    line = tf.FIFOQueue(room, tf.int32, shapes=[[]], name="line")
    dishes = tf.FIFOQueue(room, tf.int32, shapes=[[]], name="dishes")
    places = tf.FIFOQueue(1, tf.bool, shapes=[[]], name="places")
    lay_out = places.enqueue_many([[True]])
    take_place, give_place = places.dequeue(), places.enqueue(True)
    order = tf.placeholder(tf.int32, [], name="order")
    put_line, take_line = line.enqueue(order), line.dequeue()
    put_dish, take_dish = dishes.enqueue(order), dishes.dequeue()

    def waiter(sess):
        sess.run(lay_out)
        for number in orders:
            sess.run(take_place)
            sess.run(put_line, {order: number})

    def chef(sess):
        done = 0
        while done < len(orders):
            number = int(sess.run(take_line))
            if cook(number):
                sess.run(give_place)
                sess.run(put_dish, {order: number})
                done += 1
            else:
                sess.run(put_line, {order: number})

    def guest(sess):
        for _ in range(len(orders)):
            serve(int(sess.run(take_dish)))

    return {"waiter": waiter, "chef": chef, "guest": guest}
