"""Steps per second: writers, and a step that stands still."""

import pytest

import tinytf as tf
from tinytf.training.hooks.global_step_hook import global_step_read


def test_it_says_that_seconds_need_no_steps():
    with pytest.raises(ValueError, match="every_n_secs goes with every_n_steps=None"):
        tf.train.StepCounterHook(every_n_secs=10)


def test_a_step_that_stands_still_is_told_five_times_in_each_training(train_op, logged):
    step = tf.train.get_global_step()
    for expected in (5, 10):
        count = tf.train.StepCounterHook(every_n_steps=100)
        with tf.train.SingularMonitoredSession([count]) as sess:
            for _ in range(9):
                sess.run(step)
        warnings = [text for level, text in logged() if level == "WARNING"]
        assert len(warnings) == expected
    assert "minimize(loss, global_step=tf.train.get_global_step())" in warnings[0]
    assert "it was 0 before this run and 0 before the last one" in warnings[0]


def test_one_that_increases_is_not_warned_about(train_op, logged):
    with tf.train.SingularMonitoredSession([tf.train.StepCounterHook(1)]) as sess:
        for _ in range(9):
            sess.run(train_op)
    assert [text for level, text in logged() if level == "WARNING"] == []


def test_a_run_that_reads_after_it_counts_and_one_that_reads_before(train_op, logged):
    """As on a cluster, where nothing orders the two: both read the same, and yet it increases."""
    with tf.train.SingularMonitoredSession([tf.train.StepCounterHook(100)]) as sess:
        sess.run(train_op, {global_step_read(): 1})
        sess.run(train_op)
    assert [text for level, text in logged() if level == "WARNING"] == []


def test_a_second_session_gets_a_writer_that_is_open(train_op, clock):
    count = tf.train.StepCounterHook(every_n_steps=1, output_dir="events")
    for _ in range(2):
        with tf.train.SingularMonitoredSession([count]) as sess:
            for _ in range(3):
                clock.now += 0.5
                sess.run(train_op)
        tf.summary.FileWriterCache.clear()
    rates = [
        (event.step, event.summary.value[0].tag, event.summary.value[0].simple_value)
        for path in sorted(tf.gfile.Glob("events/*"))
        for event in tf.train.summary_iterator(path)
        if event.summary.value
    ]
    # The second training begins at 0 again, which no rate tells of.
    assert [rate for rate in rates if rate[2] > 0] == [
        (2, "global_step/sec", 2.0),
        (3, "global_step/sec", 2.0),
    ] * 2


def test_a_program_may_record_something_else(train_op, clock):
    recorded = []

    class Examples(tf.train.StepCounterHook):
        def _log_and_record(self, elapsed_steps, elapsed_time, global_step):
            recorded.append((int(global_step), 32 * elapsed_steps / elapsed_time))

    with tf.train.SingularMonitoredSession([Examples(every_n_steps=2)]) as sess:
        for _ in range(5):
            clock.now += 0.25
            sess.run(train_op)
    assert recorded == [(3, 128.0), (5, 128.0)]
