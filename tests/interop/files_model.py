"""A program for both libraries: both kinds of variables, conditionals in a loop and outside."""


def build(tf):
    """Build it in the default graph; the last node is "z"."""
    x = tf.placeholder(tf.float32, [], name="x")
    v = tf.Variable(2.0, name="v", use_resource=False)
    u = tf.get_variable("u", [], initializer=tf.ones_initializer(), use_resource=True)
    tf.Variable(5, collections=[tf.GraphKeys.LOCAL_VARIABLES], trainable=False, name="local")

    def body(i, a):
        return i + 1, tf.cond(a > 1.0, lambda: a * x * v, lambda: a + x)

    y = tf.while_loop(lambda i, a: i < 3, body, [0, x], name="loop")[1]
    tf.identity(tf.cond(x > 0.0, lambda: y * u, lambda: y, name="choice"), name="z")
    tf.add_to_collection("answers", 42)
    tf.summary.scalar("z_of_x", y)


def slopes(tf, scope):
    """What z and its gradients are, of a graph that was built or imported into a scope."""
    prefix = f"{scope}/" if scope else ""
    graph = tf.get_default_graph()
    x, z = (graph.get_tensor_by_name(f"{prefix}{name}:0") for name in ("x", "z"))
    gradients = tf.gradients(z, [x, *tf.trainable_variables()])
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        values = session.run([z, *gradients], {x: 1.5})
    names = [variable.name for variable in (*tf.global_variables(), *tf.local_variables())]
    return [[float(value) for value in values], names, tf.get_collection("answers")]
