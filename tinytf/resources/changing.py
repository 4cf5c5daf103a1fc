"""Writing into parts of variables: some rows, some elements, several variables at once."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np

from tinytf.resources.variable import Variable, own

# getrefcount's own argument and the variable: nobody else holds the array.
_SOLE_OWNER = 2


@contextmanager
def writable(*variables: Variable) -> Iterator[list[np.ndarray]]:
    """The arrays of variables, to write into while the variables are locked.

    Whoever holds a value that was read keeps it: such an array is copied first. Write by one call
    into numpy, after everything that can fail: then neither an error nor an interrupt from the
    keyboard leaves half a change behind.

    Args:
      variables: which may be the same one several times.

    Returns:
      C-contiguous arrays, in the same order.

    Raises:
      FailedPreconditionError: if one of them has no value.

    Example:
      >>> with writable(variable) as (array,):
      ...     array[2:4] = 0.0
    """
    with ExitStack() as locks:
        for variable in sorted(set(variables), key=id):  # always in one order: no deadlock
            locks.enter_context(variable._lock)
        for variable in variables:
            if variable._value is None:
                raise variable._uninitialized()
            if not _is_ours(variable):
                # An order of the elements that can be reshaped without a copy.
                variable._value = np.array(variable._value, order="C")
        arrays = [variable._value for variable in variables]
        try:
            for array in arrays:
                array.flags.writeable = True
            yield arrays
        finally:
            for array in arrays:
                array.flags.writeable = False


def _is_ours(variable: Variable) -> bool:
    if sys.getrefcount(variable._value) != _SOLE_OWNER:
        return False
    flags = variable._value.flags
    return flags.owndata and flags.c_contiguous


def replace(variables: Sequence[Variable], function: Callable[..., Sequence[Any]]) -> None:
    """Give several variables new values that are computed from their old ones, all locked.

    Args:
      variables: which may be the same one several times.
      function: gets their values, read-only, and returns the new ones: new arrays, or what it got.

    Raises:
      FailedPreconditionError: if one of them has no value.

    Example:
      >>> replace([a, b], lambda a, b: (a + b, b))
    """
    if len(variables) == 1:
        variables[0].modify(lambda value: function(value)[0])
    else:
        _replace(variables, function, sorted(set(variables), key=id))


def _replace(
    variables: Sequence[Variable], function: Callable[..., Sequence[Any]], to_lock: list[Variable]
) -> None:
    # One block for each lock: an ExitStack would cost small variables as much as the change.
    if to_lock:
        with to_lock.pop()._lock:
            return _replace(variables, function, to_lock)
    old = [variable._value for variable in variables]
    for variable, value in zip(variables, old, strict=True):
        if value is None:
            raise variable._uninitialized()
    for variable, value in zip(variables, function(*old), strict=True):
        variable._value = own(value)
