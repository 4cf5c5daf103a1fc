"""A run reads the global step before it counts, or after: hooks find out which, and go by it."""

import numpy as np
import pytest

import tinytf as tf


def times(hook, train_op, is_time, behind, runs=25):
    """The steps after the runs in which a hook acted; these read `behind` the step after them."""
    found = []
    hook.begin()
    with tf.Session() as sess:
        sess.run(tf.train.get_global_step().initializer)
        hook.after_create_session(sess, None)
        for _ in range(runs):
            context = tf.train.SessionRunContext(tf.train.SessionRunArgs(train_op), sess)
            wanted = hook.before_run(context)
            options, report = wanted.options, tf.RunMetadata()
            step = sess.run(train_op, options=options, run_metadata=report if options else None)
            results = {"global_step": np.int64(step - behind), "summary": []}
            hook.after_run(context, tf.train.SessionRunValues(results, options, report))
            if is_time(wanted):
                found.append(int(step))
        hook.end(sess)
    return found


@pytest.mark.parametrize("behind", [0, 1])
def test_summaries(train_op, behind):
    summary = tf.summary.scalar("loss", 0.5)
    hook = tf.train.SummarySaverHook(10, output_dir="events", summary_op=summary)
    assert times(hook, train_op, lambda w: "summary" in w.fetches, behind) == [1, 11, 21]


@pytest.mark.parametrize("behind", [0, 1])
def test_traces(train_op, behind):
    hook = tf.train.ProfilerHook(10, output_dir="traces")
    assert times(hook, train_op, lambda w: w.options is not None, behind) == [10, 20]


@pytest.mark.parametrize("behind", [0, 1])
def test_what_is_saved_is_told_by_the_step_after_the_run(train_op, behind, clock):
    class Count(tf.train.StepCounterHook):
        def _log_and_record(self, elapsed_steps, elapsed_time, global_step):
            told.append(int(global_step))

    class Flat(Count):
        def after_run(self, run_context, run_values):
            clock.now += 1.0
            read = run_values.results["global_step"]
            super().after_run(run_context, run_values._replace(results=read))

    told = []
    times(Flat(every_n_steps=10), train_op, lambda wanted: False, behind)
    assert told == [11, 21]


@pytest.mark.parametrize("behind", [0, 1])
def test_the_end(train_op, behind):
    class Stop(tf.train.StopAtStepHook):
        def after_run(self, run_context, run_values):
            read = run_values.results["global_step"]
            super().after_run(run_context, run_values._replace(results=read))
            stops.append(run_context.stop_requested)

    stops = []
    times(Stop(last_step=4), train_op, lambda wanted: False, behind, runs=5)
    assert stops == [False, False, False, True, True]
