"""Learning rates that fall with the steps, and moving averages."""

from tests.conformance.registry import Program, case

KINDS = [False, True]
STEPS = [0, 1, 5, 10, 15, 27, 100]

RATES = {
    "exponential": lambda tf, step: tf.train.exponential_decay(0.5, step, 10, 0.9),
    "exponential_stairs": lambda tf, step: tf.train.exponential_decay(
        0.5, step, 10, 0.9, staircase=True, name="stairs"
    ),
    "natural": lambda tf, step: tf.train.natural_exp_decay(0.5, step, 10, 0.3),
    "natural_stairs": lambda tf, step: tf.train.natural_exp_decay(0.5, step, 10, 0.3, True),
    "inverse": lambda tf, step: tf.train.inverse_time_decay(0.5, step, 10, 0.4),
    "inverse_stairs": lambda tf, step: tf.train.inverse_time_decay(0.5, step, 10, 0.4, True),
    "polynomial": lambda tf, step: tf.train.polynomial_decay(0.5, step, 20),
    "polynomial_power": lambda tf, step: tf.train.polynomial_decay(0.5, step, 20, 0.1, 2.0),
    "polynomial_cycle": lambda tf, step: tf.train.polynomial_decay(
        0.5, step, 10, 0.1, cycle=True, name="cycle"
    ),
    "cosine": lambda tf, step: tf.train.cosine_decay(0.5, step, 20),
    "cosine_rest": lambda tf, step: tf.train.cosine_decay(0.5, step, 20, alpha=0.1),
    "restarts": lambda tf, step: tf.train.cosine_decay_restarts(0.5, step, 10),
    "restarts_parameters": lambda tf, step: tf.train.cosine_decay_restarts(
        0.5, step, 5, t_mul=1.5, m_mul=0.8, alpha=0.1
    ),
    "restarts_equally": lambda tf, step: tf.train.cosine_decay_restarts(0.5, step, 10, t_mul=1.0),
    "linear_cosine": lambda tf, step: tf.train.linear_cosine_decay(0.5, step, 20),
    "linear_cosine_parameters": lambda tf, step: tf.train.linear_cosine_decay(
        0.5, step, 20, num_periods=1.5, alpha=0.1, beta=0.01
    ),
    "piecewise": lambda tf, step: tf.train.piecewise_constant(
        step, [1, 10, 20], [0.5, 0.4, 0.3, 0.1]
    ),
    "piecewise_two": lambda tf, step: tf.train.piecewise_constant_decay(
        step, [10], [1, 2], name="two"
    ),
}


@case(each=RATES)
def of_a_fed_step(tf, name):
    step = tf.placeholder(tf.int32, [], name="step")
    rate = RATES[name](tf, step)
    return Program(rate, feed=[{step: value} for value in STEPS], runs=len(STEPS))


@case(each=[(name, kind) for name in RATES for kind in KINDS])
def of_the_global_step(tf, name, use_resource):
    with tf.variable_scope("", use_resource=use_resource):
        step = tf.train.get_or_create_global_step()
    v = tf.Variable([1.0, -2.0], name="v", use_resource=use_resource)
    rate = RATES[name](tf, step)
    if rate.dtype != tf.float32:
        rate = tf.cast(rate, tf.float32)
    optimizer = tf.train.GradientDescentOptimizer(rate * 0.1)
    train = optimizer.minimize(tf.reduce_sum(v * v), global_step=step)
    with tf.control_dependencies([train]):
        seen = v.read_value()
    return Program(seen, setup=[tf.global_variables_initializer()], runs=4)


@case(each=["float64", "float16"])
def of_other_types(tf, dtype):
    rate, step = tf.constant(0.5, dtype), tf.constant(7)
    return [
        tf.train.exponential_decay(rate, step, 10, 0.9),
        tf.train.inverse_time_decay(rate, step, 10, 0.9),
        tf.train.polynomial_decay(rate, step, 10),
        tf.train.piecewise_constant(7.0, [1.0, 9.0], [rate, rate / 2, rate / 4]),
    ]


@case()
def decay_without_noise(tf):
    return tf.train.noisy_linear_cosine_decay(0.5, 7, 20, initial_variance=0.0)


@case("RandomStandardNormal", random=True)
def decay_with_noise(tf):
    tf.set_random_seed(3)
    return tf.train.noisy_linear_cosine_decay(0.5, 7, 20, alpha=0.1)


@case(error="The length of boundaries should be 1 less than the length of values")
def too_few_values(tf):
    return tf.train.piecewise_constant(5, [1, 2], [0.5, 0.4])


@case(error="must have the same dtype as x")
def boundaries_of_another_type(tf):
    return tf.train.piecewise_constant(5, [1.0], [0.5, 0.4])


@case(error="Values must have elements all with the same dtype")
def values_of_two_types(tf):
    return tf.train.piecewise_constant(5, [1], [0.5, 4])


# Moving averages ----------------------------------------------------------------------------------

AVERAGES = {
    "plain": {},
    "counted": {"num_updates": 3, "name": "Mine"},
    "debiased": {"zero_debias": True},
}


def averaged(tf, v, average, **more):
    grow = tf.assign_add(v, [1.0, 2.0])
    with tf.control_dependencies([grow]):
        update = average.apply(**more)
    with tf.control_dependencies([update]):
        seen = [v.read_value(), average.average(v).read_value()]
    return seen


def averages(tf, name, use_resource):
    v = tf.Variable([1.0, -2.0], name="v", use_resource=use_resource)
    tf.Variable([1], name="not_trained", trainable=False, use_resource=use_resource)
    average = tf.train.ExponentialMovingAverage(0.9, **AVERAGES[name])
    seen = averaged(tf, v, average)
    names = [average.name, average.average_name(v)]
    names += [f"{key}={var.name}" for key, var in sorted(average.variables_to_restore().items())]
    names += [var.name for var in tf.moving_average_variables() + tf.global_variables()]
    seen.append(tf.constant(names, name="names"))
    return Program(seen, setup=[tf.global_variables_initializer()], runs=3)


@case(each=AVERAGES)
def averages_of_references(tf, name):
    return averages(tf, name, False)


@case(each=AVERAGES)
def averages_of_handles(tf, name):
    return averages(tf, name, True)


@case(each=[(name, kind) for name in AVERAGES for kind in KINDS])
def averages_of_tensors(tf, name, use_resource):
    with tf.variable_scope("", use_resource=use_resource):
        v = tf.Variable([1.0, -2.0], name="v", use_resource=use_resource)
        tensor = tf.multiply(v, 2.0, name="twice")
        average = tf.train.ExponentialMovingAverage(0.9, **AVERAGES[name])
        update = average.apply([tensor])
        with tf.control_dependencies([update]):
            seen = average.average(tensor).read_value()
    names = [average.average_name(tensor)] + [var.name for var in tf.global_variables()]
    return Program(
        [seen, tf.constant(names, name="names")], setup=[tf.global_variables_initializer()], runs=3
    )


def average_after_each_step(tf, use_resource):
    """As programs use it: the averages follow the optimizer."""
    with tf.variable_scope("", use_resource=use_resource):
        step = tf.train.get_or_create_global_step()
    v = tf.Variable([1.0, -2.0], name="v", use_resource=use_resource)
    average = tf.train.ExponentialMovingAverage(0.99, num_updates=step)
    train = tf.train.MomentumOptimizer(0.1, 0.9).minimize(tf.reduce_sum(v * v), global_step=step)
    with tf.control_dependencies([train]):
        update = average.apply(tf.trainable_variables())
    with tf.control_dependencies([update]):
        seen = [v.read_value(), average.average(v).read_value()]
    return Program(seen, setup=[tf.global_variables_initializer()], runs=4)


@case()
def an_average_of_a_reference_after_each_step(tf):
    return average_after_each_step(tf, False)


@case()
def an_average_of_a_handle_after_each_step(tf):
    return average_after_each_step(tf, True)


@case()
def names_before_there_are_averages(tf):
    v = tf.Variable(1.0, name="v", use_resource=False)
    average = tf.train.ExponentialMovingAverage(0.9)
    names = [average.average_name(v), str(average.average(v))]
    names += sorted(average.variables_to_restore()) + sorted(average.variables_to_restore([v]))
    return tf.constant(names, name="names")


@case(error="The variables must be half, float, or double: v:0")
def an_average_of_integers(tf):
    v = tf.Variable(1, name="v", use_resource=False)
    return tf.train.ExponentialMovingAverage(0.9).apply([v])
