"""Methods of `Dataset` with threads of their own."""

from __future__ import annotations

from typing import Any, TypeVar

from tinytf.data import card_parallel as ops
from tinytf.data.base import DatasetBase, metadata
from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.tensor import Tensor

Self = TypeVar("Self", bound="Ahead")


class Ahead(DatasetBase):
    """Methods of `Dataset`."""

    def prefetch(self: Self, buffer_size: Any, name: str | None = None) -> Self:
        """The same elements, got ready by a thread ahead of time (TensorFlow: `Dataset.prefetch`).

        So the pipeline works while the program does something else with the element before.

        Args:
          buffer_size: how many are ready at most; tf.data.AUTOTUNE or None: as many as it takes.
          name: kept in the graph.

        Raises:
          InvalidArgumentError: when it runs, for a negative size.

        Example:
          >>> tf.data.Dataset.range(3).map(lambda x: x * 2).prefetch(1)  # 0, 2, 4
        """
        size = convert_to_tensor(
            -1 if buffer_size is None else buffer_size, dtypes.int64, name="buffer_size"
        )
        with self._variant_tensor.graph.colocate_with(self._variant_tensor):
            tensor = ops.prefetch_dataset(
                self._variant_tensor, size, slack_period=0, legacy_autotune=True,
                **self._flat_structure, metadata=metadata(name),
            )  # fmt: skip
        return self._derived(tensor)


def parallel_calls(calls: Any) -> Tensor:
    """The tensor of `num_parallel_calls`."""
    return convert_to_tensor(calls, dtypes.int64, name="num_parallel_calls")


def order(deterministic: bool | None) -> bytes:
    """The attribute that says whether elements keep their order."""
    return b"default" if deterministic is None else (b"true" if deterministic else b"false")
