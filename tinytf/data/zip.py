"""`Dataset.zip`: datasets side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tinytf.data import structure
from tinytf.data.base import DatasetBase, made
from tinytf.data.cards import METADATA, TYPES, dataset_op
from tinytf.data.stages import INFINITE, UNKNOWN, Context, DatasetValue, Next, Stage


@dataset_op("input_datasets: N * variant", TYPES, "N: int >= 1", METADATA)
class ZipDataset(DatasetValue):
    """One element of each, side by side; as many as the shortest has."""

    def start(self, context: Context, stage: Stage) -> Next:
        advances = [source.iterate(context, stage).next for source in self.inputs]

        produced, is_over = 0, False

        def zipped() -> tuple:
            nonlocal produced, is_over
            element: tuple = ()
            for index, advance in enumerate(advances if not is_over else [_ended]):
                try:
                    element += advance()
                except Exception as error:
                    if not is_over:
                        met_end = _keep_in_step(advances[index + 1 :])
                        is_over = met_end or isinstance(error, StopIteration)
                    raise
            produced += 1
            return element

        stage.count = lambda: produced
        return zipped

    def cardinality(self) -> int:
        sizes = [source.cardinality() for source in self.inputs]
        known = [size for size in sizes if size != INFINITE]
        if UNKNOWN in known:
            return UNKNOWN
        return min(known, default=INFINITE)


def _keep_in_step(advances: Sequence[Next]) -> bool:
    """After an error or the end, take one element of each of the others; whether one has no more.

    So they stay side by side, and a cache among inputs of one length learns that it is complete.
    """
    met_end = False
    for advance in advances:
        try:
            advance()
        except StopIteration:
            met_end = True
        except Exception:  # noqa: S112 - of several errors the first is told
            continue
    return met_end


def _ended() -> tuple:
    raise StopIteration


def zip(*args: Any, datasets: Any = None, name: str | None = None) -> Any:
    """Datasets side by side: one element of each (TensorFlow: `Dataset.zip`).

    Args:
      *args, datasets: datasets, in tuples and dictionaries. name: kept in the graph.

    Raises:
      TypeError: for a list, or what is no dataset.

    Example:
      >>> numbers = tf.data.Dataset.range(3)
      >>> tf.data.Dataset.zip((numbers, numbers.skip(1)))  # [(0, 1), (1, 2)]
    """
    if not args and datasets is None:
        raise TypeError("Must pass at least one dataset to `zip`.")
    if args and datasets is not None:
        raise TypeError("Both `*args` and `datasets` cannot be set.")
    parts = datasets if not args else (args[0] if len(args) == 1 else args)
    leaves = structure.flatten(parts)
    for leaf in leaves:
        if isinstance(leaf, list):
            raise TypeError(
                "Invalid input to `zip`. Inputs are expected to be (nested) structures of "
                "`tf.data.Dataset` objects. Python `list` is not supported and you should use "
                "`tuple` instead."
            )
        if not isinstance(leaf, DatasetBase):
            raise TypeError(
                f"Invalid input to `zip`. Inputs are expected to be (nested) structures of "
                f"`tf.data.Dataset` objects but encountered object of type {type(leaf)}."
            )
    spec = structure.map_structure(lambda one: one.element_spec, parts)
    tensors = [one._variant_tensor for one in leaves]
    return made(ZipDataset.card, tensors, spec=spec, sources=leaves, name=name)
