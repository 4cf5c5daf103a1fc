"""Fine-tuning as in slim: parts of another model's checkpoint, by names, scopes and suffixes."""

import numpy as np
import tensorflow as tf

slim = tf.contrib.slim
framework = tf.contrib.framework
init = slim.xavier_initializer(seed=11)


def backbone(x, scope):
    with tf.variable_scope(scope):
        with slim.arg_scope([slim.fully_connected], weights_initializer=init):
            net = slim.fully_connected(x, 4, scope="fc1")
            return slim.fully_connected(net, 3, scope="fc2")


def pretrained(x):
    """Another program: it trains, that is, it sets some values, and saves."""
    with tf.Graph().as_default(), tf.Session() as sess:
        backbone(tf.constant(x), "old")
        step = framework.create_global_step()
        sess.run(tf.global_variables_initializer())
        names_to_values = {"old/fc1/biases": np.arange(4.0), "old/fc2/biases": np.full(3, 0.5)}
        assign_op, feed = slim.assign_from_values(names_to_values)
        sess.run(assign_op, feed)
        sess.run(step.assign(700))
        return tf.train.Saver().save(sess, "./old_model")


x = np.random.RandomState(6).rand(2, 5).astype(np.float32)
path = pretrained(x)
reader = framework.load_checkpoint(path)
print(framework.list_variables("."), reader.has_tensor("old/fc2/weights"))
print(framework.load_variable(".", "old/fc1/biases"), reader.get_tensor("global_step"))

features = backbone(tf.constant(x), "new")
logits = slim.linear(features, 2, scope="head", weights_initializer=init)
momentum = slim.local_variable(0.9, name="momentum")
scale = framework.model_variable("scale", [2], initializer=tf.ones_initializer())
offset = framework.variable("offset", initializer=tf.constant([0.25, 0.5]), trainable=False)
seen = slim.global_variable(tf.constant(0, tf.int64), name="seen")
framework.add_model_variable(offset)
outputs = logits * scale + offset
step = tf.train.get_or_create_global_step()
framework.assert_global_step(step)

print([v.op.name for v in slim.get_variables(suffix="biases")])
print([v.op.name for v in slim.get_variables_by_suffix("weights", scope="new")])
print([v.op.name for v in framework.get_variables_by_name("biases", scope="head")])
print(
    [v.op.name for v in framework.get_local_variables()], slim.get_unique_variable("seen").op.name
)
print([v.op.name for v in framework.get_trainable_variables("head")])
print([framework.get_variable_full_name(v) for v in framework.get_model_variables()])
print([v.op.name for v in slim.get_variables_to_restore(include=["new"], exclude=["new/fc2"])])
kept = slim.filter_variables(
    slim.get_variables(), include_patterns=["new", "head"], exclude_patterns=["biases"]
)
print([v.op.name for v in kept])

to_restore = slim.get_variables_to_restore(exclude=["head", "scale", "offset", "seen"])
by_old_name = {v.op.name.replace("new/", "old/"): v for v in to_restore}
init_fn = slim.assign_from_checkpoint_fn(path, by_old_name)
both = {**by_old_name, "missing/weights": framework.get_variables_by_name("scale")[0]}
lenient = slim.assign_from_checkpoint_fn(path, both, ignore_missing_vars=True)
assign_op, feed = slim.assign_from_checkpoint(
    path, {"old/fc2/biases": by_old_name["old/fc2/biases"]}
)
own = framework.assign_from_values_fn({"head/biases": np.array([1.0, -1.0]), "seen": np.array(5)})
with tf.Session() as sess:
    sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    print(sess.run(features).round(3))
    sess.run(assign_op, feed)
    print(sess.run(by_old_name["old/fc2/biases"]))
    init_fn(sess)
    print(
        sess.run(by_old_name["old/fc1/biases"]), sess.run([step, seen]), "%.2f" % sess.run(momentum)
    )
    lenient(sess)
    own(sess)
    print(sess.run(features).round(3))
    print(sess.run(outputs).round(3), sess.run(seen))
