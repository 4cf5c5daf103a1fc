"""`tf.TensorArray`: an array of tensors that a loop reads and writes element by element.

A tensor cannot be changed, and a loop that joins a row to a tensor in every iteration copies all
of it each time. An array of tensors belongs to the running step and is written in place. What keeps
reads and writes in order is the *flow*, a tensor that every write hands on: so `write` returns a
new `TensorArray` with the same handle, and only what uses that comes after the write.

Mirrors the class of tensorflow/python/ops/tensor_array_ops.py as it is without control flow v2.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tinytf.framework import dtypes
from tinytf.framework.constant_value import constant_value
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.operation import Operation
from tinytf.framework.stacks import get_default_graph
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape, unknown_shape
from tinytf.ops.array.identity import identity
from tinytf.ops.array.range import range
from tinytf.ops.array.shape import shape
from tinytf.ops.array.slice import getitem
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.math.cast import cast
from tinytf.ops.tensor_array import op_types as cards


class TensorArray:
    """An array of tensors of one dtype, written element by element (TensorFlow: `tf.TensorArray`).

    Each element is written once. Use what a writing method returns, not the object it was called
    on: the returned one comes after the write. In a `tf.while_loop`, an array may be a loop
    variable. An array lives as long as the step that made it.

    Args:
      dtype: of the elements.
      size: how many there are, an int or a scalar int32 tensor; not with `handle`.
      dynamic_size: whether writing beyond the end makes the array longer; False by default.
      clear_after_read: whether an element can be read once only and is freed then; True by default.
      tensor_array_name: what error messages call it; not with `handle`.
      handle, flow: of an existing array, instead of a new one.
      infer_shape: whether all elements must have one shape.
      element_shape: what is known of the elements' shape from the start.
      colocate_with_first_write_call: put it on the device of the first value written to it.
      name: a name for the operation.

    Raises:
      ValueError: if neither size nor handle is given, or what does not go together.
      TypeError: if the handle is no tensor.

    Example:
      >>> squares = tf.TensorArray(tf.int32, size=3)
      >>> for i in range(3):
      ...     squares = squares.write(i, i * i)
      >>> squares.stack()  # [0, 1, 4]
    """

    def __init__(
        self,
        dtype: Any,
        size: Any = None,
        dynamic_size: bool | None = None,
        clear_after_read: bool | None = None,
        tensor_array_name: str | None = None,
        handle: Tensor | None = None,
        flow: Tensor | None = None,
        infer_shape: bool = True,
        element_shape: Any = None,
        colocate_with_first_write_call: bool = True,
        name: str | None = None,
    ):
        _check_arguments(
            handle, size, tensor_array_name, element_shape, dynamic_size, clear_after_read
        )
        self._dynamic_size = bool(dynamic_size)
        self._dtype = dtypes.as_dtype(dtype).base_dtype
        self._infer_shape = infer_shape
        self._size = size
        self._colocates = colocate_with_first_write_call
        # Lists, since all objects for the same array share them.
        self._colocate_with: list[Any] = []
        self._element_shape = [TensorShape(element_shape)]
        with op_scope(name, "TensorArray", (handle, size, flow)) as scope:
            if handle is not None:
                if flow is None:
                    raise ValueError("flow must not be None if handle is not None.")
                self._handle, self._flow = handle, flow
                return
            attributes = {
                "dtype": self._dtype,
                "element_shape": TensorShape(element_shape),
                "identical_element_shapes": infer_shape,
                "dynamic_size": self._dynamic_size,
                "clear_after_read": clear_after_read is None or clear_after_read,
                "tensor_array_name": tensor_array_name or "",
            }
            graph = get_default_graph()
            if colocate_with_first_write_call:
                with graph.device(None), graph.colocate_with(None, ignore_existing=True):
                    made = cards.tensor_array_v3(size, name=scope, **attributes)
            else:
                made = cards.tensor_array_v3(size, name=scope, **attributes)
            self._handle, self._flow = made

    @property
    def flow(self) -> Tensor:
        """What comes after the writes so far: a scalar without meaning."""
        return self._flow

    @property
    def dtype(self) -> dtypes.DType:
        """The dtype of the elements."""
        return self._dtype

    @property
    def handle(self) -> Tensor:
        """The reference to the array, a resource."""
        return self._handle

    @property
    def element_shape(self) -> TensorShape:
        """What is known of the elements' shape."""
        return self._element_shape[0]

    @property
    def dynamic_size(self) -> bool:
        """Whether the array can grow."""
        return self._dynamic_size

    def _after(self, flow: Tensor) -> TensorArray:
        """The same array after what `flow` stands for."""
        result = TensorArray(
            self._dtype,
            handle=self._handle,
            flow=flow,
            infer_shape=self._infer_shape,
            colocate_with_first_write_call=self._colocates,
        )
        result._dynamic_size = self._dynamic_size
        result._size = self._size
        result._colocate_with = self._colocate_with
        result._element_shape = self._element_shape
        return result

    def _check_element_shape(self, found: TensorShape) -> None:
        if not found.is_compatible_with(self.element_shape):
            raise ValueError(f"Inconsistent shapes: saw {found} but expected {self.element_shape} ")
        if self._infer_shape:
            self._element_shape[0] = self.element_shape.merge_with(found)

    @contextmanager
    def _colocated(self, value: Tensor) -> Iterator[None]:
        if not self._colocates:
            yield
            return
        if not self._colocate_with:
            self._colocate_with.append(value)
        with value.graph.colocate_with(self._colocate_with[0]):
            yield

    def identity(self) -> TensorArray:
        """The same array, after what the scopes around ask to wait for."""
        return self._after(identity(self._flow))

    def grad(self, source: str, flow: Tensor | None = None, name: str | None = None) -> TensorArray:
        """The array in which the gradients of the elements are summed up.

        Args:
          source: which call of `tf.gradients` it belongs to.
          flow: what it comes after; by default, this array's flow.
          name: a name for the operation.
        """
        flow = self._flow if flow is None else flow
        graph = self._handle.graph
        with op_scope(name, "TensorArrayGrad", (self._handle,)), graph.colocate_with(self._handle):
            handle, _ = cards.tensor_array_grad(self._handle, flow, source=source, name=name)
            with graph.control_dependencies([handle]):
                flow = identity(flow, name="gradient_flow")
            result = TensorArray(
                self._dtype,
                handle=handle,
                flow=flow,
                infer_shape=self._infer_shape,
                colocate_with_first_write_call=False,
            )
            result._element_shape = self._element_shape
            return result

    def read(self, index: Any, name: str | None = None) -> Tensor:
        """The element at `index`, a scalar int32.

        Raises, when it runs:
          InvalidArgumentError: if the index is out of range, or the element was read before and
            `clear_after_read` was not False.
        """
        value: Tensor = cards.tensor_array_read(
            self._handle, index, self._flow, dtype=self._dtype, name=name
        )
        value.set_shape(self.element_shape)
        return value

    def write(self, index: Any, value: Any, name: str | None = None) -> TensorArray:
        """Write `value` at `index`; use the array that is returned from now on.

        Raises:
          ValueError: if the value has another shape than the elements before.
        """
        with op_scope(name, "TensorArrayWrite", (self._handle, index, value)):
            value = convert_to_tensor(value, preferred_dtype=self._dtype, name="value")
            self._check_element_shape(value.shape)
            with self._colocated(value):
                flow = cards.tensor_array_write(self._handle, index, value, self._flow, name=name)
            return self._after(flow)

    def stack(self, name: str | None = None) -> Tensor:
        """All elements as one tensor, with a new first axis."""
        graph = self._handle.graph
        with graph.colocate_with(self._handle):
            with op_scope(name, "TensorArrayStack", (self._handle,)):
                value = self.gather(range(0, self.size()), name=name)
                known = self.element_shape.sizes is not None and self._size is not None
                if known and not self._dynamic_size:
                    value.set_shape([_known_size(self._size), *self.element_shape.as_list()])
                return value

    def gather(self, indices: Any, name: str | None = None) -> Tensor:
        """The elements at `indices`, an int32 vector, as one tensor."""
        value: Tensor = cards.tensor_array_gather(
            self._handle,
            indices,
            self._flow,
            dtype=self._dtype,
            element_shape=self.element_shape,
            name=name,
        )
        if self.element_shape.sizes is not None:
            value.set_shape([None, *self.element_shape.sizes])
        return value

    def concat(self, name: str | None = None) -> Tensor:
        """All elements, joined along their first axis."""
        sizes = self.element_shape.sizes
        rows = unknown_shape() if sizes is None else TensorShape.of(sizes[1:])
        value: Tensor = cards.tensor_array_concat(
            self._handle, self._flow, dtype=self._dtype, element_shape_except0=rows, name=name
        )[0]
        if sizes is not None:
            count = _known_size(self.size()) if self._infer_shape else None
            first = None if count is None or sizes[0] is None else count * sizes[0]
            value.set_shape([first, *sizes[1:]])
        return value

    def unstack(self, value: Any, name: str | None = None) -> TensorArray:
        """Write the rows of `value` into the elements, from the first on."""
        with op_scope(name, "TensorArrayUnstack", (self._handle, value)):
            count = getitem(shape(value), 0)
            return self.scatter(indices=range(0, count), value=value, name=name)

    def scatter(self, indices: Any, value: Any, name: str | None = None) -> TensorArray:
        """Write the rows of `value` into the elements at `indices`, an int32 vector."""
        with op_scope(name, "TensorArrayScatter", (self._handle, value, indices)):
            value = convert_to_tensor(value, preferred_dtype=self._dtype, name="value")
            self._check_element_shape(value.shape[1:])
            with self._colocated(value):
                flow = cards.tensor_array_scatter(
                    self._handle, indices, value, self._flow, name=name
                )
            return self._after(flow)

    def split(self, value: Any, lengths: Any, name: str | None = None) -> TensorArray:
        """Write pieces of `value`, as long as `lengths` says, into the elements."""
        with op_scope(name, "TensorArraySplit", (self._handle, value, lengths)):
            value = convert_to_tensor(value, dtype=self._dtype, name="value")
            with self._colocated(value):
                lengths = cast(lengths, dtypes.int64)
                known = constant_value(lengths)
                if value.shape.sizes is not None and known is not None and known.size:
                    if known.max() == known.min():
                        first = int(known.reshape(-1)[0])
                        self._check_element_shape(TensorShape([first]).concatenate(value.shape[1:]))
                flow = cards.tensor_array_split(self._handle, value, lengths, self._flow, name=name)
            return self._after(flow)

    def size(self, name: str | None = None) -> Tensor:
        """How many elements there are, an int32."""
        if not self._dynamic_size and self._size is not None:
            return convert_to_tensor(self._size, dtype=dtypes.int32)
        result: Tensor = cards.tensor_array_size(self._handle, self._flow, name=name)
        return result

    def mark_used(self) -> None:
        """Nothing: nobody complains of an array that is not used (TensorFlow: `mark_used`)."""

    def close(self, name: str | None = None) -> Operation:
        """An operation that frees the elements before the step ends."""
        result: Operation = cards.tensor_array_close(self._handle, name=name)
        return result


def _check_arguments(
    handle: Any, size: Any, name: Any, shape: Any, grows: Any, clears: Any
) -> None:
    if handle is not None and name:
        raise ValueError(
            "Cannot provide both `handle` and `tensor_array_name` arguments at the same time."
        )
    if handle is not None and not isinstance(handle, Tensor):
        raise TypeError(
            f"Expected `handle` to be a Tensor, but got `{handle}` of type `{type(handle)}` "
            f"instead."
        )
    if handle is None and size is None:
        raise ValueError("Argument `size` must be provided if handle is not provided.")
    others = {
        "size": size,
        "element_shape": shape,
        "dynamic_size": grows,
        "clear_after_read": clears,
    }
    for argument, value in others.items():
        if handle is not None and value is not None:
            between = "a `handle`" if argument == "size" else "`handle`"
            raise ValueError(
                f"Cannot provide both {between} and `{argument}` arguments at the same time."
            )


def _known_size(size: Any) -> int | None:
    value = constant_value(size) if isinstance(size, Tensor) else size
    return None if value is None else int(value)


def flow_of(value: Any) -> Any:
    """An array's flow, which goes through loops and conditionals for it; other values as such."""
    return value.flow if isinstance(value, TensorArray) else value


def with_flow(original: Any, flow: Any) -> Any:
    """Undo `flow_of`: where `original` is an array, the array after `flow`."""
    return original._after(flow) if isinstance(original, TensorArray) else flow
