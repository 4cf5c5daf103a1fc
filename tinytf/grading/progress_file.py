"""The file that remembers a learner's points and predictions, and how several notebooks share it.

It is small JSON, `{"format": 2, "exercises": {"ch03.ex1": {"tries": 3, "best": {"6": 4}}},
"predictions": {"ch03.sum": {"first": ["6"], "knew": false, "right": true}}}`: after three tries,
four of six points at best; a question that was answered wrongly at first, rightly later. An
exercise that is worth another number of points now has changed; what was reached before stands
beside what is reached then. (Format 1 had no predictions.)

Whoever changes the file holds a lock, and it is replaced at one stroke. One that cannot be read
is set aside, never overwritten.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from tinytf.framework.errors import OpError
from tinytf.framework.files import lock_file, write_file

#: Names the file, or is "off".
VARIABLE = "TINYTF_PROGRESS"
_FORMAT = 2
#: A file of this kind is a few kilobytes; one that is larger than this is something else.
_LARGEST = 4 << 20
_LOCK_SECONDS = 5.0


class UnusableError(Exception):
    """The points cannot be read or kept; the message says why, in one line."""


class _DamagedError(ValueError):
    """The file is there and holds no points."""


@dataclass(slots=True)
class Record:
    """What is remembered of one exercise.

    Attributes:
      tries: how often an answer was checked.
      best: the points there were in all -> the most that were reached of them.
    """

    tries: int = 0
    best: dict[int, int] = field(default_factory=dict)


@dataclass(slots=True)
class Predicted:
    """What is remembered of one question.

    Attributes:
      first: what was predicted the first time. knew: whether that was right.
      right: whether the last prediction was.
    """

    first: tuple[str, ...]
    knew: bool
    right: bool


Records = dict[str, Record]


@dataclass(slots=True)
class Kept:
    """All that the file holds.

    Attributes:
      exercises: "ch03.ex1" -> its record. predictions: "ch03.sum" -> what was predicted.
      paces: "ch03" -> how it trained, and how many images a second.
    """

    exercises: Records = field(default_factory=dict)
    predictions: dict[str, Predicted] = field(default_factory=dict)
    paces: dict[str, tuple[str, float]] = field(default_factory=dict)


def path() -> Path | None:
    """Where points are remembered; None if TINYTF_PROGRESS is "off".

    Raises:
      UnusableError: if there is no such place.

    Example:
      >>> path().name  # doctest: +SKIP
      'progress.json'
    """
    given = os.environ.get(VARIABLE, "").strip()
    if given.lower() == "off":
        return None
    try:
        if given:
            return Path(os.path.abspath(Path(given).expanduser()))
        state = os.environ.get("XDG_STATE_HOME", "")
        # The standard for these folders: a relative path is not heeded.
        base = Path(state) if os.path.isabs(state) else Path.home() / ".local" / "state"
    except RuntimeError as error:  # nobody's home
        raise UnusableError(f"{error} Set {VARIABLE} to a file of yours.") from None
    return base / "tinytf" / "progress.json"


def load(file: Path) -> tuple[Kept, str]:
    """What the file holds, and a remark, in one line, if it was damaged and had to be set aside.

    Raises:
      UnusableError: if it cannot be read.
    """
    try:
        return _read(file), ""
    except _DamagedError:
        with _locked(file):
            return _read_or_set_aside(file)


def read(file: Path) -> Kept:
    """What somebody else's file holds; it is not touched.

    Raises:
      UnusableError: if it cannot be read, or holds something else.
    """
    try:
        return _read(file)
    except _DamagedError as error:
        raise UnusableError(f"{file} remembers nothing of tinytf's: {error}.") from None


def change(file: Path, edit: Callable[[Kept], None]) -> str:
    """Change what the file holds; nobody else does meanwhile. Returns a remark, as `load` does.

    Raises:
      UnusableError: if it cannot be read or written; it is as it was then.
    """
    with _locked(file):
        kept, remark = _read_or_set_aside(file)
        before = _content(kept)
        edit(kept)
        after = _content(kept)
        if after != before:
            try:
                write_file(file, after)
            except OpError as error:
                raise UnusableError(_no_writing(file, error.message)) from None
    return remark


@contextlib.contextmanager
def _locked(file: Path) -> Iterator[None]:
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if file.exists() and not file.is_file():  # /dev/null, a folder: nothing to lie beside
            raise UnusableError(f"{file} is no file. Set {VARIABLE} to one, or to off.")
        lock = file.with_name(f"{file.name}.lock")
        descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise UnusableError(_no_writing(file, error.strerror or str(error))) from None
    try:
        try:
            lock_file(descriptor, lock, _LOCK_SECONDS)
        except OpError as error:
            raise UnusableError(error.message) from None
        yield
    finally:
        os.close(descriptor)  # which unlocks


def _no_writing(file: Path, why: str) -> str:
    return f"{file} cannot be written ({why}). Set {VARIABLE} to a file of yours, or to off."


# ------------------------------------------------------------------------------------ its content


def _read_or_set_aside(file: Path) -> tuple[Kept, str]:
    """The caller has the lock."""
    try:
        return _read(file), ""
    except _DamagedError as error:
        aside = _unused(file)
        try:
            file.rename(aside)
        except OSError as refused:
            raise UnusableError(_no_writing(file, refused.strerror or str(refused))) from None
        remark = f"{file} was damaged ({error}). It is {aside.name} now, and counting starts anew."
        return Kept(), remark


def _unused(file: Path) -> Path:
    number = 1
    while os.path.lexists(aside := file.with_name(f"{file.stem}.damaged-{number}{file.suffix}")):
        number += 1
    return aside


def _read(file: Path) -> Kept:
    try:
        if file.exists() and not file.is_file():
            raise UnusableError(f"{file} is no file. Set {VARIABLE} to one, or to off.")
        with file.open("rb") as opened:
            text = opened.read(_LARGEST + 1)
    except FileNotFoundError:
        return Kept()
    except OSError as error:
        raise UnusableError(f"{file} cannot be read ({error.strerror})") from None
    if len(text) > _LARGEST:
        raise _DamagedError("it is far too large")
    try:
        return _parse(json.loads(text), file)
    except RecursionError:
        raise _DamagedError("it is nested too deeply") from None
    except UnicodeDecodeError:
        raise _DamagedError("it is no text") from None
    except json.JSONDecodeError as error:
        raise _DamagedError(f"it is no JSON: {error}") from None


def _parse(data: Any, file: Path) -> Kept:
    version = data.get("format") if isinstance(data, dict) else None
    if not isinstance(version, int) or not isinstance(data.get("exercises"), dict):
        raise _DamagedError("it holds something else")
    if version > _FORMAT:
        raise UnusableError(f"{file} is of a newer tinytf: use that one, or another {VARIABLE}")
    records = {}
    for name, one in data["exercises"].items():
        if not isinstance(one, dict) or not isinstance(one.get("best"), dict):
            raise _DamagedError(f"{name!r} has no points")
        best = {_number(worth): _number(points) for worth, points in one["best"].items()}
        records[name] = Record(_number(one.get("tries")), best)
    asked, paces = data.get("predictions", {}), data.get("paces", {})
    if not isinstance(asked, dict) or not isinstance(paces, dict):
        raise _DamagedError("its predictions or paces are none")
    asked = {name: _predicted(name, one) for name, one in asked.items()}
    return Kept(records, asked, {name: _pace(name, one) for name, one in paces.items()})


def _pace(name: str, one: Any) -> tuple[str, float]:
    match one:
        case [str(how), int() | float() as rate] if rate > 0:
            return how, float(rate)
    raise _DamagedError(f"{name!r} has no pace")


def _predicted(name: str, one: Any) -> Predicted:
    match one:
        case {"first": [*first], "knew": bool(knew), "right": bool(right)} if all(
            isinstance(text, str) for text in first
        ):
            return Predicted(tuple(first), knew, right)
    raise _DamagedError(f"{name!r} has no prediction")


def _number(value: object) -> int:
    """A number, or a key of JSON's, which is text."""
    if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) < 10:
        return int(value)
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise _DamagedError(f"{value!r} is no number of points")
    return value


def _content(kept: Kept) -> bytes:
    exercises = {
        name: {"tries": one.tries, "best": {str(worth): n for worth, n in one.best.items()}}
        for name, one in sorted(kept.exercises.items())
    }
    predictions = {name: asdict(one) for name, one in sorted(kept.predictions.items())}
    content = {"format": _FORMAT, "exercises": exercises, "predictions": predictions}
    content["paces"] = kept.paces
    return (json.dumps(content, indent=1) + "\n").encode()
