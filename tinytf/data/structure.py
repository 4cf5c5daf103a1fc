"""The form of elements: tuples and dictionaries, however nested, of tensors.

Unlike in `tf.nest`, a list is no structure here: it is a tensor, written as a list.
Mirrors tensorflow/python/data/util/{nest,structure}.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.nest import DictView
from tinytf.framework.scope_functions import name_scope
from tinytf.framework.sparse_tensor import SparseTensor, SparseTensorValue
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.framework.tensor_spec import SparseTensorSpec, TensorSpec
from tinytf.ops.array.constant import constant
from tinytf.ops.array.stack import stack, unstack
from tinytf.ops.sparse.serialize import deserialize_sparse, serialize_sparse

if TYPE_CHECKING:  # so that an editor knows the methods of what a method gives
    from tinytf.data.dataset import Dataset


class DatasetSpec:
    """Describes a dataset as a component: what the function of flat_map returns.

    Args:
      element_spec: of its elements.

    Attributes:
      dataset_class: `tf.data.Dataset`, which says so itself: it is made of what knows this.
    """

    dataset_class: ClassVar[type[Dataset]]

    def __init__(self, element_spec: Any):
        self.element_spec = element_spec

    def __repr__(self) -> str:
        return f"DatasetSpec({self.element_spec!r}, TensorShape([]))"

    def of(self, tensor: Tensor) -> Any:
        """The dataset that a tensor stands for."""
        return self.dataset_class(tensor, self.element_spec)


def _children(value: Any) -> list[Any] | None:
    """The parts of a structure in order; None for a leaf."""
    if isinstance(value, SparseTensorValue):
        return None
    if isinstance(value, tuple):
        return list(value)
    if isinstance(value, Mapping):
        return [value[key] for key in sorted(value)]
    return None


def flatten(structure: Any) -> list[Any]:
    """The leaves, from left to right, dictionaries in the order of their sorted keys."""
    children = _children(structure)
    if children is None:
        return [structure]
    return [leaf for child in children for leaf in flatten(child)]


def pack(structure: Any, leaves: Iterable[Any]) -> Any:
    """Leaves in the form of `structure`."""
    return _packed(structure, iter(leaves))


def _packed(structure: Any, leaves: Iterator[Any]) -> Any:
    children = _children(structure)
    if children is None:
        return next(leaves)
    parts = [_packed(child, leaves) for child in children]
    if isinstance(structure, Mapping):
        by_key = dict(zip(sorted(structure), parts, strict=True))
        return type(structure)((key, by_key[key]) for key in structure)  # type: ignore[call-arg]
    return type(structure)(*parts) if hasattr(structure, "_fields") else tuple(parts)


def map_structure(function: Callable[..., Any], *structures: Any) -> Any:
    """`function` of corresponding leaves, in the form of the first structure."""
    columns = [flatten(structure) for structure in structures]
    return pack(structures[0], (function(*row) for row in zip(*columns, strict=True)))


def up_to(shallow: Any, deep: Any) -> list[Any]:
    """The parts of `deep` where `shallow` has its leaves.

    Raises:
      TypeError, ValueError: if `deep` has another form.
    """
    children = _children(shallow)
    if children is None:
        return [deep]
    others = deep if isinstance(deep, list | tuple) and isinstance(shallow, tuple) else None
    if isinstance(shallow, Mapping) and isinstance(deep, Mapping):
        if set(shallow) != set(deep):
            raise ValueError(
                f"The two structures don't have the same keys. Input structure has keys "
                f"{list(deep)}, while shallow structure has keys {list(shallow)}."
            )
        others = [deep[key] for key in sorted(shallow)]
    if others is None:
        raise TypeError(
            f"If shallow structure is a sequence, input must also be a sequence. Input has type: "
            f"'{type(deep).__name__}'."
        )
    if len(others) != len(children):
        raise ValueError(
            f"The two structures don't have the same sequence length. Input structure has length "
            f"{len(others)}, while shallow structure has length {len(children)}."
        )
    return [part for one, other in zip(children, others, strict=True) for part in up_to(one, other)]


def assert_same_structure(first: Any, second: Any) -> None:
    """Check that two structures have one form.

    Raises:
      ValueError: if numbers of elements differ. TypeError: for other kinds, or other keys.
    """
    parts, others = _children(first), _children(second)
    if (parts is None) != (others is None) or len(parts or ()) != len(others or ()):
        raise ValueError(
            f"The two structures don't have the same nested structure. First structure: "
            f"{first!r}, second structure: {second!r}."
        )
    if parts is None or others is None:
        return
    if type(first) is not type(second) and not _are_alike(first, second):
        raise TypeError(
            f"The two structures don't have the same sequence type. First structure has type "
            f"{type(first)}, while second structure has type {type(second)}."
        )
    if isinstance(first, Mapping) and set(first) != set(second):
        raise ValueError(
            f"The two dictionaries don't have the same set of keys. First structure has keys "
            f"{list(first)}, while second structure has keys {list(second)}."
        )
    for part, other in zip(parts, others, strict=True):
        assert_same_structure(part, other)


def _are_alike(first: Any, second: Any) -> bool:
    return isinstance(first, Mapping) and isinstance(second, Mapping)


# Elements -----------------------------------------------------------------------------------------


def normalised(element: Any) -> Any:
    """An element with tensors as its leaves: what is no tensor becomes a constant."""
    leaves = flatten(element)
    with name_scope("normalize_element"):
        return pack(element, [as_tensor(leaf, f"component_{i}") for i, leaf in enumerate(leaves)])


def as_tensor(leaf: Any, name: str | None = None) -> Any:
    """A leaf as a tensor or sparse tensor."""
    leaf = plain_leaf(leaf)
    if isinstance(leaf, Tensor | SparseTensor):
        return leaf
    return convert_to_tensor(leaf, name=name)


def plain_leaf(leaf: Any) -> Any:
    """A leaf of a kind that everything takes: a `SparseTensor` or a list."""
    if isinstance(leaf, SparseTensorValue):
        return SparseTensor.from_value(leaf)
    return list(leaf) if isinstance(leaf, DictView) else leaf


def spec_of(value: Any) -> Any:
    """The description of a structure of tensors, sparse tensors and datasets."""
    return map_structure(_spec_of_leaf, value)


def _spec_of_leaf(leaf: Any) -> Any:
    if isinstance(leaf, SparseTensor):
        return SparseTensorSpec(leaf.shape, leaf.dtype.base_dtype)
    if hasattr(leaf, "_variant_tensor"):
        return DatasetSpec(leaf.element_spec)
    return TensorSpec(leaf.shape, leaf.dtype.base_dtype)


def to_tensors(element: Any) -> list[Tensor]:
    """The components of an element, one tensor each."""
    return [_component(leaf) for leaf in flatten(element)]


def _component(leaf: Any) -> Tensor:
    if hasattr(leaf, "_variant_tensor"):
        return leaf._variant_tensor
    if isinstance(leaf, SparseTensor | SparseTensorValue):
        return serialize_sparse(leaf, out_type=dtypes.variant)
    return convert_to_tensor(leaf)


def from_tensors(spec: Any, tensors: Iterable[Tensor]) -> Any:
    """An element of this description out of its components."""
    leaves = zip(flatten(spec), tensors, strict=True)
    return pack(spec, [_leaf(one, tensor) for one, tensor in leaves])


def _leaf(spec: Any, tensor: Tensor) -> Any:
    if isinstance(spec, DatasetSpec):
        return spec.of(tensor)
    if not isinstance(spec, SparseTensorSpec):
        return tensor
    found = deserialize_sparse(tensor, spec.dtype)
    sizes = spec.shape.sizes
    found.indices.set_shape([None, None if sizes is None else len(sizes)])
    shape = found.dense_shape
    if spec.shape.is_fully_defined():
        shape = convert_to_tensor(spec.shape, dtypes.int64, name="shape")
    elif sizes is not None and any(size is not None for size in sizes):
        parts = unstack(shape, num=len(sizes))
        for index, size in enumerate(sizes):
            if size is not None:
                parts[index] = constant(size, dtypes.int64)
        shape = stack(parts)
    else:
        shape.set_shape([None if sizes is None else len(sizes)])
    return SparseTensor(found.indices, found.values, shape)


def _facts(leaf: Any) -> tuple[dtypes.DType, TensorShape]:
    """The dtype and static shape of the component of a leaf."""
    if isinstance(leaf, DatasetSpec):
        return dtypes.variant, TensorShape(())
    if isinstance(leaf, SparseTensorSpec):
        return dtypes.variant, TensorShape(None)
    return leaf.dtype, leaf.shape


def flat_types(spec: Any) -> list[dtypes.DType]:
    """The dtypes of the components."""
    return [_facts(leaf)[0] for leaf in flatten(spec)]


def flat_shapes(spec: Any) -> list[TensorShape]:
    """The static shapes of the components."""
    return [_facts(leaf)[1] for leaf in flatten(spec)]


def form(spec: Any) -> dict[str, Any]:
    """The attributes of an op that describe the components of elements."""
    return {"output_types": flat_types(spec), "output_shapes": flat_shapes(spec)}


def types_of(spec: Any) -> Any:
    """The dtypes in the form of the elements (`output_types`)."""
    return map_structure(
        lambda leaf: dtypes.variant if isinstance(leaf, DatasetSpec) else leaf.dtype, spec
    )


def shapes_of(spec: Any) -> Any:
    """The static shapes in the form of the elements (`output_shapes`)."""
    return map_structure(
        lambda leaf: TensorShape(()) if isinstance(leaf, DatasetSpec) else leaf.shape, spec
    )


def classes_of(spec: Any) -> Any:
    """The Python classes in the form of the elements (`output_classes`)."""

    def class_of(leaf: Any) -> Any:
        if isinstance(leaf, DatasetSpec):
            return leaf
        return SparseTensor if isinstance(leaf, SparseTensorSpec) else Tensor

    return map_structure(class_of, spec)


def row_spec(leaf: Any) -> Any:
    """What describes a row of a component."""
    sizes = leaf.shape.sizes
    return leaf.with_shape(None if sizes is None else sizes[1:])


def common(one: Any, other: Any) -> Any:
    """What holds of components of both descriptions."""
    a, b = one.shape.sizes, other.shape.sizes
    if a is None or b is None or len(a) != len(b):
        return one.with_shape(None)
    return one.with_shape([x if x == y else None for x, y in zip(a, b, strict=True)])


class Described:
    """What tells what its elements are like: a dataset, an iterator."""

    _element_spec: Any

    @property
    def element_spec(self) -> Any:
        """Describes the elements: `tf.TensorSpec`s in their form.

        Example:
          >>> tf.data.Dataset.from_tensor_slices({"x": [1, 2]}).element_spec
          {'x': TensorSpec(shape=(), dtype=tf.int32, name=None)}
        """
        return self._element_spec

    @property
    def output_types(self) -> Any:
        """The dtypes, in the form of the elements."""
        return types_of(self._element_spec)

    @property
    def output_shapes(self) -> Any:
        """The static shapes, in the form of the elements."""
        return shapes_of(self._element_spec)

    @property
    def output_classes(self) -> Any:
        """The Python classes, in the form of the elements."""
        return classes_of(self._element_spec)


def spec_from_legacy(
    output_types: Any, output_shapes: Any = None, output_classes: Any = None
) -> Any:
    """The description from dtypes, static shapes (None: unknown) and classes in the same form.

    Raises:
      TypeError, ValueError: if they have not one form.
    """
    kinds = map_structure(dtypes.as_dtype, output_types)
    leaves = flatten(kinds)
    shapes: Sequence[Any] = [None] * len(leaves)
    classes: Sequence[Any] = [Tensor] * len(leaves)
    if output_shapes is not None:
        shapes = up_to(kinds, output_shapes)
    if output_classes is not None:
        classes = up_to(kinds, output_classes)
    specs: list[Any] = []
    for shape, kind, one in zip(shapes, leaves, classes, strict=True):
        if isinstance(one, DatasetSpec):
            specs.append(one)
        elif not isinstance(one, type) or not issubclass(one, Tensor | SparseTensor):
            raise TypeError(
                f"Could not build a structure for output class "
                f"{getattr(one, '__name__', one)}. `output_classes` has tf.Tensor or "
                f"tf.SparseTensor for each component."
            )
        else:
            specs.append((SparseTensorSpec if one is SparseTensor else TensorSpec)(shape, kind))
    return pack(kinds, specs)
