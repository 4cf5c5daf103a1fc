"""Calls of functions: bodies that wait, are cancelled, run side by side, nest, are traced."""

import threading

import numpy as np
import pytest

import tinytf as tf
from tests.runtime.conftest import run, step_with_functions
from tests.waiting import past_deadline
from tinytf.api.function import Declare, Defun
from tinytf.framework.cancellation import CancellationManager
from tinytf.framework.pending import Pending
from tinytf.ops.functions.calls import partitioned_call, stateless_if, stateless_while
from tinytf.runtime.compiler import compile_plan
from tinytf.runtime.executor import Executor
from tinytf.runtime.preparation import CompileRequest
from tinytf.testing.evaluator import evaluate


def plus_one():
    @Defun(tf.float32, func_name="PlusOne")
    def function(x):
        return x + 1.0

    function.add_to_graph(tf.get_default_graph())
    return function


def test_a_body_of_one_segment_needs_no_executor(ops):
    function = plus_one()
    plans = step_with_functions().functions
    plan = plans._plan(function.function, False, "")
    assert plan.straight is not None
    assert run([function(2.0)]) == [3.0]


def test_a_call_that_waits_holds_up_nobody(ops):
    """What ends the wait runs after the call, in the same step and on the same thread."""

    @Defun(tf.float32)
    def inner(x):
        return ops.plus(ops.wait(x), 1.0)

    @Defun(tf.float32)
    def outer(x):
        return ops.plus(inner(ops.plus(x, 1.0)), 10.0)

    result = outer(tf.constant(1.0))
    order = []

    def release(x):
        order.append(len(ops.waits))
        pending, value = ops.waits.pop()
        pending.set_result(value)
        return x

    later = tf.py_func(release, [tf.constant(5.0)], tf.float32)
    later.set_shape([])
    plan = compile_plan(CompileRequest([], [result, later], [], None, by_node=True))
    # The call comes first: the unit that ends its wait must still get its turn.
    executor = Executor(plan, step_with_functions(), choose=_calls_first)
    executor.run()
    assert [executor.values[fetch.slot] for fetch in plan.fetches] == [13.0, 5.0]
    assert order == [1]


def _calls_first(ready):
    """The unit of the call, or else the oldest."""
    types = [unit.op.type for unit, _, _ in ready]
    return next((i for i, kind in enumerate(types) if kind.startswith("outer")), 0)


def test_waits_in_several_calls_end_in_any_order(ops):
    @Defun(tf.float32, tf.float32)
    def function(x, y):
        first = ops.wait(x)
        return first, ops.wait(ops.plus(first, y))

    results = [*function(1.0, 2.0), *function(10.0, 20.0)]
    thread = threading.Thread(target=_release, args=(ops.waits, 4))
    thread.start()
    assert run(results) == [1.0, 3.0, 10.0, 30.0]
    thread.join()


def _release(waits, count):
    """End `count` waits, the youngest first, from another thread."""
    done = 0
    event = threading.Event()
    while done < count:
        if waits:
            pending, value = waits.pop()
            pending.set_result(value)
            done += 1
        else:
            event.wait(0.001)


def test_an_error_after_a_wait_names_operation_and_call(ops):
    @Defun(tf.float32, func_name="Waits")
    def function(x):
        return ops.fail(ops.wait(x), name="breaks")

    result = function(1.0, name="my_call")
    thread = threading.Thread(target=_release, args=(ops.waits, 1))
    thread.start()
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        run([result])
    thread.join()
    text = str(caught.value)
    assert "broken on purpose" in text
    assert "[[{{function_node Waits}}{{node breaks}}]]" in text
    assert "[[{{node my_call}}]]" in text
    assert text.count("test_function_calls.py") == 2, "the user's line of both"
    assert caught.value.op is result.op


def test_cancelling_the_step_ends_a_wait_in_a_function(ops):
    @Defun(tf.float32)
    def function(x):
        return ops.wait(x)

    result = function(1.0)
    step = step_with_functions()
    plan = compile_plan(CompileRequest([], [result], [], None))
    executor = Executor(plan, step)
    reason = tf.errors.CancelledError(None, None, "enough")
    thread = threading.Thread(target=lambda: _when(ops.waits, step.cancellation, reason))
    thread.start()
    with pytest.raises(tf.errors.CancelledError, match="enough"):
        executor.run()
    thread.join()


def _when(waits, cancellation, reason):
    event = threading.Event()
    while not waits:
        event.wait(0.001)
    cancellation.start_cancel(reason)


def test_a_deadline_says_what_the_function_waits_for(ops):
    @Defun(tf.float32, func_name="Waits")
    def function(x):
        return ops.wait(x, name="inside")

    result = function(1.0, name="my_call")
    with tf.Session() as sess:
        error = past_deadline(lambda options: sess.run(result, options=options))
    assert "my_call (Waits) waits for Waits: inside (TestWait) waits for the test" in str(error)


def test_a_dead_call_does_not_run_its_body(ops):
    @Defun(tf.float32)
    def function(x):
        return ops.note(x, label="ran")

    x = tf.placeholder(tf.bool, [])
    result = tf.cond(x, lambda: function(1.0), lambda: tf.constant(7.0))
    assert run([result], {x: np.bool_(False)}) == [7.0]
    assert ops.calls == []
    assert run([result], {x: np.bool_(True)}) == [1.0]
    assert ops.calls == ["ran"]


def test_what_has_effects_runs_in_every_call_and_only_once(ops):
    @Defun(tf.float32)
    def inner(x):
        ops.note(x, label="inner")
        return x

    @Defun(tf.float32)
    def outer(x):
        ops.note(x, label="outer")
        inner(x)
        return ops.plus(x, 1.0)

    result = outer(1.0)
    for execute in (run, evaluate):
        ops.calls.clear()
        assert execute([result]) == [2.0]
        assert sorted(ops.calls) == ["inner", "outer"]


def test_a_while_whose_functions_wait(ops):
    @Defun(tf.float32)
    def condition(x):
        return x < 4.0

    @Defun(tf.float32)
    def body(x):
        return ops.plus(ops.wait(x), 1.0)

    graph = tf.get_default_graph()
    condition.add_to_graph(graph)
    body.add_to_graph(graph)
    (result,) = stateless_while([tf.constant(1.0)], cond=condition.name, body=body.name)
    thread = threading.Thread(target=_release, args=(ops.waits, 3))
    thread.start()
    assert run([result]) == [4.0]
    thread.join()


def test_a_functional_loop_without_end_has_a_deadline(ops):
    @Defun(tf.float32, func_name="Always")
    def always(x):
        return x < 1e30

    @Defun(tf.float32, func_name="Turn")
    def turn(x):
        return x * 1.0

    for function in (always, turn):
        function.add_to_graph(tf.get_default_graph())
    (result,) = stateless_while([tf.constant(1.0)], cond="Always", body="Turn", name="loop")
    with tf.Session() as sess, pytest.raises(tf.errors.DeadlineExceededError) as caught:
        sess.run(result, options=tf.RunOptions(timeout_in_ms=100))
    assert "it was still running, at " in str(caught.value)
    assert caught.value.op is result.op


def test_a_function_runs_without_a_step_from_many_threads_at_once(ops):
    """The interface that input pipelines use."""

    @Defun(tf.float32)
    def function(x):
        return tf.while_loop(lambda i: i < 100.0, lambda i: i + x, [x])

    definition = function.function
    runner = step_with_functions().functions
    results = {}

    def work(number):
        for _ in range(20):
            results[number] = runner.run(definition, [np.float32(number)])

    threads = [threading.Thread(target=work, args=(n,)) for n in range(1, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {n: [float(-(-100 // n) * n)] for n in range(1, 9)}
    assert len(runner._plans[False]) == 1, "compiled once"


def test_a_function_that_runs_without_a_step_can_be_cancelled(ops):
    @Defun(tf.float32)
    def function(x):
        return ops.wait(x)

    definition, manager = function.function, CancellationManager()
    runner = step_with_functions().functions
    reason = tf.errors.CancelledError(None, None, "the iterator is gone")
    thread = threading.Thread(target=lambda: _when(ops.waits, manager, reason))
    thread.start()
    with pytest.raises(tf.errors.CancelledError, match="the iterator is gone"):
        runner.run(definition, [np.float32(1)], manager)
    thread.join()


def test_wrong_numbers_of_arguments(ops):
    definition = plus_one().function
    with pytest.raises(tf.errors.InvalidArgumentError, match="Expects 1 arguments, but 2 is"):
        step_with_functions().functions.run(definition, [np.float32(1)] * 2)


def test_recursion_without_end_is_found_out():
    function = plus_one()
    definition = tf.get_default_graph().as_graph_def()
    body = definition.library.function[0]
    body.node_def.add(name="again", op="PlusOne", input=["x"])
    body.ret[body.signature.output_arg[0].name] = "again:add:0"
    definition.node.add(name="call", op="PlusOne", input=["start"])
    with tf.Graph().as_default():
        start = tf.constant(1.0, name="start")
        (call,) = tf.import_graph_def(
            definition, input_map={"start": start}, return_elements=["call:0"]
        )
        with tf.Session() as sess, pytest.raises(tf.errors.InvalidArgumentError) as caught:
            sess.run(call)
    assert "'PlusOne' call itself without end" in str(caught.value)
    assert function.name == "PlusOne"


def test_recursion_that_ends():
    """Functions may call each other in a circle, if one was declared before it is defined."""
    declared = Declare("Factorial", [("n", tf.int32)], [("result", tf.int32)])

    @Defun(tf.int32, func_name="Step")
    def step(n):
        return declared(n - 1) * n

    @Defun(tf.int32, func_name="One")
    def one(n):
        return tf.constant(1)

    @Defun(tf.int32, func_name="Factorial", out_names=["result"])
    def factorial(n):
        for branch in (step, one):
            branch.add_to_graph(tf.get_default_graph())
        return stateless_if(n > 1, [n], Tout=[tf.int32], then_branch="Step", else_branch="One")

    n = tf.placeholder(tf.int32, [], name="n")
    call = factorial(n, name="call")
    with tf.Session() as sess:
        assert [sess.run(call, {n: value}) for value in (1, 2, 10)] == [1, 2, 3628800]
    definition = tf.get_default_graph().as_graph_def()
    with tf.Graph().as_default(), tf.Session() as sess:
        tf.import_graph_def(definition, name="")
        assert [sess.run("call:0", {"n:0": n}) for n in (1, 2, 10)] == [1, 2, 3628800]


def test_a_trace_shows_the_nodes_of_a_body_under_the_call():
    @Defun(tf.float32)
    def inner(x):
        return tf.sqrt(x, name="root")

    @Defun(tf.float32)
    def outer(x):
        return inner(x, name="in") + 1.0

    x = tf.placeholder(tf.float32, [])
    metadata = tf.RunMetadata()
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    with tf.Session() as sess:
        assert sess.run(outer(x, name="call"), {x: 4.0}, options, metadata) == 3.0
    names = [node.node_name for node in metadata.step_stats.dev_stats[0].node_stats]
    assert names == ["call/add/y", "call/in/root", "call/in", "call/add", "call"]


def test_branches_do_not_share_what_their_nodes_own():
    """Their nodes may have the same names."""
    for name, seed in (("Then", 3), ("Else", 4)):

        def branch():
            return tf.random_uniform([], seed=seed, name="chance")  # noqa: B023 - traced here

        branch = Defun(func_name=name)(branch)
        branch.add_to_graph(tf.get_default_graph())
    which = tf.placeholder(tf.bool, [])
    (result,) = stateless_if(which, [], Tout=[tf.float32], then_branch="Then", else_branch="Else")
    plain = [tf.random_uniform([], seed=seed) for seed in (3, 4)]
    with tf.Session() as sess:
        found = [sess.run(result, {which: value}) for value in (True, False, True)]
        first, second = sess.run(plain), sess.run(plain)
    assert found == [first[0], first[1], second[0]]


def test_a_body_that_cannot_be_compiled_names_the_call(define):
    nothing = define("TestNoKernel", "x: float -> y: float")

    @Defun(tf.float32, func_name="Broken")
    def function(x):
        return nothing(x, name="inside")

    result = function(1.0, name="my_call")
    with tf.Session() as sess, pytest.raises(tf.errors.InvalidArgumentError) as caught:
        sess.run(result)
    assert "No OpKernel was registered to support Op 'TestNoKernel'" in str(caught.value)
    assert "[[{{node my_call}}]]" in str(caught.value)
    assert caught.value.op is result.op


def test_a_call_by_attribute_is_the_same_call():
    function = plus_one()
    (result,) = partitioned_call([tf.constant(2.0)], Tout=[tf.float32], f=function.name)
    assert run([result]) == [3.0]
    assert evaluate([result]) == [3.0]


def test_what_comes_for_a_call_that_has_failed_is_dropped(ops, define):
    """The failure of the inner call is on its way when the wait of its body is over."""
    there = define("TestThere", "x: float -> y: float", stateful=True)
    there.shape(lambda c: c.input(0))

    @there.kernel(blocking=True)
    def at_once(x):
        pending = Pending("nothing")
        pending.set_result(x)
        return pending

    @Defun(tf.float32)
    def inner(x):
        return ops.plus(there(x), ops.fail(x))

    @Defun(tf.float32)
    def outer(x):
        return inner(there(x))

    with pytest.raises(tf.errors.OpError, match="broken on purpose"):
        run([outer(tf.constant(1.0))])
