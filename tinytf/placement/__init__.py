"""Where operations run, and why."""

from tinytf.placement.explain import explain

__all__ = ["explain"]
