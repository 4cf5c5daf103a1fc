"""What all datasets have: their tensor, the form of their elements, iterators over them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from tinytf.data import card_iterators as ops
from tinytf.data import structure
from tinytf.data.iterator import Iterator, for_dataset
from tinytf.framework.graph import Graph
from tinytf.framework.random_seed import get_seed, set_random_seed
from tinytf.framework.stacks import get_default_graph
from tinytf.framework.tensor import Tensor
from tinytf.ops.functions.defun import Defun
from tinytf.protos import node_def_pb2

Self = TypeVar("Self", bound="DatasetBase")


class DatasetBase:
    """A dataset in the graph: a tensor that stands for it, and what its elements are like.

    Args:
      variant_tensor: the output of the operation that makes it.
      element_spec: describes the elements. inputs: the datasets it is made of.
    """

    def __init__(
        self, variant_tensor: Tensor, element_spec: Any, inputs: Sequence[DatasetBase] = ()
    ):
        self._variant_tensor = variant_tensor
        self._element_spec = element_spec
        self._inputs = tuple(inputs)

    def _derived(self: Self, variant_tensor: Tensor, spec: Any = None, *others: Any) -> Self:
        """A dataset made of this one; its elements are the same if `spec` is None."""
        spec = self._element_spec if spec is None else spec
        return type(self)(variant_tensor, spec, [self, *others])

    # The form of elements ---------------------------------------------------------------------

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
        return structure.types_of(self._element_spec)

    @property
    def output_shapes(self) -> Any:
        """The static shapes, in the form of the elements."""
        return structure.shapes_of(self._element_spec)

    @property
    def output_classes(self) -> Any:
        """The Python classes, in the form of the elements."""
        return structure.classes_of(self._element_spec)

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

    # Iterators ----------------------------------------------------------------------------------

    def make_one_shot_iterator(self) -> Iterator:
        """An iterator that needs no initialisation, and goes through the dataset once.

        The dataset may use no variables, placeholders or other state.

        Raises:
          ValueError: if it does.

        Example:
          >>> element = tf.data.Dataset.range(3).make_one_shot_iterator().get_next()
          >>> element  # 0
        """
        graph = self._check_graph()
        graph_seed, op_seed = get_seed(None)

        @Defun(capture_by_value=True)
        def _make_dataset() -> Tensor:
            """Factory function for a dataset."""
            if graph_seed is not None and op_seed is not None:
                set_random_seed((graph_seed + 87654321 * op_seed) % (2**63 - 1))
            return self._variant_tensor

        try:
            _make_dataset.add_to_graph(graph)
        except ValueError as error:
            if "Cannot capture a" not in str(error):
                raise
            what, _, origin = str(error).partition("\n")
            raise ValueError(
                f"{what}: A likely cause of this error is that the dataset for which you are "
                f"calling `make_one_shot_iterator()` captures a stateful object, such as a "
                f"`tf.Variable` or `tf.lookup.StaticHashTable`, which is not supported. Use "
                f"`make_initializable_iterator()` instead.\n{origin}"
            ) from None
        with graph.colocate_with(self._variant_tensor):
            resource = ops.one_shot_iterator(
                dataset_factory=node_def_pb2.NameAttrList(name=_make_dataset.name),
                **self._flat_structure,
            )
            return for_dataset(resource, None, self._element_spec)

    def make_initializable_iterator(self, shared_name: str | None = None) -> Iterator:
        """An iterator that begins, as often as wanted, when its `initializer` is run.

        Args:
          shared_name: iterators of one name share their state, over sessions of one server.

        Example:
          >>> limit = tf.placeholder(tf.int64, [])
          >>> iterator = tf.data.Dataset.range(limit).make_initializable_iterator()
          >>> sess.run(iterator.initializer, {limit: 5})
          >>> iterator.get_next()  # 0
        """
        with self._check_graph().colocate_with(self._variant_tensor):
            resource = ops.iterator_v2(
                container="", shared_name=shared_name or "", **self._flat_structure
            )
            initializer = ops.make_iterator(self._variant_tensor, resource)
            return for_dataset(resource, initializer, self._element_spec)

    def _check_graph(self) -> Graph:
        """The graph of the dataset; ValueError if it is not the one that is built in now."""
        graph, current = self._variant_tensor.graph, get_default_graph()
        if graph is not current:
            raise ValueError(
                f"The graph {current} of the iterator is different from the graph {graph} the "
                f"dataset: {self._variant_tensor} was created in. Make sure that the dataset is "
                f"created in the same graph as the iterator: with graph.as_default(): ...\n"
                f"{self._variant_tensor.op.describe_origin()}"
            )
        return graph

    @property
    def _flat_structure(self) -> dict[str, Any]:
        return {
            "output_types": structure.flat_types(self._element_spec),
            "output_shapes": structure.flat_shapes(self._element_spec),
        }


def metadata(name: str | None) -> bytes:
    """The attribute in which a dataset's `name` is kept, as TensorFlow encodes it."""
    if not name:
        return b""
    text = name.encode()
    length, size = len(text), b""
    while length > 127:
        size += bytes([length & 127 | 128])
        length >>= 7
    return b"\n" + size + bytes([length]) + text
