"""The cases: what they are, and how they are found."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent
GRAPHS = ("same", "types", "any")


@dataclass
class Program:
    """What to run of the graph that a case has built.

    Attributes:
      fetches: tensors and operations, nested as for `Session.run`.
      feed: {tensor: value} for every run, or a list of such, one for each run.
      setup: operations, run one after the other before the fetches (initialisers).
      runs: how often the fetches run in one session.
    """

    fetches: Any
    feed: dict[Any, Any] | list[dict[Any, Any]] | None = None
    setup: Iterable[Any] = ()
    runs: int = 1

    def feeds(self) -> list[dict[Any, Any]]:
        """The feeds of each run."""
        if isinstance(self.feed, list):
            return self.feed
        return [self.feed or {}] * self.runs


@dataclass(frozen=True)
class Case:
    """One program for both libraries; `case` describes the attributes."""

    family: str
    name: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    op_types: tuple[str, ...]
    error: str | None = None
    rtol: float | None = None
    atol: float | None = None
    graph: str = "same"
    random: bool = False
    check: Callable[[list[list[Any]]], None] | None = None
    travels: bool = True
    group: str = field(default="")

    @property
    def id(self) -> str:
        """The name in test reports: "family/name"."""
        return f"{self.family}/{self.name}"

    def program(self, tf: Any) -> Program:
        """Build the case's graph in the default graph of a library."""
        built = self.function(tf, *self.arguments)
        return built if isinstance(built, Program) else Program(built)


_families: dict[str, dict[str, Case]] = {}


def case(
    *op_types: str,
    each: Iterable[Any] | None = None,
    error: str | None = None,
    rtol: float | None = None,
    atol: float | None = None,
    graph: str = "same",
    random: bool = False,
    check: Callable[[list[list[Any]]], None] | None = None,
    travels: bool = True,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a function that builds a graph and returns fetches or a `Program`.

    Args:
      op_types: the op types this case stands for. TensorFlow's graph must contain them.
      each: makes one case of each value, given to the function as its second argument (a tuple:
        as the second and further ones) and shown in brackets after the name.
      error: the case fails, while the graph is built or when it runs, and the messages of both
        libraries contain these words. "" asks for the class and the moment of the error only.
      rtol, atol: tolerances for floating-point values, instead of the defaults for their dtype.
      graph: how far the graph must be TensorFlow's: "same" nodes with the same names, inputs and
        attributes; the same op "types", each as often; or "any". Say why in a comment.
      random: values are not compared, only their dtypes and shapes.
      check: gets the values, [run][fetch], TensorFlow's and ours, and asserts what holds of both.
      travels: False for a graph that means nothing in another process (py_func): it is neither
        imported here nor run there.
    """
    if graph not in GRAPHS:
        raise ValueError(f"graph={graph!r} is none of {GRAPHS}")

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        family = function.__module__.rpartition(".")[2]
        variants: list[tuple[str, tuple[Any, ...]]] = [(function.__name__, ())]
        if each is not None:
            tuples = [value if isinstance(value, tuple) else (value,) for value in each]
            variants = [(f"{function.__name__}[{'-'.join(map(str, t))}]", t) for t in tuples]
        known = _families.setdefault(family, {})
        for name, arguments in variants:
            if name in known:
                raise ValueError(f"There are two cases {family}/{name}.")
            known[name] = Case(
                family,
                name,
                function,
                arguments,
                op_types,
                error=error,
                rtol=rtol,
                atol=atol,
                graph=graph,
                random=random,
                check=check,
                travels=travels,
                group=function.__name__,
            )
        return function

    return register


def families() -> list[str]:
    """The names of all families."""
    names = (path.stem for path in (FOLDER / "cases").glob("*.py"))
    return sorted(name for name in names if not name.startswith("_"))


def cases_of(family: str) -> list[Case]:
    """The cases of a family, in the order of their definition."""
    importlib.import_module(f"tests.conformance.cases.{family}")
    return list(_families.get(family, {}).values())


def all_cases() -> list[Case]:
    """All cases of all families."""
    return [case for family in families() for case in cases_of(family)]
