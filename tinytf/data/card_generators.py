"""The op that makes a dataset out of functions."""

from __future__ import annotations

from typing import Any

from tinytf.data.card_sources import HANDLE, METADATA, REASON, TYPES
from tinytf.data.run_generators import GeneratorDataset
from tinytf.framework import shape_inference
from tinytf.framework.op_card import define_op

# GeneratorDataset ---------------------------------------------------------------------------------

generator_dataset = define_op(
    "GeneratorDataset",
    ["init_func_other_args: Tinit_func_args", "next_func_other_args: Tnext_func_args",
     "finalize_func_other_args: Tfinalize_func_args"],
    HANDLE,
    ["init_func: func", "next_func: func", "finalize_func: func",
     "Tinit_func_args: list(type) >= 0", "Tnext_func_args: list(type) >= 0",
     "Tfinalize_func_args: list(type) >= 0", *TYPES, METADATA],
    stateful=True,
)  # fmt: skip
generator_dataset.shape(shape_inference.is_scalar)
generator_dataset.not_differentiable(REASON)


@generator_dataset.kernel
def _generator(
    *captured: Any, init_func: Any, next_func: Any, finalize_func: Any, Tinit_func_args: Any,
    Tnext_func_args: Any, node: Any,
) -> GeneratorDataset:  # fmt: skip
    first = len(Tinit_func_args)
    second = first + len(Tnext_func_args)
    return GeneratorDataset(
        node,
        [(init_func, captured[:first]), (next_func, captured[first:second]),
         (finalize_func, captured[second:])],
    )  # fmt: skip
