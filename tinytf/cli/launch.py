"""`tinytf launch`: a script, started once for each task of a cluster on this machine."""

import argparse
import signal
import sys
import threading
from collections.abc import Sequence
from typing import Any

#: What is said where an option of the launcher stands behind the script.
_OWN = (
    "--ps",
    "--worker",
    "--client",
    "--estimator",
    "--file-root",
    "--first-port",
    "--restarts",
    "--period",
)


def run(options: argparse.Namespace) -> int:
    """Start it, show what all tasks write, and return the exit code when it is over.

    Args:
      options: of the command line; named as in `tinytf.distributed.launcher.launch`.

    Returns:
      0 if all workers, or the client, were done; 1 if a task was given up; 2 for a mistake in the
      call; 130 after Ctrl-C, 143 after SIGTERM.
    """
    from tinytf.compatibility import environment, is_off
    from tinytf.compatibility.command_line import set_file_root
    from tinytf.distributed.launcher import launch
    from tinytf.distributed.local_cluster.task import child_environment

    in_main = threading.current_thread() is threading.main_thread()
    before = signal.signal(signal.SIGTERM, _terminate) if in_main else None
    try:
        given = {name: value for name, value in vars(options).items() if name != "command"}
        set_file_root(given.pop("file_root"))
        _check(options.arguments)
        given["environment"] = {} if is_off() else environment(child_environment())
        with launch(**given, out=sys.stdout) as launched:
            return launched.wait()
    except (OSError, ValueError, RuntimeError) as error:
        print(f"tinytf launch: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    except _Terminated:
        return 143
    finally:
        if in_main:
            signal.signal(signal.SIGTERM, before)


def _check(arguments: Sequence[str]) -> None:
    """ValueError if one of the script's arguments is an option of the launcher."""
    for one in arguments:
        if one.partition("=")[0] in _OWN:
            raise ValueError(
                f"{one} stands behind the script, where its own arguments are. Options of the "
                f"launcher stand before it: tinytf launch {one} ... SCRIPT. (A script that has "
                "such an option itself can be started by tinytf.distributed.launcher.launch.)"
            )


class _Terminated(BaseException):
    """SIGTERM came."""


def _terminate(number: int, frame: Any) -> None:
    signal.signal(number, signal.SIG_IGN)  # once is enough: the end is on its way
    raise _Terminated
