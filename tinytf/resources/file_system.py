"""The local file system with TensorFlow's errors, for `tf.gfile` and operations on files."""

from __future__ import annotations

import fnmatch
import os
import re
import shutil
import stat as stat_flags
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from tinytf.framework.errors import (
    AlreadyExistsError,
    FailedPreconditionError,
    InvalidArgumentError,
    NotFoundError,
)
from tinytf.framework.files import op_errors, write_file

Path = str | bytes | os.PathLike[str]

_MAGIC = re.compile(rb"[*?\[]")


def path_of(path: Path) -> str:
    """A path as text.

    Raises:
      TypeError: for what is no path. InvalidArgumentError: for a path with a zero byte in it.
    """
    if not isinstance(path, str | bytes | os.PathLike):
        raise TypeError(f"Expected binary or unicode string, got {path!r}")
    text = os.fsdecode(path)
    if "\0" in text:
        raise InvalidArgumentError(f"{text!r}; a path has no zero byte")
    return text.removeprefix("file://")


def read(path: Path) -> bytes:
    """The content of a file; tf.errors.NotFoundError and its kin."""
    name = path_of(path)
    with op_errors(name), open(name, "rb") as file:
        return file.read()


def exists(path: Path) -> bool:
    """Whether there is such a file or folder.

    TensorFlow: `tf.gfile.Exists`.

    Raises:
      tf.errors.OpError: if the file system refuses.

    Example:
      >>> tf.gfile.Exists("nothing")
      False
    """
    return os.path.exists(path_of(path))


def is_folder(path: Path) -> bool:
    """Whether there is such a folder.

    TensorFlow: `tf.gfile.IsDirectory`.

    Raises:
      tf.errors.OpError: if the file system refuses.

    Example:
      >>> tf.gfile.IsDirectory(".")
      True
    """
    return os.path.isdir(path_of(path))


def glob(pattern: bytes) -> list[bytes]:
    """The files and folders that a pattern matches, sorted; hidden ones as well.

    "*" and "?" stand for characters of one name, never for "/"; "**" is no more than "*".
    """
    text = os.fsencode(path_of(pattern))
    matches = [start_of(text)]
    for part in filter(None, text.split(b"/")):
        matches = [path for folder in matches for path in _children(folder, part)]
    return sorted(matches)


def start_of(pattern: bytes) -> bytes:
    """What the paths begin with: as in TensorFlow, "./" if the first name has a wildcard."""
    first, _, _ = pattern.partition(b"/")
    return b"/" if pattern.startswith(b"/") else b"." if _MAGIC.search(first) else b""


def glob_text(pattern: Any) -> list[str]:
    """The paths that a pattern, or one of a list of patterns, matches, as text.

    TensorFlow: `tf.io.gfile.glob`.

    Example:
      >>> tf.io.gfile.makedirs("data/new")
      >>> tf.io.gfile.glob("d*/*")
      ['./data/new']
    """
    patterns = [pattern] if isinstance(pattern, str | bytes | os.PathLike) else pattern
    return [os.fsdecode(path) for one in patterns for path in glob(os.fsencode(path_of(one)))]


def _children(folder: bytes, part: bytes) -> list[bytes]:
    if not _MAGIC.search(part):
        path = os.path.join(folder, part)
        return [path] if os.path.lexists(path) else []
    if not os.path.isdir(folder or b"."):
        return []
    # In brackets, "^" says "none of these" as well as "!".
    wanted = re.compile(fnmatch.translate(part.replace(b"[^", b"[!").decode("latin-1")))
    with op_errors(os.fsdecode(folder)):
        names = os.listdir(folder or b".")
    return [os.path.join(folder, name) for name in names if wanted.match(name.decode("latin-1"))]


def list_folder(path: Path) -> list[str]:
    """The names in a folder, in no particular order.

    TensorFlow: `tf.gfile.ListDirectory`.

    Raises:
      NotFoundError: "Could not find directory".

    Example:
      >>> tf.gfile.MakeDirs("new/deep")
      >>> tf.gfile.ListDirectory("new")
      ['deep']
    """
    name = path_of(path)
    if not os.path.isdir(name):
        raise NotFoundError(f"Could not find directory {name}")
    with op_errors(name):
        return os.listdir(name)


def make_folder(path: Path) -> None:
    """Make one folder, unless it is there; the one around it has to be.

    TensorFlow: `tf.gfile.MkDir`.

    Raises:
      tf.errors.OpError: if the file system refuses.

    Example:
      >>> tf.gfile.MkDir("new")
      >>> tf.gfile.IsDirectory("new")
      True
    """
    name = path_of(path)
    with op_errors(name):
        if not os.path.isdir(name):
            os.mkdir(name)


def make_folders(path: Path) -> None:
    """Make a folder and those around it, unless they are there.

    TensorFlow: `tf.gfile.MakeDirs`.

    Raises:
      tf.errors.OpError: if the file system refuses.

    Example:
      >>> tf.gfile.MakeDirs("new/and/deep")
      >>> tf.gfile.ListDirectory("new/and")
      ['deep']
    """
    name = path_of(path)
    with op_errors(name):
        try:
            os.makedirs(name, exist_ok=True)
        except (FileExistsError, NotADirectoryError):
            raise FailedPreconditionError(f"{name} is not a directory") from None


def remove(path: Path) -> None:
    """Delete a file.

    TensorFlow: `tf.gfile.Remove`.

    Raises:
      tf.errors.OpError: if the file system refuses.

    Example:
      >>> sess.run(tf.write_file("old", ""))
      >>> tf.gfile.Remove("old")
      >>> tf.gfile.Exists("old")
      False
    """
    name = path_of(path)
    with op_errors(name):
        if os.path.isdir(name) and not os.path.islink(name):
            raise FailedPreconditionError(
                f"{name}; Is a directory: DeleteRecursively deletes folders"
            )
        os.unlink(name)


def remove_tree(path: Path) -> None:
    """Delete a folder, and all that is in it.

    TensorFlow: `tf.gfile.DeleteRecursively`.

    Raises:
      tf.errors.OpError: if the file system refuses.

    Example:
      >>> tf.gfile.MakeDirs("old/and/deep")
      >>> tf.gfile.DeleteRecursively("old")
      >>> tf.gfile.Exists("old")
      False
    """
    name = path_of(path)
    with op_errors(name):
        if not os.path.lexists(name):
            raise NotFoundError(f"{name} not found")
        if os.path.isdir(name) and not os.path.islink(name):
            shutil.rmtree(name)
        else:
            os.unlink(name)


def rename(old: Path, new: Path, overwrite: bool = False) -> None:
    """Rename or move a file or folder.

    TensorFlow: `tf.gfile.Rename`.

    Raises:
      tf.errors.OpError: if the file system refuses.

    Example:
      >>> sess.run(tf.write_file("old", "text"))
      >>> tf.gfile.Rename("old", "new")
      >>> tf.gfile.GFile("new").read()
      'text'
    """
    source, target = path_of(old), path_of(new)
    with op_errors(source):
        if not os.path.lexists(source):
            raise NotFoundError(f"{source}; No such file or directory")
        if os.path.exists(target) and not overwrite:
            raise AlreadyExistsError("file already exists")
        os.replace(source, target)


def copy(old: Path, new: Path, overwrite: bool = False) -> None:
    """Copy a file; the copy is there as a whole, or not at all.

    TensorFlow: `tf.gfile.Copy`.

    Raises:
      tf.errors.OpError: if the file system refuses.

    Example:
      >>> sess.run(tf.write_file("one", "text"))
      >>> tf.gfile.Copy("one", "two")
      >>> tf.gfile.GFile("two").read()
      'text'
    """
    source, target = path_of(old), path_of(new)
    content = read(source)
    if os.path.exists(target) and not overwrite:
        raise AlreadyExistsError("file already exists")
    write_file(target, content)


class FileStatistics(NamedTuple):
    """What `tf.gfile.Stat` tells: length in bytes, time of the last change in nanoseconds.

    Example:
      >>> tf.gfile.Stat(".").is_directory
      True
    """

    length: int
    mtime_nsec: int
    mode: int
    is_directory: bool


def stat(path: Path) -> FileStatistics:
    """Size, time and kind of a file or folder.

    TensorFlow: `tf.gfile.Stat`.

    Raises:
      tf.errors.OpError: if the file system refuses.

    Example:
      >>> sess.run(tf.write_file("file", "text"))
      >>> tf.gfile.Stat("file").length
      4
    """
    name = path_of(path)
    with op_errors(name):
        found = os.stat(name)
    return FileStatistics(
        found.st_size, found.st_mtime_ns, found.st_mode, stat_flags.S_ISDIR(found.st_mode)
    )


def walk(
    top: Path, topdown: bool = True, onerror: Callable[[Any], Any] | None = None
) -> Iterator[tuple[str, list[str], list[str]]]:
    """(folder, names of folders in it, names of files in it) for a folder and all below it.

    TensorFlow: `tf.io.gfile.walk`.

    Example:
      >>> tf.io.gfile.makedirs("new/deep")
      >>> list(tf.io.gfile.walk("new"))
      [('new', ['deep'], []), ('new/deep', [], [])]
    """
    folder = path_of(top)
    try:
        names = sorted(list_folder(folder))
    except NotFoundError as error:
        if onerror is not None:
            onerror(error)
        return
    inner = [name for name in names if os.path.isdir(os.path.join(folder, name))]
    rest = [name for name in names if name not in set(inner)]
    here = (folder, inner, rest)
    if topdown:
        yield here
    for name in inner:
        yield from walk(os.path.join(folder, name), topdown, onerror)
    if not topdown:
        yield here
