"""An estimator in a folder, which may have a checkpoint already: trained, evaluated, exported.

    python estimators_program.py FOLDER             with a real TensorFlow
    python estimators_program.py FOLDER tinytf      with tinytf

Prints, as JSON, what it has come to. The folder has the graph of the training, too.
"""

import json
import sys

if sys.argv[2:] == ["tinytf"]:
    import tinytf as tf
else:
    import tensorflow.compat.v1 as tf

    tf.disable_v2_behavior()

from tests.estimator.models import X, Y, line, points, summaries


def numbers(results):
    """Of an evaluation."""
    return {key: round(float(value), 5) for key, value in results.items()}


def run(folder):
    """The results, by what was done."""
    E = tf.estimator
    config = E.RunConfig(folder, 1, save_summary_steps=20, save_checkpoints_steps=30)
    model = E.Estimator(line(tf), config=config)
    found = {}
    training = E.TrainSpec(points(tf, num_epochs=None), model_steps(model) + 50)
    spec = {"x": tf.FixedLenFeature([1], tf.float32)}
    receiver_fn = E.export.build_parsing_serving_input_receiver_fn(spec)
    final = E.FinalExporter("final", receiver_fn)
    evaluation = E.EvalSpec(points(tf), None, throttle_secs=0, exporters=final)
    metrics, exports = E.train_and_evaluate(model, training, evaluation)
    found["evaluated"], found["exported"] = numbers(metrics), len(exports[0].decode()) > 0
    dataset = lambda: tf.data.Dataset.from_tensor_slices((X, Y)).batch(5)  # noqa: E731
    found["dataset"] = numbers(model.train(dataset).evaluate(dataset, name="of_dataset"))
    found["predicted"] = [round(float(each["y"]), 5) for each in model.predict(points(tf))]
    found["variables"] = model.get_variable_names()
    warm = E.Estimator(line(tf), folder + "_warm", warm_start_from=folder)
    found["warm"] = numbers(warm.evaluate(points(tf)))
    tf.summary.FileWriterCache.clear()
    for name in ("", "/eval", "/eval_of_dataset"):
        # Not the steps: TensorFlow's runs read them before or after they count, as it happens.
        written = {tag for _, tag, _ in summaries(tf, folder + name)}
        found[f"summaries{name}"] = sorted(written - {"global_step/sec"})
    return found


def model_steps(model):
    """How many steps it has been trained for."""
    has_any = model.latest_checkpoint() is not None
    return int(model.get_variable_value("global_step")) if has_any else 0


if __name__ == "__main__":
    print(json.dumps(run(sys.argv[1])))
