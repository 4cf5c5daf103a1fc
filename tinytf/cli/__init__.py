"""The `tinytf` command.

`tinytf lab` opens the course, `tinytf run` runs a program written for TensorFlow, `tinytf doctor`
examines the machine, or such a program, `tinytf smi` shows its GPUs, `tinytf serve` is one task of
a cluster, `tinytf certificates` makes what proves who is who there,
`tinytf launch` starts a script once for each task, and again when it dies,
`tinytf progress` shows a learner's points, `tinytf reset` puts a chapter's notebook back,
`tinytf grade` is for instructors.

Each subcommand is a module that is imported when it is asked for, so that the one does not wait
for what only the other needs.
"""

import argparse
from collections.abc import Sequence
from typing import Any

from tinytf.cli import grade_parser
from tinytf.compatibility import command_line

__all__ = ["main"]

#: At the end of `tinytf serve --help`.
SERVE_EXAMPLE = """\
A session opens on the address that is printed: tf.Session("grpc://localhost:2222").
One task of three; the other two are the same command with another --job and --task:

    tinytf serve --cluster ps=localhost:2221 worker=localhost:2222,localhost:2223 \\
        --job worker --task 1

The same from a file, cluster.json, or as TensorFlow's launchers say it:

    {"ps": ["localhost:2221"], "worker": ["localhost:2222", "localhost:2223"]}

    tinytf serve --cluster-file cluster.json --job worker --task 1
    TF_CONFIG='{"cluster": {...}, "task": {"type": "worker", "index": 1}}' tinytf serve

Tasks of one cluster on one host share its cores; TF_NUM_INTRAOP_THREADS says another number.
"""

#: At the end of `tinytf launch --help`.
LAUNCH_EXAMPLE = """\
Options stand before the script; what stands behind it is the script's own:

    tinytf launch --ps 1 --worker 3 train.py --learning_rate=0.1

starts, each with its output behind its name,

    train.py --learning_rate=0.1 --ps_hosts=localhost:2221 \\
        --worker_hosts=localhost:2222,localhost:2223,localhost:2224 \\
        --job_name=worker --task_index=1

and so on, with the same in TF_CONFIG. A task that dies is started again. It is over when all
workers have ended with exit code 0; then the parameter servers are ended. Ctrl-C ends all.
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

        return lab.run(options.notebook, options.port, options.browser, options.short)
    if options.command == "run":
        return command_line.run(options)
    if options.command == "serve":
        from tinytf.cli import serve

        pipes = [*(options.pipes or ()), *(options.console or ())]
        return serve.run(
            options.job,
            options.task,
            options.cluster,
            options.cluster_file,
            allow_remote_clients=options.allow_remote_clients,
            pipes=serve.Pipes(*pipes) if pipes else None,
            die_with_parent=options.die_with_parent,
            tls=options.tls,
            file_root=options.file_root,
            limits=options.limit,
            transport=options.transport,
        )
    if options.command == "launch":
        from tinytf.cli import launch

        return launch.run(options)
    if options.command == "certificates":
        from tinytf.cli import certificates

        return certificates.run(
            options.folder, options.host, options.student, options.days, options.renew
        )
    if options.command == "smi":
        from tinytf.cli import smi

        return smi.run(options.machine, as_json=options.json)
    if options.command == "reset":
        from tinytf.cli import reset

        return reset.run(options.chapter, progress=options.progress)
    if options.command == "progress":
        from tinytf.cli import progress

        return progress.run(as_json=options.json)
    if options.command == "grade":
        from tinytf.cli import grade

        return grade.run(options)
    if options.file:
        from tinytf.compatibility import report

        return report.run(options.file, as_json=options.json)
    from tinytf.cli import doctor

    return doctor.run(as_json=options.json)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="tinytf", description="TensorFlow 1.x's graph runtime.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _add_lab(commands)
    command_line.add_run(commands)
    _add_serve(commands)
    _add_launch(commands)
    _add_certificates(commands)
    _add_learning(commands)
    grade_parser.add(commands)
    _add_reports(commands)
    return parser


def _add_lab(commands: Any) -> None:
    lab = _add(commands, "lab", "open JupyterLab on the course")
    lab.add_argument(
        "notebook", nargs="?", help="a chapter's number, or a notebook's file (default: the start)"
    )
    lab.add_argument(
        "--short", action="store_true", help="the short path of each chapter: 30 to 40 minutes"
    )
    lab.add_argument("--port", type=int, help="default: 8888, or the next one that is free")
    lab.add_argument(
        "--no-browser",
        dest="browser",
        action="store_false",
        default=None,
        help="only print the address (the default where there is no screen)",
    )


def _add_learning(commands: Any) -> None:
    reset = _add(
        commands, "reset", "put a chapter's notebook back as it was committed, and keep yours"
    )
    reset.add_argument("chapter", help="3, ch03, 03_parallel_execution; or all")
    reset.add_argument(
        "--progress", action="store_true", help="forget the points of its exercises as well"
    )
    progress = _add(commands, "progress", "show the points of your best try at each exercise")
    progress.add_argument("--json", action="store_true", help="the same for programs")


def _add_serve(commands: Any) -> None:
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
        help="the addresses of all tasks, for every job (default: those of the environment "
        "variable TF_CONFIG, or else one task, on a free port)",
    )
    serve.add_argument(
        "--cluster-file",
        metavar="FILE",
        help='the same from a JSON file: {"ps": ["host:2221"], "worker": ["host:2222"]}',
    )
    serve.add_argument(
        "--allow-remote-clients",
        action="store_true",
        help="listen beyond this machine: whoever can connect can run programs here",
    )
    serve.add_argument(
        "--tls",
        metavar="FOLDER",
        help="talk only to programs with a certificate of the class: the folder that `tinytf "
        "certificates` made for this host (default: the environment variable TINYTF_TLS)",
    )
    serve.add_argument(
        "--file-root",
        metavar="FOLDER",
        help="graphs may read and write files below this folder only (default: the working folder)",
    )
    serve.add_argument(
        "--limit",
        action="append",
        default=[],
        metavar="NAME=NUMBER",
        help="take on no more than this, for example sessions=40 (docs/safety.md lists them)",
    )
    serve.add_argument(
        "--transport",
        choices=("auto", "grpc"),
        help="grpc: talk gRPC alone; auto: also over unix sockets, to this user's tasks on this "
        "machine (default: the environment variable TINYTF_TRANSPORT, or auto)",
    )
    serve.add_argument("--pipes", nargs=2, type=int, help=argparse.SUPPRESS)
    serve.add_argument("--console", nargs=2, type=int, help=argparse.SUPPRESS)
    serve.add_argument("--die-with-parent", action="store_true", help=argparse.SUPPRESS)


def _add_launch(commands: Any) -> None:
    launch = _add(commands, "launch", "start a script once for each task, and again when it dies")
    launch.epilog = LAUNCH_EXAMPLE
    launch.formatter_class = argparse.RawDescriptionHelpFormatter
    launch.add_argument("--ps", type=int, default=1, help="parameter servers (default: 1)")
    launch.add_argument("--worker", type=int, default=2, help="workers (default: 2)")
    launch.add_argument(
        "--client",
        action="store_true",
        help="one process more, --job_name=client; over when it is done, the workers only serve",
    )
    launch.add_argument(
        "--estimator",
        action="store_true",
        help="for tf.estimator.train_and_evaluate: a chief, an evaluator; TF_CONFIG and no flags",
    )
    launch.add_argument(
        "--file-root",
        action="append",
        metavar="FOLDER",
        help="what the tasks' graphs may read and write, besides the working folder",
    )
    launch.add_argument(
        "--first-port", type=int, metavar="PORT", help="and those after it (default: free ports)"
    )
    launch.add_argument(
        "--restarts",
        type=int,
        default=3,
        metavar="NUMBER",
        help="how often a task is started again within a period before it is given up (default: 3)",
    )
    launch.add_argument(
        "--period", type=float, default=60.0, metavar="SECONDS", help="the period (default: 60)"
    )
    launch.add_argument("script", help="a Python file")
    launch.add_argument(
        "arguments", nargs=argparse.REMAINDER, help="its own arguments", metavar="..."
    )


def _add_certificates(commands: Any) -> None:
    certificates = _add(commands, "certificates", "make the certificates of a class")
    certificates.add_argument("--folder", default="certs", help="of the class (default: certs)")
    certificates.add_argument(
        "--host",
        action="append",
        default=[],
        metavar="NAME[,NAME...]",
        help="a server's host, with all names and addresses by which it is reached",
    )
    certificates.add_argument(
        "--student", action="append", default=[], metavar="NAME", help="somebody who may connect"
    )
    certificates.add_argument(
        "--days", type=int, default=200, help="how long they last (default: 200)"
    )
    certificates.add_argument(
        "--renew",
        action="store_true",
        help="let those that are named (default: all) last longer; their keys stay",
    )


def _add_reports(commands: Any) -> None:
    smi = _add(commands, "smi", "show the GPUs, simulated ones as well, and the programs on them")
    smi.add_argument(
        "--machine", metavar="NAME", help="a simulated machine (default: all that are in use)"
    )
    smi.add_argument("--json", action="store_true", help="the same for programs")

    doctor = _add(commands, "doctor", "say what is installed, or what a program finds here")
    doctor.add_argument(
        "file", nargs="?", help="a program or notebook for TensorFlow: it is read, not run"
    )
    doctor.add_argument("--json", action="store_true", help="the same for programs")


def _add(commands: Any, name: str, what: str) -> argparse.ArgumentParser:
    """A subcommand; its own help says as well what it is for."""
    parser: argparse.ArgumentParser = commands.add_parser(
        name, help=what, description=f"{what[0].upper()}{what[1:]}."
    )
    return parser
