"""`tf.while_loop`; `while_context.py` builds what it consists of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tinytf.framework import nest
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.graph import Graph
from tinytf.framework.graph_keys import GraphKeys
from tinytf.framework.indexed_slices import IndexedSlices
from tinytf.framework.stacks import get_default_graph, graph_to_build_in
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops.array.constant import constant
from tinytf.ops.control_flow.while_context import WhileContext
from tinytf.ops.math.arithmetic import add
from tinytf.ops.math.comparison import less
from tinytf.ops.math.logical import logical_and
from tinytf.ops.tensor_array.tensor_array import flow_of


def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
    maximum_iterations: Any = None,
    return_same_structure: bool = False,
) -> Any:
    """Repeat `body` while `cond` is true (TensorFlow: `tf.while_loop`).

    Both functions are called once, here, to build their part of the graph; a run executes it once
    for each iteration. A tensor from outside is the same in all iterations.

    Args:
      cond: function of the loop variables that returns a scalar bool tensor.
      body: function of the loop variables that returns their next values, in their structure.
      loop_vars: a list or tuple of initial values; elements may be nested structures.
      shape_invariants: what stays true of each variable's shape, a `TensorShape` for each, in the
        structure of `loop_vars`; by default the shape of its initial value.
      parallel_iterations: how many iterations may be under way at a time.
      back_prop: whether gradients go through the loop.
      swap_memory: accepted for TensorFlow's sake.
      name: a name scope, "while" by default.
      maximum_iterations: a scalar int: stop after so many in any case.
      return_same_structure: whether a list of one variable gives a list; otherwise it gives the
        tensor.

    Returns:
      the values after the loop, in the structure that `body` returns.

    Raises:
      TypeError: if `cond` or `body` is not callable, or a value changes its type.
      ValueError: if `loop_vars` is empty, or a value changes its shape.

    Example:
      >>> tf.while_loop(lambda i: i < 10, lambda i: i + 1, [tf.constant(0)])  # 10
    """
    if not callable(cond):
        raise TypeError("'cond' must be callable.")
    if not callable(body):
        raise TypeError("'body' must be callable.")
    if not isinstance(parallel_iterations, int) or parallel_iterations < 1:
        raise TypeError("'parallel_iterations' must be a positive integer.")
    loop_vars = read_variables(loop_vars)  # and views of dictionaries as lists
    graph = graph_to_build_in(_graph_of(loop_vars))
    with graph.as_default(), graph.name_scope("while" if name is None else name):
        if isinstance(loop_vars, Tensor) or not loop_vars:
            raise ValueError(
                "'loop_vars' must be provided. It is a list or tuple of initial values."
            )
        if maximum_iterations is not None:
            maximum_iterations, cond, body, loop_vars = _limited(
                maximum_iterations, cond, body, loop_vars, return_same_structure
            )
            if shape_invariants is not None:
                single = not isinstance(loop_vars[1], list | tuple)
                if single and isinstance(shape_invariants, list | tuple):
                    shape_invariants = shape_invariants[0]
                shape_invariants = (TensorShape([]), shape_invariants)
        context = WhileContext(
            graph, maximum_iterations, parallel_iterations, back_prop, swap_memory
        )
        if context.outer is None:
            graph.add_to_collection(GraphKeys.WHILE_CONTEXT, context)
        result = context.build_loop(cond, body, loop_vars, shape_invariants, return_same_structure)
        return result if maximum_iterations is None else result[1]


def read_variables(structure: Any) -> Any:
    """A structure with the values of the resource variables in it, read here and now."""
    return nest.map_structure(
        lambda value: convert_to_tensor(value) if hasattr(value, "read_value") else value, structure
    )


def _graph_of(loop_vars: Any) -> Graph:
    for value in map(flow_of, nest.flatten(loop_vars)):
        if isinstance(value, Tensor | IndexedSlices):
            return value.graph
    return get_default_graph()


def _limited(
    maximum_iterations: Any,
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    return_same_structure: bool,
) -> tuple[Tensor, Callable[..., Any], Callable[..., Any], Any]:
    """The loop with a counter as its first variable."""
    limit = convert_to_tensor(maximum_iterations, name="maximum_iterations")
    if limit.shape.ndims != 0:
        raise ValueError(f"'maximum_iterations' must be a scalar. Received shape: {limit.shape}")
    counter = constant(0, dtype=limit.dtype, name="iteration_counter")
    single = len(loop_vars) == 1 and not return_same_structure

    def limited_cond(i: Tensor, values: Any) -> Tensor:
        within = less(i, limit)
        return logical_and(within, cond(values) if single else cond(*values))

    def limited_body(i: Tensor, values: Any) -> Any:
        following = add(i, 1, name="add")
        return following, body(values) if single else body(*values)

    return limit, limited_cond, limited_body, (counter, loop_vars[0] if single else loop_vars)
