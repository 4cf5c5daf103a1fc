"""Einstein summation: products of tensors, of which labels say what is summed.

The kernel turns a product into one batched matrix multiplication: the labels of both tensors that
stay are the batch, those that go are summed, the rest are rows and columns.
"""

from __future__ import annotations

import functools
import itertools
import math
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework.array_types import Array
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import (
    InferenceContext,
    broadcast_shapes,
    merge_dimension,
    with_rank,
    with_rank_at_least,
)
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape, unknown_shape
from tinytf.ops.base.broadcast_gradients import broadcast_gradient_args
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.base.shape_rules import shown
from tinytf.ops.math.complex_numbers import conj
from tinytf.ops.nn.relu import widened
from tinytf.ops.reduce.axes import reduced_shape
from tinytf.ops.reduce.reduction import reduce_sum

_ELLIPSIS = "..."

# Einsum -------------------------------------------------------------------------------------------

_einsum = define_op(
    "Einsum", "inputs: N * T -> output: T", "equation: string, N: int >= 1, T: type"
)

#: The labels before the ellipsis, those after it, and whether there is one.
_Labels = tuple[str, str, bool]


@functools.lru_cache(maxsize=1024)
def _parsed(equation: str) -> tuple[tuple[_Labels, ...], _Labels]:
    """The labels of the inputs and of the output; ValueError for what is no equation."""
    sides = equation.split("->")
    if len(sides) != 2:
        raise ValueError(f"Expecting exactly one '->' in einsum equation: {equation}")
    inputs = sides[0].split(",")
    if len(inputs) not in (1, 2):
        raise ValueError(
            f"Expecting 1 or 2 input subscripts in equation '{equation}' but got: {len(inputs)}"
        )
    known = set(sides[0])
    for label in sides[1].replace(_ELLIPSIS, ""):
        if label not in known and label != ".":
            raise ValueError(
                f"Einsum output subscripts for equation '{equation}' has label '{label}' which is "
                f"not present in the input subscripts"
            )
    return tuple(_labels_of(subscripts) for subscripts in inputs), _labels_of(sides[1])


def _labels_of(subscripts: str) -> _Labels:
    periods = subscripts.count(".")
    if periods not in (0, 3) or (periods == 3 and _ELLIPSIS not in subscripts):
        raise ValueError(
            f"Expected at most one ellipsis (...), but found {periods} periods (.) in the input "
            f"subscript: {subscripts}"
        )
    before, ellipsis, after = subscripts.partition(_ELLIPSIS)
    return before, after, bool(ellipsis)


@_einsum.shape
def _einsum_shape(c: InferenceContext) -> TensorShape:
    equation = c.attrs["equation"].decode()
    inputs, output = _parsed(equation)
    if len(inputs) != len(c.inputs):
        raise ValueError(
            f"Expected {len(inputs)} inputs for equation {equation} but got: {len(c.inputs)}"
        )
    sizes: dict[str, int | None] = {}
    broadcast: TensorShape = TensorShape.of(())
    for index, (labels, shape) in enumerate(zip(inputs, c.shapes())):
        before, after, has_ellipsis = labels
        named = len(before) + len(after)
        try:
            given = (with_rank_at_least if has_ellipsis else with_rank)(shape, named).sizes
        except ValueError as error:
            raise ValueError(f"{error}\n\t for {index}th input and equation: {equation}") from None
        if shape.sizes is None or given is None:
            sizes |= {label: sizes.get(label) for label in before + after}
            if has_ellipsis:
                broadcast = unknown_shape()
            continue
        end = len(given) - len(after)
        own = (*given[: len(before)], *given[end:])
        for label, size in zip(before + after, own):
            sizes[label] = merge_dimension(sizes.get(label), size)
        if has_ellipsis:
            broadcast = broadcast_shapes(broadcast, TensorShape.of(given[len(before) : end]))
    return _result_shape(output, sizes, broadcast, equation)


def _result_shape(
    output: _Labels, sizes: dict[str, int | None], broadcast: TensorShape, equation: str
) -> TensorShape:
    before, after, has_ellipsis = output
    if not has_ellipsis and broadcast.ndims:
        raise ValueError(
            f"Shape must be at most rank 0 but is rank {broadcast.ndims}\n\t for broadcasting "
            f"dimensions, which the output of the equation has no ellipsis for: {equation}"
        )
    if broadcast.sizes is None:
        if has_ellipsis:
            return unknown_shape()
        broadcast = TensorShape.of(())
    first, last = ([sizes[label] for label in labels] for labels in (before, after))
    return TensorShape.of((*first, *(broadcast.sizes or ()), *last))


@_einsum.kernel
def _einsum_kernel(*operands: Array, equation: bytes) -> Array:
    inputs, output, rank = _numbered(equation.decode(), tuple(x.ndim for x in operands))
    sizes: dict[int, int] = {}
    reduced = []
    for index, (labels, operand) in enumerate(zip(inputs, operands)):
        for axis, (label, size) in enumerate(zip(labels, operand.shape)):
            if label >= rank and sizes.setdefault(label, size) != size:
                raise invalid(
                    f"Expected dimension {sizes[label]} at axis {axis} of the input shaped "
                    f"{shown(operand)} but got dimension {size}"
                )
        needed = {*output, *(inputs[1 - index] if len(inputs) == 2 else ())}
        reduced.append(_without(widened(operand), labels, needed))
    once = tuple(dict.fromkeys(output))
    if len(reduced) == 2:
        try:
            result = _product(reduced[0], reduced[1], once, rank)
        except ValueError:
            raise invalid(
                f"Invalid broadcasting dimensions: {shown(operands[0])} vs. {shown(operands[1])}"
            ) from None
    else:
        value, kept = reduced[0]
        result = value.transpose([kept.index(label) for label in once])
    if len(once) != len(output):
        result = _on_diagonals(result, once, output)
    return result.astype(operands[0].dtype, copy=False)


@functools.lru_cache(maxsize=1024)
def _numbered(
    equation: str, ranks: tuple[int, ...]
) -> tuple[list[tuple[int, ...]], tuple[int, ...], int]:
    """Labels as numbers: those of an ellipsis first, aligned at its end.

    Returns:
      the labels of each input, of the output, and how many belong to the ellipsis.
    """
    inputs, output = _parsed(equation)
    widths = []
    for index, ((before, after, has_ellipsis), rank) in enumerate(zip(inputs, ranks)):
        named = len(before) + len(after)
        if has_ellipsis and rank < named:
            raise invalid(f"Expected input {index} to have rank at least {named} but got: {rank}")
        if not has_ellipsis and rank != named:
            raise invalid(f"Expected input {index} to have rank {named} but got: {rank}")
        widths.append(rank - named)
    width = max(widths)
    if width and not output[2]:
        raise invalid(
            f"Output contains {width} broadcasting dimension(s) but no ellipsis (...) was found "
            f"in the output subscripts."
        )
    numbers: dict[str, int] = {}
    for before, after, _ in inputs:
        for label in before + after:
            numbers.setdefault(label, width + len(numbers))

    def of(labels: _Labels, own_width: int) -> tuple[int, ...]:
        before, after, _ = labels
        return (
            *(numbers[label] for label in before),
            *range(width - own_width, width),
            *(numbers[label] for label in after),
        )

    return [of(*pair) for pair in zip(inputs, widths)], of(output, width), width


def _without(value: Any, labels: tuple[int, ...], needed: set[int]) -> tuple[Any, list[int]]:
    """The diagonals of labels that stand twice, summed over labels that nobody needs."""
    kept = [label for label in dict.fromkeys(labels) if label in needed]
    if tuple(kept) == labels:
        return value, kept
    return np.einsum(value, list(labels), kept), kept


def _product(
    first: tuple[Any, list[int]], second: tuple[Any, list[int]], output: tuple[int, ...], rank: int
) -> Any:
    """Two tensors without repeated labels; labels below `rank` broadcast."""
    (x, x_labels), (y, y_labels) = first, second
    x_only = [label for label in x_labels if label not in y_labels and label >= rank]
    y_only = [label for label in y_labels if label not in x_labels and label >= rank]
    shared = [label for label in x_labels if label in y_labels and label >= rank]
    batch = [*range(rank), *(label for label in shared if label in output)]
    summed = [label for label in shared if label not in output]
    x, x_batch, rows = _arranged(x, x_labels, batch, x_only, summed)
    y, y_batch, columns = _arranged(y, y_labels, batch, y_only, summed)
    inner = math.prod(x.shape[x.ndim - len(summed) :])
    x = x.reshape((*x_batch, math.prod(rows), inner))
    y = np.swapaxes(y.reshape((*y_batch, math.prod(columns), inner)), -1, -2)
    product = np.matmul(x, y) if summed else x * y
    product = product.reshape((*product.shape[:-2], *rows, *columns))
    labels = [*batch, *x_only, *y_only]
    return product.transpose([labels.index(label) for label in output])


def _arranged(
    value: Any, labels: list[int], batch: list[int], own: list[int], summed: list[int]
) -> tuple[Any, tuple[int, ...], tuple[int, ...]]:
    """The tensor with its axes in the order batch, own, summed; the sizes of batch and own."""
    missing = [label for label in batch if label not in labels]
    value = value.reshape((*[1] * len(missing), *value.shape))
    order = [*missing, *labels]
    value = value.transpose([order.index(label) for label in (*batch, *own, *summed)])
    middle = len(batch) + len(own)
    return value, value.shape[: len(batch)], value.shape[len(batch) : middle]


def _on_diagonals(value: Any, labels: tuple[int, ...], output: tuple[int, ...]) -> Any:
    """The tensor spread over the diagonals of labels that stand twice in the output."""
    sizes = dict(zip(labels, value.shape))
    result = np.zeros([sizes[label] for label in output], value.dtype)
    np.einsum(result, list(output), list(labels))[...] = value  # a view of the diagonals
    return result


# The gradient -------------------------------------------------------------------------------------


@_einsum.gradient
def _einsum_gradient(op: Operation, gradient: Any) -> Any:
    left, output = op.attrs["equation"].decode().split("->")
    if len(op.inputs) == 1:
        sizes = ops.shape(op.inputs[0])
        summed = set(left) - set(output + _ELLIPSIS)
        if not summed:
            return _einsum([gradient], equation=f"{output}->{left}")
        return _spread_back(gradient, output, left, sizes, summed)
    x_labels, y_labels = left.split(",")
    if _ELLIPSIS in output:
        x_labels += "" if _ELLIPSIS in x_labels else _ELLIPSIS
        y_labels += "" if _ELLIPSIS in y_labels else _ELLIPSIS
    x, y = op.inputs
    if gradient.dtype.is_complex:
        x, y = conj(x), conj(y)
    x_sizes: Any = ops.shape(x)
    y_sizes: Any = ops.shape(y)
    of_x = _gradient_of_one(gradient, y, x_sizes, x_labels, y_labels, output)
    of_y = _gradient_of_one(gradient, x, y_sizes, y_labels, x_labels, output)
    if _ELLIPSIS not in output:
        return of_x, of_y
    (x_from, x_to), (y_from, y_to) = _ellipsis_range(x_labels), _ellipsis_range(y_labels)
    if x.shape.is_fully_defined() and y.shape.is_fully_defined():
        if x.shape[x_from:x_to] == y.shape[y_from:y_to]:
            return of_x, of_y
    axes: Any = broadcast_gradient_args(x_sizes[x_from:x_to], y_sizes[y_from:y_to])
    return (
        _summed_to(of_x, x_from + axes[0], x_sizes),
        _summed_to(of_y, y_from + axes[1], y_sizes),
    )


def _summed_to(value: Any, axes: Any, sizes: Any) -> Tensor:
    return ops.reshape(reduce_sum(value, axes), sizes)


def _ellipsis_range(labels: str) -> tuple[int, int | None]:
    """The axes that the ellipsis stands for, as a slice."""
    start = labels.find(_ELLIPSIS)
    if start == -1:
        return 0, 0
    after = len(labels) - start - len(_ELLIPSIS)
    return start, -after if after else None


def _gradient_of_one(
    gradient: Any, other: Any, sizes: Any, labels: str, other_labels: str, output: str
) -> Any:
    """The gradient of one factor: the product of the other with the gradient of the result.

    Labels that only this factor has were summed before; they are spread out again at the end.
    """
    summed = set(labels) - set(output + other_labels + ".")
    kept = "".join(label for label in labels if label not in summed)
    product = _einsum([gradient, other], equation=f"{output},{other_labels}->{kept}")
    return _spread_back(product, kept, labels, sizes, summed) if summed else product


def _axis_of(labels: str, label: str) -> int:
    """The axis of a label; negative if it comes after the ellipsis."""
    before, _, after = labels.partition(_ELLIPSIS)
    return before.find(label) if label in before else after.find(label) - len(after)


def _spread_back(gradient: Any, output: str, labels: str, sizes: Any, summed: set[str]) -> Any:
    """The gradient of a sum over labels: the gradient of the result, at every position of them."""
    order = "".join(sorted(summed))
    axes = [_axis_of(labels, label) for label in order]
    lengths = ops.stack([sizes[axis] for axis in axes])
    repeats = len(set(labels)) + len(set(output)) < len(labels) + len(output)
    if not repeats and "".join(label for label in labels if label not in summed) == output:
        kept_shape = reduced_shape(sizes, convert_to_tensor(axes))
        return ops.broadcast_to(ops.reshape(gradient, kept_shape), sizes)
    spread = ops.concat([lengths, ops.shape(gradient)], axis=0)
    ones = ops.ones(len(summed), dtype="int32")
    kept_shape = ops.concat([ones, ops.shape(gradient)], axis=0)
    wide = ops.broadcast_to(ops.reshape(gradient, kept_shape), spread)
    return _einsum([wide], equation=f"{order}{output}->{labels}")


# The public function ------------------------------------------------------------------------------


def einsum(equation: str, *inputs: Any, **kwargs: Any) -> Any:
    """A sum of products, written with indices (TensorFlow: `tf.einsum`).

    Args:
      equation: such as "ij,jk->ik": a letter for each dimension of each input; those that are
        missing after the arrow are summed. Without arrow, letters that stand once stay, in
        alphabetical order. "..." stands for any further dimensions, which broadcast.
      *inputs: tensors of one dtype.
      **kwargs: `name`; and `optimize`, which TensorFlow takes as well: here the order in which
        more than two inputs are multiplied is always the greedy one.

    Raises:
      ValueError: for a malformed equation, or if sizes do not fit. TypeError: for other keywords.

    Example:
      >>> x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
      >>> tf.einsum("ij,jk->ik", x, x)  # [[7., 10.], [15., 22.]]
      >>> tf.einsum("ii", x)  # 5.0
    """
    name, _ = kwargs.pop("name", None), kwargs.pop("optimize", None)
    if kwargs:
        raise TypeError(
            f"Invalid keyword arguments for einsum: {', '.join(kwargs)}. Valid arguments: name, "
            f"optimize, greedy."
        )
    with op_scope(name, "einsum", inputs):
        operands = list(inputs)
        resolved = _resolved(equation, len(operands))
        if len(operands) <= 2:
            return _einsum(operands, equation=resolved)
        for positions, step in _steps(resolved, list(operands)):
            chosen = [operands.pop(position) for position in positions]
            operands.append(_einsum(chosen, equation=step))
        return operands[0]


def _resolved(equation: str, count: int) -> str:
    """The equation without spaces and with an output; ValueError if it is none."""
    text = equation.replace(" ", "")
    if _ELLIPSIS in equation:
        if "0" in text:
            raise ValueError(f'Invalid character "0" in equation: {equation}.')
        text = text.replace(_ELLIPSIS, "0")  # one label while looking at it
    letters = "a-zA-Z0" if "0" in text and _ELLIPSIS in equation else "a-zA-Z"
    match = re.match(f"^([{letters},]*)(->[{letters}]*)?$", text)
    if not match:
        raise ValueError(f"Subscripts have incorrect format: {text}")
    left, right = match.group(1), match.group(2)
    if len(left.split(",")) != count:
        raise ValueError(
            f'Got {count} inputs for equation "{equation}", expecting {len(left.split(","))}'
        )
    if right is None:
        counts = Counter(left)
        once = "".join(x for x in sorted(counts) if x != "," and counts[x] == 1)
        text += "->" + once
        right = "->" + once
    output = right[2:]
    if len(set(output)) != len(output):
        raise ValueError(f"Output subscripts contain a label appearing more than once: {equation}")
    for label in output:
        if label != "0" and label not in left:
            raise ValueError(
                f"Output subscripts contain the label {label} not present in the input subscripts."
            )
    return text.replace("0", _ELLIPSIS)


def _steps(equation: str, operands: list[Any]) -> Iterator[tuple[list[int], str]]:
    """Products of two, one after the other: always those that make the least numbers more."""
    left, output = equation.split("->")
    terms = left.split(",")
    sizes: dict[str, int] = {}
    for index, (term, operand) in enumerate(zip(terms, operands)):
        _note_sizes(term, operand, sizes, index, equation)

    def result_of(i: int, j: int) -> str:
        rest = [term for k, term in enumerate(terms) if k not in (i, j)]
        needed = _split("".join(rest) + output)
        joined = dict.fromkeys(_split(terms[j] + terms[i]))
        return "".join(label for label in joined if label in needed)

    def cost(pair: tuple[int, int]) -> tuple[bool, int, tuple[int, int]]:
        i, j = pair
        count = [
            math.prod(sizes[x] for x in set(_split(t)))
            for t in (result_of(i, j), terms[i], terms[j])
        ]
        is_outer = not set(_split(terms[i])) & set(_split(terms[j]))
        return is_outer, count[0] - count[1] - count[2], pair

    while len(terms) > 1:
        i, j = min(itertools.combinations(range(len(terms)), 2), key=cost)
        result = output if len(terms) == 2 else result_of(i, j)
        second, first = terms.pop(j), terms.pop(i)
        terms.append(result)
        yield [j, i], f"{second},{first}->{result}"


def _split(labels: str) -> list[str]:
    """The labels one by one, the ellipsis as one of them."""
    return re.findall(r"\.\.\.|.", labels)


def _note_sizes(term: str, operand: Any, sizes: dict[str, int], index: int, equation: str) -> None:
    """Remember the sizes of an input's labels, 1 where they are not known."""
    labels = _split(term)
    shape = operand.shape if isinstance(operand, Tensor) else TensorShape(np.shape(operand))
    if labels.count(_ELLIPSIS) > 1:
        raise ValueError(f"Too many ellipses in input label {term}.")
    for label in labels:
        sizes.setdefault(label, 1)
    if shape.sizes is None:
        return
    given = list(shape.sizes)
    if _ELLIPSIS in labels:
        if len(labels) > len(given) + 1:
            raise ValueError(
                f"Too many named labels in {index}th subscript string of equation {equation} for "
                f"input shape {given} "
            )
        start = labels.index(_ELLIPSIS)
        end = start + len(given) + 1 - len(labels)
        given[start:end] = [math.prod(size for size in given[start:end] if size)]
    elif len(labels) != len(given):
        raise ValueError(
            f"Number of named labels in input #{index} of equation {equation} must be equal to "
            f"the number of dimensions in shape {given}"
        )
    for label, size in zip(labels, given):
        sizes[label] = max(sizes[label], size or 1)
