"""`tinytf lab`: JupyterLab on the course.

It serves the project's folder (so that a lesson can link to the runtime's own source), listens on
loopback only, asks nobody on the network for news or updates, and marks the course's notebooks as
trusted, so that saved drawings and widgets show before their cells are run.
"""

import os
import secrets
import shlex
import socket
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from tinytf.cli import short_path
from tinytf.cli.machine import course_root, install_command

__all__ = ["Lab", "find_notebook", "free_port", "run", "trust"]

FIRST_NOTEBOOK = "00_start_here.ipynb"
FIRST_PORT = 8888
HOST = "127.0.0.1"


def run(
    notebook: str | None = None,
    port: int | None = None,
    browser: bool | None = None,
    short: bool = False,
) -> int:
    """Become JupyterLab; return an exit code only if that is not possible.

    Args:
        notebook: a chapter's number ("1"), or a notebook's name or path. None: the first page.
        port: where to listen; None: 8888 or the next one that is free.
        browser: whether to open one; None: if there is a screen.
        short: the lessons without their depth; see `tinytf.cli.short_path`.
    """
    if find_spec("jupyterlab") is None:
        print(f"JupyterLab is not installed here. Type:  {install_command('course')}")
        return 1
    try:
        found = find_notebook(course_root(), notebook)
        if short:
            short_path.write_copies(course_root() / "notebooks")
            found = found.with_name(found.stem + short_path.SUFFIX)
        lab = start(course_root(), found, port, browser)
    except OSError as error:
        print(error)
        return 1
    trust(lab.root / "notebooks")
    print(lab.greeting(), flush=True)
    command, environment = lab.command(), lab.environment()
    if os.name == "nt":
        import subprocess

        return subprocess.call(command, env=environment)
    os.execve(command[0], command, environment)


def start(root: Path, notebook: Path, port: int | None, browser: bool | None) -> "Lab":
    """How JupyterLab is started on a folder; see `run` for the arguments. OSError: no such port."""
    return Lab(
        root=root,
        notebook=notebook,
        port=free_port(port),
        token=os.environ.get("JUPYTER_TOKEN") or secrets.token_urlsafe(24),
        browser=has_screen() if browser is None else browser,
    )


@dataclass(frozen=True, slots=True)
class Lab:
    """One start of JupyterLab: what it serves, where, and how it is told so."""

    root: Path
    #: Relative to `root`.
    notebook: Path
    port: int
    #: The secret in the address; handed over in the environment, where other users cannot see it.
    token: str
    browser: bool
    #: The folder with JupyterLab's settings: a learner's, or a teacher's with nbgrader's panels.
    settings: str = "jupyter"

    def page(self) -> str:
        """The address's path of the notebook."""
        return f"/lab/tree/{self.notebook.as_posix()}"

    def url(self) -> str:
        """The address to open, secret included."""
        return f"http://{HOST}:{self.port}{self.page()}?token={self.token}"

    def command(self) -> list[str]:
        """The command line of the server."""
        options = [
            f"--ServerApp.root_dir={self.root}",
            f"--ServerApp.ip={HOST}",
            f"--ServerApp.port={self.port}",
            "--ServerApp.port_retries=0",  # the printed address must stay true
            f"--LabApp.default_url={self.page()}",
            "--LabApp.news_url=None",
            "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
            "--Application.log_level=WARN",
        ]
        if _can_encrypt():
            # What server and kernels say to each other; each new kernel warns where it is open.
            options.append("--KernelManager.transport_encryption=auto")
        if not self.browser:
            options.append("--no-browser")
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            options.append("--allow-root")  # containers and classroom machines; loopback only
        return [sys.executable, "-m", "jupyterlab", *options]

    def environment(self) -> dict[str, str]:
        """The environment of the server: the secret; the course's settings and programs first."""
        here = Path(__file__).parent
        others = os.environ.get("JUPYTER_CONFIG_PATH", "").split(os.pathsep)
        # Ours are among them in a terminal of a JupyterLab that was started like this.
        paths = [str(here / self.settings), *(p for p in others if p and Path(p).parent != here)]
        return {
            **os.environ,
            # What `%pip install` brings (TensorBoard) is found by cells and terminals.
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")]),
            "JUPYTER_TOKEN": self.token,
            "JUPYTER_CONFIG_PATH": os.pathsep.join(paths),
        }

    def greeting(self) -> str:
        """What is printed before the server starts."""
        lines = [
            "",
            "JupyterLab is starting on the course. In a few seconds, open",
            "",
            f"    {self.url()}",
            "",
        ]
        if self.browser:
            lines[1] = "JupyterLab is starting on the course, in your browser. If none opens:"
        if os.environ.get("SSH_CONNECTION"):
            tunnel = f"ssh -N -L {self.port}:{HOST}:{self.port} {socket.gethostname()}"
            lines += ["From your own machine, make a tunnel first:", "", f"    {tunnel}", ""]
        return "\n".join([*lines, "To stop it, press Ctrl-C, then y (or Ctrl-C again).", ""])


def find_notebook(root: Path, wanted: str | None) -> Path:
    """The notebook to open, relative to `root`; FileNotFoundError lists those there are.

    Example:
        >>> find_notebook(course_root(), "1")  # doctest: +SKIP
        PosixPath('notebooks/01_graphs_and_sessions.ipynb')
    """
    folder = root / "notebooks"
    available = sorted(one for one in folder.glob("*.ipynb") if not short_path.is_copy(one))
    if not available:
        raise FileNotFoundError(
            f"There are no notebooks in {folder}: the course comes with the repository, not with "
            "the installed package. Clone it and type  python3 start.py lab  there."
        )
    if wanted is None:
        wanted = FIRST_NOTEBOOK
    if wanted.isdecimal():
        candidates = [path for path in available if path.name.startswith(f"{int(wanted):02d}_")]
    else:
        places = (Path(wanted).resolve(), root / wanted, folder / wanted)
        candidates = [path for path in places if path.is_file() and path.is_relative_to(root)]
    if not candidates:
        names = "\n".join(f"    {path.name}" for path in available)
        raise FileNotFoundError(
            f"There is no notebook {wanted!r} in the course. There are:\n{names}"
        )
    return candidates[0].relative_to(root)


def free_port(wanted: int | None = None) -> int:
    """`wanted` if it is free (else OSError says so); without it, the first free one from 8888."""
    for port in [wanted] if wanted is not None else range(FIRST_PORT, FIRST_PORT + 100):
        with socket.socket() as probe:
            # As the server itself does: a port that was closed a moment ago is free.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((HOST, port))
            except PermissionError:
                what = f"Port {port} may only be used by root."
            except OverflowError:
                what = f"There is no port {port}."
            except OSError:
                what = f"Port {port} is in use."
            else:
                return port
    if wanted is None:
        what = f"Ports {FIRST_PORT} to {port} are all in use."
    raise OSError(f"{what} Add  --port NUMBER  with one that is free (above 1023).")


def _can_encrypt() -> bool:
    """Whether pyzmq was built with what encrypts, and jupyter_client knows how to ask for it."""
    import zmq
    from jupyter_client.manager import KernelManager

    return zmq.has("curve") and KernelManager.class_traits().get("transport_encryption") is not None


def has_screen() -> bool:
    """Whether a browser opened here could be seen."""
    if sys.platform in ("win32", "darwin"):
        return not os.environ.get("SSH_CONNECTION")
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def trust(folder: Path) -> int:
    """Mark the notebooks of `folder` as trusted, as `jupyter trust` does; return how many.

    Trust is a signature over the content in a database of the user's, so it is renewed at each
    start: a notebook that an update changed is signed again.
    """
    import nbformat
    from nbformat.sign import NotebookNotary

    notary, count = NotebookNotary(), 0
    for path in sorted(folder.glob("*.ipynb")):
        try:
            notary.sign(nbformat.read(path, as_version=4))
        except Exception as error:  # a broken notebook, or an unwritable home: the lab still works
            command = f"jupyter trust {shlex.quote(str(path))}"
            print(f"{path.name} could not be marked as trusted ({error}). Later:  {command}")
        else:
            count += 1
    notary.store.close()
    return count
