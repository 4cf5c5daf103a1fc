"""What a program for TensorFlow finds while it runs: `import tensorflow` gives tinytf.

whose        which modules are the user's program, and which only what it imports
importing    stands in for Python's import, for the user's program alone
numpy_names  names that numpy has dropped since, likewise

A child process loads this package before anything else, by its path (../startup/sitecustomize.py).
So it imports nothing of tinytf, nor what takes time.
"""

from __future__ import annotations

import builtins

from .importing import Importing

#: In the environment: "on" installs the hook in child processes, "off" keeps it off, here as well.
VARIABLE = "TINYTF_AS_TENSORFLOW"

__all__ = ["VARIABLE", "Importing", "install", "installed"]


def installed() -> bool:
    """Whether a hook is at work in this process, be it this copy's or another's."""
    return bool(getattr(builtins.__import__, "gives_tinytf", False))


def install() -> Importing:
    """Put a hook to work; its `remove()` undoes it.

    Example:
      >>> hook = install()
      >>> hook.remove()
    """
    hook = Importing()
    hook.install()
    return hook
