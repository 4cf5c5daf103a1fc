"""Steps of tf.contrib.opt's optimizers, whose operations TensorFlow still has."""

import numpy as np

from tests.conformance.registry import Program, case

START = np.array([[1.0, -2.0, 0.0], [3.0, 0.5, -4.0]], np.float32)
GRADIENT = np.array([[0.5, 1.0, -2.0], [0.0, -0.25, 3.0]], np.float32)
#: Operation without its beginning -> slots, and numbers in the order of the inputs.
STEPS = {
    "ApplyAdaMax": (["m", "v"], [0.81, 0.1, 0.9, 0.99, 1e-7]),
    "ApplyAddSign": (["m"], [0.1, 1.5, 0.75, 0.9]),
    "ApplyPowerSign": (["m"], [0.1, 0.7, 0.75, 0.9]),
}


def step(tf, kind, use_resource, dtype="float32", shape=(2, 3)):
    """Two steps, with a look at the variables after each."""
    slots, numbers = STEPS[kind]
    variables = [
        tf.Variable(tf.constant(value, dtype), name=name, use_resource=use_resource)
        for name, value in [("w", START), *((slot, -0.1 * START) for slot in slots)]
    ]
    gradient = tf.constant(GRADIENT[: shape[0], : shape[1]], dtype)
    inputs = [v.handle if use_resource else v._ref() for v in variables]
    inputs += [*(tf.constant(number, dtype) for number in numbers), gradient]
    graph, name = tf.get_default_graph(), ("Resource" if use_resource else "") + kind
    made = graph.create_op(name, inputs, [] if use_resource else [variables[0]._ref().dtype])
    with tf.control_dependencies([made]):
        seen = [v.read_value() for v in variables]
    return Program(seen, setup=[tf.global_variables_initializer()], runs=2)


@case(*STEPS, each=STEPS)
def of_references(tf, kind):
    return step(tf, kind, False)


@case(*[f"Resource{kind}" for kind in STEPS], each=STEPS)
def of_handles(tf, kind):
    return step(tf, kind, True)


@case(each=STEPS)
def of_float64(tf, kind):
    return step(tf, kind, True, "float64")


@case("ApplyAddSign", error="Dimension 0 in both shapes must be equal, but are 2 and 1")
def a_gradient_of_another_shape(tf):
    return step(tf, "ApplyAddSign", False, shape=(1, 3))
