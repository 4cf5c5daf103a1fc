"""`tinytf run program.py`: Python runs the program, in an environment in which it finds tinytf."""

from __future__ import annotations

import os
import sys
import tokenize
from collections.abc import Sequence

from tinytf.compatibility import environment, hook, is_off, python_2

#: In the environment: "digits" has the loaders of MNIST's files give the course's digits.
DATA = "TINYTF_TUTORIAL_DATA"


def run(
    program: str, arguments: Sequence[str] = (), module: bool = False, digits: bool = False
) -> int:
    """Run a program in place of this process, so all is as if Python had been started with it.

    Args:
      program: its file; with `module`, the name of a module, as for `python -m`.
      arguments: its own. digits: the course's digits stand in for MNIST's files.

    Returns:
      1 if it was not started, as it cannot be read: what is in its way is printed.

    Example:
      >>> run("mnist_softmax.py", ["--data_dir", "/tmp/mnist"])  # doctest: +SKIP
    """
    if not module:
        obstacle = _obstacle(program)
        if obstacle:
            print(f"tinytf run: {obstacle}", file=sys.stderr)
            return 1
    command = [sys.executable, *(["-m"] if module else []), program, *arguments]
    sys.stdout.flush()
    sys.stderr.flush()
    os.execve(sys.executable, command, environment_of_run(digits))


def environment_of_run(digits: bool) -> dict[str, str]:
    """The environment of a program that is run, or of a notebook's kernel.

    Example:
      >>> environment_of_run(digits=True)["TINYTF_TUTORIAL_DATA"]
      'digits'
    """
    chosen = {**os.environ, DATA: "digits"} if digits else dict(os.environ)
    if is_off():
        print(
            f"tinytf run: {hook.VARIABLE} is off, so `import tensorflow` gives the TensorFlow that "
            f"is installed for {sys.executable}.",
            file=sys.stderr,
        )
        return chosen
    return environment(chosen)


def _obstacle(program: str) -> str:
    """Why a program cannot be run; nothing if it can be."""
    try:
        with tokenize.open(program) as file:
            source = file.read()
    except OSError as error:
        return f"cannot read {program}: {error.strerror}"
    except (SyntaxError, UnicodeDecodeError) as error:
        return f"{program} is no Python program in an encoding that Python knows: {error}"
    try:
        compile(source, program, "exec", dont_inherit=True)
    except SyntaxError as error:
        return "\n".join(
            [
                f"{program}, line {error.lineno}: {error.msg}",
                *(f"  line {line}: {text}" for line, text in python_2.remarks(source)),
            ]
        )
    except ValueError as error:  # null bytes
        return f"{program} is no Python program: {error}"
    return ""
