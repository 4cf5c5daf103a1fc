"""Checks of ch11.ex1.

All workers are threads of this process, and what they do comes as an event: nothing is timed. If
one of them comes back too early, the others are let go at once.
"""

import queue
import threading
from collections import defaultdict
from types import SimpleNamespace

import tinytf as tf
from tinytf.grading import Wrong, equal_to, point

#: How long nothing may happen; far more than a step takes.
SECONDS = 15
NEVER_STALE = 2**40


class Training:
    """A synchronous training; `run` lets workers take part in it.

    Attributes:
      gave: worker -> the (batch, step) of each of its gradients. returned: worker -> what it
        returned.
    """

    def __init__(self, workers, steps, first=0, needed=None):
        self.workers, self.steps, self.first = workers, steps, first
        self.needed = needed or workers
        self.events, self.over, self.once = queue.Queue(), threading.Event(), threading.Lock()
        self.gave, self.returned = defaultdict(list), {}
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.build()

    def build(self):
        step = tf.get_variable("step", initializer=tf.constant(self.first, tf.int64))
        weight = tf.get_variable("weight", initializer=0.0)
        gradients = tf.ConditionalAccumulator(tf.float32, shape=[])
        tokens = tf.FIFOQueue(1000, tf.int64, shapes=[])
        self.begin = gradients.set_global_step(step)
        self.hand_out = tokens.enqueue_many(tf.fill([self.workers], step))
        self.close = tokens.close()
        update = tf.assign_sub(weight, gradients.take_grad(self.needed))
        with tf.control_dependencies([update]):
            self.update = gradients.set_global_step(tf.assign_add(step, 1))
        self.let_go = gradients.apply_grad(0.0, local_step=NEVER_STALE)
        self.ops = [self.ops_of(worker, tokens, gradients) for worker in range(self.workers)]

    def ops_of(self, worker, tokens, gradients):
        batch, step = tf.placeholder(tf.float32, []), tf.placeholder(tf.int64, [])
        gradient = tf.check_numerics(batch, "a batch that is broken")

        def tell(value, of):
            self.events.put(("gave", worker, (float(value), int(of))))
            return value

        told = tf.py_func(tell, [gradient, step], tf.float32)
        told.set_shape([])
        give = gradients.apply_grad(told, local_step=step)
        return SimpleNamespace(token=tokens.dequeue(), batch=batch, step=step, give=give)

    def run(self, answer, shares):
        """All workers train; Wrong as soon as one does what it should not."""
        with self.graph.as_default(), tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            sess.run(self.begin)
            sess.run(self.hand_out)
            threads = [threading.Thread(target=self.lead, args=[sess], daemon=True)]
            for worker in range(self.workers):
                given = [answer, sess, worker, list(shares[worker])]
                threads.append(threading.Thread(target=self.work, args=given, daemon=True))
            for thread in threads:
                thread.start()
            try:
                self.watch()
            finally:
                self.end(sess)
                for thread in threads:
                    thread.join(SECONDS)

    def lead(self, sess):
        """What the chief's thread does."""
        for number in range(self.steps):
            sess.run(self.update)
            if self.over.is_set():
                return
            if number < self.steps - 1:
                sess.run(self.hand_out)
        self.finish(sess)

    def finish(self, sess):
        """Close the queue of tokens, if nobody has."""
        with self.once:
            if not self.over.is_set():
                self.over.set()
                sess.run(self.close)

    def work(self, answer, sess, worker, share):
        try:
            returned = answer(sess, self.ops[worker], share)
        except BaseException as error:
            self.events.put(("raised", worker, error))
        else:
            # Asked here: before the queue is closed nobody can know that the training is over.
            kind = "back" if self.over.is_set() else "early"
            self.events.put((kind, worker, returned))

    def end(self, sess):
        """Let everybody go who still waits."""
        self.finish(sess)
        for _ in range(self.needed):
            sess.run(self.let_go)

    def watch(self):
        """Take what happens, until all workers are back."""
        while len(self.returned) < self.workers:
            try:
                kind, worker, what = self.events.get(timeout=SECONDS)
            except queue.Empty:
                there = ", ".join(map(str, sorted(self.returned))) or "nobody"
                raise Wrong(
                    f"nothing happens any more; of {self.workers} workers came back: {there}",
                    "all of them come back when the queue of tokens is closed",
                ) from None
            if kind == "gave":
                self.gave[worker].append(what)
                self.check_step(worker, what[1])
            elif kind == "raised":
                raise (
                    what
                    if not isinstance(what, tf.errors.OutOfRangeError)
                    else Wrong(
                        f"worker {worker} ended in an error when the queue of tokens was closed",
                        "it returns how many gradients it has given",
                        "OutOfRangeError",
                        hint="a closed queue is how the chief says that the training is over",
                    )
                )
            elif kind == "early":
                raise Wrong(
                    f"worker {worker} came back after {len(self.gave[worker])} gradients, before "
                    f"the queue of tokens was closed",
                    f"it goes on: {self.steps} steps need the gradients of all",
                    "the others wait for ever for the next token",
                    hint="a worker that has no batches left begins again with its first one",
                )
            else:
                self.returned[worker] = what

    def check_step(self, worker, step):
        """While all gradients are needed, those of a step come before any of the next."""
        number = sum(map(len, self.gave.values())) - 1
        now = self.first + number // self.workers
        if self.needed == self.workers and step != now:
            raise Wrong(
                f"worker {worker} gave a gradient while the training was at step {now}",
                f"it is for step {now}, as its token says",
                f"for step {step}",
                hint="feed ops.step with what ops.token has given, once for each gradient",
            )


def compare(what, wanted, got, hint=""):
    if wanted != got:
        raise Wrong(what, wanted, got, hint=hint)


@point("all workers come back when the training is over, and not before", 3)
def all_come_back(answer):
    training = Training(4, 9)
    training.run(answer, [[1.0] * 8, [1.0] * 8, [1.0] * 7, [1.0] * 7])
    compare("gradients that were given", 36, sum(map(len, training.gave.values())))


@point("who is through its batches begins again with the first one", 2)
def begins_again(answer):
    shares = [[0.5, 1.5, 2.5], [10.5, 11.5], [20.5]]
    training = Training(3, 8)
    training.run(answer, shares)
    for worker, share in enumerate(shares):
        got = [batch for batch, _ in training.gave[worker]]
        wanted = [share[number % len(share)] for number in range(len(got))]
        compare(f"the batches of worker {worker}, whose share is {share}", wanted, got)


@point("a gradient is for the step that stood on the token", 2)
def step_of_the_token(answer):
    training = Training(2, 4, first=100)  # it goes on with an earlier training
    training.run(answer, [[1.0, 2.0]] * 2)


@point("each returns how many gradients it has given", 1)
def returns_the_number(answer):
    training = Training(3, 4)
    training.run(answer, [[1.0, 2.0, 3.0]] * 3)
    for worker, returned in sorted(training.returned.items()):
        equal_to(returned, len(training.gave[worker]), what=f"what worker {worker} returns")


@point("another error is not taken for the end", 1)
def other_errors(answer):
    training = Training(2, 5)
    try:
        # Of all workers: nobody knows who takes how many tokens, but somebody takes a second one.
        training.run(answer, [[1.0, float("nan"), 3.0]] * 2)
    except tf.errors.InvalidArgumentError:
        return
    raise Wrong(
        "the second batch of each worker is broken: ops.give fails",
        "the error is raised",
        "nothing is",
        hint="only the end of the tokens is the end",
    )
