"""Coordinators and looper threads: who stops whom, and what `join` raises."""

import sys
import threading

from tests.behaviour.asking import question, says


def waiting_threads(count, stop):
    """Threads that wait for an event."""
    threads = [
        threading.Thread(target=stop.wait, name=f"T{number}", daemon=True)
        for number in range(count)
    ]
    for thread in threads:
        thread.start()
    return threads


def reported(tf, error, **options):
    """A coordinator that was told of an error, while it was handled."""
    coord = tf.train.Coordinator(**options)
    try:
        raise error
    except BaseException as caught:
        coord.request_stop(caught)
    return coord


@question
def stopping(tf):
    coord = tf.train.Coordinator()
    before = coord.should_stop(), coord.joined, coord.wait_for_stop(0.0)
    coord.request_stop()
    during = coord.should_stop(), coord.joined, coord.wait_for_stop()
    coord.request_stop()
    coord.join()
    after = coord.should_stop(), coord.joined
    coord.clear_stop()
    return {
        "before": before,
        "when it was requested": during,
        "after join": after,
        "cleared": (coord.should_stop(), coord.joined),
        "what was asked for is nothing": coord.raise_requested_exception(),
        "join without threads": coord.join(),
    }


@question
def exceptions(tf):
    first = reported(tf, ValueError("first"))
    try:
        raise KeyError("second")
    except KeyError as error:
        first.request_stop(error)
    as_triple = tf.train.Coordinator()
    try:
        raise ValueError("a triple")
    except ValueError:
        as_triple.request_stop(sys.exc_info())
    return {
        "join raises it": says("first", reported(tf, ValueError("first")).join),
        "the first one": says("first", first.join),
        "again": says("first", first.join),
        "without join": says("first", first.raise_requested_exception),
        "as sys.exc_info() has it": says("a triple", as_triple.join),
        "KeyboardInterrupt, too": type(caught(reported(tf, KeyboardInterrupt()).join)).__name__,
        "the very one": caught(first.join) is caught(first.raise_requested_exception),
        "after a plain request": after_a_plain_request(tf),
        "cleared": after_clear_stop(tf),
    }


def caught(function, *args, **kwargs):
    try:
        function(*args, **kwargs)
    except BaseException as error:
        return error
    return None


def after_a_plain_request(tf):
    coord = tf.train.Coordinator()
    coord.request_stop()
    try:
        raise ValueError("late")
    except ValueError as error:
        coord.request_stop(error)
    return coord.join()


def after_clear_stop(tf):
    coord = reported(tf, ValueError("forgotten"))
    coord.clear_stop()
    return coord.join()


@question
def clean_stops(tf):
    out_of_range = tf.errors.OutOfRangeError(None, None, "end")
    own = {"clean_stop_exception_types": (StopIteration,)}
    joined = tf.train.Coordinator()
    joined.join()
    return {
        "the end of the input": reported(tf, out_of_range).join(),
        "is a request": reported(tf, out_of_range).should_stop(),
        "another one": says("no", reported(tf, tf.errors.CancelledError(None, None, "no")).join),
        "one's own": reported(tf, StopIteration(), **own).join(),
        "instead of the usual": says("end", reported(tf, out_of_range, **own).join),
        "a list": reported(tf, KeyError("x"), clean_stop_exception_types=[KeyError]).join(),
        "none": says("end", reported(tf, out_of_range, clean_stop_exception_types=[]).join),
        "a base class": reported(
            tf, KeyError("x"), clean_stop_exception_types=[LookupError]
        ).join(),
        "not a list": says("", tf.train.Coordinator, ValueError),
        "after join": joined.request_stop(out_of_range),
    }


@question
def stop_on_exception(tf):
    coord = tf.train.Coordinator()
    with coord.stop_on_exception():
        fine = coord.should_stop()
    unharmed = coord.should_stop()
    with coord.stop_on_exception():
        raise ValueError("in the block")
    interrupted = tf.train.Coordinator()
    with interrupted.stop_on_exception():
        raise SystemExit(3)
    finished = tf.train.Coordinator()
    with finished.stop_on_exception():
        raise tf.errors.OutOfRangeError(None, None, "end")
    return {
        "without one": (fine, unharmed),
        "it goes on after the block": coord.should_stop(),
        "join": says("in the block", coord.join),
        "SystemExit": type(caught(interrupted.join)).__name__,
        "the end of the input": (finished.should_stop(), finished.join()),
    }


@question
def after_join(tf):
    coord = tf.train.Coordinator()
    coord.join()

    def tell():
        try:
            raise ValueError("too late")
        except ValueError as error:
            coord.request_stop(error)

    def tell_triple():
        try:
            raise ValueError("too late")
        except ValueError:
            coord.request_stop(sys.exc_info())

    told = says("too late", tell), says("too late", tell_triple)
    stopped = coord.should_stop()
    coord.clear_stop()
    tell()
    return {
        "who tells has it back": told[0],
        "as a triple": told[1],
        "no request": stopped,
        "after clear_stop": says("too late", coord.join),
    }


@question
def joining(tf):
    stop = threading.Event()
    coord = tf.train.Coordinator()
    threads = waiting_threads(2, stop)
    coord.request_stop()
    still = "Coordinator stopped with threads still running: T"
    answers = {
        "a list": says(still, coord.join, threads, stop_grace_period_secs=0.05),
        "registered": says(still, join_registered, tf, threads),
        "no time at all": says(still, coord.join, threads, stop_grace_period_secs=0),
        "less than that": says(still, coord.join, threads, stop_grace_period_secs=-1),
        "left alone": coord.join(threads, 0.05, ignore_live_threads=True),
        "joined in any case": coord.joined,
        "a tuple": says(still, coord.join, tuple(threads), 0.05),
        "one twice": str(caught(coord.join, [threads[0]] * 2, 0.05)).splitlines()[0],
        "an error comes first": says(
            "cause", reported(tf, ValueError("cause")).join, threads, 0.05
        ),
        "a thread, not in a list": says("'Thread' object is not iterable", coord.join, threads[0]),
        "nothing that runs": says("'int' object has no attribute 'is_alive'", coord.join, [1]),
    }
    stop.set()
    answers["when they end"] = coord.join(threads)
    answers["one that was not started"] = coord.join([threading.Thread()])
    answers["one that has ended"] = coord.join(threads)
    return answers


def join_registered(tf, threads):
    coord = tf.train.Coordinator()
    for thread in threads:
        coord.register_thread(thread)
    coord.request_stop()
    coord.join(stop_grace_period_secs=0.05)


@question
def join_forgets_threads(tf):
    stop = threading.Event()
    coord = tf.train.Coordinator()
    coord.register_thread(waiting_threads(1, stop)[0])
    coord.request_stop()
    first = says("T0", coord.join, stop_grace_period_secs=0.01)
    second = coord.join(stop_grace_period_secs=0.01)
    stop.set()
    return {"the first join": first, "the second": second}


@question
def many_threads(tf):
    coord = tf.train.Coordinator()
    seen = []

    def work(number):
        with coord.stop_on_exception():
            while not coord.should_stop():
                if number == 3:
                    raise ValueError("thread 3")
                coord.wait_for_stop(0.01)
            seen.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(5)]
    for thread in threads:
        thread.start()
    raised = says("thread 3", coord.join, threads)
    return {
        "join": raised,
        "the others have ended": sorted(seen),
        "none is alive": any(thread.is_alive() for thread in threads),
    }
