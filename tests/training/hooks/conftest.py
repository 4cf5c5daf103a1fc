"""A graph and a folder of its own for each test, a clock, the log; no writer outlives a test."""

import logging

import pytest

import tinytf as tf
from tinytf.testing import leaks
from tinytf.training.hooks import timer
from tinytf.training.hooks.global_step_hook import global_step_read


@pytest.fixture(autouse=True)
def graph(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with leaks.none_left(), tf.Graph().as_default() as graph:
        yield graph
        tf.summary.FileWriterCache.clear()


@pytest.fixture
def train_op():
    """Counts the global step up by one, when hooks have read it: else they may read either."""
    step = tf.train.get_or_create_global_step()
    with tf.control_dependencies([global_step_read()]):
        return tf.assign_add(step, 1)


@pytest.fixture
def train():
    """A function that runs each of a list in a session with hooks, or calls what is no fetch."""

    def train(hooks, runs, feeds=None, **settings):
        with tf.train.SingularMonitoredSession(hooks, **settings) as sess:
            return [run() if callable(run) else sess.run(run, feeds) for run in runs]

    return train


class Clock:
    """Seconds, which pass when a test says so."""

    now = 1000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(timer, "clock", clock)
    return clock


@pytest.fixture
def logged(caplog):
    """What was logged at level INFO and above, as a function."""
    caplog.set_level(logging.INFO, logger="tinytf")
    return lambda: [(record.levelname, record.getMessage()) for record in caplog.records]
