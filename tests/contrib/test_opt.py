"""`tf.contrib.opt`: steps by the formulas of their papers, in numpy, and wrappers around others."""

import math

import numpy as np
import pytest

import tinytf as tf

opt = tf.contrib.opt
START = np.array([[1.0, -2.0], [3.0, 0.5], [-1.0, 4.0]])
#: Gradients of three steps; signs change.
GRADIENTS = [0.5 * START, -0.1 * START + 0.3, START**2 - 2.0]
ROWS = [0, 2]


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def found(optimizer, use_resource, rows, **how):
    """The variable after each of the steps; of sparse gradients, with some rows."""
    w = tf.Variable(START, name="w", use_resource=use_resource)
    fed = tf.placeholder(tf.float64, [None, 2])
    gradient = tf.IndexedSlices(fed, tf.constant(rows), tf.constant([3, 2])) if rows else fed
    step = tf.train.create_global_step()
    train = optimizer.apply_gradients([(gradient, w)], step, **how)
    seen = []
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for each in GRADIENTS:
            sess.run(train, {fed: each[rows] if rows else each})
            seen.append(sess.run(w))
        assert sess.run(step) == len(GRADIENTS)
    return np.array(seen)


def adam(w, s, g, t, rows, ahead=False, lazy=False, lr=0.1, beta1=0.9, beta2=0.99, epsilon=1e-8):
    """Kingma and Ba, before section 2.1; Dozat's step if `ahead`."""
    moved = rows if lazy else slice(None)
    for slot, beta, new in (("m", beta1, g), ("v", beta2, g * g)):
        s[slot][moved] *= beta
        s[slot][rows] += (1 - beta) * new
    mean = s["m"].copy()
    if ahead:  # of rows without a gradient nothing moves
        mean[rows] = beta1 * mean[rows] + (1 - beta1) * g
        moved = rows
    rate = lr * math.sqrt(1 - beta2**t) / (1 - beta1**t)
    w[moved] -= rate * mean[moved] / (np.sqrt(s["v"][moved]) + epsilon)


def ada_max(w, s, g, t, rows, lr=0.1, beta1=0.9, beta2=0.99, epsilon=1e-8):
    s["m"][rows] = beta1 * s["m"][rows] + (1 - beta1) * g
    s["v"][rows] = np.maximum(beta2 * s["v"][rows], np.abs(g))
    w[rows] -= lr / (1 - beta1**t) * s["m"][rows] / (s["v"][rows] + epsilon)


def signs(factor):
    def step(w, s, g, t, rows, lr=0.1, beta=0.9, decay=lambda t: 1.0):
        s["m"] *= beta
        s["m"][rows] += (1 - beta) * g
        w[rows] -= lr * factor(decay(t) * np.sign(g) * np.sign(s["m"][rows])) * g

    return step


def fading(step):
    """1, 0.9, 0.8 ... at steps 0, 1, 2."""
    return 1.0 - 0.1 * tf.cast(step, tf.float32)


def decayed(step, part):
    """Loshchilov and Hutter: what decays does so apart from the gradient's step."""

    def both(w, s, g, t, rows):
        w[rows] -= part * w[rows]
        step(w, s, g, t, rows)

    return both


def momentum(w, s, g, t, rows, lr=0.1, momentum=0.9):
    s["m"][rows] = momentum * s["m"][rows] + g
    w[rows] -= lr * s["m"][rows]


def adagrad(w, s, g, t, rows, lr=0.1):
    s["v"][rows] += g * g
    w[rows] -= lr * g / np.sqrt(s["v"][rows] + 0.1)


ADAM = {"learning_rate": 0.1, "beta2": 0.99}
AdagradW = opt.extend_with_decoupled_weight_decay(tf.train.AdagradOptimizer)
CASES = {
    "nadam": (lambda: opt.NadamOptimizer(**ADAM), lambda *a: adam(*a, ahead=True)),
    "lazy": (lambda: opt.LazyAdamOptimizer(**ADAM), lambda *a: adam(*a, lazy=True)),
    "adamax": (lambda: opt.AdaMaxOptimizer(**ADAM), ada_max),
    "add_sign": (lambda: opt.AddSignOptimizer(0.1, alpha=2.0), signs(lambda agreed: 2.0 + agreed)),
    "power_sign": (
        lambda: opt.PowerSignOptimizer(0.1, base=2.0),
        signs(lambda agreed: 2.0**agreed),
    ),
    "adamw": (lambda: opt.AdamWOptimizer(0.01, **ADAM), decayed(adam, 0.01)),
    "momentumw": (
        lambda: opt.MomentumWOptimizer(lambda: tf.constant(0.02), 0.1, 0.9),
        decayed(momentum, 0.02),
    ),
    "adagradw": (
        lambda: AdagradW(weight_decay=0.01, learning_rate=0.1),
        decayed(adagrad, 0.01),
    ),
}


@pytest.mark.parametrize("rows", [None, ROWS], ids=["dense", "sparse"])
@pytest.mark.parametrize("use_resource", [False, True], ids=["reference", "resource"])
@pytest.mark.parametrize("name", CASES)
def test_steps_by_their_formulas(name, use_resource, rows):
    make, formula = CASES[name]
    w, slots, expected = START.copy(), {"m": np.zeros([3, 2]), "v": np.zeros([3, 2])}, []
    for t, gradient in enumerate(GRADIENTS, 1):
        formula(w, slots, gradient[rows] if rows else gradient, t, rows or slice(None))
        expected.append(w.copy())
    np.testing.assert_allclose(found(make(), use_resource, rows), expected, rtol=1e-6)


def test_signs_count_less_as_training_goes_on():
    w, slots, expected = START.copy(), {"m": np.zeros([3, 2])}, []
    for t, gradient in enumerate(GRADIENTS):
        fades = signs(lambda agreed: 1.0 + agreed)
        fades(w, slots, gradient, t, slice(None), decay=lambda t: 1.0 - 0.1 * t)
        expected.append(w.copy())
    made = opt.AddSignOptimizer(0.1, sign_decay_fn=fading)
    np.testing.assert_allclose(found(made, False, None), expected, rtol=1e-6)


def test_only_some_variables_decay():
    a, b = (tf.Variable(2.0, name=name) for name in "ab")
    made = opt.MomentumWOptimizer(0.5, 0.0, 0.9)
    train = made.minimize(a + b, decay_var_list=[b])
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(train)
        assert sess.run([a, b]) == [2.0, 1.0]
        sess.run(made.minimize(a + b))  # both again
        assert sess.run([a, b]) == [1.0, 0.5]


def test_names_of_operations_and_slots(graph):
    w = tf.Variable(1.0, name="w")
    for made in (opt.AdaMaxOptimizer(), opt.AddSignOptimizer(), opt.AdamWOptimizer(0.1)):
        made.minimize(w * w)
    assert [v.op.name for v in tf.global_variables()] == [
        "w",
        "beta1_power",
        "beta2_power",
        "w/AdaMax",
        "w/AdaMax_1",
        "w/AddSignOptimizer",
        "beta1_power_1",
        "beta2_power_1",
        "w/AdamW",
        "w/AdamW_1",
    ]
    types = {op.name: op.type for op in graph.get_operations() if "/update_w/" in op.name}
    assert types["AdaMax/update_w/ApplyAdaMax"] == "ApplyAdaMax"
    assert types["AddSignOptimizer/update_w/ApplyAddSign"] == "ApplyAddSign"


def test_gradients_clipped_by_their_common_norm():
    pairs = [(tf.constant([30.0, 0.0]), "a"), (tf.constant([40.0]), "b"), (None, "c")]
    (a, _), (b, name), (none, _) = opt.clip_gradients_by_global_norm(pairs, 5.0)
    assert (none, name) == (None, "b")
    with tf.Session() as sess:
        np.testing.assert_allclose(np.concatenate(sess.run([a, b])), [3.0, 0.0, 4.0])


@pytest.mark.parametrize("colocate", [False, True])
@pytest.mark.parametrize(
    ("rows", "dims"), [(None, [1]), (ROWS, [1]), (ROWS, [0])], ids=["dense", "rows", "columns"]
)
def test_variables_are_clipped_after_the_step(rows, dims, colocate):
    w = tf.Variable(START, name="w")
    inner = tf.train.MomentumOptimizer(0.0, 0.9)
    made = opt.VariableClippingOptimizer(
        inner, {w: dims}, 2.0, colocate_clip_ops_with_vars=colocate
    )
    fed = tf.constant(GRADIENTS[0][rows] if rows else GRADIENTS[0])
    gradient = tf.IndexedSlices(fed, tf.constant(rows)) if rows else fed
    train = made.apply_gradients([(gradient, w)])
    assert train.name == "VariableClipping"
    assert made.get_slot(w, "momentum") is inner.get_slot(w, "momentum") is not None
    norms = np.sqrt((START**2).sum(dims[0], keepdims=True))
    expected = START / np.maximum(norms / 2.0, 1.0)
    if rows and dims == [1]:
        expected[1] = START[1]
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(train)
        np.testing.assert_allclose(sess.run(w), expected)


def test_gradients_that_come_too_late_are_dropped():
    w, step = tf.Variable(4.0, name="w"), tf.train.create_global_step()
    made = opt.DropStaleGradientOptimizer(tf.train.GradientDescentOptimizer(0.25), staleness=1)
    late = tf.placeholder_with_default(tf.constant(0, tf.int64), [])
    pairs = made.compute_gradients(w * w)
    with tf.control_dependencies([pairs[0][0]]):
        others = step.assign_add(late)  # other workers' steps
    with tf.control_dependencies([others]):
        pairs = [(tf.identity(pairs[0][0]), w)]
    dropped = made.apply_gradients(pairs, step)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        assert sess.run(dropped, {late: 2}) == 1.0
        assert sess.run([w, step]) == [4.0, 2]
        assert sess.run(dropped, {late: 1}) == 1.0
        assert sess.run([w, step]) == [2.0, 4]
    assert [t.op.name for t in tf.get_collection(tf.GraphKeys.SUMMARIES)] == [
        "Gradient_staleness_percentage"
    ]
    with pytest.raises(ValueError, match="Global step is required"):
        made.apply_gradients(pairs)


@pytest.fixture
def averaged():
    w = tf.get_variable("w", initializer=4.0)
    made = opt.MovingAverageOptimizer(tf.train.GradientDescentOptimizer(0.25), average_decay=0.5)
    return w, made


def test_averages_are_saved_in_their_variables_place(averaged, tmp_path):
    w, made = averaged
    with pytest.raises(RuntimeError, match="Must call apply_gradients or minimize before"):
        made.swapping_saver()
    train = made.minimize(w * w)
    assert train.name == "train_with_avg"
    saver = made.swapping_saver()
    with pytest.raises(ValueError, match="w/ExponentialMovingAverage is not part of variables"):
        made.swapping_saver([w])
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(train)
        path = saver.save(sess, str(tmp_path / "model"))
        sess.run(w.assign(0.0))
        saver.restore(sess, path)
        assert sess.run(w) == 2.0
    values = {n: float(tf.train.load_variable(path, n)) for n, _ in tf.train.list_variables(path)}
    assert values == {"w": 3.0, "w/ExponentialMovingAverage": 2.0}
