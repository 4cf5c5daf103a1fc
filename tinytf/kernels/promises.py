"""A user's kernel, held to what its op promises: how many outputs, of which types and shapes.

A mistake is reported where it was made, instead of in whatever operation stumbles over it later.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import Any

import numpy as np

from tinytf.framework.errors import InvalidArgumentError, OpError, with_operation
from tinytf.framework.operation import Operation
from tinytf.framework.pending import Pending


class HeldToPromises:
    """A kernel function of the same parameters that checks its results.

    Args:
      function: the user's kernel. op: the node it computes.
    """

    def __init__(self, function: Callable[..., Any], op: Operation):
        self._function = function
        self._op = op
        #: for whoever asks a kernel's function for its parameters; None for a builtin function
        self.__code__ = getattr(function, "__code__", None)

    def __call__(self, *arguments: Any, **bound: Any) -> Any:
        """What the kernel returns; InvalidArgumentError if that breaks a promise."""
        try:
            result = self._function(*arguments, **bound)
        except OpError:
            raise
        except Exception as error:
            raise self._at_its_line(error) from error
        if isinstance(result, Pending):  # checked on the thread that brings it
            return result.then(self._checked)
        return self._checked(result)

    def _checked(self, result: Any) -> Any:
        if self._op.op_def.single_output:
            self._check(0, result)
            return result
        return self._checked_outputs(result)

    def _checked_outputs(self, results: Any) -> Any:
        count = len(self._op.outputs)
        if results is None and not count:
            return ()
        if not isinstance(results, list | tuple):
            raise self._broken(
                f"promises {count} outputs and returned {_described(results)}. Return a tuple "
                f"with one value for each output."
            )
        if len(results) != count:
            raise self._broken(f"promises {count} outputs and returned {len(results)}.")
        for number, value in enumerate(results):
            self._check(number, value)
        return results

    def _check(self, number: int, value: Any) -> None:
        tensor = self._op.outputs[number]
        wanted = tensor.dtype.as_numpy_dtype
        one_object = np.dtype(wanted).hasobject and not isinstance(value, np.ndarray)
        if tensor.dtype.is_ref or one_object:
            return  # a text, a resource: one Python object
        promise = f"promises output {number}, {self._name_of(number)!r}, as {tensor.dtype.name}"
        found = getattr(value, "dtype", None)
        if found is None:
            hint = "return np.zeros(...), or x.dtype.type(...) for a single number."
            if value is None:
                hint = "is a `return` missing?"
            raise self._broken(f"{promise} and returned {_described(value)}: {hint}")
        if found != wanted:
            cast = f".astype(np.{np.dtype(wanted).name})"
            raise self._broken(f"{promise} and returned {found}. `{cast}` makes it so.")
        if not tensor.shape.is_compatible_with(value.shape):
            raise self._broken(
                f"{promise} of shape {tensor.shape}, says its shape function, and returned the "
                f"shape {value.shape}. One of the two is wrong."
            )

    def _name_of(self, number: int) -> str:
        outputs = self._op.op_def.outputs
        if any(arg.is_list for arg in outputs):
            return self._op.outputs[number].name
        return outputs[number].name

    def _broken(self, text: str) -> InvalidArgumentError:
        return InvalidArgumentError(
            f"The kernel of op '{self._op.type}' {text}{self._defined_at()}"
        )

    def _defined_at(self) -> str:
        code = self.__code__
        return "" if code is None else f"\nThe kernel: {code.co_filename}:{code.co_firstlineno}"

    def _at_its_line(self, error: Exception) -> OpError:
        """The error with the line of the kernel that raised it."""
        known = with_operation(error, self._op)
        file = None if self.__code__ is None else self.__code__.co_filename
        lines = [f for f in traceback.extract_tb(error.__traceback__) if f.filename == file]
        if not lines:
            if not isinstance(error, TypeError) or file is None:
                return known
            names = ", ".join(arg.name for arg in self._op.op_def.inputs) or "none"
            return type(known)(
                f"{known.message}\nA kernel of op '{self._op.type}' takes a value for each input "
                f"({names}), and attributes by name, behind a *.{self._defined_at()}",
                self._op,
            )
        line = lines[-1]
        hint = ""
        if "read-only" in str(error):
            hint = "\nA kernel must not change its inputs, which others use: y = x.copy() first."
        return type(known)(
            f"{known.message}\nThe kernel raised it at:\n  {line.filename}:{line.lineno}, in "
            f"{line.name}\n    {line.line}{hint}",
            self._op,
        )


def _described(value: Any) -> str:
    return "None" if value is None else f"a Python {type(value).__name__}"
