"""Which cases a test leaves to longer runs: those that repeat others with other arguments."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.conformance.registry import Case


def by_id(cases: list[Case], left_out: Callable[[Case], bool], mark: Any = pytest.mark.slow) -> Any:
    """One test for each case; `mark` says in which runs those are that may be left out."""
    cases_and_marks = [
        pytest.param(case, id=case.id, marks=mark if left_out(case) else ()) for case in cases
    ]
    return pytest.mark.parametrize("case", cases_and_marks)


def repeats(cases: list[Case]) -> Callable[[Case], bool]:
    """Whether the graph is the one built here, and cases before it had all of its op types.

    Where the graph built here is TensorFlow's node by node, to run both shows little more.
    """
    seen: set[str] = set()
    first = set()
    for case in cases:
        if case.graph == "same" and not seen.issuperset(case.op_types):
            first.add(case.id)
            seen.update(case.op_types)
    return lambda case: case.graph == "same" and case.id not in first


def after_the_first(cases: list[Case]) -> Callable[[Case], bool]:
    """Whether cases before it had all of its op types; but for each third of these."""
    seen: set[str] = set()
    kept = set()
    for number, case in enumerate(cases):
        if number % 3 == 0 or not seen.issuperset(case.op_types):
            kept.add(case.id)
        seen.update(case.op_types)
    return lambda case: case.id not in kept


def between(cases: list[Case]) -> Callable[[Case], bool]:
    """Whether a case is one of many with other arguments: not the first and not the last of them.

    Nor is what has an op type for the first time, or what fails.
    """
    alike: dict[str, list[Case]] = {}
    for case in cases:
        alike.setdefault(case.id.partition("[")[0], []).append(case)
    kept = {case.id for group in alike.values() for case in (group[0], group[-1])}
    seen: set[str] = set()
    for case in cases:
        if not seen.issuperset(case.op_types) or case.error is not None:
            kept.add(case.id)
        seen.update(case.op_types)
    return lambda case: case.id not in kept


def thinned(cases: list[Case], config: pytest.Config) -> list[Case]:
    """All in an exhaustive run; else without those between others."""
    left_out = between(cases)
    return cases if config.getoption("exhaustive") else [c for c in cases if not left_out(c)]
