"""Programs that learn: models, optimizers, gradients, and loops and conditionals in graphs."""

import numpy as np

from tests.behaviour.asking import question
from tests.behaviour.questions.programs import close, running


def trained(tf, step, fetches, feed_dict=None, steps=20):
    """Values after some steps, and the names of what the optimizer made."""
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(steps):
            sess.run(step, feed_dict)
        return close(sess.run(fetches, feed_dict))


@question
def gradient_descent_by_hand(tf):
    rng = np.random.RandomState(0)
    data = np.c_[np.ones((50, 1)), rng.rand(50, 2)].astype(np.float32)
    x, y = tf.constant(data, name="X"), tf.constant(data @ np.float32([[1], [2], [3]]), name="y")
    theta = tf.Variable(tf.zeros([3, 1]), name="theta")
    error = tf.matmul(x, theta, name="predictions") - y
    mse = tf.reduce_mean(tf.square(error), name="mse")
    gradients = 2 / 50 * tf.matmul(tf.transpose(x), error)
    automatic = tf.gradients(mse, [theta])[0]
    train = tf.assign(theta, theta - 0.5 * gradients)
    return {
        "tensors": [mse, gradients, automatic, train],
        "same": close(running(tf, gradients - automatic), 5),
        "trained": trained(tf, train, [theta, mse]),
    }


@question
def optimizers(tf):
    made = {
        "descent": lambda: tf.train.GradientDescentOptimizer(0.1),
        "momentum": lambda: tf.train.MomentumOptimizer(learning_rate=0.05, momentum=0.9),
        "nesterov": lambda: tf.train.MomentumOptimizer(0.05, 0.9, use_nesterov=True),
        "adam": lambda: tf.train.AdamOptimizer(learning_rate=0.1),
    }
    answers = {}
    for name, make in made.items():
        with tf.Graph().as_default():
            w = tf.Variable([1.0, 2.0], name="w")
            count = tf.train.get_or_create_global_step()
            loss = tf.reduce_sum(tf.square(w - 3.0))
            optimizer = make()
            train = optimizer.minimize(loss, global_step=count)
            answers[name] = [
                train,
                optimizer.get_name(),
                optimizer.get_slot_names(),
                tf.global_variables(),
                trained(tf, train, [w, count, loss], steps=5),
            ]
    return answers


@question
def capped_gradients(tf):
    w = tf.Variable([2.0, 0.1])
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    pairs = optimizer.compute_gradients(tf.reduce_sum(w**2))
    capped = [(tf.minimum(gradient, 1.0), variable) for gradient, variable in pairs]
    train = optimizer.apply_gradients(capped)
    return {"pairs": pairs, "train": train, "trained": trained(tf, train, [w], steps=1)}


@question
def one_variable_at_a_time(tf):
    a, b = tf.Variable(1.0, name="a"), tf.Variable(2.0, name="b")
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    first = optimizer.minimize(a * b, var_list=[a], name="first")
    second = optimizer.minimize(a * b, var_list=tf.get_collection("trainable_variables", "b"))
    return {
        "names": [first, second],
        "first": trained(tf, first, [a, b], steps=1),
        "second": trained(tf, second, [a, b], steps=1),
    }


@question
def logistic_regression(tf):
    rng = np.random.RandomState(2)
    data = rng.randn(40, 2).astype(np.float32)
    labels = (data.sum(1) > 0).astype(np.float32)[:, None]
    x = tf.placeholder(tf.float32, [None, 2], name="x")
    y = tf.placeholder(tf.float32, [None, 1], name="y")
    with tf.variable_scope("model"):
        w = tf.get_variable("w", [2, 1], initializer=tf.zeros_initializer())
        b = tf.get_variable("b", [1], initializer=tf.zeros_initializer())
    z = tf.matmul(x, w) + b
    loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=z))
    right = tf.equal(tf.sigmoid(z) > 0.5, y > 0.5)
    accuracy = tf.reduce_mean(tf.cast(right, tf.float32))
    train = tf.train.MomentumOptimizer(0.5, 0.9).minimize(loss)
    return {
        "tensors": [z, loss, accuracy, train],
        "trained": trained(tf, train, [w, b, loss, accuracy], {x: data, y: labels}),
    }


@question
def exclusive_or(tf):
    inputs, outputs = [[0, 0], [0, 1], [1, 0], [1, 1]], [[0], [1], [1], [0]]
    x = tf.placeholder(tf.float32, [4, 2], name="x-input")
    y = tf.placeholder(tf.float32, [4, 1], name="y-input")
    theta1 = tf.Variable(tf.random_uniform([2, 2], -1, 1, seed=5), name="Theta1")
    theta2 = tf.Variable(tf.random_uniform([2, 1], -1, 1, seed=6), name="Theta2")
    bias1, bias2 = (
        tf.Variable(tf.zeros([2]), name="Bias1"),
        tf.Variable(tf.zeros([1]), name="Bias2"),
    )
    with tf.name_scope("layer2"):
        hidden = tf.sigmoid(tf.matmul(x, theta1) + bias1)
    with tf.name_scope("layer3"):
        guess = tf.sigmoid(tf.matmul(hidden, theta2) + bias2)
    with tf.name_scope("cost"):
        cost = tf.reduce_mean((y * tf.log(guess) + (1 - y) * tf.log(1.0 - guess)) * -1)
    with tf.name_scope("train"):
        train = tf.train.GradientDescentOptimizer(1.0).minimize(cost)
    feed_dict = {x: inputs, y: outputs}
    return {
        "tensors": [hidden, guess, cost, train],
        "trained": trained(tf, train, [cost, guess], feed_dict, steps=50),
    }


@question
def softmax_classifier(tf):
    rng = np.random.RandomState(1)
    data = rng.randn(60, 2).astype(np.float32)
    labels = (data[:, 0] > 0).astype(int) + (data[:, 1] > 0)
    x, y = tf.placeholder(tf.float32, [None, 2]), tf.placeholder(tf.int64, [None])
    w, b = tf.Variable(tf.zeros([2, 3]), name="W"), tf.Variable(tf.zeros([3]), name="b")
    logits = tf.matmul(x, w) + b
    dense = tf.one_hot(y, 3)
    sparse = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits)
    losses = [
        tf.reduce_mean(sparse),
        tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(labels=dense, logits=logits)),
        tf.reduce_mean(-tf.reduce_sum(dense * tf.log(tf.nn.softmax(logits)), 1)),
    ]
    accuracy = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits, 1), y), tf.float32))
    train = tf.train.AdamOptimizer(0.1).minimize(losses[0])
    return {
        "tensors": [logits, sparse, losses, accuracy],
        "trained": trained(tf, train, [*losses, accuracy, w], {x: data, y: labels}),
    }


@question
def polynomial(tf):
    xs = np.linspace(-1, 1, 20).astype(np.float32)
    x, y = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    weights = [tf.Variable(0.0, name=f"w{i}") for i in range(3)]
    guess = tf.add_n([weight * tf.pow(x, i) for i, weight in enumerate(weights)])
    cost = tf.reduce_sum(tf.pow(guess - y, 2)) / 40
    train = tf.train.AdamOptimizer(0.1).minimize(cost)
    return {
        "cost": cost,
        "trained": trained(tf, train, [cost, *weights], {x: xs, y: xs**2 + 0.5 * xs}),
    }


@question
def running_average(tf):
    average, x = tf.Variable(0.0), tf.placeholder(tf.float32)
    update = average.assign(0.9 * average + 0.1 * x)
    with tf.Session() as sess:
        sess.run(average.initializer)
        return {"values": close([sess.run(update, {x: value}) for value in (1, 2, 3)])}


@question
def normalised(tf):
    x = tf.placeholder(tf.float32, [None, 2])
    mean = tf.reduce_mean(x, 0)
    variance = tf.reduce_mean(tf.square(x - mean), 0)
    out = (x - mean) / tf.sqrt(variance + 1e-8)
    return {"out": out, "values": close(running(tf, out, feed_dict={x: [[1, 2], [3, 6]]}))}


@question
def derivatives(tf):
    x, other = tf.constant(3.0), tf.constant(1.0)
    y = x**3 + 2 * x
    first = tf.gradients(y, x)
    second = tf.gradients(first[0], x)
    stopped = tf.gradients(tf.stop_gradient(x) * x, x)
    return {
        "tensors": [first, second, stopped],
        "unconnected": [
            tf.gradients(y, [x, other])[1],
            tf.gradients(y, other, unconnected_gradients="zero"),
        ],
        "values": close(running(tf, first, second, stopped, tf.gradients([x * x, x * 4], [x]))),
        "weighted": close(running(tf, tf.gradients(y, x, grad_ys=[tf.constant(10.0)]))),
    }


@question
def gradient_override(tf):
    name = f"LearnersSquare{id(tf)}"  # one registry for the whole process

    @tf.RegisterGradient(name)
    def double(op, gradient):
        return 2.0 * gradient

    x = tf.constant(5.0)
    with tf.get_default_graph().gradient_override_map({"Square": name}):
        y = tf.square(x)
    return {"value": running(tf, tf.gradients(y, x))}


@question
def conditionals(tf):
    x, v = tf.placeholder(tf.float32, []), tf.Variable(2.0)
    y = tf.cond(x > 0, lambda: x * v, lambda: tf.constant(0.0))
    z = tf.cond(x < 1, lambda: (x, tf.constant(1)), lambda: (x * x, tf.constant(2)), name="mine")
    gradients = tf.gradients(y, [x, v])
    count = tf.Variable(0)
    effect = tf.cond(x > 0, lambda: tf.assign_add(count, 1), lambda: tf.identity(count))
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        found = [sess.run([y, z, gradients, effect], {x: value}) for value in (3.0, -3.0)]
    return {"tensors": [y, z, gradients, effect], "values": found}


@question
def loops(tf):
    n = tf.placeholder(tf.int32, [])
    count = tf.while_loop(lambda i: tf.less(i, 10), lambda i: tf.add(i, 1), [tf.constant(0)])
    factorial = tf.while_loop(lambda k, p: k > 1, lambda k, p: (k - 1, p * k), (n, 1))[1]
    fibonacci = tf.while_loop(
        lambda k, a, b: k < n, lambda k, a, b: [k + 1, b, a + b], [0, 0, 1], name="fib"
    )[1]
    growing = tf.while_loop(
        lambda i, v: i < 3,
        lambda i, v: [i + 1, tf.concat([v, [i]], 0)],
        [0, tf.zeros([0], tf.int32)],
        shape_invariants=[tf.TensorShape([]), tf.TensorShape([None])],
    )
    limited = tf.while_loop(lambda i: True, lambda i: i + 1, [tf.constant(0)], maximum_iterations=7)
    collatz = tf.while_loop(
        lambda m, c: tf.not_equal(m, 1),
        lambda m, c: (tf.cond(tf.equal(m % 2, 0), lambda: m // 2, lambda: 3 * m + 1), c + 1),
        (n, 0),
    )
    nested = tf.while_loop(
        lambda i, t: i < 3,
        lambda i, t: (
            i + 1,
            tf.while_loop(lambda j, u: j < i, lambda j, u: (j + 1, u + 1), [0, t])[1],
        ),
        [0, 0],
    )
    found = [count, factorial, fibonacci, growing, limited, collatz, nested]
    return {"tensors": found, "values": tf.Session().run(found, {n: 6})}


@question
def loops_differentiated(tf):
    x = tf.constant(2.0)
    power = tf.while_loop(lambda i, p: i < 5, lambda i, p: (i + 1, p * x), [0, 1.0])[1]
    root = tf.while_loop(
        lambda z: tf.abs(z * z - x) > 1e-4, lambda z: (z + x / z) / 2.0, [tf.constant(1.0)]
    )
    mixed = tf.while_loop(
        lambda i, a: i < 3, lambda i, a: (i + 1, tf.cond(a > 3, lambda: a, lambda: a * x)), [0, 1.0]
    )[1]
    gradients = [tf.gradients(y, x)[0] for y in (power, root, mixed)]
    return {
        "tensors": gradients,
        "values": close(running(tf, [power, root, mixed, *gradients])[0], 3),
    }


@question
def training_in_a_loop(tf):
    target = tf.constant([1.0, 2.0])

    def body(i, w):
        return i + 1, w - 0.25 * tf.gradients(tf.reduce_sum(tf.square(w - target)), w)[0]

    result = tf.while_loop(lambda i, w: i < 4, body, [0, tf.zeros([2])])
    return {"tensors": result, "values": close(running(tf, result[1]))}
