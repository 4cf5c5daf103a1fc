"""`tf.app`: how the scripts of TensorFlow 1.x begin."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, NoReturn

from tinytf.api.not_yet import explained

__all__ = ["run"]

__getattr__ = explained(__name__, "app")


def run(main: Callable[[list[str]], Any] | None = None, argv: list[str] | None = None) -> NoReturn:
    """Call a script's main function and exit with what it returns (TensorFlow: `tf.app.run`).

    Args:
      main: called with the arguments; the function `main` of the script when None.
      argv: the arguments, the program's name first; `sys.argv` when None.

    Raises:
      SystemExit: always, with the result of `main` as status.

    Example:
      >>> def main(_):
      ...     print(tf.Session().run(tf.constant("Hello")))
      >>> if __name__ == "__main__":
      ...     tf.app.run()  # doctest: +SKIP
    """
    main = main or sys.modules["__main__"].main
    sys.exit(main(sys.argv if argv is None else argv))
