"""What came of calling an answer: what it returned, and what it built that never ran."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator
from types import CellType, FunctionType
from typing import Any

from tinytf.framework.operation import Operation
from tinytf.grading.authoring import ANSWER_FILE
from tinytf.runtime.pruning import prune
from tinytf.session.fetches import FetchPlan

#: What an operation of these types does can be seen after the step; of the others, only the value.
_EFFECTS = re.compile(r"\w*(Assign|Scatter|Apply)\w*|Queue(En|De)queue\w*|PyFunc|Print(V2)?")


class Calls:
    """Notes, check by check, what the answer returns and what steps fetch.

    Args:
      answer: the learner's function.

    Attributes:
      answer: the same, to be called by the checks.

    Example:
      >>> calls = Calls(answer)  # doctest: +SKIP
    """

    def __init__(self, answer: Callable[..., Any]):
        self._returned: list[Any] = []
        self._fetched: set[Operation] = set()

        @functools.wraps(answer)
        def noted(*args: Any, **options: Any) -> Any:
            self._returned.append(answer(*args, **options))
            return self._returned[-1]

        self.answer = noted
        plan = FetchPlan._plan

        def noting(fetch_plan: FetchPlan, fetch: Any) -> Any:
            built = plan(fetch_plan, fetch)
            self._fetched.update(fetch_plan.targets, (t.op for t in fetch_plan.tensors))
            return built

        # This process does nothing but check.
        FetchPlan._plan = noting  # type: ignore[method-assign, assignment]

    def begin(self) -> None:
        """Another check begins."""
        self._returned.clear()
        self._fetched.clear()

    def gave_nothing(self) -> bool:
        """Whether the answer was called, and returned None each time."""
        return bool(self._returned) and all(value is None for value in self._returned)

    def never_run(self) -> tuple[dict[str, str], bool]:
        """What the answer built to have an effect, and nothing needs: its line -> what is told.

        Also whether the check builds some of it, in a function that the answer has called.
        """
        roots = self._fetched.union(*map(_operations, self._returned))
        needed = set(prune(roots, frozenset()))
        graphs = {root.graph for root in roots}
        idle: dict[str, list[Operation]] = {}
        is_given = False
        for op in (op for graph in graphs for op in graph.get_operations() if op not in needed):
            lines = op.traceback if _EFFECTS.fullmatch(op.type) else []
            at = next((n for n, line in enumerate(lines) if line.file == ANSWER_FILE), None)
            is_wanted = not op.name.endswith("/Assign") and not _restores(op)  # of a variable
            if at is not None and is_wanted:
                place = f"at line {lines[at].line} of your answer: {lines[at].text}"
                idle.setdefault(place, []).append(op)
                is_given = is_given or at > 0
        return {place: f"{_told(ops)}\n{place}" for place, ops in idle.items()}, is_given


def _restores(op: Operation) -> bool:
    """Whether it belongs to a saver, which may never be asked to restore."""
    return any(tensor.op.type.startswith("Restore") for tensor in op.inputs)


def _told(ops: list[Operation]) -> str:
    one = ops[0]
    kind = "" if one.name == one.type else f" ({one.type})"
    more, need = (f" and {len(ops) - 1} more were", "them") if len(ops) > 1 else (" was", "it")
    told = f"`{one.name}`{kind}{more} built but never run"
    return f"{told}: nothing that you return or run needs {need}."


def _operations(value: Any, depth: int = 3) -> Iterator[Operation]:
    """The operations in what an answer has returned, and in the functions in it."""
    op = value if isinstance(value, Operation) else getattr(value, "op", None)
    if isinstance(op, Operation):
        yield op
        return
    parts = value.values() if isinstance(value, dict) else value
    if isinstance(value, FunctionType):
        parts = [cell.cell_contents for cell in value.__closure__ or () if cell != CellType()]
    if depth and isinstance(value, dict | list | tuple | set | FunctionType):
        for part in parts:
            yield from _operations(part, depth - 1)
