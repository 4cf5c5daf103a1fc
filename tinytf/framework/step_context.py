"""What a kernel may see of the step it runs in; the runtime implements it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from tinytf.framework.cancellation import CancellationManager
from tinytf.framework.function_library import Function


class StepContext(Protocol):
    """Passed to kernels whose first parameter is called `step`.

    Attributes:
      step_id: unique among the steps of a session.
      cancellation: register here before waiting.
      resources: the session's resource manager.
      graph: the graph the step was compiled from.
      functions: runs functions, also when the step is over.
    """

    step_id: int
    cancellation: CancellationManager
    resources: Any
    graph: Any
    functions: FunctionRunner

    def call(self, function: Function, arguments: Sequence[Any], name: str = "") -> Any:
        """Run the body of a function as a part of this step; `name` is the node's, for traces.

        Call it on the thread that called the kernel. The kernel of an op with attributes that name
        functions gets these as `Function`s, and is blocking if one of them is.

        Returns:
          the list of results; or, only if `function.may_block()`, a `Pending` for it, which
          completes on that same thread.

        Raises:
          OpError: what an operation of the body raised, with the call.
        """


class FunctionRunner(Protocol):
    """Runs the bodies of functions with the resources of a session; valid as long as it is.

    A plan is compiled at the first call of each function.
    """

    def run(
        self,
        function: Function,
        arguments: Sequence[Any],
        cancellation: CancellationManager | None = None,
        name: str = "",
    ) -> list[Any]:
        """Run a function in a step of its own, on the calling thread, which waits for it.

        Thread-safe: several calls may run at once, of one function too.

        Args:
          arguments: one value for each argument of the body. cancellation: ends the call.
          name: of the caller, who shares sequences of random numbers with nobody.
        """

    def prepare(
        self, function: Function
    ) -> Callable[[Sequence[Any], CancellationManager | None], Sequence[Any]]:
        """`run` for a function that is called very often, without what need not be repeated.

        What nodes of the body own (sequences of random numbers) begins anew and lives as long as
        the result. Floating-point warnings are as the caller has set them. Operations that ask for
        no device are on the host, as those of datasets' functions are in TensorFlow.

        Returns:
          a function of (arguments, cancellation), thread-safe, that returns the results.
        """
