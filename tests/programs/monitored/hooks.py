"""A hook of one's own: when it is called, and what it asks of each run."""

import tensorflow as tf


class Teller(tf.train.SessionRunHook):
    def begin(self):
        self.loss = tf.get_default_graph().get_tensor_by_name("loss:0")
        print("begin")

    def after_create_session(self, session, coord):
        print("after_create_session", type(coord).__name__)

    def before_run(self, run_context):
        return tf.train.SessionRunArgs({"loss": self.loss})

    def after_run(self, run_context, run_values):
        print(
            "after_run", run_values.results["loss"], run_context.original_args.fetches is not None
        )
        if run_values.results["loss"] < 1.0:
            run_context.request_stop()

    def end(self, session):
        print("end", session.run("w:0"))


w = tf.Variable(4.0, name="w")
loss = tf.square(w, name="loss")
train = tf.train.GradientDescentOptimizer(0.25).minimize(loss)
final = tf.train.FinalOpsHook([w.assign_add(100.0)])
with tf.train.SingularMonitoredSession(hooks=[Teller(), final]) as sess:
    while not sess.should_stop():
        sess.run(train)
print(final.final_ops_values)
feeding = tf.train.FeedFnHook(lambda: {"p:0": 3.0})
tf.reset_default_graph()
p = tf.placeholder(tf.float32, [], name="p")
doubled = p * 2
with tf.train.MonitoredSession(hooks=[feeding]) as sess:
    print(sess.run(doubled))
