"""What the cards of queues, tables, accumulators and readers share: names, handles, kernels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tinytf.framework.shape_inference import InferenceContext
from tinytf.framework.tensor_shape import TensorShape
from tinytf.resources.handles import StringHandle
from tinytf.resources.manager import DEFAULT_CONTAINER

#: The attributes under which nodes share a resource.
WHERE = "container: string = '', shared_name: string = ''"


def own_or_shared(
    kind: type[Any],
    make: Callable[[str], Any],
    node: Any,
    resources: Any,
    shared_name: str | None = None,
) -> Any:
    """What a node means: its own resource, or the one that is shared under a name.

    Args:
      kind: its class. make: makes it, given its name, if there is none yet.
      shared_name: instead of the node's attribute.
    """
    container = node.attrs["container"].decode()
    name = node.attrs["shared_name"].decode() if shared_name is None else shared_name
    if name:
        return resources.lookup_or_create(container, name, kind, lambda: make(name))
    # As TensorFlow's private resources are called; nobody shares a name that begins so.
    own = f"_{node.name}"
    return resources.of_node(own, kind, lambda: make(f"_{resources.count()}{own}"), container)


def string_handle(resource: Any, node: Any) -> StringHandle:
    """The handle that op types of the time before resources hand on: a reference to two strings."""
    return StringHandle(resource, node.attrs["container"].decode() or DEFAULT_CONTAINER)


def string_handle_shape(c: InferenceContext) -> TensorShape:
    """Of such a handle: the names of the container and of the resource."""
    return TensorShape.of((2,))
