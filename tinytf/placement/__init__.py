"""Where operations run, and why."""

from typing import TYPE_CHECKING, Any

from tinytf.placement.explain import explain
from tinytf.placement.parameters import bytes_by_task

if TYPE_CHECKING:
    from tinytf.placement.cost_model_switch import use_cost_model

__all__ = ["bytes_by_task", "explain", "use_cost_model"]


def __getattr__(name: str) -> Any:
    # The cost model brings the simulation, which few programs need.
    if name == "use_cost_model":
        from tinytf.placement.cost_model_switch import use_cost_model

        return use_cost_model
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
