"""Which files the operations of a graph may touch: all, or those below some folders.

A session of this process may do what its user may. A server runs graphs of whoever connects, and
keeps their files below one folder, or a few: relative names are relative to the first, absolute
ones have to lead into one of them, and neither ".." nor a link leads out of them.
"""

from __future__ import annotations

import os

from tinytf.framework.errors import PermissionDeniedError
from tinytf.resources import file_system


class FileRoot:
    """See the module. Every operation that opens, lists or makes files asks it for their paths.

    Args:
      folder: below which the files have to be; None for no limit.
      others: further ones, for absolute names.

    Example:
      >>> FileRoot("/srv/course").path(b"data.csv")
      '/srv/course/data.csv'
    """

    def __init__(
        self, folder: str | os.PathLike[str] | None = None, *others: str | os.PathLike[str]
    ):
        self.folder = None if folder is None else os.path.realpath(folder)
        self._others = [os.path.realpath(other) for other in others]

    def path(self, name: str | bytes) -> str:
        """Where the file of this name is, links resolved if there is a limit.

        Raises:
          PermissionDeniedError: if it is not below the folder.
        """
        text = file_system.path_of(name)
        if self.folder is None:
            return text
        found = os.path.realpath(os.path.join(self.folder, text))
        if not self._has(found):
            raise PermissionDeniedError(
                f"{text}; is outside of the folder that this server's graphs may use, "
                f"{', '.join([self.folder, *self._others])}. Put the file there and name it "
                f"relative to that folder, or start the server with another one: "
                f"tf.train.Server(..., file_root=...), tinytf serve --file-root; "
                f"for a whole program: tinytf launch --file-root, tinytf run --file-root."
            )
        return found

    def glob(self, pattern: bytes) -> list[bytes]:
        """`file_system.glob`, without what lies outside; relative patterns give relative names."""
        if self.folder is None:
            return file_system.glob(pattern)
        text = file_system.path_of(pattern)
        if ".." in text.split("/"):
            self.path("..")  # refused: the way out and back would show what is there
        whole = os.path.join(self.folder, text)
        if os.path.isabs(text):
            self.path(_without_pattern(text))
        found = [p for p in file_system.glob(os.fsencode(whole)) if self._has(_real(p))]
        if os.path.isabs(text):
            return found
        skipped = len(os.fsencode(os.path.join(self.folder, "")))
        start = file_system.start_of(os.fsencode(text))
        return [os.path.join(start, path[skipped:]) for path in found]

    def _has(self, path: str) -> bool:
        assert self.folder is not None
        roots = (self.folder, *self._others)
        return any(path == one or path.startswith(os.path.join(one, "")) for one in roots)


def _real(path: bytes) -> str:
    return os.path.realpath(os.fsdecode(path))


def _without_pattern(text: str) -> str:
    """The folders of a pattern up to the first name with a wildcard."""
    parts = text.split("/")
    plain = next((i for i, part in enumerate(parts) if set(part) & set("*?[")), len(parts))
    return "/".join(parts[:plain]) or "/"


#: For sessions of this process.
ANYWHERE = FileRoot()
