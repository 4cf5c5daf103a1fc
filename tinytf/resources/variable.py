"""The value of a variable between steps, for reference and resource variables alike."""

from __future__ import annotations

import sys
import threading
import weakref
from collections.abc import Callable
from typing import Any, Self

import numpy as np

from tinytf.framework import dtypes
from tinytf.framework.errors import FailedPreconditionError, InternalError, InvalidArgumentError
from tinytf.framework.tensor_shape import TensorShape
from tinytf.resources.memory import Memory

# getrefcount's own argument and the attribute: nobody else holds the array.
_SOLE_OWNER = 2
#: What helps where one name stands for two variables.
_OTHER_PROGRAM = (
    "Another graph has a variable of this name. If both are of one network, they have to declare "
    "it alike; if not, choose another name, or a container (tf.container)."
)


class Variable:
    """A tensor that outlives the step.

    The array is immutable to everybody who reads it, so a reader always sees a whole value.
    An update puts a new array in its place; it writes into the old one only when nobody else
    holds it (proved by its reference count, under the lock that readers take as well).

    Attributes:
      name: for messages and inspection.
      dtype: the element type.
      shape: the static shape assigned values must fit, if they are checked.
    """

    __slots__ = ("_lock", "_memory", "_value", "dtype", "name", "shape")

    def __init__(self, name: str, dtype: dtypes.DType, shape: TensorShape):
        self.name = name
        self.dtype = dtype.base_dtype
        self.shape = shape
        self._lock = threading.Lock()
        self._value: Any = None  # guarded by self._lock; never written by others
        #: what those share who read it later; it lives as long as one of them looks at it
        self._memory: weakref.ref[Memory] | None = None

    def for_node(self, dtype: dtypes.DType, shape: TensorShape) -> Self:
        """This variable, for a node that declares a type; its shape is checked by what uses it.

        Two programs that mean different variables by one name meet here.

        Raises:
          InternalError: if it is of another type.
        """
        if dtype is not self.dtype and dtype.base_dtype is not self.dtype:
            raise InternalError(
                f"Output 0 of type {self.dtype.name}_ref does not match declared output type "
                f"{dtype.name}_ref for the variable {self.name!r}. {_OTHER_PROGRAM}"
            )
        return self

    @property
    def is_initialized(self) -> bool:
        """Whether a value was assigned."""
        return self._value is not None

    def read(self) -> Any:
        """The value, read-only; FailedPreconditionError before the first assignment."""
        with self._lock:
            value = self._value
        if value is None:
            raise self._uninitialized()
        return value

    def shared(self) -> tuple[Memory, Any]:
        """What reads that are carried out later share, and what is in it now.

        Raises:
          FailedPreconditionError: before the first assignment.
        """
        with self._lock:
            if self._value is None:
                raise self._uninitialized()
            memory = None if self._memory is None else self._memory()
            if memory is None:
                memory = Memory(self)
                self._memory = weakref.ref(memory)
            return memory, self._value

    def read_memory(self, memory: Memory) -> Any:
        """What is in a memory of this variable, the one that it has or one that it had."""
        with self._lock:
            return self._value if memory.left is None else memory.left

    def _leave_memory(self) -> None:
        """The next value will be in another memory. Under the lock."""
        memory = None if self._memory is None else self._memory()
        if memory is not None:
            memory.left = self._value
        self._memory = None

    def _uninitialized(self) -> FailedPreconditionError:
        return FailedPreconditionError(
            f"Attempting to use uninitialized value {self.name}. Run its initializer first: "
            f"sess.run(tf.global_variables_initializer()), or tf.local_variables_initializer() "
            f"for a local variable, in this session (on a cluster: in any of its sessions)."
        )

    def assign(self, value: Any, validate_shape: bool = True) -> None:
        """Replace the value.

        Args:
          value: an array; taken over without a copy only if nobody else can write to it.
          validate_shape: whether its shape must fit the current value's or the static shape.

        Raises:
          InvalidArgumentError: if the shape does not fit.
        """
        value = own(value)
        with self._lock:
            if validate_shape:
                self._check_shape(value.shape)
            if self._memory is not None and self._value.size != value.size:
                self._leave_memory()
            self._value = value

    def _check_shape(self, shape: tuple[int, ...]) -> None:
        expected = self.shape if self._value is None else TensorShape(self._value.shape)
        if not expected.is_compatible_with(shape):
            raise self._wrong_shape(expected, shape)

    def _wrong_shape(self, expected: TensorShape, shape: tuple[int, ...]) -> InvalidArgumentError:
        return InvalidArgumentError(
            f"Assign requires shapes of both tensors to match. lhs shape= "
            f"{_text(expected)} rhs shape= {_text(TensorShape(shape))} (variable {self.name})"
        )

    def update(self, function: Callable[..., Any], operand: Any) -> None:
        """Apply `value = function(value, operand)` as one indivisible change.

        Args:
          function: a numpy ufunc of two arrays (np.add, np.subtract ...). Being one call into
            numpy, it is not cut in two by an interrupt from the keyboard.
          operand: an array of the value's shape.

        Raises:
          FailedPreconditionError: before the first assignment. InvalidArgumentError: if the
            shapes differ.
        """
        with self._lock:
            if self._value is None:
                raise self._uninitialized()
            if np.shape(operand) != self._value.shape:
                raise self._other_shape(np.shape(operand))
            if (
                sys.getrefcount(self._value) == _SOLE_OWNER
                and isinstance(self._value, np.ndarray)
                and self._value.flags.owndata
            ):
                self._value.flags.writeable = True
                try:
                    function(self._value, operand, out=self._value)
                finally:
                    self._value.flags.writeable = False
            else:
                self._value = own(function(self._value, operand))

    def _other_shape(self, shape: tuple[int, ...]) -> InvalidArgumentError:
        return InvalidArgumentError(
            f"Parameters and update must be the same size: {self.name} has shape "
            f"{_text(TensorShape(self._value.shape))}, the update {_text(TensorShape(shape))}."
        )

    def modify(self, function: Callable[[Any], Any]) -> Any:
        """Replace the value by `function(value)` as one indivisible change; returns the new one.

        `function` must return a new array, or its argument unchanged.
        """
        with self._lock:
            if self._value is None:
                raise self._uninitialized()
            self._value = value = own(function(self._value))
            return value

    def arrays_held(self) -> tuple[tuple[str, Any], ...]:
        """The arrays that live as long as the variable has them, each with the name of its holder.

        A device with a memory of its own counts them.
        """
        value = self._value
        return () if value is None else ((self.name, value),)

    def separate(self, shared: Any, copy: Any) -> None:
        """Have `copy` instead of `shared`, which others have as well, if that is still the value.

        A device with a memory of its own has no array in two places.
        """
        with self._lock:
            if self._value is shared:
                self._value = own(copy)

    def clear(self) -> None:
        """Make the variable uninitialised again."""
        with self._lock:
            self._leave_memory()
            self._value = None

    def __repr__(self) -> str:
        state = "uninitialized" if self._value is None else f"shape {self._value.shape}"
        return f"<variable {self.name!r} {self.dtype.name} {state}>"


class ResourceVariable(Variable):
    """A variable behind a resource handle: the same state, TensorFlow's other words for errors."""

    __slots__ = ()

    def for_node(self, dtype: dtypes.DType, shape: TensorShape) -> Self:
        """This variable, for a node that declares a type; without a value it becomes of that type.

        Raises:
          InvalidArgumentError: if it has a value of another type.
        """
        if dtype is not self.dtype and dtype.base_dtype is not self.dtype:
            with self._lock:
                if self._value is not None:
                    raise InvalidArgumentError(
                        f"Trying to read variable with wrong dtype. Expected {dtype.name} got "
                        f"{self.dtype.name} (variable {self.name}). {_OTHER_PROGRAM}"
                    )
                self.dtype, self.shape = dtype.base_dtype, shape
        return self

    def _uninitialized(self) -> FailedPreconditionError:
        return FailedPreconditionError(
            f"Could not find variable {self.name}. This could mean that the variable has been "
            f"deleted. In TF1, it can also mean the variable is uninitialized. Run its initializer "
            f"first: sess.run(tf.global_variables_initializer()), in this session (on a cluster: "
            f"in any of its sessions)."
        )

    def _wrong_shape(self, expected: TensorShape, shape: tuple[int, ...]) -> InvalidArgumentError:
        return InvalidArgumentError(
            f"Trying to assign to variable with tensor with wrong shape. Expected "
            f"{_text(expected)} got {_text(TensorShape(shape))} (variable {self.name})"
        )

    def _other_shape(self, shape: tuple[int, ...]) -> InvalidArgumentError:
        return InvalidArgumentError(
            f"Cannot update variable with shape {_text(TensorShape(self._value.shape))} using a "
            f"Tensor with shape {_text(TensorShape(shape))}, shapes must be equal. (variable "
            f"{self.name})"
        )


def own(value: Any) -> Any:
    """`value` as an array that no one else can change: copied unless that is certain already.

    A read-only array stays as it is only when it owns its memory: whoever made it read-only gave
    up writing. A writable one that owns its memory was made by a kernel in this step and is
    frozen; every later fetch of it is then a copy. Views are copied.
    """
    if not isinstance(value, np.ndarray):
        if hasattr(value, "__cuda_array_interface__"):
            return value  # on a card: kernels make new arrays there, and write into none
        value = np.asarray(value)  # a numpy scalar: immutable, but state is always an array
    elif not value.flags.owndata or value.base is not None:
        value = value.copy()
    if value.flags.writeable:
        value.flags.writeable = False
    return value


def _text(shape: TensorShape) -> str:
    if shape.sizes is None:
        return "<unknown>"
    return "[" + ",".join("?" if d is None else str(d) for d in shape.sizes) + "]"
