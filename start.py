"""Set everything up and start: `python3 start.py lab`, `python3 start.py test`.

    python3 start.py lab      JupyterLab on the course (lab 1: on chapter 1)
    python3 start.py test     the tests (--all: also those that need root, a browser or TensorFlow)
    python3 start.py doctor   what is installed, which devices there are, what is missing
    python3 start.py setup    the environment alone

Only Python 3.11 or later is needed. The first run makes a virtual environment in `.venv` with the
packages of requirements.lock, each checked against its hash; later runs find it and start at once.
What follows the command is handed on: `python3 start.py test tests/framework -x`.
"""

import hashlib
import os
import shutil
import subprocess
import sys

OLDEST = (3, 11)
ROOT = os.path.dirname(os.path.abspath(__file__))
ENVIRONMENT = os.path.join(ROOT, ".venv")
PYTHON = os.path.join(
    ENVIRONMENT, *(("Scripts", "python.exe") if os.name == "nt" else ("bin", "python"))
)
STAMP = os.path.join(ENVIRONMENT, "tinytf-setup.txt")


def check_python() -> None:
    """Stop with advice unless this Python is recent enough (this file parses from 3.6 on)."""
    if sys.version_info >= OLDEST:
        return
    names = [f"python3.{minor}" for minor in range(20, OLDEST[1] - 1, -1)]  # type: ignore[unreachable, unused-ignore]
    newer = [name for name in names if shutil.which(name)]
    advice = (
        "Type:  {} {}".format(newer[0], " ".join(sys.argv))
        if newer
        else "Install a newer one (Debian 12, Ubuntu 24.04 and later bring it), then try again."
    )
    sys.exit(
        "tinytf needs Python {}.{} or later; this is {}.{}.{}.\n{}".format(
            *OLDEST, *sys.version_info[:3], advice
        )
    )


def fingerprint() -> str:
    """What the environment was made from: the locked packages, the project, this folder."""
    digest = hashlib.sha256()
    for name in ("requirements.lock", "pyproject.toml"):
        with open(os.path.join(ROOT, name), "rb") as file:
            digest.update(file.read())
    return f"{ROOT}\n{digest.hexdigest()}\n"


def read_stamp() -> str:
    """What the environment in place was made from; empty if there is none or it is unfinished."""
    if not os.path.exists(PYTHON):  # also when the Python it was made with is gone
        return ""
    try:
        with open(STAMP, encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return ""


def check_venv_module() -> None:
    """Make sure that `python -m venv` can work: Debian keeps half of it in another package."""
    try:
        import ensurepip  # noqa: F401
        import venv  # noqa: F401
    except ImportError:
        package = "python{}.{}-venv".format(*sys.version_info[:2])
        on_debian = shutil.which("apt-get") is not None
        is_root = os.name == "posix" and os.geteuid() == 0
        if on_debian and is_root and os.environ.get("CI") == "true":
            run("apt-get", "update", "--quiet")
            run("apt-get", "install", "--yes", "--quiet", package)
            return
        command = f"{'' if is_root else 'sudo '}apt-get install {package}"
        sys.exit(
            "This Python cannot make virtual environments: its venv module is packaged apart.\n"
            f"Install {package if on_debian else 'it with the system package manager'}, then try "
            "again." + (f" Type:\n\n    {command}\n" if on_debian else "")
        )


def run(*command: str) -> None:
    """Run a command of the set-up; on failure stop with its exit code and advice."""
    # Settings that would send packages elsewhere than into the environment are switched off.
    environment = {**os.environ, "PIP_USER": "0", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    for name in ("PIP_TARGET", "PIP_PREFIX", "PIP_REQUIRE_HASHES", "PYTHONHOME", "PYTHONPATH"):
        environment.pop(name, None)
    pipe = subprocess.PIPE
    try:
        # What pip warns of is of no concern to whoever gets the packages; else it may be the cause.
        done = subprocess.run(command, cwd=ROOT, env=environment, stderr=pipe, check=False)
    except KeyboardInterrupt:
        sys.exit("\nSet-up interrupted; the same command goes on from here.")
    status, said = done.returncode, done.stderr.decode(errors="replace")
    if status or "ERROR" in said:
        print("\n".join(list(dict.fromkeys(said.splitlines()))[-30:]), file=sys.stderr)
    if status:
        sys.exit(
            "Set-up failed (exit code {}) at:  {}\nThe message above says why. Without a network, "
            "the first run cannot work; afterwards the same command goes on from here.".format(
                status, " ".join(command)
            )
        )


def set_up() -> None:
    """Make `.venv` what requirements.lock and pyproject.toml say; nothing to do if it is."""
    wanted, found = fingerprint(), read_stamp()
    if found == wanted:
        return
    moved = found != "" and found.splitlines()[0] != ROOT
    if moved or not is_usable(PYTHON):
        check_venv_module()
        print(f"Making a virtual environment in {ENVIRONMENT} ...", flush=True)
        run(sys.executable, "-m", "venv", "--clear", ENVIRONMENT)
    elif found:
        os.remove(STAMP)
    print("Installing the packages of requirements.lock (a minute or two, once) ...", flush=True)
    pip = (PYTHON, "-m", "pip", "install", "--quiet", "--no-input", "--no-deps")
    # --no-deps: the lock is complete, so there is nothing left to resolve.
    run(*pip, "--require-hashes", "--requirement", os.path.join(ROOT, "requirements.lock"))
    run(*pip, "--no-build-isolation", "--editable", ROOT)
    with open(STAMP + ".new", "w", encoding="utf-8") as file:
        file.write(wanted)
    os.replace(STAMP + ".new", STAMP)


def is_usable(python: str) -> bool:
    """Whether `python` exists, runs, is recent enough and has pip."""
    program = f"import sys, pip; sys.exit(sys.version_info < {OLDEST})"
    try:
        result = subprocess.run([python, "-c", program], stderr=subprocess.DEVNULL, check=False)
    except OSError:
        return False
    return result.returncode == 0


def start(*command: str) -> None:
    """Become `command` (so that signals and the exit code are its own)."""
    if os.name == "nt":
        sys.exit(subprocess.call(command))
    os.execv(command[0], command)


def main() -> None:
    """Set up, then hand over to the command."""
    check_python()
    command, arguments = (sys.argv[1] if len(sys.argv) > 1 else ""), sys.argv[2:]
    if command not in ("lab", "test", "doctor", "setup"):
        asked = command in ("-h", "--help", "help")
        if command and not asked:
            print(f"There is no command {command!r}.\n")
        print(__doc__)
        sys.exit(0 if asked else 2)
    set_up()
    if command == "test":
        start(PYTHON, os.path.join(ROOT, "scripts", "test"), *arguments)
    elif command == "setup":
        print(f"Ready: {ENVIRONMENT}")
    else:
        start(PYTHON, "-m", "tinytf", command, *arguments)


if __name__ == "__main__":
    main()
