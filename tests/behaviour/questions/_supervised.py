"""What the questions about session managers and supervisors share: a model, and its parts."""


def names(things):
    return [getattr(thing, "name", type(thing).__name__) for thing in things]


def collections_of(tf):
    graph = tf.get_default_graph()
    return {
        key: names(graph.get_collection(key)) for key in sorted(graph.get_all_collection_keys())
    }


def model(tf):
    """A variable, a local one, a step, a summary; the operation that counts."""
    weight = tf.Variable(3.0, name="weight")
    local = tf.get_variable(
        "local",
        [],
        collections=[tf.GraphKeys.LOCAL_VARIABLES],
        initializer=tf.zeros_initializer(),
    )
    tf.summary.scalar("weight_now", weight)
    step = tf.train.get_or_create_global_step()
    return weight, local, tf.assign_add(step, 1, name="count")


def noted(tf, log, what):
    """An operation that notes that it runs."""
    return tf.py_func(lambda: log.append(what), [], [], stateful=True, name=what)


def in_own_graph(tf, function, *args):
    with tf.Graph().as_default():
        return function(*args)
