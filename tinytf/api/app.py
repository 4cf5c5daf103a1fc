"""`tf.app`: how the scripts of TensorFlow 1.x begin."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from tinytf.api.names import explained

__all__ = ["run"]

__getattr__ = explained(__name__, "app")


def run(main: Callable[[list[str]], Any] | None = None, argv: list[str] | None = None) -> None:
    """Parse the flags, call a script's main function, and exit (TensorFlow: `tf.app.run`).

    What is no flag that was defined is left to `main`; `--help` lists the flags. In a notebook
    there are no arguments, as the kernel's are not the program's.

    Args:
      main: called with the arguments that are no flags; the script's function `main` when None.
      argv: the arguments, the program's name first; `sys.argv` when None.

    Raises:
      SystemExit: always, with the result of `main` as status; 1 after a wrong value of a flag.

    Example:
      >>> def main(_):
      ...     print(tf.Session().run(tf.constant("Hello")))
      >>> if __name__ == "__main__":
      ...     tf.app.run()  # doctest: +SKIP
    """
    from absl import app

    from tinytf.api import flags

    def parse(args: list[str]) -> list[str]:
        return flags.FLAGS(args, known_only=True)

    main = main or sys.modules["__main__"].main
    app.run(main=main, argv=flags.arguments() if argv is None else argv, flags_parser=parse)
