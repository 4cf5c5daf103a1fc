"""Cluster specifications, and where replica_device_setter puts variables and operations."""

import tensorflow as tf

cluster_spec = tf.train.ClusterSpec(
    {
        "ps": ["machine-a.example.com:2221"],
        "worker": ["machine-a.example.com:2222", "machine-b.example.com:2222"],
    }
)
print(
    cluster_spec.jobs == ["ps", "worker"] or sorted(cluster_spec.jobs),
    cluster_spec.num_tasks("worker"),
)
print(cluster_spec.task_address("worker", 1), cluster_spec.as_dict()["ps"])
sparse = tf.train.ClusterSpec({"worker": {1: "b:1", 3: "d:1"}})
print(sparse.task_indices("worker"), sparse == tf.train.ClusterSpec(sparse.as_cluster_def()))

with tf.device(
    tf.train.replica_device_setter(ps_tasks=2, ps_device="/job:ps", worker_device="/job:worker")
):
    v1 = tf.Variable(1.0, name="v1")
    v2 = tf.Variable(2.0, name="v2")
    v3 = tf.Variable(3.0, name="v3")
    s = v1 + v2
    with tf.device("/task:1"):
        p1 = 2 * s
        with tf.device("/cpu:0"):
            p2 = 3 * s
for op in (v1.op, v2.op, v3.op, s.op, p1.op, p2.op):
    print(op.name, op.device)


def variables_on_cpu(op):
    return "/cpu:0" if op.type == "VariableV2" else "/gpu:0"


with tf.device(variables_on_cpu):
    a = tf.Variable(3.0, name="a")
    c = a * 4.0
print(
    a.device,
    c.device,
    tf.DeviceSpec(job="ps", task=0, device_type="CPU", device_index=0).to_string(),
)
