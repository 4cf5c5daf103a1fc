"""Two Q-networks in scopes, one copied into the other, replayed memories, and a target."""

import numpy as np
import tensorflow as tf


def q_network(X_state, name):
    with tf.variable_scope(name) as scope:
        hidden = tf.layers.dense(X_state, 12, activation=tf.nn.relu)
        outputs = tf.layers.dense(hidden, 2)
    trainable_vars = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope=scope.name)
    return outputs, {var.name[len(scope.name) :]: var for var in trainable_vars}


tf.set_random_seed(42)
rng = np.random.RandomState(42)
X_state = tf.placeholder(tf.float32, shape=[None, 5])
online_q_values, online_vars = q_network(X_state, name="q_networks/online")
target_q_values, target_vars = q_network(X_state, name="q_networks/target")
copy_ops = [target_var.assign(online_vars[name]) for name, target_var in target_vars.items()]
copy_online_to_target = tf.group(*copy_ops)
with tf.variable_scope("train"):
    X_action = tf.placeholder(tf.int32, shape=[None])
    y = tf.placeholder(tf.float32, shape=[None, 1])
    q_value = tf.reduce_sum(online_q_values * tf.one_hot(X_action, 2), axis=1, keepdims=True)
    error = tf.abs(y - q_value)
    clipped_error = tf.clip_by_value(error, 0.0, 1.0)
    linear_error = 2 * (error - clipped_error)
    loss = tf.reduce_mean(tf.square(clipped_error) + linear_error)
    global_step = tf.Variable(0, trainable=False, name="global_step")
    training_op = tf.train.MomentumOptimizer(0.02, 0.9, use_nesterov=True).minimize(
        loss, global_step
    )
saver = tf.train.Saver()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(copy_online_to_target)
    for iteration in range(120):
        states = rng.randint(4, size=16)
        actions = rng.randint(2, size=16)
        next_states = np.clip(states + 2 * actions - 1, 0, 4)
        rewards = (next_states == 4).astype(np.float32)
        future = sess.run(target_q_values, {X_state: np.eye(5)[next_states]}).max(1)
        y_val = rewards + (1 - rewards) * 0.8 * future
        feed = {X_state: np.eye(5)[states], X_action: actions, y: y_val[:, None]}
        _, loss_val = sess.run([training_op, loss], feed_dict=feed)
        if iteration % 20 == 19:
            copy_online_to_target.run()
    print(sess.run(global_step), "%.1f" % loss_val)
    print(np.round(sess.run(online_q_values, {X_state: np.eye(5)[:4]}), 1))
    print(sess.run(online_q_values, {X_state: np.eye(5)[:4]}).argmax(1), sorted(online_vars))
