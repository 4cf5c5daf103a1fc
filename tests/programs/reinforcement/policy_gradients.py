"""Policy gradients: actions drawn by multinomial, gradients kept, discounted, and fed back."""

import numpy as np
import tensorflow as tf


class Corridor:
    """Walk right to the end within ten steps."""

    def reset(self):
        self.at, self.steps = 0, 0
        return self.observe()

    def observe(self):
        return np.array([self.at / 4.0, self.steps / 10.0], np.float32)

    def step(self, action):
        self.at, self.steps = max(0, self.at + (1 if action else -1)), self.steps + 1
        return self.observe(), 1.0 if self.at == 4 else -0.1, self.at == 4 or self.steps == 10


def discount_rewards(rewards, rate):
    out, total = np.zeros(len(rewards)), 0.0
    for step in reversed(range(len(rewards))):
        total = rewards[step] + total * rate
        out[step] = total
    return out


tf.set_random_seed(42)
X = tf.placeholder(tf.float32, shape=[None, 2])
hidden = tf.layers.dense(
    X, 4, activation=tf.nn.elu, kernel_initializer=tf.variance_scaling_initializer()
)
logits = tf.layers.dense(hidden, 1)
outputs = tf.nn.sigmoid(logits)
p_left_and_right = tf.concat(axis=1, values=[1 - outputs, outputs])
action = tf.multinomial(tf.log(p_left_and_right), num_samples=1)
cross_entropy = tf.nn.sigmoid_cross_entropy_with_logits(labels=tf.to_float(action), logits=logits)
optimizer = tf.train.AdamOptimizer(0.1)
grads_and_vars = optimizer.compute_gradients(cross_entropy)
gradients = [grad for grad, variable in grads_and_vars]
gradient_placeholders, feed_pairs = [], []
for grad, variable in grads_and_vars:
    placeholder = tf.placeholder(tf.float32, shape=grad.get_shape())
    gradient_placeholders.append(placeholder)
    feed_pairs.append((placeholder, variable))
training_op = optimizer.apply_gradients(feed_pairs)
env = Corridor()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for iteration in range(6):
        all_rewards, all_gradients = [], []
        for game in range(4):
            rewards, kept, done = [], [], False
            obs = env.reset()
            while not done:
                action_val, gradients_val = sess.run([action, gradients], {X: obs[None]})
                obs, reward, done = env.step(action_val[0][0])
                rewards.append(reward)
                kept.append(gradients_val)
            all_rewards.append(discount_rewards(rewards, 0.9))
            all_gradients.append(kept)
        flat = np.concatenate(all_rewards)
        feed_dict = {}
        for index, placeholder in enumerate(gradient_placeholders):
            weighted = [
                (reward - flat.mean()) / flat.std() * all_gradients[game][step][index]
                for game, rewards in enumerate(all_rewards)
                for step, reward in enumerate(rewards)
            ]
            feed_dict[placeholder] = np.mean(weighted, axis=0)
        sess.run(training_op, feed_dict=feed_dict)
        print(iteration, "steps", len(flat))
    print(sess.run(outputs, {X: [[0.5, 0.2]]}).shape)
