"""What optimizers around another one share: it computes the gradients, and has the slots."""

from __future__ import annotations

from typing import Any

from tinytf.training.optimizer import Optimizer


class Wrapper(Optimizer):
    """An optimizer around another one, which does what it does not say otherwise.

    Args:
      opt: the other one.
    """

    def __init__(self, opt: Optimizer, use_locking: bool, name: str):
        super().__init__(use_locking, name)
        self._opt = opt

    def compute_gradients(self, *args: Any, **kwargs: Any) -> list[tuple[Any, Any]]:
        """Those of the optimizer inside."""
        return self._opt.compute_gradients(*args, **kwargs)

    def apply_gradients(
        self, grads_and_vars: Any, global_step: Any = None, name: str | None = None
    ) -> Any:
        """Leaves them to the optimizer inside."""
        return self._opt.apply_gradients(grads_and_vars, global_step, name)

    def get_slot(self, *args: Any, **kwargs: Any) -> Any:
        """Those of the optimizer inside."""
        return self._opt.get_slot(*args, **kwargs)

    def get_slot_names(self) -> list[str]:
        """Those of the optimizer inside."""
        return self._opt.get_slot_names()

    def variables(self) -> list[Any]:
        """Those of the optimizer inside."""
        return self._opt.variables()
