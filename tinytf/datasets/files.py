"""Where the files of data sets may be, and what to do if they are nowhere."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tinytf.framework import errors

#: In the environment: "digits" has the loaders of MNIST's files give the course's digits.
VARIABLE = "TINYTF_TUTORIAL_DATA"
#: Said where those are missing.
DIGITS = f"{VARIABLE}=digits (tinytf run --digits) gives the course's own digits instead."
#: Where Keras' files can be fetched.
KERAS = "https://storage.googleapis.com/tensorflow/tf-keras-datasets/"


def keras_folder() -> Path:
    """Where Keras keeps the files of its data sets.

    Example:
      >>> keras_folder().parts[-2:]
      ('.keras', 'datasets')
    """
    home = os.environ.get("KERAS_HOME") or Path.home() / ".keras"
    return Path(home) / "datasets"


def wants_course_digits() -> bool:
    """Whether the course's digits are to stand in for MNIST's files.

    Example:
      >>> wants_course_digits()
      False
    """
    return os.environ.get(VARIABLE) == "digits"


def find(sources: Mapping[str, str], folders: Sequence[Path], what: str, more: str = "") -> Path:
    """The first of some folders that has all files of a data set.

    Args:
      sources: the names of the files -> where they can be fetched.
      folders: where to look; the first is where to put them.
      what: what the data set is called. more: said at the end of the error.

    Raises:
      tf.errors.NotFoundError: if no folder has all of them; it says which to put where.

    Example:
      >>> find({"iris.csv": "https://example.com/iris.csv"}, [Path("data")], "iris")
      PosixPath('data')
    """
    for folder in folders:
        if all((folder / name).is_file() for name in sources):
            return folder
    first = folders[0]
    lines = [f"The files of {what} are not here, and tinytf fetches none. With a network:", ""]
    if not first.is_dir():
        lines.append(f"    mkdir -p {first}")
    for name, source in sources.items():
        if not (first / name).is_file():
            lines.append(f"    curl -L -o {first / name} {source}")
    lines += ["", f"Without one, bring them in another way; they are {', '.join(sources)}."]
    others = [str(folder) for folder in folders[1:]]
    if others:
        lines.append(f"Other folders that are looked in: {', '.join(others)}.")
    raise errors.NotFoundError("\n".join([*lines, *([more] if more else [])]))


def folder_of(path: str) -> Path:
    """The folder of a file that is named as for Keras: its own one, unless the path is absolute.

    Example:
      >>> folder_of("/data/mnist.npz")
      PosixPath('/data')
    """
    return Path(path).parent if Path(path).is_absolute() else keras_folder()


def read_npz(path: str, usual: str, what: str, more: str = "") -> dict[str, Any]:
    """The arrays of one of Keras' files; Python objects in it are refused.

    Args:
      path: its name, or an absolute path. usual: what it is called where it can be fetched.
      what, more: as of `find`.

    Raises:
      tf.errors.NotFoundError: without it. tf.errors.DataLossError: if it cannot be read.

    Example:
      >>> read_npz("mnist.npz", "mnist.npz", "MNIST")["y_test"].shape  # doctest: +SKIP
      (10000,)
    """
    name = Path(path).name
    folder = find({name: KERAS + usual}, [folder_of(path)], what, more)
    try:
        with np.load(folder / name, allow_pickle=False) as found:
            return {key: found[key] for key in found.files}
    except Exception as error:  # zipfile's, zlib's, numpy's
        raise errors.DataLossError(f"{folder / name} cannot be read: {error}") from error
