"""An array of tensors that lives for one step: what loops read their inputs from and write to.

Writing keeps the value as it is and reading hands it out again: nothing is copied but when the
whole array is stacked. Each element is written once; its gradient, which may come from several
readers, is a sum. Mirrors tensorflow/core/kernels/tensor_array.h.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from tinytf.framework.dtypes import DType
from tinytf.framework.errors import InvalidArgumentError, ResourceExhaustedError
from tinytf.framework.shape_inference import brackets
from tinytf.framework.tensor_shape import Dims, TensorShape

#: An element that nobody has written. One that was cleared is the tuple of its sizes.
_EMPTY: Any = None
_numbers = itertools.count()


#: A size, or an index to write to, is a short message: half a gigabyte of empty places at most.
MOST_ELEMENTS = 1 << 26


class TensorArray:
    """Elements of one dtype, by index.

    Args:
      name: for messages; a number is added, since a loop may make several.
      dtype: of all elements.
      size: how many there are.
      element_shape: what is known of the elements' shapes.
      dynamic_size: whether writing beyond the end makes it longer.
      clear_after_read: whether an element can be read only once, and is forgotten then.
      identical_element_shapes: whether all elements have the shape of the first one written.
    """

    __slots__ = """
        _clears _closed _element_shape _fixed_shape _gradients _identical _is_gradient _pieces
        _read _shapes _sums _values dtype dynamic_size name
    """.split()

    def __init__(
        self,
        name: str,
        dtype: DType,
        size: int,
        element_shape: Dims = None,
        dynamic_size: bool = False,
        clear_after_read: bool = True,
        identical_element_shapes: bool = False,
    ):
        if size < 0:
            raise InvalidArgumentError("Size should be >= 0.")
        self.name = f"{name}_{next(_numbers)}"
        self._check_size(size)
        self.dtype = dtype
        self.dynamic_size = dynamic_size
        self._clears = clear_after_read
        self._identical = identical_element_shapes
        self._set_element_shape(element_shape)
        self._values: list[Any] = [_EMPTY] * size
        self._read = bytearray(size)
        self._closed = False
        #: by the name of the call of tf.gradients
        self._gradients: dict[bytes, TensorArray] = {}
        self._is_gradient = False
        #: whether several writes of an element are added up, and whether that has happened
        self._sums = False
        #: of a gradient: the shape of each element of the array it is the gradient of
        self._shapes: list[Dims] = []
        #: how many elements the last split made; of a gradient, before it was made
        self._pieces: int | None = None

    def _set_element_shape(self, shape: Dims) -> None:
        self._element_shape = shape
        self._fixed_shape = None if shape is None or None in shape else shape

    @property
    def element_shape(self) -> TensorShape:
        """What is known of the elements' shapes."""
        return TensorShape.of(self._element_shape)

    def __len__(self) -> int:
        return len(self._values)

    # Writing ----------------------------------------------------------------------------------

    def write(self, index: int, value: Any) -> None:
        """Put a value at `index`; of a gradient, add it to what is there.

        Raises:
          InvalidArgumentError: if the index is out of range, the element was written or read
            before, or the value has another shape than the others.
        """
        values = self._values
        if not 0 <= index < len(values) or self._closed:
            self._make_room(index)
        if value.shape != self._fixed_shape:
            self._check_shape(index, value.shape)
        if self._read[index]:
            raise self._refuse(index, "it has already been read.")
        if values[index] is _EMPTY:
            values[index] = value
        elif self._sums:
            self._add(index, value)
        else:
            raise self._refuse(index, "it has already been written to.")

    def _make_room(self, index: int) -> None:
        self.check_open()
        if index < 0 or not self.dynamic_size:
            raise InvalidArgumentError(
                f"TensorArray {self.name}: Tried to write to index {index} but array is not "
                f"resizeable and size is: {len(self)}"
            )
        self._extend(index + 1)

    def _check_size(self, size: int) -> None:
        if size > MOST_ELEMENTS:
            raise ResourceExhaustedError(
                f"TensorArray {self.name}: {size} elements are too many; it takes {MOST_ELEMENTS}."
            )

    def _extend(self, size: int) -> None:
        self._check_size(size)
        missing = size - len(self)
        self._values.extend([_EMPTY] * missing)
        self._read.extend(bytes(missing))

    def _check_shape(self, index: int, shape: tuple[int, ...]) -> None:
        if not self.element_shape.is_compatible_with(TensorShape.of(shape)):
            known = brackets(self.element_shape)
            raise self._refuse(
                index,
                f"the value shape is {brackets(TensorShape.of(shape))} which is incompatible with "
                f"the TensorArray's inferred element shape: {known} (consider setting "
                f"infer_shape=False).",
            )
        if self._identical:
            self._set_element_shape(shape)

    def _add(self, index: int, value: Any) -> None:
        present = self._values[index]
        if not (self.dtype.is_floating or self.dtype.is_integer or self.dtype.is_complex):
            raise InvalidArgumentError(
                f"tensor_array::AddToTensor type not supported: {self.dtype.name}"
            )
        if present.shape != value.shape:
            raise InvalidArgumentError(
                f"TensorArray {self.name}: Could not aggregate to TensorArray index {index} "
                f"because the existing shape is {brackets(TensorShape.of(present.shape))} but the "
                f"new input shape is {brackets(TensorShape.of(value.shape))}."
            )
        self._values[index] = np.add(present, value)

    def _refuse(self, index: int, reason: str) -> InvalidArgumentError:
        return InvalidArgumentError(
            f"TensorArray {self.name}: Could not write to TensorArray index {index} because "
            f"{reason}"
        )

    # Reading ----------------------------------------------------------------------------------

    def read(self, index: int) -> Any:
        """The value at `index`; zeros, if it was never written but its shape is known.

        Raises:
          InvalidArgumentError: if the index is out of range, the element is no longer there, or
            nothing is known of it.
        """
        values = self._values
        if not 0 <= index < len(values) or self._closed:
            self._read_outside(index)
        value = values[index]
        if value is _EMPTY:
            value = values[index] = self._zeros(index)
        elif type(value) is tuple:
            raise InvalidArgumentError(
                f"TensorArray {self.name}: Could not read index {index} twice because it was "
                f"cleared after a previous read (perhaps try setting clear_after_read = false?)."
            )
        self._read[index] = 1
        if self._clears:
            values[index] = value.shape
        return value

    def _read_outside(self, index: int) -> None:
        """Beyond its end, a gradient of a known shape is zero; anything else is an error."""
        self.check_open()
        if index < 0 or not self._is_gradient:
            raise InvalidArgumentError(
                f"Tried to read from index {index} but array size is: {len(self)}"
            )
        self._zeros(index)
        self._extend(index + 1)

    def _zeros(self, index: int) -> Any:
        shape = self._shapes[index] if index < len(self._shapes) else None
        if shape is None:
            shape = self._element_shape
        if shape is None or None in shape:
            raise InvalidArgumentError(
                f"TensorArray {self.name}: Could not read from TensorArray index {index}.  "
                f"Furthermore, the element shape is not fully defined: "
                f"{brackets(TensorShape.of(shape))}.  It is possible you are working with a "
                f"resizeable TensorArray and stop_gradients is not allowing the gradients to be "
                f"written.  If you set the full element_shape property on the forward "
                f"TensorArray, the proper all-zeros tensor will be returned instead of "
                f"incurring this error."
            )
        if self.dtype.name in ("string", "resource", "variant"):
            raise InvalidArgumentError(
                f"tensor_array::TensorSetZero type not supported: {self.dtype.name}"
            )
        return np.zeros(shape, self.dtype.as_numpy_dtype)

    # All of it --------------------------------------------------------------------------------

    def gradient(self, source: bytes, prepended: tuple[int, ...] = ()) -> TensorArray:
        """The array that collects the gradients of this one's elements.

        Args:
          source: which call of `tf.gradients` asks; each has its own.
          prepended: sizes before those of the elements (`TensorArrayGradWithShape`).

        Raises:
          InvalidArgumentError: if this is a gradient itself: TensorFlow has no second
            derivatives through a TensorArray.
        """
        found = self._gradients.get(source)
        if found is not None:
            return found
        self.check_open()
        if self._is_gradient:
            raise InvalidArgumentError(
                f"Wrong input container. {self.name}@{source.decode()}: this TensorArray collects "
                f"gradients. It has no gradient itself, so there are no second derivatives "
                f"through a TensorArray."
            )
        self.dynamic_size = False  # from now on its size is that of the gradient
        known = None if self._element_shape is None else (*prepended, *self._element_shape)
        result = TensorArray(
            self.name, self.dtype, len(self), known, identical_element_shapes=self._identical
        )
        result.name = f"{self.name}@{source.decode()}"
        result._is_gradient = result._sums = True
        result._shapes = [
            None if shape is None else (*prepended, *shape)
            for shape in (v if type(v) is tuple or v is _EMPTY else v.shape for v in self._values)
        ]
        result._pieces = self._pieces
        self._gradients[source] = result
        return result

    @property
    def concat_size(self) -> int:
        """How many elements `concat` joins: of the gradient of a split as many as it made.

        What was written behind them is not of the value that was split.
        """
        split = self._is_gradient and self._pieces is not None
        return self._pieces if split else len(self)  # type: ignore[return-value]

    def prepare_unpack(self, count: int) -> None:
        """Before `count` elements are written from the front: grow, if that is allowed."""
        if self.dynamic_size and count > len(self):
            self._make_room(count - 1)

    def mark_split(self, count: int) -> None:
        """After a split into `count` elements."""
        if not self._is_gradient:
            self._pieces = count

    def close(self) -> None:
        """Forget all elements; nothing can be done with the array afterwards."""
        self._values = []
        self._closed = True

    def check_open(self) -> None:
        """Raise InvalidArgumentError if the array is closed."""
        if self._closed:
            raise InvalidArgumentError(f"TensorArray {self.name} has already been closed.")

    def __repr__(self) -> str:
        return f"<TensorArray {self.name!r} of {len(self)} {self.dtype.name} values>"
