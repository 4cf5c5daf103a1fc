"""`tf.data.Options`: how a pipeline is to be run. Kept in the graph; elements do not change."""

from __future__ import annotations

import enum
from typing import Any

from tinytf.data.base import DatasetBase, Self, varint
from tinytf.data.cards import FORM, define_dataset
from tinytf.data.stages import DatasetValue


class AutoShardPolicy(enum.IntEnum):
    """How datasets are spread over workers (TensorFlow: `tf.data.experimental`'s)."""

    OFF = -1
    AUTO = 0
    FILE = 1
    DATA = 2
    HINT = 3


def _fields(kind: type, text: str) -> dict[str, tuple[int, type]]:
    """Options of a type, each with its field in TensorFlow's message: "1 enabled, 2 other"."""
    pairs = (part.split() for part in text.split(","))
    return {name: (int(number), kind) for number, name in pairs}


class _Group:
    """Options by name.

    Attributes:
      _FIELDS: see `_fields`.
    """

    _FIELDS: dict[str, tuple[int, type]] = {}

    def __init__(self) -> None:
        for name, (_, kind) in self._FIELDS.items():
            object.__setattr__(self, name, kind() if issubclass(kind, _Group) else None)

    def __setattr__(self, name: str, value: Any) -> None:
        name = _RENAMED.get(name, name)
        if name not in self._FIELDS:
            raise AttributeError(f"Cannot set the property {name} on {type(self).__name__}.")
        kind = self._FIELDS[name][1]
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
        for name, (number, _) in sorted(self._FIELDS.items(), key=lambda item: item[1][0]):
            value = getattr(self, name)
            if isinstance(value, _Group):
                content = value.serialized()
                result += bytes([number << 3 | 2, len(content)]) + content
            elif value is not None:
                result += varint(number << 3) + varint(int(value) & 0xFFFFFFFFFFFFFFFF)
        return result

    def merge(self, other: Any) -> Any:
        """These options, and where `other` has one, that."""
        made = type(self)()
        for name, (_, kind) in self._FIELDS.items():
            mine, theirs = getattr(self, name), getattr(other, name)
            if issubclass(kind, _Group):
                object.__setattr__(made, name, mine.merge(theirs))
            else:
                object.__setattr__(made, name, mine if theirs is None else theirs)
        return made


_RENAMED = {"experimental_deterministic": "deterministic", "experimental_threading": "threading"}


class AutotuneOptions(_Group):
    """What TensorFlow adjusts by itself (TensorFlow: `tf.data.experimental.AutotuneOptions`)."""

    _FIELDS = _fields(bool, "1 enabled") | _fields(int, "2 cpu_budget, 3 ram_budget")


class DistributeOptions(_Group):
    """How it is spread over workers (TensorFlow: `tf.data.experimental.DistributeOptions`)."""

    _FIELDS = _fields(AutoShardPolicy, "1 auto_shard_policy") | _fields(int, "2 num_devices")


class OptimizationOptions(_Group):
    """What TensorFlow rewrites (TensorFlow: `tf.data.experimental.OptimizationOptions`)."""

    _FIELDS = _fields(
        bool,
        "1 apply_default_optimizations, 6 filter_fusion, 9 map_and_batch_fusion, "
        "10 map_and_filter_fusion, 11 map_fusion, 12 map_parallelization, 14 noop_elimination, "
        "15 parallel_batch, 17 shuffle_and_repeat_fusion, 18 filter_parallelization, "
        "19 inject_prefetch",
    )


class ThreadingOptions(_Group):
    """How many threads there are (TensorFlow: `tf.data.ThreadingOptions`).

    Example:
      >>> options = tf.data.Options()
      >>> options.threading.private_threadpool_size = 2
      >>> tf.data.Dataset.range(2).with_options(options)  # [0, 1]
    """

    _FIELDS = _fields(int, "1 max_intra_op_parallelism, 2 private_threadpool_size")


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

    _FIELDS = {
        **_fields(bool, "1 deterministic, 4 experimental_slack"),
        **_fields(bool, "8 experimental_symbolic_checkpoint, 9 experimental_warm_start"),
        **_fields(int, "6 experimental_external_state_policy"),
        **_fields(DistributeOptions, "2 experimental_distribute"),
        **_fields(OptimizationOptions, "3 experimental_optimization"),
        **_fields(ThreadingOptions, "5 threading"),
        **_fields(AutotuneOptions, "7 autotune"),
    }


# OptionsDataset -----------------------------------------------------------------------------------


options_dataset = define_dataset(
    "OptionsDataset", "input_dataset: variant", "serialized_options: string", FORM
)


@options_dataset.kernel
def _options(source: DatasetValue) -> DatasetValue:
    return source  # they are about how fast it goes


def with_options(self: Self, options: Options, name: str | None = None) -> Self:
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
