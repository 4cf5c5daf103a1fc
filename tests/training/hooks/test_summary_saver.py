"""Summaries: what is one, and where they go."""

import pytest

import tinytf as tf


def test_a_loss_is_no_summary(train_op):
    save = tf.train.SummarySaverHook(1, output_dir="f", summary_op=tf.constant(0.5, name="loss"))
    with pytest.raises(TypeError, match=r"loss:0.*tf.summary.scalar\('loss', loss\)"):
        tf.train.SingularMonitoredSession([save])


def test_a_graph_without_summaries_is_thought_of():
    with pytest.raises(ValueError, match=r"tf.summary.merge_all\(\) is None"):
        tf.train.SummarySaverHook(1, output_dir="f", summary_op=tf.summary.merge_all())


def test_without_a_place_it_says_that_nothing_is_written(train_op, logged):
    save = tf.train.SummarySaverHook(1, summary_op=tf.summary.scalar("loss", 0.5))
    with tf.train.SingularMonitoredSession([save]) as sess:
        sess.run(train_op)
    assert [text for level, text in logged() if level == "WARNING"] == [
        "SummarySaverHook has neither output_dir nor summary_writer: its summaries are written "
        "nowhere."
    ]


def test_a_second_session_goes_on_in_a_writer_that_is_open(train_op):
    save = tf.train.SummarySaverHook(
        2, output_dir="events", summary_op=(tf.summary.scalar("loss", 0.5),)
    )
    for _ in range(2):
        with tf.train.SingularMonitoredSession([save]) as sess:
            for _ in range(3):
                sess.run(train_op)
        tf.summary.FileWriterCache.clear()
    steps = [
        event.step
        for path in sorted(tf.gfile.Glob("events/*"))
        for event in tf.train.summary_iterator(path)
        if event.summary.value
    ]
    assert steps == [1, 3, 1, 3]


def test_a_folder_that_cannot_be_made(train_op, tmp_path):
    (tmp_path / "file").write_text("in the way")
    save = tf.train.SummarySaverHook(1, output_dir="file", summary_op=tf.summary.scalar("l", 0.5))
    with pytest.raises(tf.errors.OpError, match="file"):
        tf.train.SingularMonitoredSession([save])
