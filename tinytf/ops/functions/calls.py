"""Ops that call functions: PartitionedCall, If, Case, While, SymbolicGradient.

Their attributes name functions of the graph's library. A kernel gets these as `Function`s and runs
them with `step.call`, in the step it is part of. (A node whose type is the name of a function
needs no card: `framework.function_library` finds its kernel.)
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

import numpy as np

from tinytf.framework import shape_inference
from tinytf.framework.errors import invalid
from tinytf.framework.function_library import Function, resolve
from tinytf.framework.op_card import OpCard, define_op
from tinytf.framework.pending import Pending
from tinytf.framework.shape_inference import InferenceContext
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops.control_flow.while_loop import while_loop
from tinytf.ops.functions.gradients import branch_gradients, call_gradient, gradient_of
from tinytf.ops.gradients.gradients import gradients

_IN_OUT = "Tin: list(type) >= 0, Tout: list(type) >= 0"
_SHAPES = "output_shapes: list(shape) = []"


def _given_shapes(c: InferenceContext) -> list[TensorShape]:
    """The shapes that the node's builder knew, in "output_shapes"."""
    shapes = c.attrs["output_shapes"]
    return list(shapes) if len(shapes) == c.output_count else shape_inference.unknown(c)


def _loop_shapes(c: InferenceContext) -> list[TensorShape]:
    """The given shapes, or else those of the inputs: a loop keeps its shapes unless it says so."""
    return _given_shapes(c) if c.attrs["output_shapes"] else c.shapes()


# PartitionedCall, StatefulPartitionedCall ---------------------------------------------------------


def _call_shapes(c: InferenceContext) -> list[TensorShape]:
    graph = c.inputs[0].graph if c.inputs else None
    if graph is None or c.attrs["f"].name not in graph._functions:
        return shape_inference.unknown(c)
    return resolve(graph, c.attrs["f"]).output_shapes(c.shapes())


def _define_call(name: str, stateful: bool) -> OpCard:
    card = define_op(
        name,
        "args: Tin -> output: Tout",
        f"{_IN_OUT}, f: func, config: string = '', config_proto: string = ''",
        "executor_type: string = ''",
        stateful=stateful,
        shape=_call_shapes,
        kernel=lambda step, *args, f, node: step.call(f, args, node.name),
    )
    card.gradient(call_gradient)
    return card


partitioned_call = _define_call("PartitionedCall", False)
stateful_partitioned_call = _define_call("StatefulPartitionedCall", True)


# If, StatelessIf ----------------------------------------------------------------------------------

_IF = "cond: Tcond, input: Tin -> output: Tout"
_BRANCHES = f"Tcond: type, {_IN_OUT}, then_branch: func, else_branch: func, {_SHAPES}"
if_ = define_op("If", _IF, _BRANCHES, stateful=True, shape=_given_shapes)
stateless_if = define_op("StatelessIf", _IF, _BRANCHES, shape=_given_shapes)


@if_.kernel
@stateless_if.kernel
def _if(
    step: Any, cond: Any, *inputs: Any, then_branch: Function, else_branch: Function, node: Any
) -> Any:
    return _call_in(node, step, then_branch if _is_true(cond) else else_branch, inputs)


def _call_in(node: Any, step: Any, function: Function, arguments: Sequence[Any]) -> Any:
    """Call one of the functions of a node: what they own must not meet, so each has its name."""
    return step.call(function, arguments, f"{node.name}/{function.name}")


def _is_true(value: Any) -> bool:
    """A scalar as a condition: not zero, not empty; anything else counts if it has elements."""
    return bool(value) if np.ndim(value) == 0 else np.size(value) > 0


@if_.gradient
@stateless_if.gradient
def _if_gradient(op: Any, *dys: Any) -> list[Any]:
    return branch_gradients(op, dys, ("then_branch", "else_branch"))


# Case, StatelessCase ------------------------------------------------------------------------------

_CASE = "branch_index: int32, input: Tin -> output: Tout"
_CASES = f"{_IN_OUT}, branches: list(func) >= 1, {_SHAPES}"
case = define_op("Case", _CASE, _CASES, stateful=True, shape=_given_shapes)
stateless_case = define_op("StatelessCase", _CASE, _CASES, shape=_given_shapes)


@case.kernel
@stateless_case.kernel
def _case(
    step: Any, branch_index: Any, *inputs: Any, branches: Sequence[Function], node: Any
) -> Any:
    index = int(branch_index)
    if not 0 <= index < len(branches):
        index = len(branches) - 1  # the last one is the default
    return _call_in(node, step, branches[index], inputs)


@case.gradient
@stateless_case.gradient
def _case_gradient(op: Any, *dys: Any) -> list[Any]:
    return branch_gradients(op, dys, ("branches",))


# While, StatelessWhile ----------------------------------------------------------------------------

_WHILE = "input: T -> output: T"
_LOOP = f"T: list(type) >= 0, cond: func, body: func, {_SHAPES}, parallel_iterations: int = 10"
while_ = define_op("While", _WHILE, _LOOP, stateful=True, shape=_loop_shapes)
stateless_while = define_op("StatelessWhile", _WHILE, _LOOP, shape=_loop_shapes)


@while_.kernel
@stateless_while.kernel
def _while(step: Any, *input: Any, cond: Function, body: Function, node: Any) -> Any:
    return _drive(_iterations(step, list(input), cond, body, node))


def _iterations(
    step: Any, values: list[Any], cond: Function, body: Function, node: Any
) -> Generator[Any, list[Any], list[Any]]:
    count = len(values)
    names = f"{node.name}/{cond.name}", f"{node.name}/{body.name}"
    while True:
        if step.cancellation.is_cancelled:
            raise step.cancellation.reason
        (goes_on,) = yield step.call(cond, values, names[0])
        if not _is_true(goes_on):
            return values
        values = yield step.call(body, values, names[1])
        if len(values) != count:
            raise invalid(f"While loop body returned {len(values)} arguments. Expected: {count}")


def _drive(steps: Generator[Any, list[Any], list[Any]]) -> Any:
    """Run a kernel that makes one call after another, any of which may have to wait."""
    outcome = Pending()

    def go_on(waited: Pending | None) -> None:
        try:
            call = next(steps) if waited is None else steps.send(waited.get())
            while True:
                if isinstance(call, Pending):
                    outcome.waiting_for, outcome.on = call.waiting_for, call.on
                    outcome.needs = call.needs
                    call.when_done(go_on)
                    return
                call = steps.send(call)
        except StopIteration as end:
            outcome.set_result(end.value)
        except Exception as error:
            outcome.set_error(error)

    go_on(None)
    return outcome.get() if outcome.done else outcome


@while_.gradient
@stateless_while.gradient
def _while_gradient(op: Any, *dys: Any) -> list[Any]:
    """Gradients of the same loop as `while_loop` builds it, which can remember its iterations."""

    def called(attr: str, values: Sequence[Any], types: Sequence[Any]) -> list[Any]:
        return list(partitioned_call(list(values), Tout=list(types), f=op.attrs[attr]))

    def condition(*values: Any) -> Any:
        (result,) = called("cond", values, [resolve(op.graph, op.attrs["cond"]).result_types()[0]])
        result.set_shape([])
        return result if result.dtype.is_bool else result != 0

    def body(*values: Any) -> list[Any]:
        results = called("body", values, op.attrs["T"])
        for result, output in zip(results, op.outputs, strict=True):
            result.set_shape(output.shape)
        return results

    loop = while_loop(
        condition,
        body,
        list(op.inputs),
        shape_invariants=[y.shape for y in op.outputs],
        parallel_iterations=op.attrs["parallel_iterations"],
        return_same_structure=True,
    )
    pairs = [(y, dy) for y, dy in zip(loop, dys, strict=True) if dy is not None]
    ys, grad_ys = zip(*pairs, strict=True)
    return gradients(list(ys), list(op.inputs), list(grad_ys))


# SymbolicGradient ---------------------------------------------------------------------------------

symbolic_gradient = define_op(
    "SymbolicGradient",
    "input: Tin -> output: Tout",
    "Tin: list(type) >= 1, Tout: list(type) >= 1, f: func",
)


@symbolic_gradient.shape
def _gradient_shapes(c: InferenceContext) -> list[TensorShape]:
    if len(c.inputs) < c.output_count:
        raise ValueError("len(inputs) < len(outputs)")
    return c.shapes()[: c.output_count]


@symbolic_gradient.kernel
def _gradient(step: Any, *input: Any, f: Function, node: Any) -> Any:
    return step.call(gradient_of(f), input, node.name)


@symbolic_gradient.gradient
def _gradient_gradient(op: Any, *ddxs: Any) -> list[Any]:
    derivative = gradient_of(resolve(op.graph, op.attrs["f"]))
    op.graph._add_function(derivative)
    return call_gradient(op, *ddxs, function=derivative)
