"""`StagingArea` and `MapStagingArea`. Mirrors tensorflow/python/ops/data_flow_ops.py.

TensorFlow has them outside of its public names, in `tensorflow.python.ops.data_flow_ops`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tinytf.framework import dtypes as dtypes_module
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.operation import Operation
from tinytf.framework.stacks import get_default_graph
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape, as_shape, unknown_shape
from tinytf.ops.array.identity import identity
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.control_flow.primitives import no_op
from tinytf.ops.queues import staging_ops as ops


class BaseStagingArea:
    """What both kinds share; make one of the subclasses.

    Args:
      dtypes: a list of the components' types.
      shapes: a list of their shapes, or None.
      names: a list of their names, or None: elements are dictionaries then.
      shared_name: areas of one name are one.
      capacity: how many elements fit; 0 for any number.
      memory_limit: how many bytes fit; 0 for any number.

    Raises:
      ValueError: for lists of different lengths, or a `shared_name` that is no string.
    """

    def __init__(
        self,
        dtypes: Sequence[Any],
        shapes: Any = None,
        names: Any = None,
        shared_name: str | None = None,
        capacity: int = 0,
        memory_limit: int = 0,
    ):
        graph = get_default_graph()
        if shared_name is None:
            self._name = graph.unique_name(type(self).__name__)
        elif isinstance(shared_name, str):
            self._name = shared_name
        else:
            raise ValueError(f"shared_name must be a string, got {shared_name}")
        self._dtypes = [dtypes_module.as_dtype(dtype) for dtype in dtypes]
        for what, given in (("shapes", shapes), ("names", names)):
            if given is not None and len(given) != len(self._dtypes):
                raise ValueError(f"StagingArea {what} must be the same length as dtypes")
        if shapes is None:
            self._shapes = [unknown_shape() for _ in self._dtypes]
        else:
            self._shapes = [as_shape(shape) for shape in shapes]
        self._names = None if names is None else list(names)
        self._capacity = capacity
        self._memory_limit = memory_limit
        with graph.name_scope(f"{self._name}_root"):
            self._home = no_op()  # all that puts and gets is where this is

    @property
    def name(self) -> str:
        """The shared name."""
        return self._name

    @property
    def dtypes(self) -> list[Any]:
        """Of the components."""
        return self._dtypes

    @property
    def shapes(self) -> list[TensorShape]:
        """Of the components; unknown ones if none were given."""
        return self._shapes

    @property
    def names(self) -> list[str] | None:
        """Of the components, if they have names."""
        return self._names

    @property
    def capacity(self) -> int:
        """How many elements fit; 0 for any number."""
        return self._capacity

    @property
    def memory_limit(self) -> int:
        """How many bytes fit; 0 for any number."""
        return self._memory_limit

    def _attrs(self) -> dict[str, Any]:
        return {
            "shared_name": self._name,
            "capacity": self._capacity,
            "memory_limit": self._memory_limit,
        }

    def _given(self, values: Any, indices: Sequence[int] | None) -> tuple[list[Tensor], list[int]]:
        """The components of a put as tensors, and which they are."""
        if isinstance(values, dict):
            if not self._names:
                raise ValueError("Staging areas must have names to enqueue a dictionary")
            if not set(values) <= set(self._names):
                raise ValueError(
                    f"Keys in dictionary to put do not match names of staging area. Dictionary: "
                    f"{sorted(values)}Queue: {sorted(self._names)}"
                )
            indices = [place for place, name in enumerate(self._names) if name in values]
            values = [values[self._names[place]] for place in indices]
        else:
            if self._names:
                raise ValueError("You must enqueue a dictionary in a staging area with names")
            if indices is None:
                raise ValueError("Indices must be supplied when inserting a list of tensors")
            if len(indices) != len(values):
                raise ValueError(
                    f"Number of indices {len(indices)} doesn't match number of values {len(values)}"
                )
        if len(values) > len(self._dtypes):
            raise ValueError(f"Unexpected number of inputs {len(values)} vs {len(self._dtypes)}")
        return [self._component(v, i) for v, i in zip(values, indices)], list(indices)

    def _component(self, value: Any, index: int) -> Tensor:
        dtype = self._dtypes[index]
        tensor = convert_to_tensor(value, name=f"component_{index}")
        if tensor.dtype != dtype:
            raise ValueError(
                f"Datatypes do not match. Received val.dtype {tensor.dtype} and dtype {dtype}"
            )
        tensor.shape.assert_is_compatible_with(self._shapes[index])
        return tensor

    def _here(self, tensors: Any) -> list[Any]:
        """Tensors of the area on the device of the caller."""
        tensors = list(tensors) if isinstance(tensors, list | tuple) else [tensors]
        if no_op().device != self._home.device:
            return [identity(tensor) for tensor in tensors]
        return tensors

    def _returned(self, tensors: Any, indices: Sequence[int]) -> Any:
        tensors = self._here(tensors)
        for tensor, index in zip(tensors, indices):
            tensor.set_shape(self._shapes[index])
        if self._names:
            return {self._names[index]: tensor for index, tensor in zip(indices, tensors)}
        return tensors


def _listed(values: Any) -> list[Any]:
    if isinstance(values, list | tuple):
        return list(values)
    return list(values.values()) if isinstance(values, dict) else [values]


class StagingArea(BaseStagingArea):
    """Elements that wait for a later step, first in, first out.

    TensorFlow: `tensorflow.python.ops.data_flow_ops.StagingArea`. Putting the next batch in while
    the step computes with the last one lets both go on at a time.

    Args: see `BaseStagingArea`.

    Example:
      >>> from tinytf.python.ops.data_flow_ops import StagingArea
      >>> area = StagingArea([tf.float32], shapes=[[2]], capacity=1)
      >>> put, get = area.put([tf.constant([1.0, 2.0])]), area.get()
      >>> with tf.Session() as sess:
      ...     sess.run(put)
      ...     sess.run(get)
      [array([1., 2.], dtype=float32)]
    """

    def put(self, values: Any, name: str | None = None) -> Operation:
        """Put an element in; waits while the area is full.

        Args:
          values: a tensor, a list of them, or a dictionary by name.

        Raises:
          ValueError: for other dtypes, shapes or names.
        """
        with op_scope(name, f"{self._name}_put", _listed(values)) as scope:
            if not isinstance(values, list | tuple | dict):
                values = [values]
            tensors, _ = self._given(values, list(range(len(values))))
            with get_default_graph().colocate_with(self._home):
                return ops.stage(
                    tensors, dtypes=[t.dtype for t in tensors], name=scope, **self._attrs()
                )

    def get(self, name: str | None = None) -> Any:
        """Take the first element; waits for one.

        Returns:
          a list of tensors, or a dictionary by name.
        """
        with get_default_graph().colocate_with(self._home):
            taken = ops.unstage(
                dtypes=self._dtypes, name=name or f"{self._name}_get", **self._attrs()
            )
        return self._returned(taken, range(len(self._dtypes)))

    def peek(self, index: Any, name: str | None = None) -> Any:
        """The element at a place, which stays there; waits for it.

        Args:
          index: a scalar, int32.
        """
        with get_default_graph().colocate_with(self._home):
            seen = ops.stage_peek(
                index, dtypes=self._dtypes, name=name or f"{self._name}_peek", **self._attrs()
            )
        return self._returned(seen, range(len(self._dtypes)))

    def size(self, name: str | None = None) -> Tensor:
        """How many elements are in it: a scalar, int32."""
        return ops.stage_size(
            dtypes=self._dtypes, name=name or f"{self._name}_size", **self._attrs()
        )

    def clear(self, name: str | None = None) -> Operation:
        """Drop all elements."""
        return ops.stage_clear(
            dtypes=self._dtypes, name=name or f"{self._name}_clear", **self._attrs()
        )


class MapStagingArea(BaseStagingArea):
    """Elements by key; components may be put in, and taken, one by one.

    TensorFlow: `tensorflow.python.ops.data_flow_ops.MapStagingArea`.

    Args:
      ordered: whether `get()` without a key takes the smallest key; else any (here, the oldest).
      others: see `BaseStagingArea`.

    Example:
      >>> from tinytf.python.ops.data_flow_ops import MapStagingArea
      >>> area = MapStagingArea([tf.float32, tf.int32], names=["x", "label"])
      >>> one = area.put(tf.constant(7, tf.int64), {"x": tf.constant(0.5)})
      >>> other = area.put(tf.constant(7, tf.int64), {"label": tf.constant(1)})
      >>> key, element = area.get()
    """

    def __init__(
        self,
        dtypes: Sequence[Any],
        shapes: Any = None,
        names: Any = None,
        shared_name: str | None = None,
        ordered: bool = False,
        capacity: int = 0,
        memory_limit: int = 0,
    ):
        super().__init__(dtypes, shapes, names, shared_name, capacity, memory_limit)
        self._ordered = ordered
        self._cards = ops.ordered_map_cards if ordered else ops.map_cards

    def put(
        self, key: Any, vals: Any, indices: Sequence[int] | None = None, name: str | None = None
    ) -> Operation:
        """Give the element of a key components; waits while the area is full.

        Args:
          key: a scalar, int64.
          vals: a dictionary by name, or a list of tensors, with `indices` which they are.
        """
        with op_scope(name, f"{self._name}_put", _listed(vals)) as scope:
            tensors, places = self._given(vals, indices)
            with get_default_graph().colocate_with(self._home):
                return self._cards.stage(
                    key, places, tensors, dtypes=self._dtypes, name=scope, **self._attrs()
                )

    def peek(self, key: Any, indices: Sequence[Any] | None = None, name: str | None = None) -> Any:
        """Components of the element of a key, which stays; waits for it."""
        places = self._places(indices)
        with get_default_graph().colocate_with(self._home):
            seen = self._cards.peek(
                key,
                places,
                dtypes=[self._dtypes[i] for i in places],
                name=name or f"{self._name}_pop",
                **self._attrs(),
            )
        return self._returned(seen, places)

    def get(
        self, key: Any = None, indices: Sequence[Any] | None = None, name: str | None = None
    ) -> Any:
        """Take components of the element of a key, or of any one; waits for it.

        Args:
          indices: numbers, or names, of the components; all of them by default.

        Returns:
          (key, list of tensors), or (key, dictionary by name).
        """
        places = self._places(indices)
        attrs = {**self._attrs(), "dtypes": [self._dtypes[i] for i in places]}
        with get_default_graph().colocate_with(self._home):
            if key is None:
                found, taken = self._cards.unstage_no_key(
                    places, name=name or f"{self._name}_get_nokey", **attrs
                )
            else:
                taken = self._cards.unstage(key, places, name=name or f"{self._name}_get", **attrs)
        if key is None:
            key = self._here(found)[0]
        return key, self._returned(taken, places)

    def _places(self, indices: Sequence[Any] | None) -> list[int]:
        if indices is None:
            return list(range(len(self._dtypes)))
        if not isinstance(indices, list | tuple):
            raise TypeError(f"Invalid indices type {type(indices)}")
        if not indices:
            raise ValueError("Empty indices")
        if all(isinstance(index, str) for index in indices):
            if self._names is None:
                raise ValueError(
                    f"String indices provided {indices}, but this Staging Area was not created "
                    f"with names."
                )
            if not set(indices) <= set(self._names):
                raise ValueError(f"Named index not in Staging Area names {self._names}")
            return [self._names.index(name) for name in indices]
        if not all(isinstance(index, int) for index in indices):
            raise TypeError(f"Mixed types in indices {indices}. May only be str or int")
        return list(indices)

    def size(self, name: str | None = None) -> Tensor:
        """How many elements are whole: a scalar, int32."""
        return self._cards.size(
            dtypes=self._dtypes, name=name or f"{self._name}_size", **self._attrs()
        )

    def incomplete_size(self, name: str | None = None) -> Tensor:
        """How many elements lack components: a scalar, int32."""
        return self._cards.incomplete_size(
            dtypes=self._dtypes, name=name or f"{self._name}_incomplete_size", **self._attrs()
        )

    def clear(self, name: str | None = None) -> Operation:
        """Drop all elements."""
        return self._cards.clear(
            dtypes=self._dtypes, name=name or f"{self._name}_clear", **self._attrs()
        )
