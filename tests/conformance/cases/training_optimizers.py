"""Adagrad, Adadelta, RMSProp, Ftrl and the proximal optimizers; sparse gradients; raw steps."""

import numpy as np

from tests.conformance.registry import Program, case

KINDS = [False, True]
TABLE = np.array([[0.5, 1.0], [-1.0, 2.0], [0.3, -0.7], [1.5, 0.2]], np.float32)

OPTIMIZERS = {
    "descent": lambda tf: tf.train.GradientDescentOptimizer(0.1),
    "momentum": lambda tf: tf.train.MomentumOptimizer(0.1, 0.9),
    "nesterov": lambda tf: tf.train.MomentumOptimizer(0.1, 0.9, use_nesterov=True),
    "adam": lambda tf: tf.train.AdamOptimizer(0.1, beta2=0.9),
    "adagrad": lambda tf: tf.train.AdagradOptimizer(0.1),
    "adagrad_parameters": lambda tf: tf.train.AdagradOptimizer(
        0.2, initial_accumulator_value=0.5, use_locking=True, name="Mine"
    ),
    "adagrad_da": lambda tf: tf.train.AdagradDAOptimizer(0.1, tf.train.get_or_create_global_step()),
    "adagrad_da_regularized": lambda tf: tf.train.AdagradDAOptimizer(
        0.5,
        tf.train.get_or_create_global_step(),
        l1_regularization_strength=0.05,
        l2_regularization_strength=0.1,
    ),
    "adadelta": lambda tf: tf.train.AdadeltaOptimizer(),
    "adadelta_parameters": lambda tf: tf.train.AdadeltaOptimizer(1.0, rho=0.8, epsilon=1e-3),
    "rms_prop": lambda tf: tf.train.RMSPropOptimizer(0.05),
    "rms_prop_momentum": lambda tf: tf.train.RMSPropOptimizer(
        0.05, decay=0.8, momentum=0.5, epsilon=1e-4
    ),
    "rms_prop_centered": lambda tf: tf.train.RMSPropOptimizer(
        0.05, momentum=0.2, epsilon=1e-3, centered=True
    ),
    "ftrl": lambda tf: tf.train.FtrlOptimizer(0.3),
    "ftrl_regularized": lambda tf: tf.train.FtrlOptimizer(
        0.3, l1_regularization_strength=0.1, l2_regularization_strength=0.2
    ),
    "ftrl_power": lambda tf: tf.train.FtrlOptimizer(
        0.3,
        learning_rate_power=-0.3,
        initial_accumulator_value=0.2,
        accum_name="a",
        linear_name="b",
    ),
    "ftrl_shrinkage": lambda tf: tf.train.FtrlOptimizer(
        0.3, l2_shrinkage_regularization_strength=0.1, l1_regularization_strength=0.01
    ),
    "ftrl_beta": lambda tf: tf.train.FtrlOptimizer(0.3, beta=0.4),
    "proximal_descent": lambda tf: tf.train.ProximalGradientDescentOptimizer(0.1),
    "proximal_descent_regularized": lambda tf: tf.train.ProximalGradientDescentOptimizer(
        0.2, l1_regularization_strength=0.1, l2_regularization_strength=0.2
    ),
    "proximal_adagrad": lambda tf: tf.train.ProximalAdagradOptimizer(0.1),
    "proximal_adagrad_regularized": lambda tf: tf.train.ProximalAdagradOptimizer(
        0.2, 0.3, l1_regularization_strength=0.1, l2_regularization_strength=0.2
    ),
}
DENSE = [name for name in OPTIMIZERS if name not in ("descent", "momentum", "nesterov", "adam")]
DENSE_OPS = [
    "Adagrad",
    "AdagradDA",
    "Adadelta",
    "RMSProp",
    "CenteredRMSProp",
    "Ftrl",
    "FtrlV2",
    "ProximalGradientDescent",
    "ProximalAdagrad",
]
SPARSE_OPS = ["Momentum", *DENSE_OPS]


def steps(tf, optimizer, loss, variables, runs=5):
    """Several steps, each followed by a look at the variables and the optimizer's own."""
    step = tf.train.get_global_step()
    train = optimizer.minimize(loss, global_step=step)
    with tf.control_dependencies([train]):
        seen = [v.read_value() for v in (*variables, *optimizer.variables())]
    names = [v.name for v in optimizer.variables()] + optimizer.get_slot_names() + [train.name]
    return Program(
        [*seen, tf.constant(names, name="names")],
        setup=[tf.global_variables_initializer()],
        runs=runs,
    )


def dense(tf, name, use_resource):
    w = tf.Variable(TABLE[:2], name="w", use_resource=use_resource)
    b = tf.Variable(TABLE[3], name="b", use_resource=use_resource)
    error = tf.matmul(w, w) + b - TABLE[2:]
    loss = tf.reduce_mean(tf.square(error), name="loss")
    return steps(tf, OPTIMIZERS[name](tf), loss, [w, b])


def sparse(tf, name, use_resource):
    w = tf.Variable(TABLE, name="w", use_resource=use_resource)
    rows = tf.gather(w, [[2, 0], [2, 2]])
    loss = tf.reduce_sum(tf.square(rows - 1.0), name="loss")
    return steps(tf, OPTIMIZERS[name](tf), loss, [w], runs=4)


@case(*[f"Apply{kind}" for kind in DENSE_OPS], each=DENSE)
def dense_gradients_of_references(tf, name):
    return dense(tf, name, False)


@case(*[f"ResourceApply{kind}" for kind in DENSE_OPS], each=DENSE)
def dense_gradients_of_handles(tf, name):
    return dense(tf, name, True)


@case("ScatterSub", "ScatterAdd", *[f"SparseApply{kind}" for kind in SPARSE_OPS], each=OPTIMIZERS)
def sparse_gradients_of_references(tf, name):
    return sparse(tf, name, False)


@case("ResourceScatterAdd", *[f"ResourceSparseApply{kind}" for kind in SPARSE_OPS], each=OPTIMIZERS)
def sparse_gradients_of_handles(tf, name):
    return sparse(tf, name, True)


@case(each=["descent", "momentum", "adam", "adagrad", "adadelta", "rms_prop_centered", "ftrl"])
def in_float64(tf, name):
    v = tf.Variable(np.array([1.0, -2.0, 3.0]), name="v", use_resource=True)
    w = tf.Variable(np.array([[1.0, -2.0], [3.0, 0.5]]), name="w", use_resource=False)
    loss = tf.reduce_sum(v * v * v) + tf.reduce_sum(tf.square(tf.gather(w, [1, 1])))
    return steps(tf, OPTIMIZERS[name](tf), loss, [v, w])


@case(each=["momentum", "adagrad", "rms_prop", "ftrl"])
def rates_that_are_tensors(tf, name):
    """The learning rate falls with the steps."""
    rate = tf.placeholder_with_default(0.25, [])
    make = {
        "momentum": lambda: tf.train.MomentumOptimizer(rate, lambda: 0.5),
        "adagrad": lambda: tf.train.AdagradOptimizer(lambda: rate),
        "rms_prop": lambda: tf.train.RMSPropOptimizer(rate, momentum=rate),
        "ftrl": lambda: tf.train.FtrlOptimizer(rate),
    }
    v = tf.Variable([1.0, -2.0], name="v", use_resource=False)
    return steps(tf, make[name](), tf.reduce_sum(v * v), [v])


@case(each=KINDS)
def a_table_used_twice(tf, use_resource):
    """Rows looked up at two places, and the whole table at a third."""
    w = tf.Variable(TABLE, name="w", use_resource=use_resource)
    one = tf.reduce_sum(tf.square(tf.gather(w, [1, 3])))
    two = tf.reduce_sum(tf.gather(w, [1, 1]) * 3.0)
    return steps(tf, tf.train.AdagradOptimizer(0.1), one * two, [w])


@case(each=KINDS)
def sparse_and_dense_together(tf, use_resource):
    w = tf.Variable(TABLE, name="w", use_resource=use_resource)
    loss = tf.reduce_sum(tf.square(tf.gather(w, [1, 3]))) + tf.reduce_sum(w)
    return steps(tf, tf.train.AdagradOptimizer(0.1), loss, [w])


@case(each=KINDS)
def a_variable_of_unknown_shape(tf, use_resource):
    start = tf.placeholder_with_default(TABLE[0], None)
    v = tf.Variable(start, name="v", validate_shape=False, use_resource=use_resource)
    optimizer = tf.train.MomentumOptimizer(0.1, 0.9)
    gradient = tf.placeholder_with_default(TABLE[1], None)
    train = optimizer.apply_gradients([(gradient, v)])
    with tf.control_dependencies([train]):
        seen = [v.read_value(), optimizer.get_slot(v, "momentum").read_value()]
    slot = optimizer.get_slot(v, "momentum")
    return Program(seen, setup=[v.initializer, slot.initializer], runs=2)


@case(each=KINDS)
def a_users_own_optimizer(tf, use_resource):
    """The methods that programs override and call."""

    class Signs(tf.train.Optimizer):
        def __init__(self, rate):
            super().__init__(use_locking=False, name="Signs")
            self._rate = rate

        def _prepare(self):
            self._rate_t = tf.convert_to_tensor(self._call_if_callable(self._rate), name="rate")

        def _create_slots(self, var_list):
            first = min(var_list, key=lambda v: v.name)
            self._create_non_slot_variable(1.0, "scale", first)
            for v in var_list:
                self._zeros_slot(v, "sum", self._name)
                ones = tf.ones_initializer()
                dtype = v.dtype.base_dtype
                self._get_or_make_slot_with_initializer(
                    v, ones, v.get_shape(), dtype, "one", self._name
                )
                self._get_or_make_slot(v, tf.fill(v.get_shape(), 2.0), "two", self._name)

        def _apply_dense(self, grad, var):
            total = self.get_slot(var, "sum").assign_add(tf.sign(grad))
            scale = self._get_non_slot_variable("scale", tf.get_default_graph())
            return var.assign_sub(self._rate_t * scale * total).op

        _resource_apply_dense = _apply_dense

        def _apply_sparse(self, grad, var):
            return tf.scatter_sub(var, grad.indices, self._rate_t * tf.sign(grad.values)).op

        def _resource_apply_sparse(self, grad, handle, indices):
            return tf.scatter_sub(handle, indices, self._rate_t * tf.sign(grad)).op

    v = tf.Variable([1.0, -2.0], name="v", use_resource=use_resource)
    w = tf.Variable(TABLE, name="w", use_resource=use_resource)
    loss = tf.reduce_sum(v * v) + tf.reduce_sum(tf.square(tf.gather(w, [1, 3, 1])))
    return steps(tf, Signs(0.1), loss, [v, w])


@case(each=KINDS)
def a_variable_in_parts(tf, use_resource):
    """Each part has slots of its own, which know where they are in the whole."""
    parts = tf.fixed_size_partitioner(2)
    with tf.variable_scope("scope", partitioner=parts, use_resource=use_resource):
        w = tf.get_variable("w", [4, 2], initializer=tf.constant_initializer(0.5))
        rows = tf.nn.embedding_lookup(w, [0, 3, 3])
        optimizer = tf.train.MomentumOptimizer(0.1, 0.9)
        train = optimizer.minimize(tf.reduce_sum(tf.square(rows)) + tf.reduce_sum(w))
    with tf.control_dependencies([train]):
        seen = [v.read_value() for v in [*w, *optimizer.variables()]]
    infos = [v._save_slice_info.spec for v in optimizer.variables()]
    names = [v.name for v in tf.global_variables()] + infos
    return Program(
        [*seen, tf.constant(names, name="names")], setup=[tf.global_variables_initializer()], runs=3
    )


@case(error="Cannot use a constraint function on a sparse variable.")
def a_constraint_of_a_table(tf):
    w = tf.Variable(TABLE, use_resource=False, constraint=tf.abs)
    tf.train.AdagradOptimizer(0.1).minimize(tf.reduce_sum(tf.gather(w, [0])))


@case(each=["adagrad", "adagrad_da", "proximal"], error="must be positive: 0.0")
def sums_that_start_at_zero(tf, name):
    if name == "adagrad_da":
        return tf.train.AdagradDAOptimizer(
            0.1, None, initial_gradient_squared_accumulator_value=0.0
        )
    kind = tf.train.AdagradOptimizer if name == "adagrad" else tf.train.ProximalAdagradOptimizer
    return kind(0.1, initial_accumulator_value=0.0)


@case(
    each=[
        "initial_accumulator_value",
        "l1_regularization_strength",
        "l2_regularization_strength",
        "l2_shrinkage_regularization_strength",
    ],
    error="-1.000000 needs to be positive or zero",
)
def a_negative_strength(tf, name):
    return tf.train.FtrlOptimizer(0.1, **{name: -1.0})


@case(error="learning_rate_power 1.000000 needs to be negative or zero")
def a_power_above_zero(tf):
    return tf.train.FtrlOptimizer(0.1, learning_rate_power=1.0)


# Raw steps ----------------------------------------------------------------------------------------


def raw(tf, kind, values, use_resource, placeholders=True, table=TABLE, **attrs):
    """One node, made without an optimizer; the states afterwards."""
    states = [
        tf.Variable(table, name="v", use_resource=use_resource),
        tf.Variable(np.ones_like(table), name="a", use_resource=use_resource),
    ]
    inputs = [s.handle if use_resource else s._ref() for s in states]
    for value in values:
        array = np.array(value)
        array = array.astype(np.float32 if array.dtype.kind == "f" else np.int32)
        inputs.append(tf.placeholder_with_default(array, None) if placeholders else array)
    inputs = [tf.convert_to_tensor(i) if isinstance(i, np.ndarray) else i for i in inputs]
    outputs = [] if use_resource else [tf.as_dtype("float32_ref")]
    name = ("Resource" if use_resource else "") + kind
    node = tf.get_default_graph().create_op(name, inputs, outputs, attrs=attrs)
    with tf.control_dependencies([node]):
        seen = [s.read_value() for s in states]
    return Program(seen, setup=[tf.global_variables_initializer()], runs=2)


@case("SparseApplyAdagrad", "ResourceSparseApplyAdagrad", each=KINDS)
def rows_given_twice(tf, use_resource):
    """One after another, where an optimizer would have added them."""
    rows = [[1.0, 1.0], [2.0, 2.0], [0.5, 0.1]]
    return raw(tf, "SparseApplyAdagrad", [0.1, rows, [1, 1, 3]], use_resource)


@case(each=KINDS)
def no_rows(tf, use_resource):
    rows = np.zeros([0, 2], np.float32)
    return raw(tf, "SparseApplyAdagrad", [0.1, rows, np.zeros([0], np.int32)], use_resource)


@case("ApplyAdagrad", "ResourceApplyAdagrad", each=KINDS)
def slots_that_stay(tf, use_resource):
    attrs = {"update_slots": tf.AttrValue(b=False) if "tensorflow" in tf.__name__ else False}
    return raw(tf, "ApplyAdagrad", [0.1, TABLE], use_resource, **attrs)


@case(each=KINDS, error="Index 4 at offset 0 in indices is out of range")
def a_row_outside(tf, use_resource):
    return raw(tf, "SparseApplyAdagrad", [0.1, [[1.0, 1.0]], [4]], use_resource)


@case(each=KINDS, error="Index -1 at offset 1 in indices is out of range")
def a_row_below_zero(tf, use_resource):
    return raw(tf, "SparseApplyAdagrad", [0.1, [[1.0, 1.0]] * 2, [0, -1]], use_resource)


@case(each=KINDS, error="grad must be the same size as indices in the first dimension.")
def more_rows_than_indices(tf, use_resource):
    return raw(tf, "SparseApplyAdagrad", [0.1, [[1.0, 1.0]] * 2, [1]], use_resource)


@case(each=KINDS, error="var and grad must match in dimension 1")
def rows_of_another_length(tf, use_resource):
    return raw(tf, "SparseApplyAdagrad", [0.1, [[1.0] * 3], [1]], use_resource)


@case(each=KINDS, error="indices must be one-dimensional")
def a_matrix_of_indices(tf, use_resource):
    return raw(tf, "SparseApplyAdagrad", [0.1, [[1.0, 1.0]], [[1]]], use_resource)


@case(each=KINDS, error="lr is not a scalar: [1]")
def a_vector_of_rates(tf, use_resource):
    return raw(tf, "SparseApplyAdagrad", [[0.1], [[1.0, 1.0]], [1]], use_resource)


@case(each=KINDS, error="Shape must be rank 1 but is rank 2")
def a_known_matrix_of_indices(tf, use_resource):
    return raw(tf, "SparseApplyAdagrad", [0.1, [[1.0, 1.0]], [[1]]], use_resource, False)


@case(each=KINDS, error="Shape must be rank 0 but is rank 1")
def a_known_vector_of_rates(tf, use_resource):
    return raw(tf, "SparseApplyAdagrad", [[0.1], [[1.0, 1.0]], [1]], use_resource, False)


@case(error="Dimension 1 in both shapes must be equal, but are 2 and 3. Shapes are [4,2] and [?,3]")
def known_rows_of_another_length(tf):
    return raw(tf, "SparseApplyAdagrad", [0.1, [[1.0] * 3], [1]], False, False)


@case(error="Dimensions must be equal, but are 1 and 2")
def more_known_rows_than_indices(tf):
    return raw(tf, "SparseApplyAdagrad", [0.1, [[1.0, 1.0]] * 2, [1]], False, False)


@case(each=KINDS, error="var and grad do not have the same shape[4,2] [3]")
def a_gradient_of_another_shape(tf, use_resource):
    return raw(tf, "ApplyAdagrad", [0.1, [1.0, 2.0, 3.0]], use_resource)
