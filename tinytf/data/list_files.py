"""`Dataset.list_files`: the files that patterns match."""

from __future__ import annotations

from typing import Any

from tinytf.data.base import made
from tinytf.data.from_tensor_slices import TensorSliceDataset
from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.scope_functions import control_dependencies, name_scope
from tinytf.framework.tensor_spec import TensorSpec
from tinytf.ops.array.identity import identity
from tinytf.ops.array.shape import shape
from tinytf.ops.check.assert_op import Assert
from tinytf.ops.io.files import matching_files
from tinytf.ops.math.arithmetic import add, maximum
from tinytf.ops.math.comparison import greater
from tinytf.ops.strings.text import reduce_join


def list_files(
    file_pattern: Any, shuffle: bool | None = None, seed: Any = None, name: str | None = None
) -> Any:
    """The names of the files that match patterns (TensorFlow: `Dataset.list_files`).

    Args:
      file_pattern: a pattern such as "data/*.csv", or several, as a tensor of strings.
      shuffle: whether the order is random, each time another; None: yes.
      seed: of the order; see `shuffle`. name: kept in the graph.

    Raises:
      InvalidArgumentError: when it runs, if no file matches.

    Example:
      >>> names = tf.data.Dataset.list_files("data/*.csv", shuffle=False)
    """
    with name_scope("list_files"):
        pattern = convert_to_tensor(file_pattern, dtypes.string, name="file_pattern")
        found = matching_files(pattern)
        count: Any = shape(found)
        is_there = greater(count[0], 0, name="match_not_empty")
        message = add(
            "No files matched pattern: ", reduce_join(pattern, separator=", "), name="message"
        )
        checked = Assert(is_there, [message], summarize=1, name="assert_not_empty")
        with control_dependencies([checked]):
            found = identity(found)
        spec = TensorSpec((), dtypes.string)
        dataset = made(TensorSliceDataset.card, [found], spec=spec, is_files=True, name=name)
        if shuffle is None or shuffle:
            count = shape(found, out_type=dtypes.int64)
            size = maximum(count[0], 1)
            dataset = dataset.shuffle(size, seed=seed, name=name)
        return dataset
