"""Containers of named resources: where variables, queues and tables live between steps.

Each session (or server) has one `ResourceManager`. A resource is found by container, kind and
name, which is how two graphs, or two clients of one server, share a variable.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from tinytf.framework.errors import NotFoundError

R = TypeVar("R")

DEFAULT_CONTAINER = "localhost"


class ResourceManager:
    """A table (container, kind, name) -> resource. Thread-safe; no method blocks.

    Args:
      default_container: what the empty container name means ("localhost", as in TensorFlow).
    """

    def __init__(self, default_container: str = DEFAULT_CONTAINER):
        self._lock = threading.Lock()
        self._containers: dict[str, dict[tuple[type, str], Any]] = {}  # guarded by self._lock
        self._default = default_container
        #: Before the names of what single nodes own: the calls that lead to their function.
        self._scope = ""

    def in_call(self, scope: str) -> ResourceManager:
        """The same resources for the nodes of a function: "outer/inner/" is the way to it."""
        view = object.__new__(ResourceManager)
        vars(view).update(vars(self), _scope=scope)
        return view

    def of_node(self, name: str, kind: type[R], create: Callable[[], R]) -> R:
        """What one node owns, a sequence of random numbers for example.

        The nodes of a function own something in every call of it.
        """
        return self.lookup_or_create("", self._scope + name, kind, create)

    def lookup_or_create(
        self, container: str, name: str, kind: type[R], create: Callable[[], R]
    ) -> R:
        """The resource, made by `create()` if it is not there. `create` must not block."""
        table = self._containers.get(container or self._default)
        found = None if table is None else table.get((kind, name))
        if found is not None:
            return found
        with self._lock:
            table = self._containers.setdefault(container or self._default, {})
            found = table.get((kind, name))
            if found is None:
                found = table[(kind, name)] = create()
            return found

    def lookup(self, container: str, name: str, kind: type[R]) -> R:
        """The resource; NotFoundError if there is none."""
        found = self._containers.get(container or self._default, {}).get((kind, name))
        if found is None:
            raise NotFoundError(
                None, None,
                f"Container: {container or self._default}. Resource {kind.__name__} '{name}' "
                f"does not exist.",
            )  # fmt: skip
        return found

    def clear(self, containers: Iterable[str] = ()) -> None:
        """Forget all resources of these containers; of the default one if none is named.

        Resources with a `close` method (queues) are closed, so nobody waits on them for ever.
        """
        names = list(containers) or [self._default]
        with self._lock:
            dropped = [r for n in names for r in self._containers.pop(n, {}).values()]
        for resource in dropped:
            close = getattr(resource, "close", None)
            if close is not None:
                close()

    def clear_all(self) -> None:
        """Forget everything: the session is closed."""
        with self._lock:
            names = list(self._containers)
        self.clear(names)

    def items(self) -> list[tuple[str, str, str, Any]]:
        """All resources as (container, kind, name, resource), for inspection."""
        with self._lock:
            return [
                (container, kind.__name__, name, resource)
                for container, table in self._containers.items()
                for (kind, name), resource in table.items()
            ]
