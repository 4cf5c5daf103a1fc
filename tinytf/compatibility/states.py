"""The state of each of TensorFlow's public names: the table behind docs/compatibility.md.

Which names there are says tinytf/api/tensorflow_names.txt. Which of them are here is looked up in
the library; which are here with a difference, in differences.txt (from docs/differences.md); what
is planned for the others, in tinytf/api/plans.py.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import NamedTuple

from tinytf.api import names


class Difference(NamedTuple):
    """A row of docs/differences.md: what differs, how it is there, how it is here."""

    what: str
    there: str
    here: str


class State(NamedTuple):
    """What there is to say of one name.

    Attributes:
      state: "here", "differs", "planned" or "never".
      text: advice for a name that is not here; what differs.
    """

    name: names.Name
    state: str
    text: str


@functools.cache
def differences() -> dict[str, list[Difference]]:
    """The rows of docs/differences.md by the names that they are about, without "tf.".

    Example:
      >>> differences()["Print"][0].here
      "write to standard output, so to the cell"
    """
    rows: dict[str, list[Difference]] = {}
    for line in Path(__file__).with_name("differences.txt").read_text("utf-8").splitlines():
        if not line.startswith("#"):
            paths, *columns = line.split("\t")
            for path in paths.split():
                rows.setdefault(path, []).append(Difference(*columns))
    return rows


@functools.cache
def _by_object() -> dict[int, str]:
    """What differs, by its identity: its other names differ in the same."""
    objects = {}
    for path in differences():
        try:
            objects[id(names.find(path))] = path
        except AttributeError:
            continue  # a difference of what is not here by this name
    return objects


def state_of(name: names.Name) -> State:
    """The state of a public name.

    Raises:
      LookupError: if it is not here, and tinytf/api/plans.py says nothing of it.

    Example:
      >>> state_of(names.table()["tpu"]).state
      'never'
    """
    try:
        names.find(name.path)
    except AttributeError:
        plan = names.plan(name.path)
        if plan is None:
            raise LookupError(f"tinytf/api/plans.py says nothing of tf.{name.path}") from None
        return State(name, *plan)
    found = differences_of(name)
    return State(name, "differs", found[0].what) if found else State(name, "here", "")


def differences_of(name: names.Name) -> list[Difference]:
    """The rows that are about a name that is here, by whichever of its names.

    Example:
      >>> differences_of(names.table()["matmul"])
      []
    """
    rows = differences().get(name.path, [])
    if not rows and name.kind in ("class", "function"):
        other = _by_object().get(id(names.find(name.path)))
        rows = differences()[other] if other else []
    return rows


def all_states() -> list[State]:
    """The states of all names, in the order of the table.

    Example:
      >>> len(all_states()) > 6000
      True
    """
    return [state_of(name) for name in names.table().values()]
