"""`tf.data.Iterator`: gets the elements of a dataset, one in each step."""

from __future__ import annotations

import warnings
from typing import Any

from tinytf.data import structure
from tinytf.data.base import DatasetBase
from tinytf.data.iterator_resource import (
    iterator_from_string_handle_v2,
    iterator_get_next,
    iterator_to_string_handle,
    iterator_v2,
    make_iterator,
    one_shot_iterator,
)
from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.graph import Graph
from tinytf.framework.operation import Operation
from tinytf.framework.random_seed import get_seed, set_random_seed
from tinytf.framework.scope_functions import name_scope
from tinytf.framework.stacks import get_default_graph
from tinytf.framework.tensor import Tensor
from tinytf.ops.base.no_value import refuse
from tinytf.ops.functions.defun import Defun
from tinytf.protos import node_def_pb2

#: The collection of all iterators of a graph.
GLOBAL_ITERATORS = "iterators"
#: So many calls of `get_next` may be a loop that builds operations.
_MANY = 32


class Iterator(structure.Described):
    """Where a program has got to in a dataset (TensorFlow: `tf.data.Iterator`).

    Make one with `Dataset.make_one_shot_iterator`, `make_initializable_iterator`, or one of the
    static methods here.

    Args:
      iterator_resource: the handle. initializer: the operation that begins at the first element.
      output_types, output_shapes, output_classes: of the elements.

    Example:
      >>> iterator = tf.data.Dataset.range(3).make_one_shot_iterator()
      >>> element = iterator.get_next()
      >>> [sess.run(element), sess.run(element)]  # [0, 1]
    """

    def __init__(
        self,
        iterator_resource: Tensor,
        initializer: Operation | None,
        output_types: Any,
        output_shapes: Any,
        output_classes: Any,
    ):
        if output_types is None or output_shapes is None or output_classes is None:
            raise ValueError(
                f"All of `output_types`, `output_shapes`, and `output_classes` must be specified "
                f"to create an iterator. Got `output_types` = {output_types!r}, `output_shapes` = "
                f"{output_shapes!r}, `output_classes` = {output_classes!r}."
            )
        self._iterator_resource = iterator_resource
        self._initializer = initializer
        self._element_spec = structure.spec_from_legacy(output_types, output_shapes, output_classes)
        self._string_handle = iterator_to_string_handle(iterator_resource)
        self._calls = 0
        iterator_resource.graph.add_to_collection(GLOBAL_ITERATORS, iterator_resource)

    @staticmethod
    def _of(resource: Tensor, initializer: Operation | None, spec: Any) -> Iterator:
        types, shapes = structure.types_of(spec), structure.shapes_of(spec)
        return Iterator(resource, initializer, types, shapes, structure.classes_of(spec))

    @staticmethod
    def from_structure(
        output_types: Any,
        output_shapes: Any = None,
        shared_name: str | None = None,
        output_classes: Any = None,
    ) -> Iterator:
        """An iterator for any dataset with such elements (TensorFlow: `from_structure`).

        It has no dataset until one of its `make_initializer` operations has run.

        Args:
          output_types: dtypes in the form of the elements.
          output_shapes: static shapes in the same form; None: unknown.
          shared_name: iterators of one name share their state, over sessions of one server.
          output_classes: `tf.Tensor` or `tf.SparseTensor`, in the same form; None: tensors.

        Raises:
          TypeError, ValueError: if types and shapes have not one form.

        Example:
          >>> iterator = tf.data.Iterator.from_structure(tf.int64, [])
          >>> begin = iterator.make_initializer(tf.data.Dataset.range(3))
        """
        spec = structure.spec_from_legacy(output_types, output_shapes, output_classes)
        resource = iterator_v2(shared_name=shared_name or "", container="", **structure.form(spec))
        return Iterator._of(resource, None, spec)

    @staticmethod
    def from_string_handle(
        string_handle: Any, output_types: Any, output_shapes: Any = None, output_classes: Any = None
    ) -> Iterator:
        """The iterator whose handle is fed (TensorFlow: `from_string_handle`).

        Args:
          string_handle: a string scalar: what `Iterator.string_handle()` was in this session.
          output_types, output_shapes: of its elements.

        Example:
          >>> handle = tf.placeholder(tf.string, [])
          >>> element = tf.data.Iterator.from_string_handle(handle, tf.int64, []).get_next()
          >>> training = tf.data.Dataset.range(3).make_one_shot_iterator()
          >>> sess.run(element, {handle: sess.run(training.string_handle())})  # 0
        """
        spec = structure.spec_from_legacy(output_types, output_shapes, output_classes)
        resource = iterator_from_string_handle_v2(
            convert_to_tensor(string_handle, dtypes.string), **structure.form(spec)
        )
        return Iterator._of(resource, None, spec)

    @property
    def initializer(self) -> Operation:
        """The operation that begins at the first element.

        Raises:
          ValueError: if there is none: of one-shot, reinitializable and feedable iterators.
        """
        if self._initializer is None:
            raise ValueError(
                "The iterator does not have an initializer. This means it was likely created using "
                "`tf.data.Dataset.make_one_shot_iterator()`. For an initializable iterator, use "
                "`tf.data.Dataset.make_initializable_iterator()` instead."
            )
        return self._initializer

    def make_initializer(self, dataset: Any, name: str | None = None) -> Operation:
        """An operation that begins at the first element of `dataset`.

        Raises:
          TypeError, ValueError: if its elements are not what this iterator is for.
        """
        with name_scope(name, "make_initializer") as scope:
            spec = dataset.element_spec
            structure.assert_same_structure(self.output_types, structure.types_of(spec))
            classes = structure.classes_of(spec)
            pairs = zip(structure.flatten(self.output_classes), structure.flatten(classes))
            if any(type(a) is not type(b) or (a is not b and type(a) is type) for a, b in pairs):
                raise TypeError(
                    f"Expected output classes {self.output_classes!r} but got dataset with output "
                    f"classes {classes!r}."
                )
            if structure.flatten(self.output_types) != structure.flatten(structure.types_of(spec)):
                raise TypeError(
                    f"Expected output types {self.output_types!r} but got dataset with output "
                    f"types {structure.types_of(spec)!r}."
                )
            theirs = structure.flatten(structure.shapes_of(spec))
            shapes = zip(structure.flatten(self.output_shapes), theirs)
            if not all(one.is_compatible_with(other) for one, other in shapes):
                raise TypeError(
                    f"Expected output shapes compatible with {self.output_shapes!r} but got "
                    f"dataset with output shapes {structure.shapes_of(spec)!r}."
                )
        resource = self._iterator_resource
        with resource.graph.colocate_with(resource):
            return make_iterator(dataset._variant_tensor, resource, name=scope)

    def get_next(self, name: str | None = None) -> Any:
        """The next element: every step that uses it takes one.

        Call it once, and run what it returns again and again.

        Returns:
          tensors in the form of the elements.
        """
        self._calls += 1
        if self._calls > _MANY:
            warnings.warn(
                "An unusually high number of `Iterator.get_next()` calls was detected. This often "
                "indicates that `Iterator.get_next()` is being called inside a training loop, "
                "which will cause gradual slowdown and eventual resource exhaustion. If this is "
                "the case, restructure your code to call `next_element = iterator.get_next()` once "
                "outside the loop, and use `next_element` as the input to some computation that is "
                "invoked inside the loop.",
                stacklevel=2,
            )
        resource = self._iterator_resource
        with resource.graph.colocate_with(resource):
            flat = iterator_get_next(resource, **structure.form(self._element_spec), name=name)
            return structure.from_tensors(self._element_spec, flat)

    def string_handle(self, name: str | None = None) -> Tensor:
        """A string scalar that stands for this iterator, to be fed; see `from_string_handle`."""
        if name is None:
            return self._string_handle
        return iterator_to_string_handle(self._iterator_resource, name=name)


# Iterators of datasets ----------------------------------------------------------------------------


def make_one_shot_iterator(self: DatasetBase) -> Iterator:
    """An iterator that needs no initialisation, and goes through the dataset once.

    The dataset may use no variables, placeholders or other state.

    Raises:
      ValueError: if it does.

    Example:
      >>> element = tf.data.Dataset.range(3).make_one_shot_iterator().get_next()
      >>> element  # 0
    """
    graph = _check_graph(self)
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
        resource = one_shot_iterator(
            dataset_factory=node_def_pb2.NameAttrList(name=_make_dataset.name),
            **structure.form(self.element_spec),
        )
        return Iterator._of(resource, None, self._element_spec)


def make_initializable_iterator(self: DatasetBase, shared_name: str | None = None) -> Iterator:
    """An iterator that begins, as often as wanted, when its `initializer` is run.

    Args:
      shared_name: iterators of one name share their state, over sessions of one server.

    Example:
      >>> limit = tf.placeholder(tf.int64, [])
      >>> iterator = tf.data.Dataset.range(limit).make_initializable_iterator()
      >>> sess.run(iterator.initializer, {limit: 5})
      >>> iterator.get_next()  # 0
    """
    with _check_graph(self).colocate_with(self._variant_tensor):
        resource = iterator_v2(
            container="", shared_name=shared_name or "", **structure.form(self.element_spec)
        )
        initializer = make_iterator(self._variant_tensor, resource)
        return Iterator._of(resource, initializer, self._element_spec)


def _check_graph(dataset: DatasetBase) -> Graph:
    """The graph of the dataset; ValueError if it is not the one that is built in now."""
    graph, current = dataset._variant_tensor.graph, get_default_graph()
    if graph is not current:
        raise ValueError(
            f"The graph {current} of the iterator is different from the graph {graph} the "
            f"dataset: {dataset._variant_tensor} was created in. Make sure that the dataset is "
            f"created in the same graph as the iterator: with graph.as_default(): ...\n"
            f"{dataset._variant_tensor.op.describe_origin()}"
        )
    return graph


refuse(
    Iterator,
    {
        asked: (
            f"{{kind!r}} object is not {what}",
            "Its next element is a tensor, built once: element = iterator.get_next(), and then "
            "sess.run(element) until tf.errors.OutOfRangeError.",
        )
        for asked, what in (("__iter__", "iterable"), ("__next__", "an iterator"))
    },
)
