"""A value that may be missing: what an edge of type `variant` carries for `Optional`."""

from __future__ import annotations

from typing import Any


class OptionalValue:
    """The components of an element, or none.

    Args:
      components: None for nothing.
    """

    __slots__ = ("components",)

    def __init__(self, components: tuple[Any, ...] | None):
        self.components = components

    def __repr__(self) -> str:
        return "<no value>" if self.components is None else f"<value {self.components!r}>"
