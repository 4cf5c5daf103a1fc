"""`tf.resource_loader`: files that lie beside a program."""

from __future__ import annotations

import os
import sys

from tinytf.api.names import explained

__all__ = ["get_data_files_path", "get_path_to_datafile", "get_root_dir_with_all_resources"]
__all__ += ["load_resource", "readahead_file_path"]

__getattr__ = explained(__name__, "resource_loader")


def _folder_of_caller() -> str:
    return os.path.dirname(sys._getframe(2).f_code.co_filename)


def get_data_files_path() -> str:
    """The folder of the file that calls this (TensorFlow: `resource_loader.get_data_files_path`).

    Example:
      >>> isinstance(tf.resource_loader.get_data_files_path(), str)  # True
    """
    return _folder_of_caller()


def get_root_dir_with_all_resources() -> str:
    """The folder of the file that calls this: there are no Bazel runfiles around it here.

    Example:
      >>> loader = tf.resource_loader
      >>> loader.get_root_dir_with_all_resources() == loader.get_data_files_path()  # True
    """
    return _folder_of_caller()


def get_path_to_datafile(path: str) -> str:
    """A path relative to the file that calls this, in full.

    Example:
      >>> tf.resource_loader.get_path_to_datafile("digits.csv").endswith("digits.csv")  # True
    """
    return os.path.join(_folder_of_caller(), path)


def load_resource(path: str) -> bytes:
    """The content of a file, by its path relative to the package.

    Raises:
      OSError: if it cannot be read.

    Example:
      >>> tf.resource_loader.load_resource("py.typed")  # b""
    """
    package = os.path.join(os.path.dirname(__file__), os.pardir)
    with open(os.path.abspath(os.path.join(package, path)), "rb") as file:
        return file.read()


def readahead_file_path(path: str, readahead: str = "128M") -> str:
    """The path itself: reading ahead is the operating system's business.

    Example:
      >>> tf.resource_loader.readahead_file_path("digits.csv")
      'digits.csv'
    """
    return path
