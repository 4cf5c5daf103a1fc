"""Queues and several threads: who waits, who is served, what a close, a deadline, an error do.

A thread is known to wait when the size of the queue shows what it has put in or taken so far.
Nothing here depends on how long anything takes.
"""

import numpy as np

from tests.behaviour.asking import question, says
from tests.behaviour.questions._queues import (
    THREE,
    Numbers,
    Running,
    each_kind,
    error_of,
    soon,
    until,
)

_GIVEN_BACK = "what a dequeue_many had taken goes back when its step ends, and is not lost"

#: (question, label): (the answer here, why it is not TensorFlow's).
DIFFERENCES = {
    ("the_last_priorities", "some"): (
        "int64[2] [4, 5]",
        "TensorFlow loses the last elements of a PriorityQueue; its documentation promises them",
    )
}
for _kind in THREE:
    DIFFERENCES |= {
        ("a_batch_waits_and_its_time_is_over", _kind): (
            "['DeadlineExceededError', [1, 2, 7]]",
            _GIVEN_BACK,
        ),
        ("a_batch_waits_and_its_step_fails", _kind): (
            "['InvalidArgumentError', [1, 2]]",
            _GIVEN_BACK,
        ),
    }


# A dequeue waits ----------------------------------------------------------------------------------


@question
def a_batch_comes_together(tf):
    def ask(q):
        with tf.Session() as sess:
            q.fill(sess, 1)
            batch = Running(sess, q.take_many, {q.n: 3})
            until(sess, q.size, 0)
            sess.run(q.put, {q.value: 2})
            until(sess, q.size, 0)
            q.fill(sess, 3, 4)
            return [batch.result(), sess.run(q.size), q.rest(sess)]

    return each_kind(tf, ask, THREE)


@question
def a_batch_waits_and_the_queue_is_closed(tf):
    def ask(q):
        with tf.Session() as sess:
            q.fill(sess, 1, 2)
            batch = Running(sess, q.take_many, {q.n: 3})
            until(sess, q.size, 0)
            sess.run(q.close)
            refused = says("is closed and has insufficient elements", batch.result)
            return [refused, sess.run(q.size), sorted(q.rest(sess))]

    return each_kind(tf, ask, THREE)


@question
def some_wait_and_the_queue_is_closed(tf):
    def ask(q):
        with tf.Session() as sess:
            q.fill(sess, 1, 2)
            batch = Running(sess, q.take_up_to, {q.n: 3})
            until(sess, q.size, 0)
            sess.run(q.close)
            return [sorted(batch.result().tolist()), sess.run(q.size)]

    return each_kind(tf, ask, THREE)


@question
def a_batch_waits_and_its_time_is_over(tf):
    def ask(q):
        with tf.Session() as sess:
            q.fill(sess, 1, 2)
            ended = error_of(sess.run, q.take_many, {q.n: 3}, options=soon(tf))
            q.fill(sess, 7)
            return [ended, sorted(q.rest(sess))]

    return each_kind(tf, ask)


@question
def a_batch_waits_and_its_step_fails(tf):
    def ask(q):
        with tf.Session() as sess:
            q.fill(sess, 1, 2)
            go = tf.FIFOQueue(1, tf.int64, shapes=[[]])
            bad = tf.gather(tf.constant([1, 2]), go.dequeue())
            batch = Running(sess, [q.take_many, bad], {q.n: 3})
            until(sess, q.size, 0)
            sess.run(go.enqueue(tf.constant(5, tf.int64)))
            return [error_of(batch.result), sorted(q.rest(sess))]

    return each_kind(tf, ask, THREE)


@question
def dequeues_are_served_in_order(tf):
    q = Numbers(tf)
    with tf.Session() as sess:
        q.fill(sess, 1)
        first = Running(sess, q.take_many, {q.n: 3})
        until(sess, q.size, 0)
        second = Running(sess, q.take)
        q.fill(sess, 2, 3, 4)
        return {"first": first.result(), "second": second.result(), "left": sess.run(q.size)}


@question
def one_ends_and_the_next_is_served(tf):
    q = Numbers(tf)
    with tf.Session() as sess:
        first = Running(sess, q.take_many, {q.n: 5}, options=soon(tf, 300))
        second = Running(sess, q.take_many, {q.n: 2})
        ended = error_of(first.result)
        q.fill(sess, 2, 3)
        return {"first": ended, "second": second.result(), "left": q.rest(sess)}


@question
def all_who_wait_are_told(tf):
    q = Numbers(tf)
    with tf.Session() as sess:
        waiting = [Running(sess, q.take) for _ in range(3)]
        waiting += [Running(sess, q.take_up_to, {q.n: 2}), Running(sess, q.take_many, {q.n: 2})]
        sess.run(q.close)
        return {"errors": [error_of(run.result) for run in waiting]}


@question
def one_batch_before_another(tf):
    q = Numbers(tf)
    with tf.Session() as sess:
        q.fill(sess, 1)
        first = Running(sess, q.take_many, {q.n: 4})
        until(sess, q.size, 0)
        second = Running(sess, q.take_up_to, {q.n: 2})
        sess.run(q.close)
        return {
            "first": error_of(first.result),
            "second": error_of(second.result),
            "left": q.rest(sess),
        }


@question
def priorities_are_taken_together(tf):
    q = Numbers(tf, kind="PriorityQueue", capacity=4)
    with tf.Session() as sess:
        q.fill(sess, 5, 7)
        late = error_of(sess.run, q.take_many, {q.n: 3}, options=soon(tf))
        answers = {"in time": late, "nothing taken": sess.run(q.size)}
        batch = Running(sess, q.take_many, {q.n: 3})
        sess.run(q.put, {q.value: 1})
        answers["batch"] = batch.result()
        q.fill(sess, 5, 7, 3, 1)
        answers["too many"] = error_of(sess.run, q.take_many, {q.n: 10}, options=soon(tf))
        sess.run(q.close)
        answers["two"] = sess.run(q.take_up_to, {q.n: 2})
        answers["more than there are"] = error_of(sess.run, q.take_many, {q.n: 3})
        return answers


@question
def the_last_priorities(tf):
    q = Numbers(tf, kind="PriorityQueue", capacity=4)
    with tf.Session() as sess:
        q.fill(sess, 5, 4)
        sess.run(q.close)
        some = error_of(sess.run, q.take_up_to, {q.n: 3})
        return {"some": some, "left": q.rest(sess)}


@question
def priorities_and_a_close(tf):
    q = Numbers(tf, kind="PriorityQueue", capacity=4)
    with tf.Session() as sess:
        q.fill(sess, 5, 4)
        batch = Running(sess, q.take_many, {q.n: 3})
        sess.run(q.close)
        refused = says("insufficient elements (requested 3, current size 2)", batch.result)
        return {"batch": refused, "left": q.rest(sess)}


# An enqueue waits ---------------------------------------------------------------------------------


@question
def more_than_there_is_room_for(tf):
    def ask(q):
        with tf.Session() as sess:
            many = Running(sess, q.put_many, {q.values: np.arange(6)})
            until(sess, q.size, 4)
            taken = [sess.run(q.take), sess.run(q.take)]
            return [many.result(), sorted(map(int, taken)), sess.run(q.size), sorted(q.rest(sess))]

    answers = each_kind(tf, ask)
    answers["RandomShuffleQueue"] = "any order"
    return answers


@question
def it_waits_and_the_queue_is_closed_and_cancelled(tf):
    def ask(q):
        with tf.Session() as sess:
            many = Running(sess, q.put_many, {q.values: np.arange(6)})
            until(sess, q.size, 4)
            sess.run(q.cancel)
            return [
                says("Enqueue operation was cancelled", many.result),
                sess.run(q.size),
                sess.run(q.is_closed),
                sorted(q.rest(sess)),
            ]

    return each_kind(tf, ask)


@question
def it_waits_and_the_queue_is_closed(tf):
    def ask(q):
        with tf.Session() as sess:
            many = Running(sess, q.put_many, {q.values: np.arange(6)})
            until(sess, q.size, 4)
            close = Running(sess, q.close)
            taken = sorted(int(sess.run(q.take)) for _ in range(6))
            return [many.result(), close.result(), taken, sess.run([q.is_closed, q.size])]

    return each_kind(tf, ask)


@question
def it_waits_and_its_time_is_over(tf):
    def ask(q):
        with tf.Session() as sess:
            # None at first: the time of the next run is for waiting, not for its preparation.
            sess.run(q.put_many, {q.values: np.arange(0)})
            ended = error_of(sess.run, q.put_many, {q.values: np.arange(6)}, options=soon(tf))
            one = error_of(sess.run, q.put, {q.value: 9}, options=soon(tf))
            return [ended, one, sess.run(q.size), sorted(q.rest(sess))]

    return each_kind(tf, ask)


@question
def enqueues_are_served_in_order(tf):
    q = Numbers(tf, capacity=2)
    with tf.Session() as sess:
        many = Running(sess, q.put_many, {q.values: [1, 2, 3, 4]})
        until(sess, q.size, 2)
        one = Running(sess, q.put, {q.value: 5})
        taken = [sess.run(q.take) for _ in range(5)]
        return {"taken": taken, "ended": [many.result(), one.result()]}


@question
def a_single_one_waits(tf):
    q = Numbers(tf, capacity=1)
    with tf.Session() as sess:
        q.fill(sess, 1)
        cancelled = Running(sess, q.put, {q.value: 2})
        sess.run(q.cancel)
        return {
            "cancelled": error_of(cancelled.result),
            "left": q.rest(sess),
            "closed": error_of(sess.run, q.put, {q.value: 2}, options=soon(tf)),
        }


@question
def no_room_at_all(tf):
    q = Numbers(tf, capacity=0)
    with tf.Session() as sess:
        return {
            "one": error_of(sess.run, q.put, {q.value: 1}, options=soon(tf)),
            "none of them": sess.run(q.put_many, {q.values: []}),
            "taking": error_of(sess.run, q.take, options=soon(tf)),
            "size": sess.run(q.size),
        }


# Both ---------------------------------------------------------------------------------------------


@question
def a_batch_larger_than_the_queue(tf):
    def ask(q):
        with tf.Session() as sess:
            batch = Running(sess, q.take_many, {q.n: 10})
            put = sess.run(q.put_many, {q.values: np.arange(10)})
            taken = batch.result()
            return [put, sorted(taken.tolist()), sess.run(q.size)]

    return each_kind(tf, ask, THREE)


@question
def larger_still(tf):
    q = Numbers(tf, capacity=3)
    with tf.Session() as sess:
        put = Running(sess, q.put_many, {q.values: np.arange(9)})
        until(sess, q.size, 3)
        first = sess.run(q.take_many, {q.n: 4})
        second = sess.run(q.take_many, {q.n: 5})
        return {"ended": put.result(), "first": first, "second": second, "left": q.rest(sess)}


@question
def some_of_a_closed_queue_with_enqueues_in_line(tf):
    q = Numbers(tf, capacity=2)
    with tf.Session() as sess:
        put = Running(sess, q.put_many, {q.values: [1, 2, 3, 4, 5]})
        until(sess, q.size, 2)
        close = Running(sess, q.close)
        batch = sess.run(q.take_up_to, {q.n: 4})
        put.result()
        rest = sess.run(q.take_up_to, {q.n: 1})
        close.result()
        return {"batch": batch, "rest": rest, "size": sess.run(q.size)}


@question
def producers_and_consumers(tf):
    q = Numbers(tf, capacity=3)
    with tf.Session() as sess:
        producers = [
            Running(sess, q.put_many, {q.values: np.arange(start, start + 20)})
            for start in (0, 20, 40)
        ]
        consumers = [Running(sess, q.take_many, {q.n: 12}) for _ in range(5)]
        taken = sorted(value for run in consumers for value in run.result().tolist())
        for run in producers:
            run.result()
        return {"all of them once": taken == list(range(60)), "left": sess.run(q.size)}


@question
def each_producer_keeps_its_order(tf):
    q = Numbers(tf, capacity=2)
    with tf.Session() as sess:
        runs = [Running(sess, q.put_many, {q.values: np.arange(s, s + 10)}) for s in (0, 100)]
        taken = [int(sess.run(q.take)) for _ in range(20)]
        for run in runs:
            run.result()
        low = [value for value in taken if value < 100]
        return {"of the first": low, "of the other": [v for v in taken if v not in low]}


@question
def through_two_queues(tf):
    one, other = Numbers(tf, capacity=2), Numbers(tf, capacity=2)
    move = other.queue.enqueue(one.take * 10)
    with tf.Session() as sess:
        moves = [Running(sess, move) for _ in range(3)]
        one.fill(sess, 1, 2, 3)
        taken = sorted(int(sess.run(other.take)) for _ in range(3))
        for run in moves:
            run.result()
        return {"taken": taken, "sizes": sess.run([one.size, other.size])}


# Deadlines and sessions ---------------------------------------------------------------------------


@question
def deadlines(tf):
    q = Numbers(tf, capacity=2)
    with tf.Session() as sess:
        answers = {
            "one": error_of(sess.run, q.take, options=soon(tf)),
            "many": error_of(sess.run, q.take_many, {q.n: 2}, options=soon(tf)),
            "some": error_of(sess.run, q.take_up_to, {q.n: 2}, options=soon(tf)),
        }
        q.fill(sess, 1, 2)
        return answers | {
            "in time": sess.run(q.take, options=soon(tf, 60_000)),
            "enqueue in time": sess.run(q.put, {q.value: 3}, options=soon(tf, 60_000)),
            "full": error_of(sess.run, q.put, {q.value: 4}, options=soon(tf)),
            "what is in it": q.rest(sess),
        }


@question
def a_deadline_for_the_session(tf):
    q = Numbers(tf, capacity=1)
    config = tf.ConfigProto(operation_timeout_in_ms=40)
    enough = soon(tf, 60_000)  # for what has to come to its end on a busy machine
    with tf.Session(config=config) as sess:
        return {
            "take": error_of(sess.run, q.take),
            "put": sess.run(q.put, {q.value: 1}, options=enough),
            "full": error_of(sess.run, q.put, {q.value: 2}),
            "still there": sess.run(q.take, options=enough),
        }


@question
def the_session_is_closed(tf):
    q = Numbers(tf)
    sess = tf.Session()
    q.fill(sess, 1)
    batch = Running(sess, q.take_many, {q.n: 2})
    until(sess, q.size, 0)
    sess.close()
    return {"the one that waits": error_of(batch.result), "later": error_of(sess.run, q.size)}


@question
def two_sessions(tf):
    q = Numbers(tf, shared_name="of each session")
    with tf.Session() as one, tf.Session() as other:
        q.fill(one, 1, 2)
        return {"one": one.run(q.size), "other": other.run(q.size)}


@question
def an_error_elsewhere_in_the_step(tf):
    q = Numbers(tf)
    bad = tf.gather(tf.constant([1, 2]), tf.placeholder_with_default(5, []))
    with tf.Session() as sess:
        failed = error_of(sess.run, [q.take, bad])
        q.fill(sess, 1)
        return {"the step": failed, "then": sess.run(q.take)}
