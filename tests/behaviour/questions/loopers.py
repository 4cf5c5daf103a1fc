"""Looper threads, and what is told out of join."""

from tests.behaviour.asking import question, says
from tests.behaviour.questions.coordinators import caught
from tests.behaviour.questions.queue_runners import runner_of


@question
def loopers(tf):
    coord = tf.train.Coordinator()
    calls = []

    def count(step, by=1):
        calls.append(step * by)
        if len(calls) == 3:
            coord.request_stop()

    looper = tf.train.LooperThread(coord, 0.0, target=count, args=(2,), kwargs={"by": 5})
    is_daemon = looper.daemon
    looper.start()
    coord.join([looper])
    failing = tf.train.Coordinator()
    thread = tf.train.LooperThread.loop(failing, None, target=[].pop)
    return {
        "a daemon": is_daemon,
        "calls": calls,
        "back to back": type(thread).__name__,
        "an error": says("pop from empty list", failing.join),
        "no coordinator": says(
            "'coord' argument must be a Coordinator: None", tf.train.LooperThread, None, 1.0
        ),
        "arguments for nobody": says(
            "'args' and 'kwargs' argument require that you also pass 'target'",
            tf.train.LooperThread,
            coord,
            1.0,
            args=(1,),
        ),
        "named ones": says(
            "'args' and 'kwargs' argument require that you also pass 'target'",
            tf.train.LooperThread,
            coord,
            1.0,
            kwargs={"a": 1},
        ),
    }


@question
def looper_classes(tf):
    coord = tf.train.Coordinator()
    did = []

    class Looper(tf.train.LooperThread):
        def start_loop(self):
            did.append("start")

        def run_loop(self):
            did.append("run")
            if did.count("run") == 2:
                coord.request_stop()

        def stop_loop(self):
            did.append("stop")

    class Failing(Looper):
        def run_loop(self):
            raise ValueError("not stopped in order")

    Looper(coord, None).start()
    coord.join()
    whole = list(did)
    did.clear()
    other = tf.train.Coordinator()
    Failing(other, None).start()
    raised = says("not stopped in order", other.join)
    stopped = tf.train.Coordinator()
    stopped.request_stop()
    before = list(did)
    did.clear()
    thread = Looper(stopped, None)
    thread.start()
    thread.join()
    return {"in order": whole, "after an error": (raised, before), "stopped before": did}


# What tinytf does on purpose differently ---------------------------------------------------------


@question
def outside_of_a_handler(tf):
    fresh = tf.train.Coordinator()
    joined = tf.train.Coordinator()
    joined.join()
    _, runner = runner_of(tf)
    return {
        "an exception that nobody raised": type(
            caught(tell_and_join, fresh, ValueError("x"))
        ).__name__,
        "after join": type(caught(joined.request_stop, ValueError("x"))).__name__,
        "a coordinator that is none": type(
            caught(runner.create_threads, tf.Session(), coord=3)
        ).__name__,
    }


def tell_and_join(coord, error):
    coord.request_stop(error)
    coord.join()


_NOT_RAISED = (
    "in Python 3 an exception knows its own traceback: TensorFlow looks for it in sys.exc_info(), "
    "finds nothing, and fails itself"
)

DIFFERENCES = {
    ("outside_of_a_handler", "an exception that nobody raised"): ("'ValueError'", _NOT_RAISED),
    ("outside_of_a_handler", "after join"): ("'ValueError'", _NOT_RAISED),
    ("outside_of_a_handler", "a coordinator that is none"): (
        "'TypeError'",
        "it is checked before threads are made",
    ),
}
