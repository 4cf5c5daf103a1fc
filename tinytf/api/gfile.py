"""`tf.gfile`: files of the local file system. `tf.io.gfile` has the same by newer names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tinytf.api.names import explained
from tinytf.resources import file_system
from tinytf.resources.file_system import copy as Copy
from tinytf.resources.file_system import exists as Exists
from tinytf.resources.file_system import is_folder as IsDirectory
from tinytf.resources.file_system import list_folder as ListDirectory
from tinytf.resources.file_system import make_folder as MkDir
from tinytf.resources.file_system import make_folders as MakeDirs
from tinytf.resources.file_system import remove as Remove
from tinytf.resources.file_system import remove_tree as DeleteRecursively
from tinytf.resources.file_system import rename as Rename
from tinytf.resources.file_system import stat as Stat
from tinytf.resources.open_file import FastGFile, GFile
from tinytf.resources.open_file import GFile as Open


def Glob(filename: Any) -> list[str]:
    """The paths that a pattern, or one of several, matches (TensorFlow: `tf.gfile.Glob`).

    Example:
      >>> for name in ("data/a.csv", "data/b.csv"):
      ...     sess.run(tf.write_file(name, "1,2"))
      >>> tf.gfile.Glob("data/*.csv")
      ['data/a.csv', 'data/b.csv']
    """
    return file_system.glob_text(filename)


def Walk(top: Any, in_order: bool = True) -> Iterator[tuple[str, list[str], list[str]]]:
    """(folder, folders in it, files in it) for a folder and all below (`tf.gfile.Walk`).

    Args:
      top: where to begin. in_order: a folder comes before those in it.

    Example:
      >>> for name in ("data/a.csv", "data/b.csv"):
      ...     sess.run(tf.write_file(name, "1,2"))
      >>> for folder, folders, files in tf.gfile.Walk("data"):
      ...     print(folder, files)
      data ['a.csv', 'b.csv']
    """
    return file_system.walk(top, in_order)


__all__ = ["Copy", "DeleteRecursively", "Exists", "FastGFile", "GFile", "Glob", "IsDirectory"]
__all__ += ["ListDirectory", "MakeDirs", "MkDir", "Open", "Remove", "Rename", "Stat", "Walk"]

__getattr__ = explained(__name__, "gfile")
