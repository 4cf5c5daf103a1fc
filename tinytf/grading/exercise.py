"""Finding an exercise and what belongs to it."""

from __future__ import annotations

import difflib
import os
import tomllib
from dataclasses import dataclass
from pathlib import Path

#: Where exercises are looked for, if not beside the package.
ENVIRONMENT_VARIABLE = "TINYTF_EXERCISES"


class UnknownExerciseError(LookupError):
    """There is no exercise of that name; the message lists what there is."""


@dataclass(slots=True, frozen=True)
class Exercise:
    """One exercise.

    Attributes:
      name: "ch01.ex1". folder: where its files are. title: for people.
      symbol: the name of the function the learner writes.
      deadline: seconds that one check of the whole answer may take.
    """

    name: str
    folder: Path
    title: str
    symbol: str
    deadline: float

    @property
    def stub(self) -> str:
        """What the learner starts from."""
        return (self.folder / "stub.py").read_text(encoding="utf-8")

    @property
    def bugs(self) -> list[Path]:
        """The planted wrong answers."""
        return sorted((self.folder / "bugs").glob("*.py"))


def root() -> Path:
    """The folder of all exercises."""
    given = os.environ.get(ENVIRONMENT_VARIABLE)
    return Path(given) if given else Path(__file__).resolve().parents[2] / "exercises"


def names() -> list[str]:
    """All exercises, in order."""
    return sorted(
        f"{p.parent.parent.name}.{p.parent.name}" for p in root().glob("*/*/exercise.toml")
    )


def find(name: str) -> Exercise:
    """The exercise "ch01.ex1"; UnknownExerciseError if there is none."""
    if not root().is_dir():
        raise UnknownExerciseError(
            f"There are no exercises in {root()}: they come with the repository, not with the "
            f"installed package. Clone it and work there (python3 start.py lab), or set "
            f"{ENVIRONMENT_VARIABLE} to the folder `exercises` of a clone."
        )
    if name not in names():
        near = difflib.get_close_matches(name, names(), n=3) or names()
        raise UnknownExerciseError(
            f"There is no exercise {name!r} in {root().name}/. Perhaps: {', '.join(near) or 'none'}"
        )
    folder = root().joinpath(*name.split("."))
    facts = tomllib.loads((folder / "exercise.toml").read_text(encoding="utf-8"))
    return Exercise(name, folder, facts["title"], facts["symbol"], float(facts["deadline"]))
