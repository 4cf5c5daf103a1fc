"""Loops written as code, and which loops are left to the frames."""

import re
import weakref

import numpy as np
import pytest

import tinytf as tf
from tests.runtime.conftest import run
from tinytf.framework.cancellation import deadline_after
from tinytf.framework.errors import DeadlineExceededError, InvalidArgumentError
from tinytf.ops.control_flow.primitives import merge, switch
from tinytf.runtime import codegen
from tinytf.runtime.compiler import compile_plan
from tinytf.runtime.plan import Kind
from tinytf.runtime.preparation import CompileRequest
from tinytf.runtime.step import Step


def loops(fetches, **how):
    plan = compile_plan(CompileRequest([], fetches, [], None, **how))
    return [u for frame in plan.frames.values() for u in frame.units if u.kind is Kind.LOOP]


def both_ways(fetches, feeds=None):
    """The values, which have to be the same through frames, node by node."""
    values = [np.asarray(v).tolist() for v in run(fetches, feeds)]
    assert [np.asarray(v).tolist() for v in run(fetches, feeds, by_node=True)] == values
    return values


def counting(turns):
    return tf.while_loop(lambda i: i < turns, lambda i: i + 1, [0])


def test_a_loop_of_while_loop_is_one_unit():
    result = counting(10)
    plan = compile_plan(CompileRequest([], [result], [], None))
    assert [unit.kind for unit in plan.root.units] == [Kind.LOOP]
    assert list(plan.frames) == [()]
    assert both_ways([result]) == [10]


def test_variables_change_places():
    result = tf.while_loop(lambda i, a, b: i < 3, lambda i, a, b: (i + 1, b, a), [0, "a", "b"])
    assert len(loops(list(result))) == 1
    assert both_ways(list(result)) == [3, b"b", b"a"]


def test_variables_that_stay_and_those_that_become_constant():
    result = tf.while_loop(
        lambda i, same, constant: i < 3, lambda i, same, constant: (i + 1, same, 7), [0, 5, 6]
    )
    assert both_ways(list(result)) == [3, 5, 7]


def test_a_loop_that_never_turns():
    assert both_ways([counting(0)]) == [0]


def test_values_from_outside():
    x = tf.placeholder(tf.int32, [])
    double = x * 2
    result = tf.while_loop(lambda i: i < double, lambda i: i + x, [0])
    assert both_ways([result, double], {x: np.int32(3)}) == [6, 6]


def test_several_exits_and_their_readers():
    i, total = tf.while_loop(lambda i, t: i < 5, lambda i, t: (i + 1, t + i), [0, 0])
    assert both_ways([i * total, i, total + 1]) == [50, 5, 11]


def test_one_loop_after_the_other():
    first = counting(4)
    second = tf.while_loop(lambda i: i < 10, lambda i: i + first, [first])
    assert len(loops([second])) == 2
    assert both_ways([second]) == [12]


def test_a_loop_in_a_loop_is_part_of_its_code():
    def body(i, total):
        inner = tf.while_loop(lambda j: j < i, lambda j: j + 1, [0])
        return i + 1, total + inner

    result = tf.while_loop(lambda i, t: i < 4, body, [0, 0])
    assert [len(unit.ops) > 20 for unit in loops(list(result))] == [True]
    assert both_ways(list(result)) == [4, 6]


def test_three_loops_deep():
    def count(turns, then):
        return tf.while_loop(
            lambda i, t: i < turns, lambda i, t: (i + 1, then(i, t)), [0, tf.constant(0)]
        )[1]

    result = count(3, lambda i, t: t + count(i, lambda j, u: u + count(j + 1, lambda k, w: w + k)))
    assert len(loops([result])) == 1
    assert both_ways([result]) == [1]


def test_loops_deeper_than_python_compiles():
    def nested(depth, x):
        if not depth:
            return x + 1
        return tf.while_loop(
            lambda i, _: i < 1, lambda i, y: (i + 1, nested(depth - 1, y)), [0, x]
        )[1]

    assert both_ways([nested(18, tf.constant(0))]) == [1]


def test_conditionals_deeper_than_python_compiles():
    def nested(depth, x):
        return tf.cond(x < depth, lambda: nested(depth - 1, x) + 1, lambda: x) if depth else x

    result = tf.while_loop(lambda x: x < 50, lambda x: nested(45, x) + 10, [0])
    assert both_ways([result]) == [55]


def test_a_conditional_in_a_loop_is_an_if():
    result = tf.while_loop(
        lambda i: i < 9, lambda i: tf.cond(i > 3, lambda: i + 3, lambda: i + 1), [0]
    )
    assert len(loops([result])) == 1
    assert both_ways([result]) == [10]


def test_only_the_branch_taken_runs(ops):
    result = tf.while_loop(
        lambda i, x: i < 5,
        lambda i, x: (
            i + 1,
            tf.cond(
                tf.equal(i, 2),
                lambda: ops.note(x, label="two"),
                lambda: ops.note(x + 1.0, label="other"),
            ),
        ),
        [0, 0.0],
    )
    assert len(loops(list(result))) == 1
    assert both_ways(list(result)) == [5, 4.0]
    assert ops.calls == ["other", "other", "two", "other", "other"] * 2


def test_what_a_branch_waits_for_is_in_the_branch(ops):
    """A control edge from an operation of a branch: who waits runs in that branch only."""

    def body(i, x):
        def branch():
            with tf.control_dependencies([ops.note(x, label="noted")]):
                return tf.constant(1.0)

        return i + 1, x + tf.cond(i < 2, branch, lambda: tf.constant(10.0))

    result = tf.while_loop(lambda i, x: i < 3, body, [0, 0.0])
    assert len(loops(list(result))) == 1
    assert both_ways(list(result)) == [3, 12.0]
    assert ops.calls == ["noted"] * 4


def test_one_predicate_for_conditionals_that_depend_on_each_other():
    def body(i, x):
        odd = tf.equal(i % 2, 1)
        first = tf.cond(odd, lambda: x + 1, lambda: x - 1)
        second = tf.cond(odd, lambda: first * 2, lambda: first)
        return i + 1, tf.cond(odd, lambda: second, lambda: first * 3)

    result = tf.while_loop(lambda i, x: i < 5, body, [0, 4])
    assert len(loops(list(result))) == 1
    x = 4
    for i in range(5):
        x = 2 * (x + 1) if i % 2 else 3 * (x - 1)
    assert both_ways(list(result)) == [5, x]


def test_conditionals_in_the_condition():
    result = tf.while_loop(
        lambda i: tf.cond(i > 2, lambda: i < 5, lambda: i < 100), lambda i: i + 1, [0]
    )
    assert len(loops([result])) == 1
    assert both_ways([result]) == [5]


def test_a_loop_in_a_branch_in_a_loop():
    def body(i, t):
        def inner():
            return tf.while_loop(lambda j, u: j < i, lambda j, u: (j + 1, u + j), [0, t])[1]

        return i + 1, tf.cond(i > 2, inner, lambda: t - 1)

    result = tf.while_loop(lambda i, t: i < 5, body, [0, 0])
    assert len(loops(list(result))) == 1
    assert both_ways(list(result)) == [5, 6]


def test_a_constant_that_is_dead_kills_only_what_takes_it():
    """A value that leaked out of a branch: the counter goes on without it."""
    x = tf.placeholder(tf.int32, [])
    leaked = []

    def branch():
        leaked.append(x * 2)
        return leaked[0]

    chosen = tf.cond(x > 0, branch, lambda: x)
    i, total = tf.while_loop(lambda i, t: i < 3, lambda i, t: (i + 1, t + leaked[0]), [0, 0])
    either = merge([total, switch(x, x > 0)[0]])[0]  # without x > 0 the sum has no value
    assert loops([i, either]) == []
    assert both_ways([i, either, chosen], {x: np.int32(-1)}) == [3, -1, -1]
    assert both_ways([i, either, chosen], {x: np.int32(2)}) == [3, 12, 4]


def test_a_large_value_is_gone_when_nobody_takes_it_any_more(define):
    seen, alive = [], []
    watch = define("TestWatch", "x: float -> y: float", stateful=True)
    watch.shape(lambda c: c.input(0))
    count = define("TestCount", "x: float -> y: float", stateful=True)
    count.shape(lambda c: c.input(0))

    @watch.kernel
    def remember(x):
        seen.append(weakref.ref(x))
        return x + np.float32(1)

    @count.kernel
    def count_living(x):
        alive.append(sum(reference() is not None for reference in seen))
        return x

    def body(i, x):
        return i + 1, tf.cond(i < 2, lambda: count(watch(x * 2.0)), lambda: count(watch(x * 3.0)))

    result = tf.while_loop(lambda i, x: i < 3, body, [0, tf.ones([200])])
    assert len(loops(list(result))) == 1
    assert run(list(result))[1].tolist() == [22.0] * 200
    assert alive == [0, 0, 0]


def test_which_branch_a_merge_took():
    def body(i, t):
        one, other = switch(i, i < 2)
        return i + 1, t + merge([other * 1, one * 1])[1]

    result = tf.while_loop(lambda i, t: i < 5, body, [0, 0])
    assert len(loops(list(result))) == 1
    assert both_ways(list(result)) == [5, 3]


def test_a_merge_of_unlike_branches_leaves_the_loop_to_the_frames():
    def body(i, t):
        one, other = switch(i, i < 2)
        return i + 1, t + merge([other * 1, switch(one, i < 3)[0] * 1, switch(one, i < 3)[1]])[0]

    result = tf.while_loop(lambda i, t: i < 5, body, [0, 0])
    assert loops(list(result)) == []
    assert both_ways(list(result)) == [5, 10]


def test_a_loop_that_must_be_over_before_it_can_start_is_left_to_the_frames():
    first, _ = tf.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x + 1), [0, 0])
    graph = tf.get_default_graph()
    late = [op for op in graph.get_operations() if op.type == "Enter"][1]
    exit = first.op
    late._add_control_input(exit)  # no while_loop builds this; a foreign graph may
    second = next(op for op in graph.get_operations() if op.type == "Exit" and op is not exit)
    assert loops([first, second.outputs[0]]) == []


def test_a_kernel_that_waits_leaves_the_loop_to_the_frames(ops):
    result = tf.while_loop(lambda x: x < 2.0, lambda x: ops.wait(x), [1.0])
    assert loops([result]) == []


def test_instruments_see_the_frames():
    assert loops([counting(3)], by_node=True) == []


def test_a_loop_on_a_path_not_taken():
    x = tf.placeholder(tf.int32, [])
    result = tf.cond(x > 0, lambda: tf.while_loop(lambda i: i < 3, lambda i: i + 1, [x]), lambda: x)
    assert both_ways([result], {x: np.int32(1)}) == [3]
    assert both_ways([result], {x: np.int32(-1)}) == [-1]


def test_a_fed_result_of_a_loop_stays_as_fed():
    result = counting(3)
    with tf.control_dependencies([result.op]):
        after = tf.identity(result)
    assert both_ways([after, result], {result: np.int32(50)}) == [50, 50]


def test_a_variable_is_read_when_an_operation_takes_it():
    v = tf.Variable(1, use_resource=False)

    def body(i, total):
        with tf.control_dependencies([tf.assign_add(v, 2)]):
            return i + 1, total + v.read_value()

    result = tf.while_loop(lambda i, t: i < 3, body, [0, 0])
    with tf.Session() as session:
        session.run(v.initializer)
        assert session.run(result) == (3, 15)
    assert len(loops(list(result))) == 1


def test_assignments_in_a_branch_in_a_loop():
    v = tf.Variable(0, use_resource=False)
    result = tf.while_loop(
        lambda i: i < 6,
        lambda i: i + tf.cond(i < 3, lambda: 0 * tf.assign_add(v, i) + 1, lambda: tf.constant(1)),
        [0],
    )
    assert len(loops([result])) == 1
    with tf.Session() as session:
        session.run(v.initializer)
        assert session.run(result) == 6
        assert session.run(v) == 3


def test_state_changes_once_an_iteration():
    v = tf.Variable(0)

    def body(i):
        with tf.control_dependencies([tf.assign_add(v, 2)]):
            return i + 1

    result = tf.while_loop(lambda i: i < 5, body, [0])
    with tf.Session() as session:
        session.run(v.initializer)
        session.run(result)
        assert session.run(v) == 10


def test_an_error_names_the_operation_in_the_loop(ops):
    bad = []

    def body(x):
        bad.append(ops.fail(ops.note(x + 1.0), name="bad"))
        return bad[0]

    result = tf.while_loop(lambda x: x < 10.0, body, [0.0])
    assert len(loops([result])) == 1
    with pytest.raises(InvalidArgumentError, match="broken on purpose") as caught:
        run([result])
    assert caught.value.op is bad[0].op


def test_an_endless_loop_ends_at_its_deadline_and_says_where():
    result = tf.while_loop(lambda i: i >= 0, lambda i: i * 1, [0])
    step = Step(None, None, deadline=deadline_after(50))
    with pytest.raises(DeadlineExceededError, match=r"in iteration \d+ of the loop"):
        run([result], step=step)


def test_the_source_holds_numbers_only(monkeypatch):
    seen = []
    original = codegen._compile
    monkeypatch.setattr(codegen, "_compile", lambda s: seen.append(s) or original(s))

    def body(i):
        return tf.cond(i < 1, lambda: tf.add(i, 1, name="import_os"), lambda: i + 2)

    run([tf.while_loop(lambda i: i < 3, body, [0])])
    words = set(re.findall(r"[A-Za-z_]+", "\n".join(seen)))
    known = "def segment if else while break pass not and or is true false True check truth"
    assert words <= {*"svkcmn", *known.split()}


def test_gradients_of_a_loop():
    x = tf.placeholder(tf.float64, [])
    _, power = tf.while_loop(
        lambda i, p: i < 4, lambda i, p: (i + 1, p * x), [0, tf.constant(1.0, tf.float64)]
    )
    (slope,) = tf.gradients(power, x)
    with tf.Session() as session:
        assert session.run([power, slope], {x: 2.0}) == [16.0, 32.0]
