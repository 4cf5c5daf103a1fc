"""What the cards of datasets have in common: pieces of their schemas, and how they are defined."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from tinytf.framework import shape_inference
from tinytf.framework.op_card import OpCard, define_op
from tinytf.framework.shape_inference import InferenceContext
from tinytf.framework.tensor_shape import TensorShape

K = TypeVar("K", bound=type)

#: The components of elements, and where a dataset's `name` is kept: in nearly every schema.
TYPES = "output_types: list(type) >= 1, output_shapes: list(shape) >= 1"
METADATA = "metadata: string = ''"
FORM = f"{TYPES}, {METADATA}"
ORDER = "deterministic: string = 'default'"
#: The inputs and attributes of an op that calls a function for each element.
CALLS = "input_dataset: variant, other_arguments: Targuments"
FUNCTION = f"f: func, Targuments: list(type) >= 0, {TYPES}"


def define_dataset(
    name: str,
    inputs: str,
    *attrs: str,
    kernel: Callable[..., Any] | None = None,
    shape: Callable[..., Any] = shape_inference.is_scalar,
    stateful: bool = False,
) -> OpCard:
    """Define an op that makes a dataset; see `define_op`.

    Args:
      inputs: the signature up to the arrow. kernel: often the class of what it makes.
    """
    return define_op(
        name,
        f"{inputs} -> handle: variant",
        *attrs,
        stateful=stateful,
        shape=shape,
        kernel=kernel,
        no_gradient="a dataset is no number",
    )


def dataset_op(inputs: str, *attrs: str, name: str = "", **facets: Any) -> Callable[[K], K]:
    """Say which op makes datasets of a class (a decorator): its card is the class's `card`.

    Args:
      inputs, attrs, facets: see `define_dataset`. name: the op type, if not that of the class.
    """

    def define(kind: Any) -> Any:
        kind.card = define_dataset(name or kind.__name__, inputs, *attrs, kernel=kind, **facets)
        return kind

    return define


def several_functions(suffix: str, *parts: str) -> tuple[str, str]:
    """The inputs and attributes of an op with several functions: what each captured, and itself."""
    inputs = ", ".join(f"{part}_{suffix}: T{part}_{suffix}" for part in parts)
    functions = ", ".join(f"{part}: func" for part in parts)
    types = ", ".join(f"T{part}_{suffix}: list(type) >= 0" for part in parts)
    return inputs, f"{functions}, {types}"


def element_shapes(c: InferenceContext) -> list[TensorShape]:
    """The shapes of an op's results that are the components of an element."""
    return list(c.attrs["output_shapes"])
