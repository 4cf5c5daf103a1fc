"""Estimators train, evaluate and predict; numbers and log lines are those of TensorFlow 2.15.1."""

import logging

import numpy as np
import pytest

import tinytf as tf
from tests.estimator.models import X, Y, line, points, summaries

E = tf.estimator


@pytest.fixture(autouse=True)
def files():
    yield
    tf.summary.FileWriterCache.clear()


@pytest.fixture
def log(caplog):
    caplog.set_level(logging.INFO, "tinytf")
    return lambda: [record.getMessage() for record in caplog.records]


def estimator(folder, model_fn=None, **config):
    config = {"save_checkpoints_steps": 30, "save_summary_steps": 20, **config}
    run_config = E.RunConfig(str(folder), tf_random_seed=1, log_step_count_steps=20, **config)
    return E.Estimator(model_fn or line(tf), config=run_config)


def test_a_whole_life(tmp_path, log):
    """The numbers, names and files are those of TensorFlow for the same program."""
    model = estimator(tmp_path)
    assert model.train(points(tf, num_epochs=None), steps=50) is model
    results = model.evaluate(points(tf))
    assert list(map(type, results.values())) == [np.float32, np.float32, np.int64]
    assert results == pytest.approx({"loss": 0.0602135, "mae": 0.2091112, "global_step": 50}, 1e-5)
    two = model.evaluate(points(tf), steps=2, name="two")
    assert two == pytest.approx({"loss": 0.0586772, "mae": 0.1993147, "global_step": 50}, 1e-5)
    predictions = list(model.predict(points(tf, labels=False)))
    assert [len(predictions), predictions[1]["y"]] == pytest.approx([10, 1.6581966])
    names = ["dense/bias", "dense/kernel", "global_step"]
    assert model.get_variable_names() == names
    assert model.get_variable_value("dense/kernel") == pytest.approx(np.array([[2.1913419]]))
    assert model.latest_checkpoint() == str(tmp_path / "model.ckpt-50")
    checkpoints = sorted(path.stem for path in tmp_path.glob("*.index"))
    assert checkpoints == ["model.ckpt-0", "model.ckpt-30", "model.ckpt-50"]
    written = summaries(tf, tmp_path)
    assert {(step, tag) for step, tag, _ in written} == {
        *((step, tag) for step in (1, 21, 41) for tag in ("loss", "twice")),
        *((step, "global_step/sec") for step in (21, 41)),
        *((step, f"enqueue_input/queue/enqueue_input/fifo_queue{FULL}") for step in (1, 21, 41)),
    }
    evaluated = {(step, tag) for step, tag, _ in summaries(tf, model.eval_dir())}
    assert evaluated == {(50, "loss"), (50, "mae"), (50, "checkpoint_path")}
    expected = iter(log())
    for line_of_log in LOG:
        assert any(said.startswith(line_of_log) for said in expected), line_of_log


FULL = "fraction_over_0_of_1000_full"
#: in this order, with others between
LOG = """
Using config: {
Calling model_fn.
Done calling model_fn.
Create CheckpointSaverHook.
Graph was finalized.
Running local_init_op.
Saving checkpoints for 0 into
loss = 1.96875
global_step/sec:
loss = 0.2544
Loss for final step: 0.0694226
Calling model_fn.
Starting evaluation at
Restoring parameters from
Inference Time :
Finished evaluation at
Saving dict for global step 50: global_step = 50, loss = 0.0602135
Saving 'checkpoint_path' summary for global step 50:
Evaluation [1/2]
Evaluation [2/2]
""".strip().splitlines()


def test_input_that_ends_ends_the_training(tmp_path):
    dataset = lambda: tf.data.Dataset.from_tensor_slices((X, Y)).batch(4).repeat(2)  # noqa: E731
    model = estimator(tmp_path).train(dataset)
    assert model.latest_checkpoint().endswith("model.ckpt-6")
    model.train(dataset, max_steps=8)  # in all
    assert model.evaluate(dataset)["global_step"] == 8
    model.train(dataset, max_steps=8)
    assert model.evaluate(dataset)["global_step"] == 8


def test_tables_and_one_shot_iterators(tmp_path):
    def input_fn():
        words = tf.data.Dataset.from_tensors(["b", "a"]).make_one_shot_iterator().get_next()
        table = tf.contrib.lookup.index_table_from_tensor(["a", "b"])
        return table.lookup(words)  # initialised with the session

    def model_fn(features, mode):
        return E.EstimatorSpec(mode, predictions=features)

    assert list(E.Estimator(model_fn, tmp_path).predict(input_fn)) == [1, 0]


def test_predictions_leave_the_callers_graph_alone(tmp_path):
    """TensorFlow's generator keeps its graph the default one until it is used up."""
    with tf.Graph().as_default() as graph:
        predictions = estimator(tmp_path).predict(points(tf, labels=False))
        next(predictions)
        assert tf.get_default_graph() is graph
        predictions.close()


def test_predictions_of_batches_and_of_some_keys(tmp_path):
    predict = estimator(tmp_path).predict
    batches = list(predict(points(tf, labels=False), yield_single_examples=False))
    assert [batch["y"].shape for batch in batches] == [(4,), (4,), (2,)]
    [first, *_] = predict(points(tf, labels=False), predict_keys=["y"])
    assert first == {"y": 0.0}
    with pytest.raises(ValueError, match=r"^Expected to run at least one output from"):
        next(predict(points(tf, labels=False), predict_keys=["z"]))


def test_functions_get_what_they_ask_for(tmp_path):
    given = []

    def input_fn(params, mode):
        given.append((mode, params))
        return {"x": tf.zeros([2, 1])}

    def model_fn(features, mode, params, config):
        given.append((mode, params, config.tf_random_seed))
        return E.EstimatorSpec(mode, predictions=features["x"])

    config = E.RunConfig(str(tmp_path), tf_random_seed=5)
    model = E.Estimator(model_fn, config=config, params={"units": 3})
    assert next(model.predict(input_fn)) == [0.0]
    assert given == [("infer", {"units": 3}), ("infer", {"units": 3}, 5)]


def test_hooks_and_listeners_are_called(tmp_path):
    calls = []

    class Hook(tf.train.SessionRunHook):
        def __init__(self, name):
            self.end = lambda session: calls.append(name)

    class Listener(tf.train.CheckpointSaverListener):
        def after_save(self, session, global_step_value):
            calls.append(int(global_step_value))
            return global_step_value >= 3

    def model_fn(features, labels, mode):
        hook, step = Hook(f"{mode} of the model"), tf.train.get_global_step()
        return E.EstimatorSpec(
            mode,
            loss=tf.reduce_mean(features["x"]),
            train_op=step.assign_add(1),
            training_hooks=[hook],
            training_chief_hooks=[Hook("chief")],
            evaluation_hooks=[hook],
        )

    model = estimator(tmp_path, model_fn, save_checkpoints_steps=3)
    model.train(points(tf, num_epochs=None), [Hook("mine")], saving_listeners=[Listener()])
    model.evaluate(points(tf), hooks=[Hook("my evaluation")])
    assert calls == [
        0,
        3,
        "chief",
        "mine",
        "train of the model",
        "my evaluation",
        "eval of the model",
    ]


def test_a_temporary_folder(log):
    model = E.Estimator(line(tf))
    assert f"Using temporary folder as model directory: {model.model_dir}" in log()
    assert "Using default config." in log()


def test_more_metrics(tmp_path):
    def more(labels, predictions):
        return {"mse": tf.metrics.mean_squared_error(labels, predictions)}

    results = E.add_metrics(estimator(tmp_path), more).evaluate(points(tf))
    assert results["mse"] == pytest.approx(5.03125, 1e-5)  # of (2.5 x + 1)**2
    assert sorted(results) == ["global_step", "loss", "mae", "mse"]
