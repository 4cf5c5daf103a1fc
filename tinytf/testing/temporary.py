"""The folder for files of tests."""

from __future__ import annotations

import atexit
import functools
import os
import shutil
import sys
import tempfile


@functools.cache
def temporary_folder() -> str:
    """A folder for files of tests, gone when the program ends (TensorFlow: `get_temp_dir`).

    It is in the folder that the environment variable TEST_TMPDIR names, if it does.

    Example:
      >>> tf.test.get_temp_dir() == tf.test.get_temp_dir()
      True
    """
    program = os.path.basename(sys.argv[0] or "tests").removesuffix(".py")
    folder = tempfile.mkdtemp(prefix=program, dir=os.environ.get("TEST_TMPDIR"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
