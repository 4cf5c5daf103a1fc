"""Gradients of ops that call functions."""

import tinytf as tf
from tests.ops.gradients.cases import program
from tinytf.api.function import Defun

F64 = tf.float64


def defined():
    """The names of two functions of (x, y) with two results each."""

    @Defun(F64, F64, func_name="First")
    def first(x, y):
        return x * tf.tanh(y), tf.exp(x)

    @Defun(F64, F64, func_name="Second")
    def second(x, y):
        return x - y, x * x * y

    names = []
    for function in (first, second):
        function.add_to_graph(tf.get_default_graph())
        names.append(tf.AttrValue(func=tf.NameAttrList(name=function.name)))
    return names


def call(op_type, before, inputs, **attrs):
    """A node of this type on (x, y), with two results."""
    kinds = tf.AttrValue(list=tf.AttrValue.ListValue(type=[F64.as_datatype_enum] * 2))
    node = tf.get_default_graph().create_op(
        op_type, [*before, *inputs], attrs={"Tin": kinds, "Tout": kinds, **attrs}
    )
    for tensor, like in zip(node.outputs, inputs, strict=True):
        tensor.set_shape(like.shape)
    return node.outputs


def of_call(op_type):
    return program(lambda *xy: call(op_type, [], xy, f=defined()[0]), [0.5, 1.5], [1.0, -0.5])


def of_if(op_type, condition):
    def build(*xy):
        then_branch, else_branch = defined()
        return call(
            op_type,
            [tf.constant(condition)],
            xy,
            Tcond=tf.bool,
            then_branch=then_branch,
            else_branch=else_branch,
        )

    return program(build, [0.5, 1.5], [1.0, -0.5])


def of_case(op_type, index):
    def build(*xy):
        functions = [value.func for value in defined()]
        branches = tf.AttrValue(list=tf.AttrValue.ListValue(func=functions))
        return call(op_type, [tf.constant(index)], xy, branches=branches)

    return program(build, [0.5, 1.5], [1.0, -0.5])


def of_while(op_type):
    def build(x):
        @Defun(tf.int32, F64, func_name="GoesOn")
        def goes_on(i, y):
            return i < 3

        @Defun(tf.int32, F64, func_name="Turn")
        def turn(i, y):
            return i + 1, y * tf.tanh(y)

        for function in (goes_on, turn):
            function.add_to_graph(tf.get_default_graph())
        calls = [tf.AttrValue(func=tf.NameAttrList(name=n)) for n in ("GoesOn", "Turn")]
        kinds = [tf.int32.as_datatype_enum, F64.as_datatype_enum]
        kinds = tf.AttrValue(list=tf.AttrValue.ListValue(type=kinds))
        attrs = {"T": kinds, "cond": calls[0], "body": calls[1]}
        inputs = [tf.constant(0), x]
        return tf.get_default_graph().create_op(op_type, inputs, attrs=attrs).outputs[1]

    return program(build, [0.5, 1.5])


def of_gradient(x, y):
    name = defined()[1].func.name
    function = tf.get_default_graph()._get_function(name)
    assert function is not None
    results = call("PartitionedCall", [], [x, y], f=tf.AttrValue(func=tf.NameAttrList(name=name)))
    return tf.gradients(results, [x, y])


CASES = {
    "PartitionedCall": [of_call("PartitionedCall")],
    "StatefulPartitionedCall": [of_call("StatefulPartitionedCall")],
    "If": [of_if("If", True), of_if("If", False)],
    "StatelessIf": [of_if("StatelessIf", True), of_if("StatelessIf", False)],
    "Case": [of_case("Case", 0), of_case("Case", 1)],
    "StatelessCase": [of_case("StatelessCase", 0), of_case("StatelessCase", 7)],
    "While": [of_while("While")],
    "StatelessWhile": [of_while("StatelessWhile")],
    "SymbolicGradient": [program(of_gradient, [0.5, 1.5], [1.0, -0.5])],
}

NO_SECOND_ORDER = dict.fromkeys(
    ["While", "StatelessWhile"], "Second-order gradient for while loops not supported"
)
