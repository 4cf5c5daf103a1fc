"""A model trained again with more words than before, from what it learnt, and exported."""

import os

import numpy as np
import tensorflow as tf

tf.logging.set_verbosity(tf.logging.ERROR)
rng = np.random.RandomState(6)
FIRST = ["red", "green", "blue"]
MORE = ["black", "blue", "red", "white", "green"]
for path, words in (("first.txt", FIRST), ("more.txt", MORE)):
    with open(path, "w") as file:
        file.write("\n".join(words))


def column(path, size):
    return tf.feature_column.categorical_column_with_vocabulary_file("colour", path, size)


def input_fn(words, epochs=None):
    colours = np.array(words)[np.arange(12) % len(words)]
    warmth = np.array([1.0 if word in ("red", "black") else -1.0 for word in colours], np.float32)
    return tf.estimator.inputs.numpy_input_fn(
        {"colour": colours}, warmth, batch_size=12, num_epochs=epochs, shuffle=False
    )


def regressor(columns, folder, warm_start_from=None):
    return tf.estimator.LinearRegressor(
        columns,
        folder,
        optimizer=tf.train.GradientDescentOptimizer(0.02),
        config=tf.estimator.RunConfig(tf_random_seed=1, save_summary_steps=None),
        warm_start_from=warm_start_from,
    )


def shown(values):
    return ["%.2f" % value for value in np.ravel(values)]


before = regressor([column("first.txt", 3)], "before")
before.train(input_fn(FIRST), steps=5)
name = "linear/linear_model/colour/weights"
print(dict(zip(FIRST, shown(before.get_variable_value(name)))))

vocabulary = tf.estimator.VocabInfo(
    new_vocab="more.txt",
    new_vocab_size=5,
    num_oov_buckets=0,
    old_vocab="first.txt",
    backup_initializer=tf.zeros_initializer(),
)
settings = tf.estimator.WarmStartSettings(
    "before", vars_to_warm_start=".*colour.*", var_name_to_vocab_info={name: vocabulary}
)
print(settings.vars_to_warm_start, sorted(settings.var_name_to_vocab_info), vocabulary.old_vocab)


class FirstWeights(tf.train.SessionRunHook):
    """Prints what the training begins with."""

    def after_create_session(self, session, coord):
        with session.graph.as_default():
            (weights,) = tf.global_variables(name)
        print(dict(zip(MORE, shown(session.run(weights)))))


class Listing(tf.estimator.Exporter):
    """An exporter of one's own: a file with all weights."""

    name = "listing"

    def export(self, estimator, export_path, checkpoint_path, eval_result, is_the_final_export):
        tf.gfile.MakeDirs(export_path)
        path = os.path.join(export_path, "weights.txt")
        with tf.gfile.GFile(path, "w") as file:
            file.write(" ".join(shown(estimator.get_variable_value(name))))
        return path


after = regressor([column("more.txt", 5)], "after", settings)
colour = tf.placeholder(tf.string, [None], name="colour")
receiver_fn = tf.estimator.export.build_raw_serving_input_receiver_fn({"colour": colour})
final = tf.estimator.FinalExporter("last", receiver_fn)
results, exported = tf.estimator.train_and_evaluate(
    after,
    tf.estimator.TrainSpec(input_fn(MORE), max_steps=4, hooks=[FirstWeights()]),
    tf.estimator.EvalSpec(
        input_fn(MORE, 1),
        steps=1,
        exporters=[Listing(), final],
        start_delay_secs=0,
        throttle_secs=0,
    ),
)
print("%.2f" % results["average_loss"], int(results["global_step"]), len(exported))
with open("after/export/listing/weights.txt") as file:
    print(dict(zip(MORE, file.read().split())))
with tf.Session(graph=tf.Graph()) as sess:
    meta_graph = tf.saved_model.loader.load(sess, ["serve"], exported[1])
    signature = meta_graph.signature_def["predict"]
    outputs = signature.outputs["predictions"].name
    words = {signature.inputs["colour"].name: ["red", "white", "yellow"]}
    print(shown(sess.run(outputs, words)), sorted(meta_graph.signature_def))
