"""What this machine has beyond Python packages: Chromium, a real TensorFlow, network namespaces.

`tinytf doctor` reports these and the tests ask for them, so both see the same.
"""

import functools
import os
import shutil
import subprocess
from pathlib import Path

__all__ = [
    "chromium",
    "course_root",
    "install_command",
    "namespace_obstacle",
    "namespace_remedy",
    "run_quietly",
    "tensorflow_python",
]

TENSORFLOW_VERSION = "2.15.1"

#: Names that distributions and vendors give the browser.
_CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

_SETTINGS = Path("/proc/sys")
_APPARMOR = "apparmor_restrict_unprivileged_userns"
#: (file, the value that forbids them, what allows them)
_NAMESPACE_SETTINGS = (
    ("kernel/unprivileged_userns_clone", "0", "kernel.unprivileged_userns_clone=1"),
    (f"kernel/{_APPARMOR}", "1", f"kernel.{_APPARMOR}=0"),
    ("user/max_user_namespaces", "0", "user.max_user_namespaces=15000"),
)


def course_root() -> Path:
    """The folder with the course: what was cloned (holds notebooks/, scripts/, .venv/)."""
    return Path(__file__).resolve().parents[2]


def install_command(extra: str) -> str:
    """What to type for the packages of an extra of pyproject.toml ("" for none of them).

    In a clone, start.py installs what is locked; "gpu" is not, it depends on the card's driver.
    """
    if not (course_root() / "start.py").exists():
        return f"pip install 'tinytf[{extra}]'" if extra else "pip install tinytf"
    if extra == "gpu":
        return ".venv/bin/python -m pip install --editable '.[gpu]'"
    return "python3 start.py setup"


def chromium() -> str | None:
    """The path of a Chromium (or Chrome), or None."""
    found = (shutil.which(name) for name in _CHROMIUM_NAMES)
    return next((path for path in found if path), None)


@functools.cache
def tensorflow_python() -> Path | None:
    """The Python that can `import tensorflow` 2.15, or None.

    It is the one that the environment variable TINYTF_TENSORFLOW_PYTHON names, or else
    `.venv-tensorflow` beside this project (2.15.1 installs on Python 3.9 to 3.11 only).
    """
    bin_folder = ("Scripts", "python.exe") if os.name == "nt" else ("bin", "python")
    default = course_root().joinpath(".venv-tensorflow", *bin_folder)
    python = Path(os.environ.get("TINYTF_TENSORFLOW_PYTHON") or default)
    # The metadata is enough to know, and a hundred times faster than the import.
    program = (
        "from importlib.metadata import distributions as d\n"
        "names = {'tensorflow', 'tensorflow-cpu', 'tensorflow_cpu'}\n"
        "print(*{x.version for x in d() if x.metadata['Name'] in names})"
    )
    output = run_quietly(str(python), "-c", program)
    return python if output is not None and output.startswith("2.15.") else None


@functools.cache
def namespace_obstacle() -> str | None:
    """Why no network namespace can be made here, or None if one can."""
    missing = [tool for tool in ("unshare", "ip") if shutil.which(tool) is None]
    if missing:
        return f"no {' and no '.join(missing)} command"
    if os.geteuid() != 0:
        return "not root"
    if run_quietly("unshare", "--net", "ip", "link", "set", "lo", "up") is None:
        return "this system does not let root make network namespaces"
    return None


def namespace_remedy() -> str:
    """What lets programs of ordinary users make namespaces, where this system does not."""
    for setting, forbids, command in _NAMESPACE_SETTINGS:
        try:
            if (_SETTINGS / setting).read_text().strip() == forbids:
                return f"sudo sysctl -w {command}"
        except OSError:
            continue  # other systems have other settings
    return "in a container, start it with: docker run --security-opt seccomp=unconfined"


def run_quietly(*command: str, seconds: float = 20.0) -> str | None:
    """The standard output of `command`, stripped; None if it is missing, fails or hangs."""
    try:
        result = subprocess.run(
            command, capture_output=True, text=True, timeout=seconds, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return result.stdout.strip() if result.returncode == 0 else None
