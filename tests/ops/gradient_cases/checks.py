"""Checks pass gradients on, and check these."""

from tests.ops.gradient_cases import Case, X, op

CASES: dict[str, list[Case]] = {
    "CheckNumerics": [op("CheckNumerics", X, message="x")],
}
