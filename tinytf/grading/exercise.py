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
      hints: markdown; each goes further than the one before.
    """

    name: str
    folder: Path
    title: str
    symbol: str
    deadline: float
    hints: tuple[str, ...] = ()

    @property
    def chapter(self) -> str:
        """The first half of its name: "ch01"."""
        return self.name.partition(".")[0]

    @property
    def label(self) -> str:
        """The second half of its name: "ex1"."""
        return self.name.partition(".")[2]

    @property
    def text(self) -> str:
        """The task, markdown without a heading."""
        return self._read("text.md").strip()

    @property
    def stub(self) -> str:
        """What the learner starts from."""
        return self._read("stub.py")

    @property
    def solution(self) -> str:
        """The worked solution."""
        return self._read("solution.py")

    @property
    def checks(self) -> str:
        """The source of the checks that everybody may see."""
        return self._read("checks.py")

    @property
    def hidden(self) -> str:
        """The source of the checks that only an instructor runs; "" if there are none."""
        return self._read("hidden.py") if (self.folder / "hidden.py").exists() else ""

    @property
    def bugs(self) -> list[Path]:
        """The planted wrong answers."""
        return sorted((self.folder / "bugs").glob("*.py"))

    def _read(self, name: str) -> str:
        return (self.folder / name).read_text(encoding="utf-8")


def root() -> Path:
    """The folder of the exercises that came with tinytf, or that the environment names."""
    given = os.environ.get(ENVIRONMENT_VARIABLE)
    return Path(given) if given else Path(__file__).resolve().parents[2] / "exercises"


def roots() -> list[Path]:
    """Where exercises are looked for: what a teacher has handed out with a notebook comes first.

    It lies beside the notebook: in the folder that its kernel works in.
    """
    beside = Path("exercises")
    if os.environ.get(ENVIRONMENT_VARIABLE) or not beside.is_dir():
        return [root()]
    return [beside.absolute(), root()]


def _folders(place: Path | None) -> dict[str, Path]:
    """Name -> folder, in order."""
    found = {
        f"{path.parent.parent.name}.{path.parent.name}": path.parent
        for one in ([place] if place is not None else reversed(roots()))
        for path in one.glob("*/*/exercise.toml")
    }
    return dict(sorted(found.items()))


def names(place: Path | None = None) -> list[str]:
    """All exercises, in order; of the folder `place`, or of those a learner has."""
    return list(_folders(place))


def find(name: str, place: Path | None = None) -> Exercise:
    """The exercise "ch01.ex1", see `names`; UnknownExerciseError if there is none."""
    folders = _folders(place)
    here = root() if place is None else place
    if not folders and not here.is_dir():
        raise UnknownExerciseError(
            f"There are no exercises in {here}: they come with the repository, not with the "
            f"installed package. Clone it and work there (python3 start.py lab), or set "
            f"{ENVIRONMENT_VARIABLE} to the folder `exercises` of a clone."
        )
    if name not in folders:
        near = difflib.get_close_matches(name, folders, n=3) or list(folders)
        raise UnknownExerciseError(
            f"There is no exercise {name!r} in {here.name}/. Perhaps: {', '.join(near) or 'none'}"
        )
    return _read(name, folders[name])


def _read(name: str, folder: Path) -> Exercise:
    """The exercise in a folder; ValueError, naming the file, if its facts are not complete."""
    path = folder / "exercise.toml"
    try:
        facts = tomllib.loads(path.read_text(encoding="utf-8"))
        return Exercise(
            name,
            folder,
            facts["title"],
            facts["symbol"],
            float(facts["deadline"]),
            tuple(hint.strip() for hint in facts.get("hints", ())),
        )
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{path} is no TOML: {error}") from None
    except KeyError as error:
        raise ValueError(
            f"{path} does not say what {error} is; it needs title, symbol, deadline"
        ) from None
