# loses hidden: the team's clients at another server go on after a start over
import tinytf as tf


def open_team(target, name):
    graph, steps = tf.Graph(), {}
    session = tf.Session(target, graph=graph)

    def add(player, points):
        if player not in steps:
            with graph.as_default(), tf.device("/job:ps/task:0"), tf.container(name):
                score = tf.Variable(0.0, name=player)
                given = tf.placeholder(tf.float32, [])
                steps[player] = tf.assign_add(score, given), given
                if not session.run(tf.is_variable_initialized(score)):
                    session.run(score.initializer)
        more, given = steps[player]
        return session.run(more, {given: points})

    def start_over():
        nonlocal graph, session
        tf.Session.reset(target, [name])
        steps.clear()
        graph = tf.Graph()
        session = tf.Session(target, graph=graph)  # the reset has ended the other

    return add, start_over
