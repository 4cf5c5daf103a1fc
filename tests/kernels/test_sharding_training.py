"""The steps of optimizers in shards."""

import numpy as np
import pytest

import tinytf as tf
from tests.kernels.sharding_cases import (
    FLOATS,
    CountingPool,
    assert_identical,
    check_errors,
    kernels,
    lower_thresholds,
    node,
    numbers,
    variable,
)
from tinytf.framework import registry
from tinytf.framework.errors import FailedPreconditionError, InvalidArgumentError
from tinytf.framework.op_builder import build
from tinytf.kernels.sharding import table
from tinytf.resources.variable import Variable


@pytest.fixture(autouse=True)
def small_is_large(monkeypatch):
    lower_thresholds(monkeypatch)


@pytest.fixture(scope="module")
def pool():
    pool = CountingPool(3)
    yield pool
    pool.close()


# Optimizers ---------------------------------------------------------------------------------------


def step_inputs(op_type, dtype, shape=(33, 70)):
    """Variables, the gradient, and numbers."""
    inputs = []
    for index, arg in enumerate(registry.op_defs.lookup(op_type).inputs):
        if arg.is_ref:
            inputs.append(variable(arg.name, abs(numbers(shape, dtype, index)) + dtype.type(1)))
        elif arg.name in ("grad", "delta"):
            inputs.append(numbers(shape, dtype, 20))
        elif arg.name == "global_step":
            inputs.append(np.int64(5))
        else:
            number = -0.4 if arg.name == "lr_power" else 0.1 * (index + 1) % 1
            inputs.append(np.asarray(number, dtype)[()])
    return inputs


def values(inputs):
    return [value.read() for value in inputs if isinstance(value, Variable)]


@pytest.mark.parametrize("op_type", table.OPTIMIZERS)
@pytest.mark.parametrize("flag", [False, True])
def test_optimizers(op_type, flag, pool):
    nesterov = "use_nesterov" in registry.op_defs.lookup(op_type).attrs
    attrs = {"use_nesterov": flag} if nesterov else {}
    for dtype in FLOATS:
        first, second = step_inputs(op_type, dtype), step_inputs(op_type, dtype)
        plain, split = kernels(node(op_type, first, **attrs), pool)
        before = pool.splits
        with np.errstate(all="ignore"):
            for _ in range(2):
                assert plain(*first) is first[0]
                assert split(*second) is second[0]
        assert pool.splits == before + 2
        for expected, found in zip(values(first), values(second), strict=True):
            assert_identical(expected, found, op_type)
            assert not found.flags.writeable
            assert found.flags.owndata


def test_a_step_on_handles_returns_nothing(pool):
    inputs = step_inputs("ApplyAdam", FLOATS[0])
    with tf.Graph().as_default():
        handles = [tf.get_variable(n, (33, 70), use_resource=True).handle for n in "abc"]
        numbers_ = [tf.constant(v) for v in inputs[3:]]
        op = build(registry.op_defs.lookup("ResourceApplyAdam"), [*handles, *numbers_], None, {})
    plain, split = kernels(op, pool)
    before = pool.splits
    assert split(*inputs) == ()
    assert pool.splits == before + 1
    again = step_inputs("ApplyAdam", FLOATS[0])
    plain(*again)
    for expected, found in zip(values(again), values(inputs), strict=True):
        assert_identical(expected, found)


def test_an_interrupted_step_leaves_the_variables_as_they_were(pool, monkeypatch):
    inputs = step_inputs("ApplyAdam", FLOATS[0])
    _, split = kernels(node("ApplyAdam", inputs), pool)
    before = [value.copy() for value in values(inputs)]

    def run(count, work):
        work(0)
        raise KeyboardInterrupt

    monkeypatch.setattr(pool, "run", run)
    with pytest.raises(KeyboardInterrupt):
        split(*inputs)
    monkeypatch.undo()
    for expected, found in zip(before, values(inputs), strict=True):
        assert_identical(expected, found)
    split(*inputs)  # no lock is held


def test_a_variable_that_is_two_states(pool):
    first, second = step_inputs("ApplyMomentum", FLOATS[0]), step_inputs("ApplyMomentum", FLOATS[0])
    first[1], second[1] = first[0], second[0]
    plain, split = kernels(node("ApplyMomentum", step_inputs("ApplyMomentum", FLOATS[0])), pool)
    plain(*first)
    split(*second)
    assert_identical(first[0].read(), second[0].read())


def test_variables_without_a_value_or_of_another_shape(pool):
    inputs = step_inputs("ApplyAdam", FLOATS[0])
    plain, split = kernels(node("ApplyAdam", inputs), pool)
    inputs[-1] = numbers((70, 33), "f4")
    check_errors(plain, split, inputs, InvalidArgumentError)
    inputs = step_inputs("ApplyAdam", FLOATS[0])
    inputs[1].clear()
    check_errors(plain, split, inputs, FailedPreconditionError)
