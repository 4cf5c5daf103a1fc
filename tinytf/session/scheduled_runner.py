"""What runs one signature while a schedule decides the order: one node at a time, unoptimised."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tinytf.framework.cancellation import CancellationManager
from tinytf.framework.function_library import Body
from tinytf.runtime.executor import run_observed
from tinytf.runtime.function_calls import FunctionPlans
from tinytf.runtime.plan import Plan
from tinytf.runtime.preparation import Signature
from tinytf.runtime.schedule import Schedule, ScheduledExecutor
from tinytf.session.results import finish, place_feeds

if TYPE_CHECKING:
    from tinytf.session.local import LocalBackend


class ScheduledRunner:
    """See the module. Plans are compiled at the first run, those of functions at the first call.

    Args:
      backend: whose session it is.
    """

    def __init__(self, backend: LocalBackend, signature: Signature):
        self._backend = backend
        self._signature = signature
        self._compiled: tuple[Plan, FunctionPlans] | None = None

    def run(
        self,
        schedule: Schedule,
        values: list[Any],
        options: Any,
        cancellation: CancellationManager | None,
    ) -> list[Any]:
        """One run; see `Backend.compile`. `options` may give it a deadline; it is not traced."""
        if self._compiled is None:
            functions = FunctionPlans(self._backend.resources, self._compile_body)
            self._compiled = self._backend.compiled_by_node(self._signature), functions
        plan, functions = self._compiled
        step = self._backend.new_step(options, None, cancellation)
        step.functions = functions
        try:
            executor = ScheduledExecutor(schedule, plan, step, place_feeds(plan, values))
            return finish(plan, run_observed(executor))
        finally:
            step.close()

    def _compile_body(self, body: Body, watched: bool, resources: Any, on_host: bool) -> Plan:
        signature = Signature(body.inputs, body.outputs, body.targets)
        return self._backend.compiled_by_node(signature, resources)
