"""SyncReplicasOptimizer with one replica of one process: tokens, chief's queue runner, its hook."""

import tensorflow as tf

global_step = tf.train.get_or_create_global_step()
w = tf.get_variable("w", initializer=4.0)
optimizer = tf.train.SyncReplicasOptimizer(
    tf.train.GradientDescentOptimizer(0.25), replicas_to_aggregate=2, total_num_replicas=2
)
train = optimizer.minimize(tf.square(w), global_step=global_step)
hook = optimizer.make_session_run_hook(is_chief=True, num_tokens=2)
with tf.train.MonitoredTrainingSession(
    is_chief=True, hooks=[hook], log_step_count_steps=None, stop_grace_period_secs=1
) as sess:
    for _ in range(4):
        sess.run(train)
    values = sess.run([w, global_step])
    print(float(values[0]) in (1.0, 2.0, 0.5), int(values[1]) in (1, 2))
print(optimizer.get_slot_names(), [v.name for v in tf.local_variables()])
