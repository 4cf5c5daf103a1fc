"""The four registries of operations: schema, shape function, kernel, gradient.

An op *card* (`op_card.py`) writes into all four, but each facet can be looked up, replaced from a
notebook, or added for one device only. The executor and the op definitions meet here, by name:
neither imports the other.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from tinytf.framework import dtypes
from tinytf.framework.errors import NotFoundError
from tinytf.framework.op_def import OpDef

T = TypeVar("T")


class Registry(Generic[T]):
    """A table from op type to one facet; it suggests near misses instead of listing everything."""

    def __init__(self, what: str):
        self._what = what
        self._entries: dict[str, T] = {}

    def register(self, name: str, value: T, replace: bool = False) -> None:
        """Add an entry; KeyError if there is one already, unless `replace`."""
        if name in self._entries and not replace:
            raise KeyError(
                f"Registering two {self._what}s with name '{name}'! Pass replace=True if the "
                f"new one is meant to take the place of the first."
            )
        self._entries[name] = value

    def get(self, name: str) -> T | None:
        """The entry, or None."""
        return self._entries.get(name)

    def lookup(self, name: str) -> T:
        """The entry; NotFoundError with the nearest names if there is none."""
        entry = self._entries.get(name)
        if entry is not None:
            return entry
        near = difflib.get_close_matches(name, self._entries, n=3)
        hint = f" Did you mean {', '.join(map(repr, near))}?" if near else ""
        raise NotFoundError(
            f"Op type not registered '{name}': tinytf has no {self._what} for it.{hint}"
        )

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)


@dataclass(slots=True)
class Kernel:
    """How one op type computes on one type of device.

    `function` takes the node's input values in order and returns its output value: a bare value
    for an op with a single output, otherwise a sequence. It may be a class, of which it makes one.
    Two kinds of extra parameters, by name:

      * a first positional parameter called `step` receives the step context, on every call;
      * keyword-only parameters are bound once, when the step is compiled: the node's attributes
        by their names, or all of them as `attrs`; `xp` (the array module), `node` (the operation)
        and `resources` (the state of the session).

    Attributes:
      types: for some type attributes, the dtypes this kernel accepts; None for all.
      blocking: the kernel may have to wait; it then returns a `Pending`.
      host_args: names of arguments that stay in host memory on a GPU.
      own: it is the user's (`tf.user_ops`), not tinytf's: what it returns is checked.
    """

    op_type: str
    device_type: str
    function: Callable[..., Any]
    types: dict[str, frozenset[dtypes.DType]] | None = None
    blocking: bool = False
    host_args: frozenset[str] = frozenset()
    own: bool = False

    @property
    def _code(self) -> Any:
        function: Any = self.function
        if isinstance(function, type):
            function = getattr(function, "__init__", None)
        return getattr(function, "__code__", None)

    @property
    def wants_step(self) -> bool:
        """Whether the step context is passed as the first argument."""
        code = self._code
        return code is not None and code.co_argcount > 0 and code.co_varnames[0] == "step"

    @property
    def bound_parameters(self) -> tuple[str, ...]:
        """Names of the keyword-only parameters that are bound at compile time."""
        code = self._code
        if code is None:  # a numpy ufunc or another builtin: nothing to bind
            return ()
        return code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]

    def accepts(self, attrs: dict[str, Any]) -> bool:
        """Whether the node's type attributes are among the types of this kernel."""
        if self.types is None:
            return True
        return all(attrs.get(name) in allowed for name, allowed in self.types.items())


class NotDifferentiable:
    """Stands in the gradient registry for an op that has no gradient, with the reason why."""

    def __init__(self, reason: str):
        self.reason = reason


op_defs: Registry[OpDef] = Registry("op")
shape_functions: Registry[Callable[..., Any]] = Registry("shape function")
gradients: Registry[Any] = Registry("gradient")
#: op type -> device type -> kernels, the most recently registered first.
_kernels: dict[str, dict[str, list[Kernel]]] = {}


def unregister(op_type: str) -> None:
    """Forget an op type and all its facets: for tests, and for cells that define one again."""
    for table in (op_defs, shape_functions, gradients):
        table._entries.pop(op_type, None)
    _kernels.pop(op_type, None)


def register_kernel(kernel: Kernel) -> None:
    """Add a kernel; a later one that accepts the same types takes precedence."""
    _kernels.setdefault(kernel.op_type, {}).setdefault(kernel.device_type, []).insert(0, kernel)


def unregister_own_kernels(
    op_type: str, device_type: str | None = None, types: Any = None
) -> list[Kernel]:
    """Forget the user's kernels of an op type; those of tinytf serve it again.

    Args:
      device_type, types: only kernels for exactly these; None for the device: all of them.

    Returns:
      the kernels that are gone.
    """
    gone: list[Kernel] = []
    for device, kernels in _kernels.get(op_type, {}).items():
        if device_type in (None, device):
            drop = [k for k in kernels if k.own and (device_type is None or k.types == types)]
            gone += drop
            kernels[:] = [k for k in kernels if k not in drop]
    return gone


def has_own_kernels(op_type: str) -> bool:
    """Whether the user registered a kernel for an op type, for any device."""
    return any(kernel.own for kernels in kernels_of(op_type).values() for kernel in kernels)


def kernels_of(op_type: str) -> dict[str, list[Kernel]]:
    """All kernels of an op type, by device type."""
    return _kernels.get(op_type, {})


def find_kernel(op_type: str, device_type: str, attrs: dict[str, Any]) -> Kernel | None:
    """The kernel for a node with these attributes on a device type, or None."""
    for kernel in _kernels.get(op_type, {}).get(device_type, ()):
        if kernel.accepts(attrs):
            return kernel
    return None
