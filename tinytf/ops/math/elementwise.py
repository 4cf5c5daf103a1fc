"""What elementwise ops share: their cards, and gradients with cards of their own."""

from __future__ import annotations

from typing import Any

from tinytf.framework import shape_inference
from tinytf.framework.op_card import OpCard, define_op
from tinytf.framework.scopes import ControlDependencies
from tinytf.framework.shape_inference import InferenceContext, merge
from tinytf.framework.stacks import get_default_graph
from tinytf.framework.tensor_shape import TensorShape

#: Signed numbers of all kinds.
SIGNED = "T: {floattype, int8, int16, int32, int64, complextype}"


def unary_card(
    op_type: str, kernel: Any, types: str = "T: inexacttype", no_gradient: str | None = None
) -> OpCard:
    """A card for a function of single elements, computed by a numpy function."""
    facets: dict[str, Any] = {"kernel": kernel, "no_gradient": no_gradient}
    return define_op(op_type, "x: T -> y: T", types, shape=shape_inference.unchanged, **facets)


def binary_card(op_type: str, types: str, kernel: Any = None, **facets: Any) -> OpCard:
    """A card for a function of the elements of two tensors, broadcast; facets as of `define_op`."""
    facets |= {"shape": shape_inference.broadcast, "kernel": kernel}
    return define_op(op_type, "x: T, y: T -> z: T", types, **facets)


def gradient_card(op_type: str, kernel: Any) -> OpCard:
    """A card for a derivative given by the forward result y and the gradient dy."""
    signature = "y: T, dy: T -> z: T"
    return define_op(op_type, signature, "T: inexacttype", shape=_shape_of_both, kernel=kernel)


def _shape_of_both(c: InferenceContext) -> TensorShape:
    return merge(c.input(0), c.input(1))


def after(gradient: Any) -> ControlDependencies:
    """A scope in which the nodes of a gradient wait for the gradient that came in."""
    return get_default_graph().control_dependencies([gradient.op])
