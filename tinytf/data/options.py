"""`tf.data.Options`: how a pipeline is to be run. Kept in the graph; elements do not change."""

from __future__ import annotations

import enum
from typing import Any

from tinytf.data.base import D, DatasetBase
from tinytf.data.cards import METADATA, TYPES, define_dataset
from tinytf.data.stages import DatasetValue


class AutoShardPolicy(enum.IntEnum):
    """How datasets are spread over workers (TensorFlow: `tf.data.experimental`'s)."""

    OFF = -1
    AUTO = 0
    FILE = 1
    DATA = 2
    HINT = 3


class _Group:
    """Options by name.

    Attributes:
      _NUMBERS: of each option its field in TensorFlow's message, and its type.
    """

    _NUMBERS: dict[str, tuple[int, type]] = {}

    def __init__(self) -> None:
        for name, (_, kind) in self._NUMBERS.items():
            object.__setattr__(self, name, kind() if issubclass(kind, _Group) else None)

    def __setattr__(self, name: str, value: Any) -> None:
        name = _RENAMED.get(name, name)
        if name not in self._NUMBERS:
            raise AttributeError(f"Cannot set the property {name} on {type(self).__name__}.")
        kind = self._NUMBERS[name][1]
        if value is not None and not isinstance(value, kind):
            raise TypeError(
                f'Property "{name}" must be of type {kind}, got: {value} (type: {type(value)})'
            )
        object.__setattr__(self, name, value)

    def __getattr__(self, name: str) -> Any:
        if name in _RENAMED:
            return getattr(self, _RENAMED[name])
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.serialized() == other.serialized()

    def __hash__(self) -> int:
        return hash(self.serialized())

    def serialized(self) -> bytes:
        """TensorFlow's message."""
        result = b""
        for name, (number, _) in sorted(self._NUMBERS.items(), key=lambda item: item[1][0]):
            value = getattr(self, name)
            if isinstance(value, _Group):
                content = value.serialized()
                result += bytes([number << 3 | 2, len(content)]) + content
            elif value is not None:
                result += _number(number << 3) + _number(int(value) & 0xFFFFFFFFFFFFFFFF)
        return result

    def merge(self, other: Any) -> Any:
        """These options, and where `other` has one, that."""
        made = type(self)()
        for name, (_, kind) in self._NUMBERS.items():
            mine, theirs = getattr(self, name), getattr(other, name)
            if issubclass(kind, _Group):
                object.__setattr__(made, name, mine.merge(theirs))
            else:
                object.__setattr__(made, name, mine if theirs is None else theirs)
        return made


def _number(value: int) -> bytes:
    result = b""
    while value > 127:
        result += bytes([value & 127 | 128])
        value >>= 7
    return result + bytes([value])


_RENAMED = {"experimental_deterministic": "deterministic", "experimental_threading": "threading"}


class AutotuneOptions(_Group):
    """What TensorFlow adjusts by itself (TensorFlow: `tf.data.experimental.AutotuneOptions`)."""

    _NUMBERS = {"enabled": (1, bool), "cpu_budget": (2, int), "ram_budget": (3, int)}


class DistributeOptions(_Group):
    """How it is spread over workers (TensorFlow: `tf.data.experimental.DistributeOptions`)."""

    _NUMBERS = {"auto_shard_policy": (1, AutoShardPolicy), "num_devices": (2, int)}

    def __init__(self) -> None:
        super().__init__()
        object.__setattr__(self, "auto_shard_policy", None)


class OptimizationOptions(_Group):
    """What TensorFlow rewrites (TensorFlow: `tf.data.experimental.OptimizationOptions`)."""

    _NUMBERS = {
        "apply_default_optimizations": (1, bool),
        "filter_fusion": (6, bool),
        "map_and_batch_fusion": (9, bool),
        "map_and_filter_fusion": (10, bool),
        "map_fusion": (11, bool),
        "map_parallelization": (12, bool),
        "noop_elimination": (14, bool),
        "parallel_batch": (15, bool),
        "shuffle_and_repeat_fusion": (17, bool),
        "filter_parallelization": (18, bool),
        "inject_prefetch": (19, bool),
    }


class ThreadingOptions(_Group):
    """How many threads there are (TensorFlow: `tf.data.ThreadingOptions`).

    Example:
      >>> options = tf.data.Options()
      >>> options.threading.private_threadpool_size = 2
      >>> tf.data.Dataset.range(2).with_options(options)  # [0, 1]
    """

    _NUMBERS = {"max_intra_op_parallelism": (1, int), "private_threadpool_size": (2, int)}


class Options(_Group):
    """How a dataset is to be run (TensorFlow: `tf.data.Options`).

    They travel with the graph, for TensorFlow to go by; here the elements come as they would
    without.

    Raises:
      AttributeError: for an option that does not exist. TypeError: for a value of another type.

    Example:
      >>> options = tf.data.Options()
      >>> options.deterministic = False
      >>> tf.data.Dataset.range(3).with_options(options)
    """

    _NUMBERS = {
        "deterministic": (1, bool),
        "experimental_distribute": (2, DistributeOptions),
        "experimental_optimization": (3, OptimizationOptions),
        "experimental_slack": (4, bool),
        "threading": (5, ThreadingOptions),
        "experimental_external_state_policy": (6, int),
        "autotune": (7, AutotuneOptions),
        "experimental_symbolic_checkpoint": (8, bool),
        "experimental_warm_start": (9, bool),
    }


# OptionsDataset -----------------------------------------------------------------------------------

options_dataset = define_dataset(
    "OptionsDataset", "input_dataset: variant", "serialized_options: string", TYPES, METADATA
)


@options_dataset.kernel
def _options(source: DatasetValue) -> DatasetValue:
    return source  # they are about how fast it goes


def with_options(self: D, options: Options, name: str | None = None) -> D:
    """The same elements, with options (TensorFlow: `Dataset.with_options`).

    Raises:
      TypeError: for anything but `tf.data.Options`.

    Example:
      >>> tf.data.Dataset.range(3).with_options(tf.data.Options())  # 0, 1, 2
    """
    if not isinstance(options, Options):
        raise TypeError(f"with_options takes tf.data.Options, not {options!r}.")
    with self._variant_tensor.graph.colocate_with(self._variant_tensor):
        made = self._derived(options_dataset, serialized_options=options.serialized(), name=name)
    made._own_options = _options_of(self).merge(options)
    return made


def options(self: DatasetBase) -> Options:
    """The options of this dataset and of those it is made of (TensorFlow: `options`)."""
    return _options_of(self)


def _options_of(dataset: DatasetBase) -> Options:
    if dataset._own_options is not None:
        return dataset._own_options
    result = Options()
    for one in dataset._inputs:
        result = result.merge(_options_of(one))
    return result
