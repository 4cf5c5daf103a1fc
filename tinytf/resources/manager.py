"""Containers of named resources: where variables, queues and tables live between steps.

Each session (or server) has one `ResourceManager`. A resource is found by container, kind and
name, which is how two graphs, or two clients of one server, share a variable.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from tinytf.framework.errors import NotFoundError
from tinytf.resources.contributions import Asker
from tinytf.resources.file_root import ANYWHERE, FileRoot
from tinytf.resources.session_tensors import SessionTensors

R = TypeVar("R")

DEFAULT_CONTAINER = "localhost"


class ResourceManager:
    """A table (container, kind, name) -> resource. Thread-safe; no method blocks.

    Args:
      default_container: what the empty container name means ("localhost", as in TensorFlow).
      files: which files operations may touch.

    Attributes:
      session_tensors: what one session keeps from step to step for its handles.
      asker: the session whose view it is, on a server; None elsewhere.
    """

    def __init__(self, default_container: str = DEFAULT_CONTAINER, files: FileRoot = ANYWHERE):
        self.files = files
        self._lock = threading.Lock()
        self._containers: dict[str, dict[tuple[type, str], Any]] = {}  # guarded by self._lock
        self._default = default_container
        self._numbers = itertools.count()
        self.session_tensors = SessionTensors()
        self.asker: Asker | None = None
        #: Before the names of what single nodes own: the calls that lead to their function.
        self._scope = ""
        #: Where that is instead, if it is not to outlive this view: see `apart`.
        self._owned: dict[tuple[str, type], Any] | None = None

    def in_call(self, scope: str) -> ResourceManager:
        """The same resources for the nodes of a function: "outer/inner/" is the way to it."""
        view = object.__new__(ResourceManager)
        vars(view).update(vars(self), _scope=scope)
        return view

    def apart(self) -> ResourceManager:
        """The same resources, but what single nodes own is new, and lives as long as this view."""
        view = self.in_call("")
        view._owned, view.session_tensors = {}, SessionTensors()
        return view

    def isolated(self) -> ResourceManager:
        """A manager of its own, with the same default container."""
        return ResourceManager(self._default, self.files)

    def of_node(self, name: str, kind: type[R], create: Callable[[], R], container: str = "") -> R:
        """What one node owns, a sequence of random numbers for example.

        The nodes of a function own something in every call of it.
        """
        if self._owned is not None:
            with self._lock:
                key = self._scope + name, kind
                if key not in self._owned:
                    self._owned[key] = create()
                return self._owned[key]
        return self.lookup_or_create(container, self._scope + name, kind, create)

    def count(self) -> int:
        """The number of a resource without a shared name: 0, 1, 2, ... in the names of queues."""
        return next(self._numbers)

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
                self._note_container(found, container)
            return found

    def _note_container(self, resource: Any, container: str) -> None:
        if hasattr(resource, "served_by"):  # who waits on it is told who else means it
            is_default = container in ("", self._default)
            resource.containers = ("", self._default) if is_default else (container,)

    def lookup(self, container: str, name: str, kind: type[R]) -> R:
        """The resource; NotFoundError if there is none."""
        found = self._containers.get(container or self._default, {}).get((kind, name))
        if found is None:
            raise NotFoundError(
                f"Container: {container or self._default}. Resource {kind.__name__} '{name}' "
                f"does not exist."
            )
        return found

    def clear(self, containers: Iterable[str] = ()) -> None:
        """Forget all resources of these containers; of the default one if none is named.

        Resources with a `close` method (queues) are closed, so nobody waits on them for ever.
        """
        names = list(containers) or [self._default]
        with self._lock:
            dropped = [r for n in names for r in self._containers.pop(n, {}).values()]
        _close(dropped)

    def clear_owned(self) -> None:
        """Forget what single nodes own, if this is a view `apart`: its session is closed."""
        with self._lock:
            dropped = list((self._owned or {}).values())
            if self._owned is not None:
                self._owned.clear()
        _close(dropped)

    def clear_all(self) -> None:
        """Forget everything: the session is closed."""
        with self._lock:
            names = list(self._containers)
        self.clear(names)
        self.session_tensors.clear()

    def items(self) -> list[tuple[str, str, str, Any]]:
        """All resources as (container, kind, name, resource), for inspection."""
        with self._lock:
            shared = [
                (container, kind.__name__, name, resource)
                for container, table in self._containers.items()
                for (kind, name), resource in table.items()
            ]
            own = [
                (self._default, kind.__name__, name, resource)
                for (name, kind), resource in (self._owned or {}).items()
            ]
        return shared + own


def _close(resources: Iterable[Any]) -> None:
    for resource in resources:
        close = getattr(resource, "close", None)
        if close is not None:
            close()
