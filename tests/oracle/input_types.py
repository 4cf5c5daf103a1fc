"""Python values that are given to ops, and the committed table of the types they become there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.oracle.environment import DATA

INPUT_TYPES = DATA / "input_types.json.gz"

_ARRAYS = (
    "int64",
    "float64",
    "float32",
    "uint16",
    "int32",
    "uint8",
    "int8",
    "int16",
    "float16",
    "bool",
    "complex64",
    "uint32",
    "uint64",
    "str",
)


def values(tf: Any) -> dict[str, Any]:
    """The values by name. None needs a wider type than a default may have: see differences.md."""
    return {
        **{f"an array of {name}": np.array([1]).astype(name) for name in _ARRAYS},
        "text": np.array(["a"]),
        "integers": [3],
        "floats": [1.5],
        "strings": ["a"],
        "truths": [True],
        "nothing": [],
        "an empty array": np.array([]),
        "a numpy number": np.int64(3),
        "dimensions": [tf.Dimension(3)],
        "a shape": tf.TensorShape([3]),
    }


def outcome(function: Callable[[], str]) -> str:
    """What a function gives, or the class of its error."""
    try:
        return function()
    except (TypeError, ValueError) as error:
        return type(error).__name__
