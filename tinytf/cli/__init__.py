"""The `tinytf` command.

`tinytf lab` opens the course, `tinytf doctor` examines the machine, `tinytf smi` shows its GPUs,
`tinytf serve` is one task of a cluster.

Each subcommand is a module that is imported when it is asked for, so that the one does not wait
for what only the other needs.
"""

import argparse
from collections.abc import Sequence
from typing import Any

__all__ = ["main"]

#: At the end of `tinytf serve --help`.
SERVE_EXAMPLE = """\
A session opens on the address that is printed: tf.Session("grpc://localhost:2222").
One task of three; the other two are the same command with another --job and --task:

    tinytf serve --cluster ps=localhost:2221 worker=localhost:2222,localhost:2223 \\
        --job worker --task 1
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command with `arguments` (default: the command line's) and return its exit code.

    Example:
        >>> main(["doctor", "--json"])  # doctest: +SKIP
        0
    """
    options = _parser().parse_args(arguments)
    if options.command == "lab":
        from tinytf.cli import lab

        return lab.run(notebook=options.notebook, port=options.port, browser=options.browser)
    if options.command == "serve":
        from tinytf.cli import serve

        return serve.run(
            options.job, options.task, options.cluster, options.allow_remote_clients, options.pipes
        )
    if options.command == "smi":
        from tinytf.cli import smi

        return smi.run(options.machine, as_json=options.json)
    from tinytf.cli import doctor

    return doctor.run(as_json=options.json)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="tinytf", description="TensorFlow 1.x's graph runtime.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    lab = _add(commands, "lab", "open JupyterLab on the course")
    lab.add_argument(
        "notebook", nargs="?", help="a chapter's number, or a notebook's file (default: the start)"
    )
    lab.add_argument("--port", type=int, help="default: 8888, or the next one that is free")
    lab.add_argument(
        "--no-browser",
        dest="browser",
        action="store_false",
        default=None,
        help="only print the address (the default where there is no screen)",
    )

    serve = _add(commands, "serve", "be one task of a cluster")
    serve.epilog = SERVE_EXAMPLE
    serve.formatter_class = argparse.RawDescriptionHelpFormatter
    serve.add_argument("--job", help="this task's job (default: the only one)")
    serve.add_argument("--task", type=int, help="this task's index (default: the only one)")
    serve.add_argument(
        "--cluster",
        nargs="+",
        default=[],
        metavar=("JOB=HOST:PORT,...", "JOB=..."),
        help="the addresses of all tasks, for every job (default: one task, on a free port)",
    )
    serve.add_argument(
        "--allow-remote-clients",
        action="store_true",
        help="listen beyond this machine: whoever can connect can run programs here",
    )
    serve.add_argument("--pipes", nargs=2, type=int, help=argparse.SUPPRESS)

    smi = _add(commands, "smi", "show the GPUs, simulated ones as well, and the programs on them")
    smi.add_argument(
        "--machine", metavar="NAME", help="a simulated machine (default: all that are in use)"
    )
    smi.add_argument("--json", action="store_true", help="the same for programs")

    doctor = _add(commands, "doctor", "say what is installed and what is missing")
    doctor.add_argument("--json", action="store_true", help="the same for programs")
    return parser


def _add(commands: Any, name: str, what: str) -> argparse.ArgumentParser:
    """A subcommand; its own help says as well what it is for."""
    parser: argparse.ArgumentParser = commands.add_parser(
        name, help=what, description=f"{what[0].upper()}{what[1:]}."
    )
    return parser
