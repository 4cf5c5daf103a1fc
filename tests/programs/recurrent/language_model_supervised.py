"""A language model of 2016: unrolled LSTMs, an input queue, its state fed back, a Supervisor."""

import numpy as np
import tensorflow as tf

text = ("the quick brown fox jumps over the lazy dog and the dog sleeps " * 12).split()
vocab = {w: i for i, w in enumerate(sorted(set(text)))}
raw = np.array([vocab[w] for w in text], np.int32)
B, T, H, L = 4, 5, 12, 2


def ptb_producer(raw_data, batch_size, num_steps, name=None):
    with tf.name_scope(name, "PTBProducer", [raw_data, batch_size, num_steps]):
        raw_data = tf.convert_to_tensor(raw_data, name="raw_data", dtype=tf.int32)
        data_len = tf.size(raw_data)
        batch_len = data_len // batch_size
        data = tf.reshape(raw_data[0 : batch_size * batch_len], [batch_size, batch_len])
        epoch_size = (batch_len - 1) // num_steps
        assertion = tf.assert_positive(
            epoch_size, message="epoch_size == 0, decrease batch_size or num_steps"
        )
        with tf.control_dependencies([assertion]):
            epoch_size = tf.identity(epoch_size, name="epoch_size")
        i = tf.train.range_input_producer(epoch_size, shuffle=False).dequeue()
        x = tf.strided_slice(data, [0, i * num_steps], [batch_size, (i + 1) * num_steps])
        x.set_shape([batch_size, num_steps])
        y = tf.strided_slice(data, [0, i * num_steps + 1], [batch_size, (i + 1) * num_steps + 1])
        y.set_shape([batch_size, num_steps])
        return x, y


class PTBModel(object):
    def __init__(self, is_training, data):
        self.x, self.y = data
        init = tf.random_uniform_initializer(-0.1, 0.1, seed=3)
        with tf.variable_scope("Model", reuse=not is_training, initializer=init):
            emb = tf.get_variable("embedding", [len(vocab), H])
            inputs = tf.nn.embedding_lookup(emb, self.x)

            def cell():
                c = tf.contrib.rnn.BasicLSTMCell(
                    H, forget_bias=0.0, state_is_tuple=True, reuse=not is_training
                )
                if is_training:
                    c = tf.contrib.rnn.DropoutWrapper(c, output_keep_prob=1.0)
                return c

            cell = tf.contrib.rnn.MultiRNNCell([cell() for _ in range(L)], state_is_tuple=True)
            self.initial_state = cell.zero_state(B, tf.float32)
            state = self.initial_state
            outputs = []
            with tf.variable_scope("RNN"):
                for t in range(T):
                    if t > 0:
                        tf.get_variable_scope().reuse_variables()
                    (o, state) = cell(inputs[:, t, :], state)
                    outputs.append(o)
            output = tf.reshape(tf.concat(outputs, 1), [-1, H])
            w = tf.get_variable("softmax_w", [H, len(vocab)])
            b = tf.get_variable("softmax_b", [len(vocab)])
            logits = tf.reshape(tf.nn.xw_plus_b(output, w, b), [B, T, len(vocab)])
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=self.y, logits=logits)
            self.cost = tf.reduce_sum(tf.reduce_mean(losses, 0))
            self.final_state = state
            if not is_training:
                return
            self.lr = tf.Variable(0.0, trainable=False)
            tv = tf.trainable_variables()
            grads, self.norm = tf.clip_by_global_norm(tf.gradients(self.cost, tv), 5)
            self.train_op = tf.train.GradientDescentOptimizer(self.lr).apply_gradients(
                zip(grads, tv), global_step=tf.train.get_or_create_global_step()
            )
            self.new_lr = tf.placeholder(tf.float32, shape=[], name="new_learning_rate")
            self.lr_update = tf.assign(self.lr, self.new_lr)


with tf.Graph().as_default():
    with tf.name_scope("Train"):
        m = PTBModel(True, ptb_producer(raw, B, T, name="TrainInput"))
    with tf.name_scope("Valid"):
        v = PTBModel(False, ptb_producer(raw[:100], B, T))
    print([x.name for x in tf.trainable_variables()])
    sv = tf.train.Supervisor(logdir=None)
    with sv.managed_session() as sess:
        for epoch in range(3):
            sess.run(m.lr_update, {m.new_lr: 1.0 * 0.9**epoch})
            state = sess.run(m.initial_state)
            costs = 0
            for step in range(6):
                feed = {}
                for i, (c, h) in enumerate(m.initial_state):
                    feed[c] = state[i].c
                    feed[h] = state[i].h
                cost, state, _, n = sess.run([m.cost, m.final_state, m.train_op, m.norm], feed)
                costs += cost
            print("epoch %d perplexity %.3f norm %.3f" % (epoch, np.exp(costs / (6 * T)), n))
        c, st = sess.run([v.cost, v.final_state])
        print("%.3f %s" % (c, st[0].c.shape))
