"""Conditionals and loops: the primitives, the contexts that build them, and their gradients."""

from tinytf.ops.control_flow import stack_ops  # noqa: F401  (registers the cards)
from tinytf.ops.control_flow.cond import cond
from tinytf.ops.control_flow.grouping import group, tuple, with_dependencies
from tinytf.ops.control_flow.primitives import control_trigger, no_op
from tinytf.ops.control_flow.while_loop import while_loop
from tinytf.ops.functions import calls as function_calls  # noqa: F401  (registers the cards)

__all__ = ["cond", "control_trigger", "group", "no_op", "tuple", "while_loop", "with_dependencies"]
