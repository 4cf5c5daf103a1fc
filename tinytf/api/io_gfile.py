"""`tf.io.gfile`: files of the local file system, by TensorFlow's newer names."""

from os.path import join

from tinytf.api.names import explained as _explained
from tinytf.resources.file_system import copy, exists, remove, rename, stat, walk
from tinytf.resources.file_system import glob_text as glob
from tinytf.resources.file_system import is_folder as isdir
from tinytf.resources.file_system import list_folder as listdir
from tinytf.resources.file_system import make_folder as mkdir
from tinytf.resources.file_system import make_folders as makedirs
from tinytf.resources.file_system import remove_tree as rmtree
from tinytf.resources.open_file import GFile

__all__ = ["GFile", "copy", "exists", "glob", "isdir", "join", "listdir", "makedirs", "mkdir"]
__all__ += ["remove", "rename", "rmtree", "stat", "walk"]

__getattr__ = _explained(__name__, "io.gfile")
