"""Every differentiable op's gradient against differences of its values, in float64.

`CASES` has an entry for each op type with a gradient; an op without one fails the tests. Most
entries are made by `op`: the op on the given arrays. Floating (and complex) ones are
differentiated, integers and booleans are constants.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import tinytf as tf
from tinytf.framework import registry
from tinytf.testing.gradient_checker import check_gradients


@dataclass
class Case:
    """One check: `build` gets a placeholder for each point, and gives one tensor or several."""

    build: Callable[..., Any]
    points: list[np.ndarray]
    rtol: float = 1e-5


def op(op_type: str, *arguments: Any, outputs: Any = (0,), **attrs: Any) -> Case:
    """The op on these arguments; `outputs` says which of its outputs are differentiated."""
    arrays = [np.asarray(argument) for argument in arguments]
    points = [array for array in arrays if array.dtype.kind in "fc"]

    def build(*placeholders):
        given = iter(placeholders)
        inputs = [next(given) if a.dtype.kind in "fc" else tf.constant(a) for a in arrays]
        made = tf.get_default_graph().create_op(op_type, inputs, attrs=attrs)
        return [made.outputs[index] for index in outputs]

    return Case(build, points)


def program(build: Callable[..., Any], *points: Any) -> Case:
    """Several ops, built by a function of placeholders."""
    return Case(build, [np.asarray(point) for point in points])


def numbers(*shape: int, low: float = 0.3, high: float = 1.7, seed: int = 0) -> np.ndarray:
    """Different numbers between two bounds, no two of them close."""
    count = int(np.prod(shape))
    values = low + (high - low) * (np.arange(count) + 0.37) / max(count, 1)
    return np.random.default_rng(seed).permutation(values).reshape(shape)


def signed(*shape: int, seed: int = 1) -> np.ndarray:
    """Numbers of both signs, away from zero."""
    sign = np.where(np.arange(int(np.prod(shape))) % 3 == 0, -1.0, 1.0).reshape(shape)
    return numbers(*shape, seed=seed) * sign


def complexes(*shape: int) -> np.ndarray:
    """Complex numbers away from zero and from the negative real axis."""
    return numbers(*shape, seed=2) + 1j * signed(*shape, seed=3)


def ints(*values: Any) -> np.ndarray:
    """A constant: int32."""
    return np.array(values, np.int32)


X = signed(2, 3)
P = numbers(2, 3)
ROW = numbers(3, seed=5)
COLUMN = numbers(2, 1, seed=6)
C = complexes(2, 3)
MATRIX = numbers(3, 4)
IMAGES = signed(2, 3, 2, 2)


def unary(op_type: str, *points: np.ndarray, **attrs: Any) -> list[Case]:
    return [op(op_type, point, **attrs) for point in points]


def binary(op_type: str, x: np.ndarray = X, y: np.ndarray = P) -> list[Case]:
    """Equal shapes, and broadcasting in both directions."""
    row, column = (numbers(3, seed=5), numbers(2, 1, seed=6))
    return [
        op(op_type, x, y),
        op(op_type, x, row),
        op(op_type, column, y),
        op(op_type, row, column),
    ]


def of_result(op_type: str, first: np.ndarray = P, second: np.ndarray = X) -> list[Case]:
    return [op(op_type, first, second)]


def reduction(op_type: str, x: np.ndarray) -> list[Case]:
    return [
        op(op_type, x, ints(0)),
        op(op_type, x, ints(0, 1), keep_dims=True),
        op(op_type, x, ints(-1)),
        op(op_type, x, np.zeros([0], np.int32)),
    ]


CASES: dict[str, list[Case]] = {
    # Passing on
    "Identity": unary("Identity", X),
    "IdentityN": [op("IdentityN", X, ROW, outputs=(0, 1))],
    "PreventGradient": [],
    "PlaceholderWithDefault": [op("PlaceholderWithDefault", X, shape=tf.TensorShape([2, None]))],
    "Print": [op("Print", X, message="", first_n=0)],
    "Cast": [program(lambda x: tf.cast(x, tf.complex128) * (1 + 2j), X),
             program(lambda x: tf.cast(tf.cast(x, tf.complex128), tf.float64), X)],
    # Arithmetic
    "Add": [*binary("Add"), op("Add", C, C)],
    "AddV2": [*binary("AddV2"), op("AddV2", C, C)],
    "AddN": [op("AddN", X, P, X)],
    "Sub": [*binary("Sub"), op("Sub", C, C)],
    "Mul": [*binary("Mul"), op("Mul", C, C[::-1])],
    "Div": binary("Div"),
    "RealDiv": [*binary("RealDiv"), op("RealDiv", C, C[::-1])],
    "DivNoNan": [
        *binary("DivNoNan"),
        program(lambda x: tf.div_no_nan(x, np.array([0.0, 1.0, -2.0])), X),
    ],
    "FloorMod": [op("FloorMod", np.array([5.3, 7.1, -2.2]), np.array([2.0, 3.0, 0.9]))],
    "SquaredDifference": binary("SquaredDifference"),
    "Maximum": binary("Maximum", X, P * 1.01),
    "Minimum": binary("Minimum", X, P * 1.01),
    "Pow": [*binary("Pow", P, X), op("Pow", C, C[::-1]), program(lambda x: x**3.0, X)],
    # One argument
    "Abs": unary("Abs", X),
    "Neg": unary("Neg", X, C),
    "Sign": unary("Sign", X),
    "Square": unary("Square", X, C),
    "Sqrt": unary("Sqrt", P, C),
    "SqrtGrad": of_result("SqrtGrad"),
    "Rsqrt": unary("Rsqrt", P, C),
    "RsqrtGrad": of_result("RsqrtGrad"),
    "Reciprocal": unary("Reciprocal", X, C),
    "ReciprocalGrad": of_result("ReciprocalGrad"),
    "Inv": unary("Inv", X),
    "InvGrad": of_result("InvGrad"),
    "Exp": unary("Exp", X, C),
    "Expm1": unary("Expm1", X, C),
    "Log": unary("Log", P, C),
    "Log1p": unary("Log1p", P, C),
    "Sin": unary("Sin", X, C),
    "Cos": unary("Cos", X, C),
    "Tanh": unary("Tanh", X, C),
    "TanhGrad": of_result("TanhGrad"),
    "Sigmoid": unary("Sigmoid", X, C),
    "SigmoidGrad": of_result("SigmoidGrad"),
    "Complex": [op("Complex", X, P, Tout=tf.complex128), op("Complex", X, ROW, Tout=tf.complex128)],
    "ComplexAbs": unary("ComplexAbs", C, Tout=tf.float64),
    "Conj": unary("Conj", C),
    "Real": unary("Real", C, Tout=tf.float64),
    "Imag": unary("Imag", C, Tout=tf.float64),
    # Neural
    "Relu": unary("Relu", X),
    "ReluGrad": of_result("ReluGrad", P, X),
    "Relu6": unary("Relu6", X * 5.0),
    "Relu6Grad": of_result("Relu6Grad", P, X * 5.0),
    "Softplus": unary("Softplus", X),
    "SoftplusGrad": of_result("SoftplusGrad", P, X),
    "Softmax": unary("Softmax", X, ROW),
    "LogSoftmax": unary("LogSoftmax", X),
    "SoftmaxCrossEntropyWithLogits": [
        op("SoftmaxCrossEntropyWithLogits", X, P / P.sum(axis=1, keepdims=True)),
        program(  # the second output is the gradient of the first with respect to the logits
            lambda x: tf.get_default_graph().create_op(
                "SoftmaxCrossEntropyWithLogits",
                [x, tf.constant(P / P.sum(axis=1, keepdims=True))],
            ).outputs,
            X,
        ),
    ],
    "SparseSoftmaxCrossEntropyWithLogits": [
        op("SparseSoftmaxCrossEntropyWithLogits", X, ints(2, 0)),
    ],
    "BiasAdd": [op("BiasAdd", X, ROW), op("BiasAdd", IMAGES, ROW, data_format="NCHW")],
    "BiasAddGrad": [op("BiasAddGrad", X), op("BiasAddGrad", IMAGES, data_format="NCHW")],
    "L2Loss": unary("L2Loss", X),
    # Matrices
    "MatMul": [
        op("MatMul", X.T if a else X, MATRIX.T if b else MATRIX, transpose_a=a, transpose_b=b)
        for a in (False, True) for b in (False, True)
    ] + [op("MatMul", C, C.T)],
    "BatchMatMul": [op("BatchMatMul", signed(2, 2, 3), numbers(2, 3, 2))],
    "BatchMatMulV2": [
        op("BatchMatMulV2", signed(2, 1, 2, 3), numbers(4, 3, 2)),
        op("BatchMatMulV2", signed(2, 3, 2), numbers(2, 4, 3), adj_x=True, adj_y=True),
    ],
    # Reductions
    "Sum": [*reduction("Sum", X), op("Sum", C, ints(0))],
    "Mean": reduction("Mean", X),
    "Prod": [*reduction("Prod", X), op("Prod", np.array([[0.0, 2.0], [3.0, 0.5]]), ints(1))],
    "Max": reduction("Max", X),
    "Min": reduction("Min", X),
    "Cumsum": [op("Cumsum", X, ints(1)[0], exclusive=e, reverse=r)
               for e in (False, True) for r in (False, True)],
    "Cumprod": [op("Cumprod", X, ints(1)[0], exclusive=e, reverse=r)
                for e in (False, True) for r in (False, True)],
    "UnsortedSegmentSum": [op("UnsortedSegmentSum", X, ints(1, -1), ints(3)[0])],
    # Shapes
    "Reshape": [op("Reshape", X, ints(3, -1))],
    "ExpandDims": [op("ExpandDims", X, ints(1)[0])],
    "Squeeze": [op("Squeeze", signed(1, 3, 1)), op("Squeeze", signed(1, 3, 1), squeeze_dims=[-1])],
    "Transpose": [op("Transpose", signed(2, 3, 2), ints(2, 0, 1)), op("Transpose", C, ints(1, 0))],
    "Tile": [op("Tile", X, ints(2, 3))],
    "BroadcastTo": [op("BroadcastTo", COLUMN, ints(4, 2, 3))],
    "Fill": [op("Fill", ints(2, 2), np.float64(3.0))],
    "ZerosLike": unary("ZerosLike", X),
    "OnesLike": unary("OnesLike", X),
    # Parts
    "Concat": [op("Concat", ints(1)[0], X, P)],
    "ConcatV2": [
        op("ConcatV2", X, COLUMN, ints(1)[0], N=2),
        op("ConcatV2", X, P, X, ints(-2)[0], N=3),
    ],
    "Pack": [op("Pack", X, P, axis=1)],
    "Unpack": [op("Unpack", X, num=3, axis=1, outputs=(0, 2))],
    "Split": [op("Split", ints(1)[0], signed(2, 4), num_split=2, outputs=(1,))],
    "SplitV": [op("SplitV", signed(2, 4), ints(1, 3), ints(1)[0], num_split=2, outputs=(0, 1))],
    "Slice": [op("Slice", signed(3, 4), ints(1, 0), ints(2, -1))],
    "StridedSlice": [
        op("StridedSlice", signed(3, 4), ints(2, 1), ints(0, 4), ints(-1, 2)),
        program(lambda x: x[tf.newaxis, 1, ..., ::2], signed(3, 2, 4)),
    ],
    "StridedSliceGrad": [
        op("StridedSliceGrad", ints(3, 4), ints(0, 1), ints(3, 4), ints(2, 2), signed(2, 2)),
    ],
    "Pad": [op("Pad", X, ints([1, 0], [2, 3]))],
    "PadV2": [program(lambda x: tf.pad(x, [[1, 0], [0, 2]], constant_values=3.0), X)],
    "Gather": [op("Gather", X, ints([1, 0], [1, 1]))],
    "GatherV2": [
        op("GatherV2", X, ints([1, 0], [1, 1]), ints(0)[0]),
        op("GatherV2", signed(2, 3, 2), ints(2, 0, 2), ints(1)[0]),
    ],
    "DynamicStitch": [
        program(lambda x, y: tf.dynamic_stitch([[0, 2], [1, 3]], [x, y]), X, P),
    ],
    # Choices
    "Select": [op("Select", X > 0, X, P), op("Select", np.array([True, False]), X, P)],
    "SelectV2": [op("SelectV2", X > 0, X, P), op("SelectV2", ROW > 1, COLUMN, X)],
    # Control flow
    "Switch": [program(lambda x: tf.cond(tf.constant(True), lambda: x * x, lambda: x), X)],
    "Merge": [program(lambda x: tf.cond(tf.constant(False), lambda: x, lambda: x * x + x), X)],
}  # fmt: skip


def _power(x, count=3):
    """x ** count by a loop."""
    return tf.while_loop(
        lambda i, _: i < count, lambda i, y: (i + 1, y * x), [tf.constant(0), tf.ones_like(x)]
    )[1]


for _op_type in ("Enter", "Exit", "NextIteration"):
    CASES[_op_type] = [program(_power, X)]

#: Their results are no floating-point numbers, or do not depend on the values.
NO_DERIVATIVE = {"ArgMax", "ArgMin"}
#: What takes or gives references and handles cannot be fed; the last tests here have these.
ON_VARIABLES = {
    "ReadVariableOp", "RefEnter", "RefExit", "RefIdentity", "RefMerge", "RefNextIteration",
    "RefSwitch",
}  # fmt: skip
#: Raises by its very meaning.
REFUSING = {"PreventGradient"}


def differentiable() -> list[str]:
    """The op types with a registered gradient."""
    return sorted(
        name
        for name in registry.op_defs
        if name in registry.gradients
        and not isinstance(registry.gradients.lookup(name), registry.NotDifferentiable)
    )


@pytest.mark.parametrize(
    ("op_type", "index"), [(name, i) for name, cases in CASES.items() for i in range(len(cases))]
)
def test_gradient(op_type, index):
    case = CASES[op_type][index]
    with tf.Graph().as_default() as graph:
        xs = [tf.placeholder(p.dtype, p.shape, name=f"x{i}") for i, p in enumerate(case.points)]
        y = case.build(*xs)
        assert op_type in {operation.type for operation in graph.get_operations()}
        check_gradients(y, xs, case.points, rtol=case.rtol)


@pytest.mark.parametrize("op_type", ["Mul", "MatMul", "Sum", "BiasAdd", "Mean", "ConcatV2"])
def test_gradient_of_unknown_shapes(op_type):
    case = CASES[op_type][0]
    with tf.Graph().as_default():
        xs = [tf.placeholder(p.dtype, [None] * p.ndim) for p in case.points]
        check_gradients(case.build(*xs), xs, case.points)


def test_every_differentiable_op_has_a_case():
    covered = set(CASES) | NO_DERIVATIVE | ON_VARIABLES
    missing = [name for name in differentiable() if name not in covered]
    assert missing == [], "add the gradients of these op types to CASES"
    assert [name for name, cases in CASES.items() if not cases and name not in REFUSING] == []


def test_nothing_is_listed_that_is_not_differentiable():
    listed = set(CASES) | NO_DERIVATIVE | ON_VARIABLES
    assert sorted(listed - set(differentiable())) == []


@pytest.mark.parametrize("op_type", sorted(NO_DERIVATIVE))
def test_no_derivative(op_type):
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float64, [2, 3])
        y = graph.create_op(op_type, [x, tf.constant(0)]).outputs[0]
        assert tf.gradients(y, x) == [None]


def test_a_gradient_that_is_refused():
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float64, [2, 3])
        y = graph.create_op("PreventGradient", [x], attrs={"message": "not twice"}).outputs[0]
        with pytest.raises(LookupError, match="not twice"):
            tf.gradients(y, x)


def _create(op_type, *inputs, **attrs):
    return tf.get_default_graph().create_op(op_type, inputs, attrs=attrs).outputs


def _by_identity(ref):
    return _create("RefIdentity", ref)[0]


@pytest.mark.parametrize(
    ("op_types", "build"),
    [
        ({"RefIdentity"}, _by_identity),
        ({"RefSwitch"}, lambda ref: tf.cond(tf.constant(True), lambda: ref + 0.0, lambda: ref)),
    ],
)
def test_ops_on_references_pass_gradients_on(op_types, build):
    with tf.Graph().as_default() as graph:
        v = tf.Variable([1.0, 2.0, 3.0], name="v", use_resource=False)
        y = build(v._ref()) * 5.0
        assert op_types <= {operation.type for operation in graph.get_operations()}
        [gradient] = tf.gradients(y, v)
        with tf.Session() as session:
            session.run(v.initializer)
            assert session.run(gradient).tolist() == [5.0, 5.0, 5.0]


#: Loops over references, and a Merge of them, exist in foreign graphs only: their gradients are
#: those of the ops on values.
@pytest.mark.parametrize("op_type", ["Merge", "Enter", "Exit", "NextIteration", "Switch"])
def test_ops_on_references_have_the_gradient_of_the_op_on_values(op_type):
    on_references = registry.gradients.lookup("Ref" + op_type)
    assert on_references is registry.gradients.lookup(op_type)


def test_reading_a_handle_passes_gradients_on():
    with tf.Graph().as_default():
        v = tf.Variable([1.0, 2.0, 3.0], name="v", use_resource=True)
        [gradient] = tf.gradients(v.read_value() * v, v)
        with tf.Session() as session:
            session.run(v.initializer)
            assert session.run(gradient).tolist() == [2.0, 4.0, 6.0]
