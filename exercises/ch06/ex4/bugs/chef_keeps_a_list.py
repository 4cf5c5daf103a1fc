# loses: never more than room + 2 orders under way
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
        done, aside = 0, []
        while done < len(orders):
            number = int(sess.run(take_line))
            if not cook(number):
                aside.append(number)
                continue
            for one in [number, *[one for one in aside if cook(one)]]:
                aside = [other for other in aside if other != one]
                sess.run(put_dish, {order: one})
                done += 1

    def guest(sess):
        for _ in range(len(orders)):
            serve(int(sess.run(take_dish)))

    return {"waiter": waiter, "chef": chef, "guest": guest}
