"""`tf.test.StubOutForTesting`: replace attributes for a test, and put them back."""

from __future__ import annotations

import inspect
from typing import Any


class StubOutForTesting:
    """Replaces attributes of modules, classes and objects (TensorFlow: the same).

    `Set` replaces an attribute where it is asked for, `SmartSet` where it is defined; `CleanUp`
    puts all back, as the end of a `with` block does. Newer programs use `tf.test.mock.patch`.

    Example:
      >>> import os
      >>> with tf.test.StubOutForTesting() as stubs:
      ...     stubs.Set(os.path, "exists", lambda path: True)
      ...     print(os.path.exists("/nowhere"))
      True
    """

    def __init__(self) -> None:
        #: what was replaced, oldest first: where, name, the old attribute
        self._set: list[tuple[Any, str, Any]] = []
        self._smart: list[tuple[Any, str, Any]] = []

    def __enter__(self) -> StubOutForTesting:
        return self

    def __exit__(self, *exception: Any) -> None:
        self.CleanUp()

    def __del__(self) -> None:
        self.CleanUp()

    def Set(self, parent: Any, child_name: str, new_child: Any) -> None:
        """Replace an attribute of `parent`; AttributeError if it has none of that name."""
        old = getattr(parent, child_name)
        if inspect.isclass(parent):  # a static method as it stands there, not the function in it
            old = vars(parent).get(child_name, old)
        self._set.append((parent, child_name, old))
        setattr(parent, child_name, new_child)

    def UnsetAll(self) -> None:
        """Take back what `Set` did, the latest first."""
        _put_back(self._set)

    def SmartSet(self, obj: Any, attr_name: str, new_attr: Any) -> None:
        """Replace an attribute in the class (or module) that it comes from.

        Raises:
          AttributeError: if there is none of that name.
        """
        places = [obj]
        if not inspect.ismodule(obj):
            places += inspect.getmro(obj if inspect.isclass(obj) else type(obj))
        place = next((place for place in places if attr_name in vars(place)), None)
        if place is None:
            raise AttributeError(f"Attribute not found: {attr_name!r} of {obj!r}")
        self._smart.append((place, attr_name, vars(place)[attr_name]))
        setattr(place, attr_name, new_attr)

    def SmartUnsetAll(self) -> None:
        """Take back what `SmartSet` did, the latest first."""
        _put_back(self._smart)

    def CleanUp(self) -> None:
        """Take back everything."""
        self.SmartUnsetAll()
        self.UnsetAll()


def _put_back(replaced: list[tuple[Any, str, Any]]) -> None:
    while replaced:
        place, name, old = replaced.pop()
        setattr(place, name, old)
