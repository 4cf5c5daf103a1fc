"""Traces: what is in them, and that only the runs in question are traced."""

import json

import pytest

import tinytf as tf


def train(train_op, runs=8, **settings):
    settings = {"save_steps": 3, "output_dir": "traces", **settings}
    with tf.train.SingularMonitoredSession([tf.train.ProfilerHook(**settings)]) as sess:
        for _ in range(runs):
            sess.run(train_op)


def boxes(path):
    with open(path) as file:
        return json.load(file)["traceEvents"]


def test_a_trace_has_the_operations_of_its_run(train_op, tmp_path):
    train(train_op)
    assert sorted(path.name for path in (tmp_path / "traces").glob("*.json")) == [
        "timeline-3.json",
        "timeline-6.json",
    ]
    names = {event["name"] for event in boxes("traces/timeline-3.json") if event["ph"] == "X"}
    assert "AssignAdd" in names


@pytest.mark.parametrize("show", [False, True])
def test_memory_and_arrows_are_shown_if_wished(train_op, show):
    train(train_op, show_memory=show, show_dataflow=show)
    categories = {event.get("cat") for event in boxes("traces/timeline-3.json")}
    assert ("Memory" in categories) == show
    if not show:
        assert "DataFlow" not in categories


def test_what_an_earlier_training_has_written_is_said(train_op, logged):
    train(train_op)
    train(train_op)  # from step 0 again, into the same event file
    warnings = [text for level, text in logged() if level == "WARNING"]
    assert len(warnings) == 2
    assert "the trace of step 3 that an earlier training has written" in warnings[0]


def test_a_folder_is_made_and_by_default_it_is_the_current_one(train_op, tmp_path):
    train(train_op, output_dir="")
    assert (tmp_path / "timeline-3.json").exists()


def test_runs_between_are_not_traced(train_op):
    seen = []

    class Look(tf.train.SessionRunHook):
        def after_run(self, run_context, run_values):
            seen.append(len(run_values.run_metadata.step_stats.dev_stats) > 0)

    profile = tf.train.ProfilerHook(save_steps=3, output_dir="traces")
    with tf.train.SingularMonitoredSession([profile, Look()]) as sess:
        for _ in range(8):
            sess.run(train_op)
    assert seen == [False, False, True, False, False, True, False, False]
