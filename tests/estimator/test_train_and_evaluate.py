"""train_and_evaluate alone, and as each task of a cluster, over real servers."""

import json
import logging
import threading
from pathlib import Path

import numpy as np
import pytest

import tinytf as tf
from tests.estimator.models import X, line, points
from tests.ports import free_ports
from tests.waiting import LONG

E = tf.estimator


@pytest.fixture(autouse=True)
def files():
    yield
    tf.summary.FileWriterCache.clear()


class Told(E.Exporter):
    """Remembers what it was called with."""

    name = "told"

    def __init__(self):
        self.calls = []

    def export(self, estimator, export_path, checkpoint_path, eval_result, is_the_final_export):
        self.calls.append((int(eval_result["global_step"]), is_the_final_export))
        return export_path


def specs(max_steps=60, throttle_secs=0, **more):
    training = E.TrainSpec(points(tf, num_epochs=None), max_steps)
    evaluation = E.EvalSpec(points(tf), None, throttle_secs=throttle_secs, **more)
    return training, evaluation


def estimator(folder, **more):
    config = E.RunConfig(str(folder), tf_random_seed=1, save_checkpoints_steps=30, **more)
    return E.Estimator(line(tf), config=config)


def test_alone_each_checkpoint_is_evaluated(tmp_path):
    told = Told()
    model = estimator(tmp_path)
    metrics, exports = E.train_and_evaluate(model, *specs(exporters=told))
    assert metrics["global_step"] == 60
    assert metrics == model.evaluate(points(tf))
    assert told.calls == [(30, False), (60, True)]
    assert exports == [str(tmp_path / "export" / "told")]
    assert E.train_and_evaluate(model, *specs()) == (None, None)  # it has been trained


def test_evaluations_are_not_too_often(tmp_path, caplog):
    caplog.set_level(logging.INFO, "tinytf")
    told = Told()
    E.train_and_evaluate(estimator(tmp_path), *specs(70, 1000, exporters=told))
    assert told.calls == [(30, False), (70, True)]  # the first, and the last
    assert "Skip the current checkpoint eval due to throttle secs (1000 secs)." in caplog.text


@pytest.fixture
def task(monkeypatch, tmp_path):
    """Makes estimators of tasks, as their programs would in processes of their own."""
    jobs = {"chief": 1, "worker": 1, "ps": 1}
    ports = iter(free_ports(sum(jobs.values())))
    cluster = {job: [f"localhost:{next(ports)}" for _ in range(n)] for job, n in jobs.items()}

    def task(kind):
        where = {"cluster": cluster, "task": {"type": kind, "index": 0}}
        monkeypatch.setenv("TF_CONFIG", json.dumps(where))
        return estimator(tmp_path, experimental_max_worker_delay_secs=0)

    return task


def test_on_a_cluster(task, caplog):
    """Chief and worker train what the server has; the evaluator sees the last checkpoint."""
    models = {kind: task(kind) for kind in ("ps", "chief", "worker", "evaluator")}
    told, failures = Told(), []
    training, evaluation = specs(90, 0.05, start_delay_secs=0, exporters=told)
    config = models["ps"].config
    server = tf.train.Server(config.cluster_spec, "ps", 0, file_root=config.model_dir)

    def run(kind):
        try:
            assert E.train_and_evaluate(models[kind], training, evaluation) is None
        except BaseException as error:
            failures.append((kind, error))

    kinds = ("chief", "worker", "evaluator")
    threads = [threading.Thread(target=run, args=(kind,), daemon=True) for kind in kinds]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LONG)
    del server
    assert failures == []
    assert not any(thread.is_alive() for thread in threads)
    step, is_final = told.calls[-1]
    assert (step >= 90, is_final) == (True, True)
    graph = Path(models["chief"].model_dir, "graph.pbtxt").read_text()
    assert '"/job:ps/task:0' in graph  # where the variables are


def test_calls_for_a_task_that_does_not_train(task):
    with pytest.raises(ValueError, match=r"^Train has been called wrong configuration\. Please"):
        task("evaluator").train(points(tf))
    with pytest.raises(ValueError, match=r"TF_CONFIG says that this task is a ps\."):
        task("ps").train(points(tf))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: E.TrainSpec(1), "`input_fn` must be callable, given: 1"),
        (lambda: E.TrainSpec(points, 0), "Must specify max_steps > 0, given: 0"),
        (lambda: E.TrainSpec(points, saving_listeners=[1]), "All saving_listeners must be `Check"),
        (lambda: E.TrainSpec(points, hooks=[1]), "All hooks must be `SessionRunHook` instances, g"),
        (lambda: E.EvalSpec(points, 0), "Must specify steps > 0, given: 0"),
        (lambda: E.EvalSpec(points, name=1), "`name` must be string, given: 1"),
        (lambda: E.EvalSpec(points, throttle_secs=-1), "Must specify throttle_secs >= 0, given"),
        (lambda: E.EvalSpec(points, exporters=1), "`exporters` must be an Exporter, an iterable"),
        (lambda: E.EvalSpec(points, exporters=[Told(), Told()]), "`exporters` must have unique na"),
        (lambda: E.train_and_evaluate(1, 2, 3), "`estimator` must have type `tf.estimator.Estim"),
    ],
)
def test_mistakes(make, message):
    with pytest.raises((TypeError, ValueError)) as error:
        make()
    assert str(error.value).startswith(message)


# Exporters and SavedModels ------------------------------------------------------------------------


def receiver_fn():
    spec = {"x": tf.FixedLenFeature([1], tf.float32)}
    return E.export.build_parsing_serving_input_receiver_fn(spec)


def served(folder, signature="serving_default"):
    """What a SavedModel gives for x = 0 and 1."""
    examples = [
        tf.train.Example(features=tf.train.Features(feature={"x": _float(x)})).SerializeToString()
        for x in (0.0, 1.0)
    ]
    with tf.Graph().as_default(), tf.Session() as sess:
        graph = tf.saved_model.load(sess, ["serve"], folder)
        found = graph.signature_def[signature]
        [fed] = [info.name for info in found.inputs.values()]
        outputs = {key: info.name for key, info in found.outputs.items()}
        return sess.run(outputs, {fed: examples})


def _float(value):
    return tf.train.Feature(float_list=tf.train.FloatList(value=[value]))


def test_what_is_kept(tmp_path):
    exporters = [
        E.LatestExporter("latest", receiver_fn(), exports_to_keep=2),
        E.FinalExporter("final", receiver_fn()),
        E.BestExporter(
            "best", receiver_fn(), compare_fn=lambda best_eval_result, current_eval_result: False
        ),
    ]
    _, exports = E.train_and_evaluate(estimator(tmp_path), *specs(100, exporters=exporters))
    folders = {each.name: sorted(each.iterdir()) for each in (tmp_path / "export").iterdir()}
    assert {name: len(each) for name, each in folders.items()} == {
        "latest": 2,
        "final": 1,
        "best": 1,
    }
    assert [bool(each) for each in exports] == [True, True, False]
    assert exports[0].decode() == str(folders["latest"][-1])
    expected = list(estimator(tmp_path).predict(points(tf, labels=False)))
    assert served(exports[0].decode())["y"][0] == pytest.approx(expected[0]["y"])


def test_the_best_one_of_earlier_evaluations(tmp_path):
    model = estimator(tmp_path)
    model.train(points(tf, num_epochs=None), steps=30)
    good = float(model.evaluate(points(tf))["loss"])
    best = E.BestExporter(serving_input_receiver_fn=receiver_fn())
    calls = [
        best.export(model, str(tmp_path / "best"), model.latest_checkpoint(), {"loss": loss}, False)
        for loss in (good + 1, good + 2, good / 2)
    ]
    assert [bool(each) for each in calls] == [True, False, True]
    with pytest.raises(ValueError, match=r"must include best_eval_result argument\."):
        E.BestExporter(compare_fn=lambda current_eval_result: True)


def test_signatures_that_fit(tmp_path):
    """Outputs for which the model does not get what they need are left out."""

    def outputs(y):
        scores = E.export.ClassificationOutput(scores=tf.expand_dims(y, 1))
        return {"classes": scores, "serving_default": E.export.RegressionOutput(y)}

    model = E.Estimator(line(tf, export_outputs=outputs), str(tmp_path / "model"))
    model.train(points(tf), steps=1)
    asset = tmp_path / "note.txt"
    asset.write_text("hello")
    of_examples = model.export_saved_model(
        tmp_path / "a", receiver_fn(), {"notes/n.txt": str(asset)}
    )
    assert sorted(served(of_examples.decode())) == ["outputs"]
    assert sorted(served(of_examples.decode(), "classes")) == ["scores"]
    assert Path(of_examples.decode(), "assets.extra/notes/n.txt").read_text() == "hello"
    raw = E.export.build_raw_serving_input_receiver_fn({"x": tf.constant(X["x"])})
    of_tensors = model.export_savedmodel(tmp_path / "b", raw, as_text=True)
    text = Path(of_tensors.decode(), "saved_model.pbtxt").read_text()
    assert "signature_def" not in text
    with pytest.raises(ValueError, match=r"^Multiple `export_outputs` were provided, but none of"):
        next(
            E.Estimator(
                line(tf, export_outputs=lambda y: dict.fromkeys("ab", E.export.PredictOutput(y)))
            ).predict(points(tf))
        )


# Warm start ---------------------------------------------------------------------------------------


@pytest.fixture
def trained(tmp_path):
    model = E.Estimator(line(tf), str(tmp_path / "trained"))
    return model.train(points(tf), steps=2)


def test_warm_start(trained, tmp_path):
    kernel = trained.get_variable_value("dense/kernel")
    for settings in (
        trained.model_dir,
        E.WarmStartSettings(trained.model_dir, "dense/k"),
        E.WarmStartSettings(trained.latest_checkpoint(), ["dense/kernel"]),
        trained.export_saved_model(tmp_path / "saved", receiver_fn()),
    ):
        model = E.Estimator(line(tf), warm_start_from=settings)
        [first, second, *_] = model.predict(points(tf, labels=False))
        assert second["y"] - first["y"] == pytest.approx(kernel[0, 0] / 10)
    model.train(points(tf), steps=1)
    assert model.evaluate(points(tf))["global_step"] == 1  # which is not taken over
    own = [each["y"] for each in model.predict(points(tf))]
    model = E.Estimator(line(tf), model.model_dir, warm_start_from=trained.model_dir)
    assert [each["y"] for each in model.predict(points(tf))] == own  # it has a checkpoint


def test_warm_start_with_words(tmp_path):
    old, new = tmp_path / "old.txt", tmp_path / "new.txt"
    old.write_text("a\nb\nc\n")
    new.write_text("c\nd\na\n")
    with tf.Graph().as_default(), tf.Session() as sess:
        matrix = tf.get_variable("words", initializer=np.arange(6, dtype=np.float32).reshape(3, 2))
        sess.run(matrix.initializer)
        path = tf.train.Saver().save(sess, str(tmp_path / "model"))
    with tf.Graph().as_default(), tf.Session() as sess:
        other = tf.get_variable("others", [4, 2])
        info = tf.train.VocabInfo(
            str(new), 3, 1, str(old), backup_initializer=tf.constant_initializer(-1.0)
        )
        names = {"others": "words"}
        tf.train.warm_start(path, None, {"others": info}, names)
        sess.run(other.initializer)
        assert sess.run(other).tolist() == [[4, 5], [-1, -1], [0, 1], [-1, -1]]
        with pytest.raises(
            ValueError, match=r"var_name_to_prev_var_name that were not used: {'o'}"
        ):
            tf.train.warm_start(path, var_name_to_prev_var_name={"o": "words"})
