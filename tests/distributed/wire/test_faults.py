"""The table of faults, what it does to calls, and the pipe that it is told over."""

import io
import math
import threading

import pytest

import tinytf as tf
from tinytf.distributed.local_cluster.rules import CLIENT, Rules, parse_duration
from tinytf.distributed.wire import faults
from tinytf.distributed.wire.outgoing import Call

HERE = "localhost:1"
ADDRESSES = {"ps:0": "localhost:1", "worker:0": "localhost:2", "worker:1": "localhost:3"}


@pytest.fixture(autouse=True)
def healed():
    yield
    faults.update("test", {})
    assert not faults._seconds
    assert not faults._held


def in_thread(function):
    """Start `function` in a thread; the thread, and what it has returned or raised."""
    results = []

    def run():
        try:
            results.append(function())
        except tf.errors.OpError as error:
            results.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    return thread, results


def until_held(count=1):
    while len(faults._held) < count:
        continue


def test_nothing_is_held_back_where_nothing_is_wrong():
    faults.update("test", {"localhost:2": faults.LOST})
    assert faults.before_call(HERE, None) is None
    assert faults.left(faults.before_call(HERE, 10.0)) > 9
    faults.before_answer(HERE, None)
    assert faults.held(HERE, list, list, None, False) is None


@pytest.mark.parametrize("spelling", ["localhost:1", "127.0.0.1:1", "[::1]:1"])
def test_a_late_request_passes_when_its_time_has_come(spelling):
    faults.update("test", {HERE: 0.01})
    assert faults.before_call(spelling, None) is None
    faults.before_answer(spelling, None)  # an answer is not late again


def test_a_lost_call_waits_until_the_network_is_healed():
    faults.update("test", {HERE: faults.LOST})
    thread, results = in_thread(lambda: faults.before_call(HERE, None))
    answer, answers = in_thread(lambda: faults.before_answer(HERE, None))
    until_held(2)
    faults.update("test", {HERE: faults.LOST, "localhost:2": 1.0})  # still
    assert len(faults._held) == 2
    faults.update("test", {})
    thread.join()
    answer.join()
    assert results == answers == [None]


def test_a_lost_call_ends_with_its_deadline():
    faults.update("test", {HERE: faults.LOST})
    with pytest.raises(tf.errors.DeadlineExceededError, match="localhost:1 did not answer"):
        faults.before_call(HERE, 0.01)


def test_two_sources_add_up():
    faults.update("one", {HERE: 1000.0})
    faults.update("test", {HERE: faults.LOST})
    assert faults._seconds == {HERE: math.inf}
    faults.update("test", {})
    assert faults._seconds == {HERE: 1000.0}
    faults.update("one", {})


def test_the_pipe():
    lines = faults.as_line(7, {HERE: 0.5, "localhost:2": faults.LOST}) + faults.as_line(8, {})
    control, report = io.BytesIO(lines), io.StringIO()
    assert faults.obey_once(control, report)
    assert faults._seconds == {HERE: 0.5, "localhost:2": faults.LOST}
    faults.obey(control, report)
    assert not faults._seconds
    assert report.getvalue() == "7\n8\n"


# ------------------------------------------------------------------------------- calls


class Future:
    """What gRPC gives for a call, as far as `Call` uses it."""

    def __init__(self):
        self.callbacks, self.withdrawn = [], False

    def add_done_callback(self, callback):
        self.callbacks.append(callback)

    def cancel(self):
        self.withdrawn = True
        self.done()

    def done(self):
        for callback in self.callbacks:
            callback(self)
        self.callbacks = []


class Sent:
    """A `Call` to `HERE`, its futures and its outcomes."""

    def __init__(self, timeout=None):
        self.futures, self.outcomes, self.over = [], [], threading.Event()
        self.call = Call(HERE, self.finish, timeout)
        self.call.start(self.send, self.read)

    def finish(self, answer, error):
        self.outcomes.append(answer or type(error))
        self.over.set()

    def send(self, left):
        self.futures.append(Future())
        return self.futures[-1]

    @staticmethod
    def read(future):
        return (
            (None, tf.errors.CancelledError(None, None, "")) if future.withdrawn else ("yes", None)
        )


def test_a_call_without_faults():
    sent = Sent()
    sent.futures[0].done()
    assert sent.outcomes == ["yes"]
    sent.call.cancel()
    assert sent.outcomes == ["yes"]


def test_a_late_call():
    faults.update("test", {HERE: 0.01})
    sent = Sent()
    sent.call.cancel()  # before its time has come, or after
    sent.over.wait()
    assert sent.outcomes == [tf.errors.CancelledError]


def test_a_lost_request_is_sent_when_the_network_is_healed():
    faults.update("test", {HERE: faults.LOST})
    sent = Sent()
    assert not sent.futures
    faults.update("test", {})
    sent.futures[0].done()
    assert sent.outcomes == ["yes"]


def test_a_lost_answer_comes_when_the_network_is_healed():
    sent = Sent()
    faults.update("test", {HERE: faults.LOST})
    sent.futures[0].done()
    assert not sent.outcomes
    faults.update("test", {})
    assert sent.outcomes == ["yes"]


@pytest.mark.parametrize("answered", [False, True])
def test_a_lost_call_can_be_withdrawn(answered):
    sent = None
    if answered:
        sent = Sent()
    faults.update("test", {HERE: faults.LOST})
    sent = sent or Sent()
    if answered:
        sent.futures[0].done()
    sent.call.cancel()
    assert sent.outcomes == [tf.errors.CancelledError]
    faults.update("test", {})
    assert len(sent.outcomes) == 1


@pytest.mark.parametrize("answered", [False, True])
def test_a_lost_call_has_its_deadline(answered):
    sent = Sent(timeout=0.05) if answered else None
    faults.update("test", {HERE: faults.LOST})
    sent = sent or Sent(timeout=0.05)
    if answered:
        sent.futures[0].done()
    sent.over.wait()
    assert sent.outcomes == [tf.errors.DeadlineExceededError]


# ------------------------------------------------------------------------------- rules


def test_rules_of_delay():
    rules = Rules()
    assert not rules
    rules.late["worker:1"] = 0.2
    assert rules.table("ps:0", ADDRESSES) == {"localhost:3": 0.2}
    assert rules.table("worker:1", ADDRESSES) == {"localhost:1": 0.2, "localhost:2": 0.2}
    assert rules.table(CLIENT, ADDRESSES) == {"localhost:3": 0.2}
    rules.late["ps:0"] = 0.1
    rules.late_between[frozenset(("worker:1", "ps:0"))] = 1
    assert rules.table("ps:0", ADDRESSES)["localhost:3"] == pytest.approx(1.3)
    assert rules.of("worker:1") == "its calls are 200 ms late; calls to ps:0 are 1 s late"
    assert rules.of("worker:0") == ""


def test_rules_of_loss_and_partition():
    rules = Rules()
    rules.lost_between.add(frozenset(("worker:0", "ps:0")))
    assert rules.table("worker:0", ADDRESSES) == {"localhost:1": faults.LOST}
    assert rules.table("ps:0", ADDRESSES) == {"localhost:2": faults.LOST}
    assert rules.table("worker:1", ADDRESSES) == {}
    assert rules.of("ps:0") == "cut off from worker:0"
    rules = Rules(groups=[frozenset(("worker:0", "worker:1")), frozenset(("ps:0",))])
    assert rules.table("ps:0", ADDRESSES) == {"localhost:2": math.inf, "localhost:3": math.inf}
    assert rules.table("worker:0", ADDRESSES) == {"localhost:1": math.inf}
    assert rules.table(CLIENT, ADDRESSES) == {}  # on no side
    assert rules.of("ps:0") == "cut off from worker:0, worker:1"


@pytest.mark.parametrize(("text", "seconds"), [("200ms", 0.2), ("1.5s", 1.5), ("2", 2), ("0", 0)])
def test_durations(text, seconds):
    assert parse_duration(text) == pytest.approx(seconds)


@pytest.mark.parametrize("text", ["", "ms", "fast", "-1s", "inf", "nan", "3 m"])
def test_no_durations(text):
    with pytest.raises(ValueError, match="is no duration"):
        parse_duration(text)
