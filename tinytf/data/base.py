"""What all datasets have: their tensor, the form of their elements, how one is made of others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from tinytf.data import structure
from tinytf.data.structure import DatasetSpec
from tinytf.framework import dtypes
from tinytf.framework.constant_value import constant_value
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.op_card import OpCard
from tinytf.framework.scopes import text_of
from tinytf.framework.tensor import Tensor

Self = TypeVar("Self", bound="DatasetBase")
#: What `Dataset.apply` takes.
Transformation = Callable[[Any], Any]


class DatasetBase(structure.Described):
    """A dataset in the graph: a tensor that stands for it, and what its elements are like.

    Args:
      variant_tensor: the output of the operation that makes it.
      element_spec: describes the elements. inputs: the datasets it is made of.
    """

    #: Its `tf.data.Options`, where it has some that those it is made of have not.
    _own_options: Any = None

    def __init__(
        self, variant_tensor: Tensor, element_spec: Any, inputs: Sequence[DatasetBase] = ()
    ):
        self._variant_tensor = variant_tensor
        self._element_spec = element_spec
        self._inputs = tuple(inputs)

    def _derived(
        self: Self,
        card: OpCard,
        *inputs: Any,
        spec: Any = None,
        others: Sequence[DatasetBase] = (),
        **attrs: Any,
    ) -> Self:
        """What an op makes of this dataset, see `made`; elements stay alike if `spec` is None."""
        spec = self._element_spec if spec is None else spec
        sources: list[DatasetBase] = [self, *others]
        return made(card, self._variant_tensor, *inputs, spec=spec, sources=sources, **attrs)

    def __repr__(self) -> str:
        kind = self._variant_tensor.op.type.removesuffix("V2").removesuffix("V4")
        return f"<_{kind} element_spec={self._element_spec!r}>"

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Any:
        raise RuntimeError(
            "`tf.data.Dataset` only supports Python-style iteration in eager mode or within "
            "tf.function. In a graph: element = dataset.make_one_shot_iterator().get_next(), then "
            "sess.run(element) until tf.errors.OutOfRangeError."
        )

    def __len__(self) -> int:
        raise TypeError(
            "`tf.data.Dataset` only supports `len` in eager mode. Use "
            "`tf.data.Dataset.cardinality()` instead."
        )


def made(
    card: OpCard,
    *inputs: Any,
    spec: Any,
    name: str | None = None,
    sources: Sequence[DatasetBase] = (),
    **attrs: Any,
) -> Any:
    """The dataset that an op makes.

    Args:
      card, inputs, attrs: of the op; types and shapes of the elements are added.
      spec: describes the elements. name: kept in the graph, where the op has a place for it.
      sources: the datasets it is made of.
    """
    given = {**structure.form(spec), "metadata": metadata(name)}
    own = {key: value for key, value in given.items() if key in card.op_def.attrs}
    return DatasetSpec.dataset_class(card(*inputs, **own, **attrs), spec, sources)


def with_count(dataset: Self, card: OpCard, count: Any, name: str | None) -> Self:
    """What an op makes of a dataset and a number; None: all, or for ever."""
    return dataset._derived(card, int64(-1 if count is None else count, "count"), name=name)


def metadata(name: str | None) -> bytes:
    """The attribute in which a dataset's `name` is kept, as TensorFlow encodes it."""
    text = (text_of(name) or "").encode()
    return b"\n" + varint(len(text)) + text if text else b""


def varint(value: int) -> bytes:
    """A number as messages have it: seven bits in a byte, the lowest first."""
    result = b""
    while value > 127:
        result += bytes([value & 127 | 128])
        value >>= 7
    return result + bytes([value])


# Arguments ----------------------------------------------------------------------------------------


def int64(value: Any, name: str) -> Tensor:
    """A number of elements, threads, ... as a tensor."""
    return convert_to_tensor(value, dtypes.int64, name=name)


def known_rows(size: Tensor, whole_only: Tensor) -> int | None:
    """The first dimension of batches, where all of them have the same."""
    known = constant_value(size) if constant_value(whole_only) else None
    return None if known is None else int(known)


def order(deterministic: bool | None) -> bytes:
    """The attribute that says whether elements keep their order."""
    return b"default" if deterministic is None else (b"true" if deterministic else b"false")
