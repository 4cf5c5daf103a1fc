# loses: clients of one team share its scores, through any server
import tinytf as tf


def open_team(target, name):
    graph = tf.Graph()
    session = tf.Session(target, graph=graph)

    def add(player, points):
        with graph.as_default(), tf.container(name), tf.variable_scope("", reuse=tf.AUTO_REUSE):
            score = tf.get_variable(player, [], initializer=tf.zeros_initializer())
            known = tf.is_variable_initialized(score)
            more = tf.assign_add(score, points)
        if not session.run(known):
            session.run(score.initializer)
        return session.run(more)

    def start_over():
        nonlocal session
        tf.Session.reset(target, [name])
        session = tf.Session(target, graph=graph)  # the reset has ended the other

    return add, start_over
