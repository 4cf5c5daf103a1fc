"""tf.contrib.training: settings in HParams, a loop that trains, one that evaluates checkpoints."""

import numpy as np
import tensorflow as tf
from tensorflow.contrib import training

defaults = training.HParams(learning_rate=0.5, hidden=[4, 3], activation="tanh", max_norm=1.0)
defaults.add_hparam("shuffle", False)
hparams = defaults.parse("learning_rate=0.2,hidden=[5,4],shuffle=true")
hparams.set_hparam("max_norm", 2)
hparams.override_from_dict({"activation": "relu"})
hparams.parse_json('{"hidden": [6, 4]}')
hparams.parse("hidden[1]=3")
print(hparams.to_json(sort_keys=True), "decay" in hparams, hparams.get("decay", 0.9))
hparams.del_hparam("shuffle")
print(sorted(hparams.values()), hparams)
for wrong in ("hidden=3", "depth=3", "learning_rate=fast"):
    try:
        hparams.parse(wrong)
    except (ValueError, KeyError) as error:
        print(wrong, isinstance(error, (ValueError, KeyError)))

rng = np.random.RandomState(8)
rows = rng.randn(30, 4).astype(np.float32)
labels = (rows[:, 0] * rows[:, 1] > 0).astype(np.int32)


def model(features):
    net = features
    for i, size in enumerate(hparams.hidden):
        init = tf.glorot_uniform_initializer(seed=20 + i)
        net = tf.layers.dense(
            net, size, getattr(tf.nn, hparams.activation), kernel_initializer=init
        )
    return tf.layers.dense(net, 2, kernel_initializer=tf.glorot_uniform_initializer(seed=30))


class Printer(tf.train.SessionRunHook):
    def after_run(self, run_context, run_values):
        step = run_context.session.run(tf.train.get_global_step())
        if step % 20 == 0:
            print("trained", step)


with tf.Graph().as_default():
    logits = model(tf.constant(rows))
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    optimizer = tf.train.GradientDescentOptimizer(hparams.learning_rate)
    train_op = training.create_train_op(
        loss,
        optimizer,
        transform_grads_fn=training.clip_gradient_norms_fn(hparams.max_norm),
        summarize_gradients=True,
        gate_gradients=optimizer.GATE_GRAPH,
    )
    hooks = [tf.train.StopAtStepHook(num_steps=40), Printer()]
    scaffold = tf.train.Scaffold(saver=tf.train.Saver(max_to_keep=10))
    saver = tf.train.CheckpointSaverHook("run", save_steps=20, scaffold=scaffold)
    training.train(
        train_op,
        "run",
        scaffold=scaffold,
        hooks=hooks,
        chief_only_hooks=[saver],
        save_checkpoint_secs=None,
        save_summaries_steps=None,
    )
print(training.wait_for_new_checkpoint("run", timeout=1))

for path in tf.train.get_checkpoint_state("run").all_model_checkpoint_paths:
    with tf.Graph().as_default():
        logits = model(tf.constant(rows))
        accuracy, update = tf.metrics.accuracy(labels, tf.argmax(logits, 1))
        mean_loss, update_loss = tf.metrics.mean(
            tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
        )
        tf.summary.scalar("accuracy", accuracy)
        evaluations = training.get_or_create_eval_step()
        found = training.evaluate_once(
            path,
            eval_ops=[update, update_loss],
            final_ops={"accuracy": accuracy, "loss": mean_loss, "evaluations": evaluations},
            hooks=[training.StopAfterNEvalsHook(3), training.SummaryAtEndHook("run/eval")],
        )
        print("%.3f %.2f %d" % (found["accuracy"], found["loss"], found["evaluations"]), path)
iterator = training.checkpoints_iterator("run", timeout=0, timeout_fn=lambda: True)
print(list(iterator))
tf.summary.FileWriterCache.clear()
for name in sorted(tf.gfile.ListDirectory("run/eval")):
    for event in tf.train.summary_iterator("run/eval/" + name):
        print([(value.tag, "%.3f" % value.simple_value) for value in event.summary.value])
