"""The part of the `tinytf` command that is for programs written for TensorFlow."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from typing import Any

EXAMPLES = """\
    tinytf run mnist_softmax.py --data_dir /tmp/mnist
    tinytf run --digits mnist_softmax.py
    tinytf run -m trainer.task --job-dir out
    tinytf run linear_regression.ipynb

Where TINYTF_AS_TENSORFLOW=off is set, the program gets the TensorFlow that is installed.
docs/unmodified_programs.md says more.
"""


def add_run(commands: Any) -> None:
    """Add `tinytf run` to the command's parser.

    Example:
      >>> add_run(parser.add_subparsers())  # doctest: +SKIP
    """
    what = "run a program or notebook that was written for TensorFlow 1.x, as it is"
    run = commands.add_parser(
        "run",
        help=what,
        description=f"R{what[1:]}.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    run.add_argument("-m", "--module", action="store_true", help="FILE is a module's name")
    run.add_argument(
        "--digits",
        action="store_true",
        help="loaders of MNIST's files give the course's own digits, in the same shapes",
    )
    run.add_argument(
        "--file-root",
        action="append",
        metavar="FOLDER",
        help="what the program's servers may read and write, besides the working folder; may be "
        "given again",
    )
    run.add_argument("file", metavar="FILE", help="a notebook's executed copy is written beside it")
    run.add_argument("arguments", metavar="ARGUMENTS", nargs=argparse.REMAINDER, help="its own")


def run(options: argparse.Namespace) -> int:
    """`tinytf run`, with its parsed command line: the exit code, unless the program takes over.

    Example:
      >>> run(options)  # doctest: +SKIP
      0
    """
    from tinytf.compatibility import notebooks, programs

    set_file_root(options.file_root)
    if not options.module and options.file.endswith(".ipynb"):
        return notebooks.run(options.file, options.arguments, options.digits)
    return programs.run(options.file, options.arguments, options.module, options.digits)


def set_file_root(folders: Sequence[str] | None) -> None:
    """Let servers of this process and its children use the working folder and these.

    Args:
      folders: as given; None for no more than the working folder.
    """
    if folders:
        os.environ["TINYTF_FILE_ROOT"] = os.pathsep.join(map(os.path.abspath, ["", *folders]))
