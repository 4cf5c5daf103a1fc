"""Progress bars: where they are shown, what they say, and what they cost where nobody looks."""

import io
import re
import sys
from types import SimpleNamespace

import pytest

import tinytf as tf
from tinytf.training.hooks import ProgressBarHook, progress_bar


class Terminal(io.StringIO):
    """Takes what is written, as a terminal would; `lines` stood there one after another."""

    def isatty(self):
        return True

    @property
    def lines(self):
        return [line for line in re.split(r"[\r\n]+", self.getvalue()) if line.strip()]


@pytest.fixture
def terminal(monkeypatch):
    """Somebody looks at it, although pytest runs."""
    monkeypatch.setattr(progress_bar, "_UNSEEN", ())
    return Terminal()


@pytest.fixture
def without_tqdm(monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm", None)


@pytest.fixture
def loss():
    return tf.constant(0.25, name="train/loss")


def run(hooks, train_op, clock, runs, seconds=0.0625):
    with tf.train.SingularMonitoredSession(hooks) as sess:
        for _ in range(runs):
            sess.run(train_op)
            clock.now += seconds


def test_a_line_tells_step_speed_and_values(terminal, without_tqdm, train_op, loss, clock):
    bar = ProgressBarHook(20, [loss], "digits", terminal)
    run([bar], train_op, clock, 6)
    assert terminal.lines == [
        "digits: step 0/20 (0%), loss=0.25",
        "digits: step 2/20 (10%), 16.0 steps/s, loss=0.25",
        "digits: step 4/20 (20%), 16.0 steps/s, loss=0.25",
        "digits: step 6/20 (30%), 16.0 steps/s, loss=0.25",
    ]
    assert terminal.getvalue().endswith("\n")


def test_without_an_end_there_are_no_parts(terminal, without_tqdm, train_op, clock):
    run([ProgressBarHook(file=terminal)], train_op, clock, 3, seconds=1.0)
    assert terminal.lines[-1].rstrip() == "step 3, 1.0 steps/s"


@pytest.mark.parametrize("bar_first", [True, False])
def test_a_hook_that_stops_tells_the_end(terminal, without_tqdm, train_op, clock, bar_first):
    stop = tf.train.StopAtStepHook(num_steps=4)
    hooks = [ProgressBarHook(stop, file=terminal), stop]
    run(hooks if bar_first else hooks[::-1], train_op, clock, 4)
    assert terminal.lines[-1].startswith("step 4/4 (100%)")


def test_tqdm_shows_the_same(terminal, train_op, loss, clock):
    tqdm = pytest.importorskip("tqdm")
    run([ProgressBarHook(4, [loss], "digits", terminal)], train_op, clock, 4, seconds=1.0)
    assert "digits:" in terminal.lines[-1]
    assert "100%" in terminal.lines[-1]
    assert "4/4" in terminal.lines[-1]
    assert "loss=0.25" in terminal.lines[-1]
    assert not tqdm.tqdm._instances  # it is closed


def test_a_notebook_is_written_to_as_it_is_no_terminal(without_tqdm, train_op, clock, monkeypatch):
    monkeypatch.setattr(progress_bar, "_UNSEEN", ())
    shown = io.StringIO()
    monkeypatch.setattr(sys, "stdout", shown)
    shell = SimpleNamespace(kernel=object())
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    run([ProgressBarHook(2)], train_op, clock, 2)
    assert "step 2/2 (100%)" in shown.getvalue()


@pytest.mark.parametrize("why", ["no terminal", "validated", "a page"])
def test_where_nobody_looks_nothing_is_shown_and_nothing_run(
    train_op, loss, clock, monkeypatch, why
):
    file = io.StringIO() if why == "no terminal" else Terminal()
    if why != "validated":  # as pytest does now
        monkeypatch.setattr(progress_bar, "_UNSEEN", progress_bar._UNSEEN[1:])
    if why == "a page":
        monkeypatch.setenv("TINYTF_PREDICTIONS", "fold")
    with tf.train.SingularMonitoredSession([ProgressBarHook(4, [loss], file=file)]) as sess:
        fetched, real = [], sess.raw_session().run

        def noted(fetches, *arguments):
            fetched.append(fetches)
            return real(fetches, *arguments)

        monkeypatch.setattr(sess.raw_session(), "run", noted)
        for _ in range(3):
            sess.run(train_op)
    assert fetched == [train_op] * 3
    assert file.getvalue() == ""


def test_between_two_pictures_nothing_is_fetched(terminal, without_tqdm, train_op, clock):
    bar = ProgressBarHook(100, file=terminal)
    run([bar], train_op, clock, 50, seconds=0.01)
    assert 5 <= len(terminal.lines) <= 7  # of half a second, and the end


def test_a_recovered_session_goes_on_in_the_same_bar(terminal, without_tqdm, train_op, clock):
    class Losing(tf.train.SessionRunHook):
        runs = 0

        def before_run(self, run_context):
            self.runs += 1
            if self.runs == 3:
                raise tf.errors.AbortedError(None, None, "a task is gone")

    hooks = [ProgressBarHook(4, file=terminal), Losing()]
    with tf.train.MonitoredSession(hooks=hooks) as sess:
        for _ in range(6):
            sess.run(train_op)
            clock.now += 1.0
    assert terminal.getvalue().count("\n") == 1
    assert [line.split("/")[0] for line in terminal.lines] == [
        f"step {step}" for step in (0, 1, 0, 1, 2, 3, 4)
    ]


def test_used_again_it_begins_a_new_bar(terminal, without_tqdm, train_op, clock):
    bar = ProgressBarHook(2, file=terminal)
    for _ in range(2):
        run([bar], train_op, clock, 2)
    assert terminal.getvalue().count("\n") == 2


def test_a_bar_that_an_error_left_is_ended_by_the_next(
    terminal, without_tqdm, train_op, train, clock
):
    def fail():
        raise KeyError("mine")

    bar = ProgressBarHook(2, file=terminal)
    with pytest.raises(KeyError, match="mine"):
        train([bar], [train_op, fail])
    assert "\n" not in terminal.getvalue()
    run([bar], train_op, clock, 2)
    assert terminal.getvalue().count("\n") == 2


def test_values_are_called_by_the_end_of_their_names(terminal, without_tqdm, train_op, clock):
    tf.constant([1.0, 2.0], name="test/w")
    with tf.name_scope("a"), tf.name_scope("b"):
        first = tf.constant(1.0, name="loss")
    second = tf.constant(123456.789, name="b/loss")
    bar = ProgressBarHook(9, [first, second, "test/w"], file=terminal)
    run([bar], train_op, clock, 1)
    assert terminal.lines[0].endswith("a/b/loss=1, b/loss=1.235e+05, w=[1. 2.]")
    named = ProgressBarHook(9, {"cost": first}, file=terminal)
    run([named], train_op, clock, 1)
    assert "cost=1" in terminal.lines[-1]


def test_mistakes(train_op, loss):
    with pytest.raises(TypeError, match="Write a list with this one in it"):
        ProgressBarHook(5, loss)
    with pytest.raises(TypeError, match=r"last_step must be a number or a tf.train.StopAtStepHook"):
        ProgressBarHook([loss])
    with pytest.raises(KeyError, match="Did you mean 'train/loss:0'"):
        tf.train.SingularMonitoredSession([ProgressBarHook(5, ["los"])])
