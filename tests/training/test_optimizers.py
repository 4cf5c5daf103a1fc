"""Optimizers: names, slots and collections, and that they find the minimum."""

import numpy as np
import pytest

import tinytf as tf
from tinytf.framework.errors import FailedPreconditionError, InvalidArgumentError
from tinytf.ops.training.gradient_descent import GRADIENT_DESCENT
from tinytf.ops.training.momentum import MOMENTUM
from tinytf.training.slot_creator import create_slot, create_zeros_slot

KINDS = [False, True]


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def bowl(use_resource=False):
    """A loss with its minimum 0 at [1, -2]."""
    v = tf.Variable([5.0, 3.0], name="v", use_resource=use_resource)
    return tf.reduce_sum(tf.square(v - [1.0, -2.0])), v


OPTIMIZERS = {
    "descent": lambda: tf.train.GradientDescentOptimizer(0.1),
    "momentum": lambda: tf.train.MomentumOptimizer(0.05, 0.5),
    "nesterov": lambda: tf.train.MomentumOptimizer(0.05, 0.5, use_nesterov=True),
    "adam": lambda: tf.train.AdamOptimizer(0.3, beta2=0.9),
    "adagrad": lambda: tf.train.AdagradOptimizer(2.0),
    "rms_prop": lambda: tf.train.RMSPropOptimizer(0.1),
    "rms_prop_centered": lambda: tf.train.RMSPropOptimizer(0.05, momentum=0.1, centered=True),
    "ftrl": lambda: tf.train.FtrlOptimizer(2.0),
    "proximal_descent": lambda: tf.train.ProximalGradientDescentOptimizer(0.1),
    "proximal_adagrad": lambda: tf.train.ProximalAdagradOptimizer(2.0),
}


@pytest.mark.parametrize("use_resource", KINDS)
@pytest.mark.parametrize("make", OPTIMIZERS.values(), ids=OPTIMIZERS)
def test_finds_the_minimum(make, use_resource):
    loss, v = bowl(use_resource)
    train = make().minimize(loss)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        before = session.run(loss)
        for _ in range(100):
            session.run(train)
        assert before == pytest.approx(41.0)
        assert session.run(v) == pytest.approx([1.0, -2.0], abs=0.05)


@pytest.mark.parametrize("use_resource", KINDS)
def test_one_step_of_each_by_hand(use_resource):
    steps = {
        "descent": [4.2, 2.0],
        "momentum": [4.6, 2.5],
        "nesterov": [4.4, 2.25],
        "adam": [4.7, 2.7],
    }
    for name, expected in steps.items():
        loss, v = bowl(use_resource)
        train = OPTIMIZERS[name]().minimize(loss, var_list=[v])
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            session.run(train)
            assert session.run(v) == pytest.approx(expected, abs=1e-5), name


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
@pytest.mark.parametrize("make", OPTIMIZERS.values(), ids=OPTIMIZERS)
def test_all_floating_types(make, dtype):
    v = tf.Variable(tf.constant([1.0, 2.0], dtype))
    optimizer = make()
    train = optimizer.minimize(tf.reduce_sum(v * v))
    with tf.Session() as session:
        if "Proximal" in type(optimizer).__name__ and tf.as_dtype(dtype).size == 2:
            # TensorFlow has no kernels of 16 bits for these, so it cannot place the graph
            with pytest.raises(tf.errors.InvalidArgumentError, match="No OpKernel was registered"):
                session.run(tf.global_variables_initializer())
            return
        session.run(tf.global_variables_initializer())
        session.run(train)
        value = session.run(v)
    assert value.dtype == tf.as_dtype(dtype).as_numpy_dtype
    assert (value.astype(float) < [1.0, 2.0]).all()


def test_names(graph):
    loss, _ = bowl()
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    assert (train.name, train.type) == ("GradientDescent", "NoOp")
    [update] = train.control_inputs
    assert update.name == "GradientDescent/update_v/ApplyGradientDescent"
    assert update.colocation_groups() == [b"loc:@v"]
    assert graph.get_collection(tf.GraphKeys.TRAIN_OP) == [train]
    again = tf.train.AdamOptimizer(name="Mine").minimize(loss, name="improve")
    assert again.name == "improve"
    assert [v.name for v in tf.global_variables()] == [
        "v:0",
        "beta1_power:0",
        "beta2_power:0",
        "v/Mine:0",
        "v/Mine_1:0",
    ]
    assert tf.trainable_variables() == tf.global_variables()[:1]


@pytest.mark.parametrize("use_resource", KINDS)
def test_slots(use_resource):
    loss, v = bowl(use_resource)
    other = tf.Variable(1.0)
    adam = tf.train.AdamOptimizer(0.1)
    assert adam.get_slot(v, "m") is None
    adam.minimize(loss)
    assert adam.get_name() == "Adam"
    assert adam.get_slot_names() == ["m", "v"]
    slot = adam.get_slot(v, "m")
    assert (slot.name, slot.shape, type(slot)) == ("v/Adam:0", v.shape, type(v))
    assert adam.get_slot(other, "m") is None
    assert len(adam.variables()) == 4
    with tf.Graph().as_default():
        assert adam.variables() == []


def test_slots_are_made_once():
    loss, _ = bowl()
    momentum = tf.train.MomentumOptimizer(0.1, 0.9)
    momentum.minimize(loss)
    momentum.minimize(loss * 2.0)
    assert [x.name for x in momentum.variables()] == ["v/Momentum:0"]
    tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss)
    assert [x.name for x in tf.global_variables()] == ["v:0", "v/Momentum:0", "v/Momentum_1:0"]


def test_a_slot_of_a_variable_of_unknown_shape():
    v = tf.Variable([1.0, 2.0], validate_shape=False, use_resource=False)
    slot = create_zeros_slot(v, "slot")
    given = create_slot(v, tf.constant([7.0]), "given")
    with tf.Session() as session:
        session.run([slot.initializer, given.initializer])
        assert session.run(slot).tolist() == [0.0, 0.0]
        assert session.run(given).tolist() == [7.0]


@pytest.mark.parametrize("use_resource", KINDS)
@pytest.mark.parametrize("centered", [False, True])
def test_rms_prop_of_a_variable_of_unknown_shape(use_resource, centered):
    start = tf.placeholder_with_default([5.0, 3.0], [None])
    v = tf.Variable(start, validate_shape=False, use_resource=use_resource)
    train = tf.train.RMSPropOptimizer(0.1, centered=centered).minimize(tf.reduce_sum(v * v))
    with tf.Session() as session:
        session.run(v.initializer)
        session.run(tf.global_variables_initializer())
        session.run(train)
        assert (session.run(v) < [5.0, 3.0]).all()


@pytest.mark.parametrize("use_resource", KINDS)
def test_the_global_step_counts(use_resource):
    loss, _ = bowl(use_resource)
    step = tf.train.get_or_create_global_step()
    assert tf.train.get_or_create_global_step() is step
    assert tf.train.get_global_step() is step
    assert step.dtype.base_dtype == tf.int64
    assert not step.trainable
    train = tf.train.AdamOptimizer(0.1).minimize(loss, global_step=step)
    assert train.type == "AssignAdd"
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(3):
            session.run(train)
        assert tf.train.global_step(session, step) == 3


def test_finding_a_global_step(graph):
    assert tf.train.get_global_step() is None
    plain = tf.constant(3, tf.int64, name="global_step")
    assert tf.train.get_global_step() is plain
    with pytest.raises(ValueError, match="already exists"):
        tf.train.create_global_step()
    other = tf.Graph()
    made = tf.train.create_global_step(other)
    assert made.graph is other
    with pytest.raises(TypeError, match="must be a Variable or Tensor"):
        tf.train.assert_global_step(3)
    with pytest.raises(TypeError, match="does not have integer type"):
        tf.train.assert_global_step(tf.constant(1.0))
    with pytest.raises(TypeError, match="is not scalar"):
        tf.train.assert_global_step(tf.constant([1]))


def test_taking_minimize_apart():
    loss, v = bowl()
    unused = tf.Variable(1.0)
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    pairs = optimizer.compute_gradients(loss)
    assert [variable for _, variable in pairs] == [v, unused]
    assert pairs[1][0] is None
    clipped = [(tf.maximum(tf.minimum(g, 1.0), -1.0), x) for g, x in pairs[:1]]
    train = optimizer.apply_gradients(clipped)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(train)
        assert session.run(v).tolist() == pytest.approx([4.9, 2.9])
    raw = optimizer.apply_gradients([([1.0, 1.0], v)])  # anything that makes a tensor
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(raw)
        assert session.run(v).tolist() == pytest.approx([4.9, 2.9])


@pytest.mark.parametrize("use_resource", KINDS)
def test_constraints_hold_after_every_step(use_resource):
    v = tf.Variable([0.2, 1.0], use_resource=use_resource, constraint=lambda x: tf.maximum(x, 0.1))
    train = tf.train.GradientDescentOptimizer(1.0).minimize(tf.reduce_sum(v * 0.4))
    with tf.Session() as session:
        session.run(v.initializer)
        for expected in ([0.1, 0.6], [0.1, 0.2], [0.1, 0.1]):
            session.run(train)
            assert session.run(v).tolist() == pytest.approx(expected)


def test_a_learning_rate_can_change_from_run_to_run():
    loss, v = bowl()
    rate = tf.placeholder(tf.float32, [])
    train = tf.train.GradientDescentOptimizer(rate).minimize(loss)
    by_function = tf.train.MomentumOptimizer(lambda: 0.5, lambda: 0.0).minimize(loss)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(train, {rate: 0.0})
        assert session.run(v).tolist() == [5.0, 3.0]
        session.run(train, {rate: 0.5})
        assert session.run(v).tolist() == [1.0, -2.0]
        session.run(v.initializer)
        session.run(by_function)
        assert session.run(v).tolist() == [1.0, -2.0]


def names_of_nodes(optimizer, start):
    """What a step adds to the graph, from the first node whose name begins so."""
    with tf.Graph().as_default() as graph:
        v = tf.Variable([5.0, 3.0], name="v")
        make_step = optimizer().apply_gradients
        make_step([(tf.constant([1.0, 1.0], name="gradient"), v)])
        names = [op.name for op in graph.get_operations()]
    return names[next(at for at, name in enumerate(names) if name.startswith(start)) :]


def built(name):
    return lambda: tf.constant(0.5, name=name)


def test_the_nodes_of_functions_stand_where_tensorflow_puts_them():
    """Adam calls all its functions first, momentum each before it makes that one's tensor."""
    adam = names_of_nodes(lambda: tf.train.AdamOptimizer(0.1, epsilon=built("built")), "Adam/")
    assert adam[:4] == ["Adam/built", "Adam/learning_rate", "Adam/beta1", "Adam/beta2"]
    momentum = names_of_nodes(lambda: tf.train.MomentumOptimizer(0.1, built("built")), "Momentum/")
    assert momentum[:2] == ["Momentum/learning_rate", "Momentum/built"]


def test_what_the_sums_of_adagrad_da_start_with_stands_before_both():
    def optimizer():
        return tf.train.AdagradDAOptimizer(0.1, tf.constant(1, tf.int64, name="step"))

    names = names_of_nodes(optimizer, "Const")
    slots = ["v/AdagradDA", "v/AdagradDA_1"]
    nodes = [slot + end for slot in slots for end in ("", "/Assign", "/read")]
    assert names[:8] == ["Const", "Const_1", *nodes]


@pytest.mark.parametrize(
    "make",
    [
        lambda: tf.train.AdagradDAOptimizer(built("rate"), tf.constant(1, tf.int64)),
        lambda: tf.train.ProximalGradientDescentOptimizer(built("rate")),
        lambda: tf.train.ProximalAdagradOptimizer(0.1, 0.1, built("strength")),
        lambda: tf.train.FtrlOptimizer(built("rate")),
    ],
    ids=["adagrad_da", "proximal_descent", "proximal_adagrad", "ftrl"],
)
def test_some_optimizers_take_no_functions(make):
    loss, _ = bowl()
    with pytest.raises(TypeError, match="Failed to convert elements of <function"):
        make().minimize(loss)


def test_a_fetched_variable_does_not_change_with_later_steps():
    loss, v = bowl()
    for make in OPTIMIZERS.values():
        train = make().minimize(loss, var_list=[v])
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            seen = session.run(v)
            session.run(train)
            assert seen.tolist() == [5.0, 3.0]


class Plain(tf.train.Optimizer):
    """An optimizer of a program that knows dense gradients only."""

    def __init__(self):
        super().__init__(use_locking=False, name="Plain")

    def _apply_dense(self, grad, var):
        return var.assign_sub(grad * 0.5, read_value=False)

    _resource_apply_dense = _apply_dense


@pytest.mark.parametrize("use_resource", KINDS)
def test_sparse_gradients_are_refused_with_the_way_out(use_resource):
    v = tf.Variable([[1.0], [2.0]], name="table", use_resource=use_resource)
    loss = tf.reduce_sum(tf.gather(v, [0]))
    optimizer = Plain()
    with pytest.raises(NotImplementedError, match=r"tf.convert_to_tensor\(gradient\)"):
        optimizer.minimize(loss)
    pairs = optimizer.compute_gradients(loss)
    train = optimizer.apply_gradients([(tf.convert_to_tensor(g), x) for g, x in pairs])
    with tf.Session() as session:
        session.run(v.initializer)
        session.run(train)
        assert session.run(v).tolist() == [[0.5], [2.0]]


@pytest.mark.parametrize("use_resource", KINDS)
@pytest.mark.parametrize("make", OPTIMIZERS.values(), ids=OPTIMIZERS)
def test_a_sparse_step_is_the_dense_step_of_its_rows(make, use_resource):
    """Where the gradient of the other rows is zero, and rows that repeat add up."""
    start = np.arange(1.0, 9.0, dtype=np.float32).reshape(4, 2)
    values = []
    for is_sparse in (True, False):
        with tf.Graph().as_default(), tf.Session() as session:
            v = tf.Variable(start, use_resource=use_resource)
            rows = tf.gather(v, [2, 0, 2])
            optimizer = make()
            [(gradient, _)] = optimizer.compute_gradients(tf.reduce_sum(rows * rows))
            assert isinstance(gradient, tf.IndexedSlices)
            if not is_sparse:
                gradient = tf.convert_to_tensor(gradient)
            train = optimizer.apply_gradients([(gradient, v)])
            session.run(tf.global_variables_initializer())
            session.run(train)
            values.append(session.run(v))
    sparse, dense = values
    assert sparse[[0, 2]] == pytest.approx(dense[[0, 2]], rel=1e-5)
    assert sparse[[1, 3]].tolist() == start[[1, 3]].tolist()


@pytest.mark.parametrize("use_resource", KINDS)
def test_a_wrong_row_changes_nothing(use_resource):
    v = tf.Variable([[1.0], [2.0]], name="table", use_resource=use_resource)
    rows, indices = tf.placeholder(tf.float32, [None, 1]), tf.placeholder(tf.int32, [None])
    optimizers = [tf.train.AdagradOptimizer(0.5), tf.train.GradientDescentOptimizer(0.5)]
    steps = [o.apply_gradients([(tf.IndexedSlices(rows, indices), v)]) for o in optimizers]
    accumulator = optimizers[0].get_slot(v, "accumulator")
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        before = [value.tolist() for value in session.run([v, accumulator])]
        for step in steps:
            with pytest.raises(InvalidArgumentError, match=r"out of range|is not in"):
                session.run(step, {rows: [[1.0], [1.0]], indices: [0, 2]})
            after = [value.tolist() for value in session.run([v, accumulator])]
            assert after == before


class TestMistakes:
    def test_no_name(self):
        with pytest.raises(ValueError, match="Must specify the optimizer name"):
            tf.train.GradientDescentOptimizer(0.1, name="")

    def test_a_variable_of_integers_is_named_with_its_line(self):
        with tf.Graph().as_default():
            count = tf.Variable(1, name="count")  # the variable's line
            optimizer = tf.train.GradientDescentOptimizer(0.1)
            for loss, said in (
                (tf.square(tf.cast(count, tf.float32)), "No gradients provided for any variable"),
                (count * count, "Invalid type tf.int32 for mul:0"),
            ):
                with pytest.raises(ValueError, match=said) as info:
                    optimizer.minimize(loss)
                text = str(info.value)
                assert "The variable count:0 holds int32, which has no gradient" in text
                assert "initial value such as 1.0, or dtype=tf.float32" in text
                assert "# the variable's line" in text

    def test_no_gradients(self):
        loss, v = bowl()
        optimizer = tf.train.GradientDescentOptimizer(0.1)
        with pytest.raises(ValueError, match="No variables provided"):
            optimizer.apply_gradients([])
        with pytest.raises(ValueError, match=r"No gradients provided for any variable: \["):
            optimizer.apply_gradients([(None, v)])
        with pytest.raises(ValueError, match="check your graph for ops that do not support"):
            optimizer.minimize(tf.stop_gradient(loss))
        with pytest.raises(TypeError, match="must be convertible to a Tensor"):
            optimizer.apply_gradients([(object(), v)])

    def test_what_is_no_variable(self):
        x = tf.constant(1.0)
        with pytest.raises(NotImplementedError, match="Trying to update a Tensor"):
            tf.train.GradientDescentOptimizer(0.1).minimize(x * 2.0, var_list=[x])

    def test_gates(self):
        loss, _ = bowl()
        with pytest.raises(ValueError, match="gate_gradients must be one of"):
            tf.train.GradientDescentOptimizer(0.1).compute_gradients(loss, gate_gradients=7)

    def test_uninitialized_variables(self):
        loss, v = bowl()
        train = tf.train.AdamOptimizer().minimize(loss)
        with tf.Session() as session:
            session.run(v.initializer)
            with pytest.raises(FailedPreconditionError) as caught:
                session.run(train)
        assert "global_variables_initializer" in caught.value.message

    def test_shapes_that_do_not_fit(self):
        v = tf.Variable([1.0, 2.0], name="v", use_resource=True)
        with pytest.raises(ValueError, match="Dimension 0 in both shapes must be equal"):
            GRADIENT_DESCENT.build([v], [1.0, 2.0, 3.0], {"alpha": 0.1})
        with pytest.raises(ValueError, match="Shape must be rank 0 but is rank 1"):
            GRADIENT_DESCENT.build([v], [1.0, 2.0], {"alpha": [0.1]})
        fed = tf.placeholder(tf.float32)
        steps = [
            GRADIENT_DESCENT.build([v], fed, {"alpha": 0.1}),
            MOMENTUM.build([v, v], fed, {"lr": 0.1, "momentum": 0.9}),
        ]
        with tf.Session() as session:
            session.run(v.initializer)
            for step in steps:
                with pytest.raises(
                    InvalidArgumentError, match=r"do not have the same shape\[2\] \[3"
                ):
                    session.run(step, {fed: np.ones(3)})
                assert session.run(v).tolist() == [1.0, 2.0]
