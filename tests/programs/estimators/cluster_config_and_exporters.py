"""What TF_CONFIG makes of a RunConfig; train_and_evaluate with exporters, hooks and listeners."""

import json
import os

import tensorflow as tf

os.environ["TF_CONFIG"] = json.dumps(
    {
        "cluster": {"chief": ["h:1"], "ps": ["h:2"], "worker": ["h:3"]},
        "task": {"type": "worker", "index": 0},
    }
)
c = tf.estimator.RunConfig(model_dir="m", save_checkpoints_secs=600)
print(
    c.task_type,
    c.task_id,
    c.master,
    c.num_ps_replicas,
    c.num_worker_replicas,
    c.is_chief,
    c.global_id_in_cluster,
    c.cluster_spec.as_dict(),
)
os.environ["TF_CONFIG"] = json.dumps(
    {"cluster": {"master": ["h:1"]}, "task": {"type": "master", "index": 0}}
)
c = tf.estimator.RunConfig()
print(c.task_type, c.is_chief, c.master, c.evaluation_master)
for bad in (
    {"task": {"type": "worker", "index": 0}},
    {"cluster": {"worker": ["h:1"]}, "task": {"type": "worker", "index": 0}},
    {"cluster": {"chief": ["a:1"], "worker": ["b:1"]}, "task": {"type": "worker"}},
    {"cluster": {"chief": ["a:1", "b:2"]}, "task": {"type": "chief", "index": 0}},
    {"cluster": {"chief": ["a:1"], "worker": ["b:1"]}, "task": {"type": "worker", "index": 4}},
):
    os.environ["TF_CONFIG"] = json.dumps(bad)
    try:
        print(tf.estimator.RunConfig().task_type)
    except Exception as e:
        print(type(e).__name__, str(e)[:60])
os.environ.pop("TF_CONFIG")


def model_fn(features, labels, mode):
    w = tf.get_variable("w", [], initializer=tf.zeros_initializer())
    p = features["x"] * w
    if mode == "infer":
        return tf.estimator.EstimatorSpec(mode, predictions={"p": p})
    loss = tf.losses.mean_squared_error(labels, p)
    return tf.estimator.EstimatorSpec(
        mode,
        p,
        loss,
        tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_global_step()),
        eval_metric_ops={"mae": tf.metrics.mean_absolute_error(labels, p)},
    )


def inp():
    d = tf.data.Dataset.from_tensor_slices(({"x": [1.0, 2.0, 3.0]}, [2.0, 4.0, 6.0])).batch(3)
    return d.repeat()


def ev():
    return tf.data.Dataset.from_tensor_slices(({"x": [1.0, 2.0, 3.0]}, [2.0, 4.0, 6.0])).batch(1)


e = tf.estimator.Estimator(
    model_fn,
    "m2",
    tf.estimator.RunConfig(save_checkpoints_steps=5, log_step_count_steps=None, tf_random_seed=1),
)


class H(tf.train.SessionRunHook):
    def begin(self):
        self.n = 0

    def after_run(self, c, v):
        self.n += 1

    def end(self, s):
        print("hook", self.n, s.run(tf.train.get_global_step()))


class L(tf.train.CheckpointSaverListener):
    def after_save(self, s, g):
        print("saved", g)


def serving():
    p = tf.placeholder(tf.float32, [None])
    return tf.estimator.export.ServingInputReceiver({"x": p}, p)


exp = tf.estimator.BestExporter("best", serving_input_receiver_fn=serving, exports_to_keep=1)
last = tf.estimator.LatestExporter("latest", serving)
r = tf.estimator.train_and_evaluate(
    e,
    tf.estimator.TrainSpec(inp, 10, hooks=[H()]),
    tf.estimator.EvalSpec(
        ev, steps=None, exporters=[exp, last], throttle_secs=0, start_delay_secs=0, name="holdout"
    ),
)
print({k: "%.4f" % v for k, v in sorted(r[0].items())} if r else r)
e.train(inp, steps=3, saving_listeners=[L()])
print(
    sorted(os.listdir("m2")) and sorted(d for d in os.listdir("m2") if os.path.isdir("m2/" + d)),
    sorted(os.listdir("m2/export")),
    len(os.listdir("m2/export/best")),
)
print(
    [float("%.4f" % q["p"]) for q in e.predict(ev, predict_keys=["p"], yield_single_examples=True)]
)
print(tf.train.get_checkpoint_state("m2").model_checkpoint_path.split("/")[-1])
