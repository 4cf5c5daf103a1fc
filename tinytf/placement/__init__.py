"""Where operations run, and why."""

from tinytf.placement.cost_model_switch import use_cost_model
from tinytf.placement.explain import explain
from tinytf.placement.parameters import bytes_by_task

__all__ = ["bytes_by_task", "explain", "use_cost_model"]
