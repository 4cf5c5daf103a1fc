"""What the questions about queues share: runs on threads of their own, a queue of numbers."""

import threading

import numpy as np


class Running:
    """A run on a thread of its own."""

    def __init__(self, sess, *args, **kwargs):
        self.outcome = None
        self.error = None
        self._arguments = sess, args, kwargs
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self):
        sess, args, kwargs = self._arguments
        try:
            self.outcome = sess.run(*args, **kwargs)
        except Exception as error:
            self.error = error

    def result(self):
        """Its value, or its error, raised; waits for the end."""
        self._thread.join(60)
        if self._thread.is_alive():
            raise RuntimeError("still waiting")
        if self.error is not None:
            raise self.error
        return self.outcome


def error_of(function, *args, **kwargs):
    """The class of what a call raises."""
    try:
        return function(*args, **kwargs)
    except Exception as error:
        return type(error).__name__


def until(sess, tensor, wanted):
    """Go on when a tensor has this value."""
    for _ in range(1_000_000):
        if sess.run(tensor) == wanted:
            return
    raise RuntimeError(f"{tensor.name} never was {wanted}")


def soon(tf, milliseconds=100):
    """For a run that must end by its deadline."""
    return tf.RunOptions(timeout_in_ms=milliseconds)


class Numbers:
    """A queue of scalars, and what is done with it."""

    def __init__(self, tf, capacity=100, kind="FIFOQueue", **options):
        if kind == "PriorityQueue":
            self.queue = tf.PriorityQueue(capacity, tf.int64, shapes=[[]], **options)
        elif kind == "RandomShuffleQueue":
            self.queue = tf.RandomShuffleQueue(capacity, dtypes=tf.int64, shapes=[[]], **options)
        else:
            self.queue = getattr(tf, kind)(capacity, tf.int64, shapes=[[]], **options)
        self.value = tf.placeholder(tf.int64, [])
        self.values = tf.placeholder(tf.int64, [None])
        self.n = tf.placeholder(tf.int32, [])
        copies = len(self.queue.dtypes)  # a priority goes before the value: here it is the same
        self.put = self.queue.enqueue([self.value] * copies)
        self.put_many = self.queue.enqueue_many([self.values] * copies)
        take, take_many, take_up_to = (
            self.queue.dequeue(),
            self.queue.dequeue_many(self.n),
            self.queue.dequeue_up_to(self.n),
        )
        last = (lambda parts: parts[-1]) if copies > 1 else (lambda part: part)
        self.take, self.take_many, self.take_up_to = last(take), last(take_many), last(take_up_to)
        self.size = self.queue.size()
        self.close = self.queue.close()
        self.cancel = self.queue.close(cancel_pending_enqueues=True)
        self.is_closed = self.queue.is_closed()

    def fill(self, sess, *values):
        sess.run(self.put_many, {self.values: np.array(values, np.int64)})

    def rest(self, sess):
        """All elements, and the queue empty."""
        return sess.run(self.take_many, {self.n: sess.run(self.size)}).tolist()


#: Those whose dequeue of many takes elements as they come.
THREE = ("FIFOQueue", "PaddingFIFOQueue", "RandomShuffleQueue")
KINDS = (*THREE, "PriorityQueue")


def each_kind(tf, ask, kinds=KINDS):
    answers = {}
    for kind in kinds:
        options = {"min_after_dequeue": 0, "seed": 3} if kind == "RandomShuffleQueue" else {}
        with tf.Graph().as_default():
            answers[kind] = ask(Numbers(tf, kind=kind, capacity=4, **options))
    return answers
