"""Every differentiable op's gradient against differences of its values, and the gradient's own.

The cases are in `tests/ops/gradients/cases`; an op with a gradient but without a case fails here.
"""

from functools import partial

import numpy as np
import pytest

import tinytf as tf
from tests.ops.gradients.cases import collected, of_conformance
from tinytf.framework import registry
from tinytf.framework.indexed_slices import IndexedSlices
from tinytf.testing.evaluator import evaluate
from tinytf.testing.gradient_checker import check_gradients

CASES = collected("CASES")
NO_DERIVATIVE = set(collected("NO_DERIVATIVE"))
NO_SECOND_ORDER = collected("NO_SECOND_ORDER")
CHECKED_ELSEWHERE = set(collected("CHECKED_ELSEWHERE"))
#: What takes or gives references and handles cannot be fed; the last tests here have these.
ON_VARIABLES = {
    "ReadVariableOp",
    "RefEnter",
    "RefExit",
    "RefIdentity",
    "RefMerge",
    "RefNextIteration",
    "RefSwitch",
    "ResourceGather",
    "ResourceGatherNd",
}
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


COVERED = {*CASES, *NO_DERIVATIVE, *ON_VARIABLES, *CHECKED_ELSEWHERE}
CASES |= {name: of_conformance(name) for name in differentiable() if name not in COVERED}
EACH = [(name, index) for name, cases in CASES.items() for index in range(len(cases))]


def placeholders(points):
    return [tf.placeholder(p.dtype, p.shape, name=f"x{i}") for i, p in enumerate(points)]


@pytest.mark.parametrize(("op_type", "index"), EACH)
def test_gradient(op_type, index):
    case = CASES[op_type][index]
    with tf.Graph().as_default() as graph:
        xs = placeholders(case.points)
        y = case.build(*xs)
        assert op_type in {operation.type for operation in graph.get_operations()}
        check_gradients(y, xs, case.points, rtol=case.rtol, step=case.step, atol=case.atol)


@pytest.mark.parametrize(
    ("op_type", "index"),
    [(name, index) for name, index in EACH if not CASES[name][index].first_order_only],
)
@pytest.mark.slow  # every run checks the first order
def test_second_order(op_type, index):
    """The gradient is a function of the point and of the gradient that comes from above."""
    case = CASES[op_type][index]
    with tf.Graph().as_default():
        xs = placeholders(case.points)
        built = case.build(*xs)
        ys = list(built) if isinstance(built, list | tuple) else [built]
        values = evaluate(ys, dict(zip(xs, case.points)))
        weights = [np.linspace(0.5, 1.5, value.size).reshape(value.shape) for value in values]
        above = placeholders([np.asarray(w, v.dtype) for w, v in zip(weights, values)])
        first = [g for g in tf.gradients(ys, xs, grad_ys=above) if g is not None]
        dense = [tf.convert_to_tensor(g) if isinstance(g, IndexedSlices) else g for g in first]
        if op_type in NO_SECOND_ORDER:
            refusals = (LookupError, TypeError, tf.errors.InvalidArgumentError)
            feeds = dict(zip(xs + above, case.points + weights))
            with pytest.raises(refusals, match=NO_SECOND_ORDER[op_type]):
                evaluate_gradients(dense, xs + above, feeds)
        elif dense:
            points = [*case.points, *weights]
            tolerances = {"rtol": 10 * case.rtol, "atol": 10 * case.atol, "step": case.step}
            check_gradients(dense, xs + above, points, **tolerances)


def evaluate_gradients(ys, xs, feeds):
    """Some ops refuse when the gradient is built, others when it runs."""
    evaluate([g for g in tf.gradients(ys, xs) if g is not None], feeds)


@pytest.mark.parametrize("op_type", ["Mul", "MatMul", "Sum", "BiasAdd", "Mean", "ConcatV2"])
def test_gradient_of_unknown_shapes(op_type):
    case = CASES[op_type][0]
    with tf.Graph().as_default():
        xs = [tf.placeholder(p.dtype, [None] * p.ndim) for p in case.points]
        check_gradients(case.build(*xs), xs, case.points)


def test_every_differentiable_op_has_a_case():
    missing = [name for name, cases in CASES.items() if not cases and name not in REFUSING]
    assert missing == [], "add these op types to tests/ops/gradients/cases"


@pytest.mark.parametrize("op_type", ["Cosh", "MatMul", "Sum", "GatherV2", "ConcatV2", "SelectV2"])
def test_an_op_without_a_case_is_checked_on_its_conformance_case(op_type, monkeypatch):
    (case,) = of_conformance(op_type)
    monkeypatch.setitem(CASES, op_type, [case])
    test_gradient(op_type, 0)
    card = registry.gradients.lookup(op_type)
    twice = partial(_twice, card)
    registry.gradients.register(op_type, twice, replace=True)
    try:
        with pytest.raises(AssertionError):
            test_gradient(op_type, 0)
    finally:
        registry.gradients.register(op_type, card, replace=True)


def _twice(gradient, op, *above):
    return gradient(op, *[2 * value for value in above])


def test_nothing_is_listed_that_is_not_differentiable():
    listed = set(CASES) | NO_DERIVATIVE | ON_VARIABLES | CHECKED_ELSEWHERE
    assert sorted(listed - set(differentiable())) == []
    assert sorted(set(NO_SECOND_ORDER) - set(CASES)) == []


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


@pytest.mark.parametrize(
    ("op_type", "build"),
    [
        ("ResourceGather", lambda v: v.sparse_read([2, 0, 2])),
        ("ResourceGatherNd", lambda v: v.gather_nd([[2], [0], [2]])),
        ("ResourceGatherNd", lambda v: tf.reshape(v.gather_nd([[[2], [0]], [[2], [1]]]), [4])[:3]),
    ],
)
def test_reading_parts_of_what_is_behind_a_handle(op_type, build):
    with tf.Graph().as_default() as graph:
        v = tf.Variable([1.0, 2.0, 3.0], name="v", use_resource=True)
        y = build(v)
        assert op_type in {operation.type for operation in graph.get_operations()}
        [gradient] = tf.gradients(y * y, v)
        with tf.Session() as session:
            session.run(v.initializer)
            assert session.run(tf.convert_to_tensor(gradient)).tolist() == [2.0, 0.0, 12.0]
