"""The context of one running step."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Sequence
from typing import Any

from tinytf.framework.cancellation import CancellationManager
from tinytf.framework.errors import CancelledError, DeadlineExceededError, InternalError, OpError
from tinytf.framework.function_library import Function
from tinytf.framework.operation import Operation
from tinytf.framework.rendezvous import Rendezvous
from tinytf.framework.waiting import is_background, what_for

_step_ids = itertools.count(1)


class Step:
    """What kernels that ask for it see as `step`; see `framework.step_context.StepContext`.

    Attributes:
      rendezvous: where other tasks' tensors are received and sent to, in a step of several tasks.
      owner: the thread that asked for the step, by its identifier.
      is_reported: whether it says so if it waits and nobody can end that; a server's do not, for
        whose clients come is not known.
      deadline: when the step must be over, by `time.monotonic`; None for never.
      trace: what a traced step collects; None otherwise.
      running: where a step with a deadline has got to. thread: which thread it began on.
    """

    __slots__ = """
        cancellation deadline depth executor functions graph is_reported local owner rendezvous
        resources running scope step_id thread trace
    """.split()

    def __init__(
        self,
        resources: Any,
        graph: Any,
        parent: CancellationManager | None = None,
        deadline: float | None = None,
        trace: Any = None,
        functions: Any = None,
    ):
        self.step_id = next(_step_ids)
        self.owner = threading.get_ident()
        self.is_reported = not is_background()
        self.resources = resources
        self.rendezvous: Rendezvous | None = None
        self.graph = graph
        self.cancellation = CancellationManager(parent)
        self.deadline = deadline
        self.trace = trace
        self.running: Operation | None = None
        self.thread = 0
        #: The session's `FunctionPlans`, the executor that runs the step, and how deep calls nest.
        self.functions = functions
        self.executor: Any = None
        self.depth = 0
        #: The calls that lead to the function that runs, "outer/inner/".
        self.scope = ""
        #: Resources that live as long as the step (the stacks of loop gradients), by name.
        self.local: dict[Any, Any] = {}

    def call(self, function: Function, arguments: Sequence[Any], name: str = "") -> Any:
        """Run the body of a function as a part of this step; see `StepContext.call`."""
        return self.functions.call(self, function, arguments, name)

    def scope_of(self, op: Operation) -> str:
        """The calls that lead to an operation.

        While a function runs on the thread of the step, other devices run operations of the graph.
        """
        return self.scope if self.scope and op.graph is not self.graph else ""

    def cancellation_error(self) -> OpError:
        """Why the step was cancelled."""
        return self.cancellation.reason or CancelledError("Step was cancelled.")

    def check(self, op: Operation, where: str = "") -> None:
        """Raise if the step was cancelled or its time is up; `op` is where it has got to."""
        if self.cancellation.is_cancelled:
            raise self.cancellation_error()
        if self.deadline is not None and time.monotonic() >= self.deadline:
            raise self.time_is_up(op, where)

    def meeting_place(self, op: Operation) -> Rendezvous:
        """Where the step sends to other tasks and receives; InternalError if it has only one."""
        if self.rendezvous is None:
            raise InternalError(
                f"{op.name} ({op.type}) belongs to a part of a step that runs on several tasks, "
                f"and this step runs on one.",
                op,
            )
        return self.rendezvous

    def began(self, op: Operation) -> None:
        """Take note of where this step has got to."""
        self.running, self.thread = op, threading.get_ident()

    def time_is_up(self, op: Operation, where: str = "") -> OpError:
        """The error of a step that computes beyond its deadline; `op` is where it has got to."""
        inside = what_for(self.thread)  # Python code in it runs a session, a dataset waits
        if inside:
            where += f": {inside}"
        return DeadlineExceededError(
            f"Timed out waiting for notification that the step has finished: it was still "
            f"running, at {op.name} ({op.type}){where}\n\t [[{{{{node {op.name}}}}}]]\n"
            f"{op.describe_origin()}",
            op,
        )

    def as_reason(self, error: BaseException) -> OpError:
        """An error of this step as the reason that others see when they are cancelled for it."""
        return CancelledError(f"Step was cancelled: {type(error).__name__}: {error}")

    def begin_again(self) -> bool:
        """Be the next step of this thread, if this one leaves nothing behind; whether it is."""
        self.step_id = next(_step_ids)
        return not self.local and self.cancellation.is_untouched

    def close(self) -> None:
        """The step is over."""
        self.cancellation.detach()
        self.executor = None  # they know each other
