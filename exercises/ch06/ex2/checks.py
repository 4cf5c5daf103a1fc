"""Checks of ch06.ex2."""

import threading

import tinytf as tf
from tinytf.grading import Wrong, point
from tinytf.grading.assertions import in_every_schedule

SEEDS = 30
NAMES = ("brush", "hammer", "saw")


def workshop(names=NAMES):
    """A queue for each tool, and the operations that lay the tools out."""
    queues = {name: tf.FIFOQueue(1, tf.string, shapes=[[]], name=name) for name in names}
    return queues, [queue.enqueue(name) for name, queue in queues.items()]


def contents(sess, queues):
    """What lies where: None for nothing."""
    return {
        name: sess.run(queue.dequeue()).decode() if sess.run(queue.size()) else None
        for name, queue in queues.items()
    }


def job_of(answer, queues, names, used):
    """One job; `used` notes which tools it worked with."""

    def note(*elements):
        used.append([element.decode() for element in elements])
        return True

    def use(elements):
        return tf.py_func(note, list(elements), tf.bool)

    job = answer([queues[name] for name in names], use)
    if not isinstance(job, tf.Operation | tf.Tensor):
        raise Wrong(
            "build_careful_job must return one operation",
            "an operation",
            f"a {type(job).__name__}",
            hint="tf.group(...) makes one of many",
        )
    return job


@point("one job works with its tools, in the order given, and puts each back", 2)
def one_job(answer):
    for names in (["saw", "hammer"], ["hammer", "brush", "saw"], ["brush"]):
        with tf.Graph().as_default(), tf.Session() as sess:
            queues, lay_out = workshop()
            used = []
            job = job_of(answer, queues, names, used)
            sess.run(lay_out)
            in_every_schedule(lambda: sess.run(job), lambda _: None, 1)  # noqa: B023 - runs now
            if used != [names]:
                raise Wrong("use(elements) got other tools", [names], used)
            wanted = {name: name for name in NAMES}
            if (got := contents(sess, queues)) != wanted:
                raise Wrong(
                    "after the job, tools lie elsewhere",
                    wanted,
                    got,
                    hint="put every element into the queue that it came from",
                )


@point("nothing is put back before the work is done", 1)
def put_back_late(answer):
    with tf.Graph().as_default():
        queues, _ = workshop()
        work = []

        def use(elements):
            work.append(tf.no_op(name="the_work"))
            return work[0]

        job = answer([queues["saw"], queues["hammer"]], use)
        if not work:
            raise Wrong("use(elements) was never called", "once", "never")
        for op in tf.get_default_graph().get_operations():
            if op.type == "QueueEnqueueV2" and op.name not in (n + "_enqueue" for n in NAMES):
                if not needs(op, work[0]):
                    raise Wrong(
                        f"{op.name} may put its tool back before the work is done",
                        "it waits for the operation of use(elements)",
                        "it does not",
                    )
        if isinstance(job, tf.Operation | tf.Tensor):
            last = job if isinstance(job, tf.Operation) else job.op
            if not needs(last, work[0]):
                raise Wrong("the job can be over before the work is", "it needs it", "it does not")


def needs(op, other):
    """Whether an operation runs only after another one."""
    left, seen = [op], set()
    while left:
        one = left.pop()
        if one is other:
            return True
        if one not in seen:
            seen.add(one)
            left += [tensor.op for tensor in one.inputs] + list(one.control_inputs)
    return False


def ends_well(answer, orders, names=NAMES):
    """Wrong, in the first schedule where jobs wait for each other, or tools are lost.

    There is a job for each of these orders of tools, all at the same time.
    """
    used = []
    with tf.Graph().as_default() as graph:
        queues, lay_out = workshop(names)
        jobs = [job_of(answer, queues, order, used) for order in orders]
        lies_there = [queue.size() for queue in queues.values()]

    def program():
        used.clear()
        with tf.Session(graph=graph) as sess:
            sess.run(lay_out)
            threads = [
                threading.Thread(target=sess.run, args=[job], name=f"job {number}")
                for number, job in enumerate(jobs, start=1)
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            return {"used": sorted(used), "tools in their places": sum(sess.run(lies_there))}

    wanted = {"used": sorted(list(order) for order in orders), "tools in their places": len(names)}
    in_every_schedule(
        program,
        wanted,
        SEEDS,
        what="what there is in the end: ",
        hint="in which order does each job take its tools, and does it put all of them back?",
    )


@point("no deadlock, in any schedule", 4)
def no_deadlock(answer):
    ends_well(answer, (["hammer", "saw", "brush"], ["saw", "hammer"], ["brush", "saw"]))
