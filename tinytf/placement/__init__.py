"""Where operations run, and why."""

from tinytf.placement.cost_model_switch import use_cost_model
from tinytf.placement.explain import explain

__all__ = ["explain", "use_cost_model"]
