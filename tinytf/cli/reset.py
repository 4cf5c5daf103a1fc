"""`tinytf reset`: a chapter's notebook as it was committed; what the learner wrote is kept."""

from __future__ import annotations

import difflib
import os
import re
import subprocess
import sys
from datetime import date
from pathlib import Path

from tinytf.cli.machine import course_root
from tinytf.framework.errors import OpError
from tinytf.framework.files import write_file
from tinytf.grading.progress import forget
from tinytf.grading.progress_file import UnusableError

__all__ = ["keep", "run"]

EVERYTHING = "all"
_SECONDS = 60.0
#: They name the repository that a hook or a tool works on at the moment, which is another one.
_ELSEWHERE = ("GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_PREFIX")
_NOT_A_CLONE = (
    "The notebooks are put back from the course's git repository, and {why}. Clone the course anew "
    "and copy your own notebooks from {folder} there."
)


class _CannotError(Exception):
    """Why a notebook cannot be put back, and what to do."""


def run(chapter: str, progress: bool = False, root: Path | None = None) -> int:
    """Put a chapter's notebook back and say what was done.

    Args:
        chapter: "3", "ch03", "03_parallel_execution", or "all".
        progress: whether to forget the points of its exercises as well.
        root: the folder of the course (default: the one this program belongs to).

    Returns:
        0, or 2 if there is no such chapter, or 1 if something could not be done.
    """
    folder = (root or course_root()) / "notebooks"
    try:
        names = _committed(folder)
        chosen = names if chapter == EVERYTHING else [_find(chapter, names)]
    except LookupError as error:
        print(f"tinytf reset: {error.args[0]}", file=sys.stderr)
        return 2
    except _CannotError as error:
        print(f"tinytf reset: {error}", file=sys.stderr)
        return 1
    done = [_reset(folder / name) for name in chosen]
    if any(changed for _, changed in done):
        print("If it is open in JupyterLab: File > Reload Notebook from Disk.")
    if progress:
        done.append((_forget(None if chapter == EVERYTHING else f"ch{chosen[0][:2]}"), False))
    return 0 if all(well for well, _ in done) else 1


# ------------------------------------------------------------------------------- which notebook


def _find(wanted: str, names: list[str]) -> str:
    """The notebook that is meant; LookupError says which there are."""
    given = Path(wanted).name.removesuffix(".ipynb")
    number = re.fullmatch(r"(?:ch)?(\d{1,4})", given)
    for name in names:
        if number and name.startswith(f"{int(number[1]):02d}_"):
            return name
        if name == f"{given}.ipynb":
            return name
    stems = [name.removesuffix(".ipynb") for name in names]
    exercise = re.fullmatch(r"(ch\d\d)\.ex\d+", given)
    if exercise:
        raise LookupError(
            f"{given} is an exercise, and a chapter is put back as a whole: "
            f"tinytf reset {exercise[1]}"
        )
    titles = {re.sub(r"^\d+_", "", stem): stem for stem in stems}
    near = difflib.get_close_matches(given.lower(), [*stems, *titles], n=3, cutoff=0.5)
    there = list(dict.fromkeys(titles.get(name, name) for name in near)) or [*stems, EVERYTHING]
    raise LookupError(f"there is no chapter {wanted!r}. Perhaps: {', '.join(there)}")


def _committed(folder: Path) -> list[str]:
    """The notebooks of the last commit."""
    if not folder.is_dir():
        raise _CannotError(
            f"there are no notebooks in {folder.parent}: the course comes with the repository, "
            "not with the installed package. Clone it and work there (python3 start.py lab)."
        )
    found = _git(folder, "ls-tree", "-z", "--name-only", "HEAD", "./")
    names = [name for name in found.decode().split("\0") if re.match(r"\d\d_.*\.ipynb$", name)]
    if not names:
        raise _CannotError(_NOT_A_CLONE.format(why="these are not committed in any", folder=folder))
    return sorted(names)


def _git(folder: Path, *arguments: str) -> bytes:
    """What a git command prints that runs in `folder`."""
    kept = {name: value for name, value in os.environ.items() if name not in _ELSEWHERE}
    try:
        done = subprocess.run(
            ["git", *arguments],
            cwd=folder,
            env={**kept, "LC_ALL": "C"},
            capture_output=True,
            timeout=_SECONDS,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except FileNotFoundError:
        raise _CannotError(
            "git is not installed; it knows how the notebooks were. On Debian and Ubuntu: "
            "sudo apt-get install git"
        ) from None
    except (OSError, subprocess.TimeoutExpired) as error:
        raise _CannotError(f"git does not work here: {error}") from None
    if done.returncode == 0:
        return done.stdout
    said = done.stderr.decode(errors="replace").strip()
    if "not a git repository" in said:
        raise _CannotError(_NOT_A_CLONE.format(why="this folder is not in one", folder=folder))
    raise _CannotError(f"git says: {said or f'nothing (exit code {done.returncode})'}")


# ------------------------------------------------------------------------------------ putting back


def _reset(notebook: Path) -> tuple[bool, bool]:
    """Put one notebook back and say so; returns whether that went well and was necessary."""
    name = notebook.name
    try:
        # Line ends as git writes them here.
        wanted = _git(notebook.parent, "cat-file", "--filters", f"HEAD:./{name}")
        current = notebook.read_bytes() if os.path.lexists(notebook) else None
        if current == wanted:
            print(f"{name} is as it was committed: nothing to do.")
            return True, False
        kept = None if current is None else keep(notebook, current)
        write_file(notebook, wanted)
    except _CannotError as error:
        print(f"tinytf reset: {name}: {error}", file=sys.stderr)
    except OSError as error:
        where = error.filename or notebook
        print(f"tinytf reset: {name} stays: {where}: {error.strerror}", file=sys.stderr)
    except OpError as error:
        print(f"tinytf reset: {name} stays: {error.message}", file=sys.stderr)
    else:
        print(f"{name} is as it was committed again. " + _what_became(kept))
        return True, True
    return False, False


def _what_became(kept: Path | None) -> str:
    return f"What you had is {kept.name}, beside it." if kept else "It was missing."


def keep(notebook: Path, content: bytes) -> Path:
    """Save the learner's version beside the notebook, under a name that nobody has."""
    number = 1
    while True:
        path = notebook.with_name(f"{notebook.stem}.mine-{date.today()}-{number}.ipynb")
        try:
            file = path.open("xb")
        except FileExistsError:
            number += 1
            continue
        try:
            with file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
        except BaseException:  # a full disk: half a notebook is of no use
            path.unlink()
            raise
        return path


def _forget(chapter: str | None) -> bool:
    what = "all exercises" if chapter is None else f"{chapter}'s exercises"
    try:
        forgotten = forget(chapter)
    except UnusableError as error:
        print(f"tinytf reset: the points are not forgotten: {error}", file=sys.stderr)
        return False
    names = f": {', '.join(forgotten)}" if forgotten else " (there were none)"
    print(f"The points of {what} are forgotten{names}.")
    return True
