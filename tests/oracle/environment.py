"""Where the real TensorFlow is, and how the oracle's files are written.

TensorFlow 2.15.1 installs on Python 3.11 and older only and wants other numpy and protobuf than
we do, so it lives in an environment of its own: `.venv-tensorflow` in the repository's root, or
the one whose interpreter is named by the variable TINYTF_TENSORFLOW_PYTHON.
"""

from __future__ import annotations

import gzip
import os
import sys
import tempfile
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "tests" / "oracle" / "data"
VARIABLE = "TINYTF_TENSORFLOW_PYTHON"
_OWN_NETWORK = "TINYTF_OWN_NETWORK"
VERSION = "2.15.1"
HOW_TO_INSTALL = (
    f"No TensorFlow {VERSION} found. With a Python 3.11 or older:\n"
    f"    python3.11 -m venv .venv-tensorflow\n"
    f"    .venv-tensorflow/bin/pip install tensorflow-cpu=={VERSION} 'tf-slim<2'\n"
    f"or name the interpreter that has it in the variable {VARIABLE}."
)


def tensorflow_python() -> Path | None:
    """The interpreter that can import TensorFlow, or None."""
    named = os.environ.get(VARIABLE)
    python = Path(named) if named else ROOT / ".venv-tensorflow" / "bin" / "python"
    return python if python.exists() else None


def tensorflow_environment() -> dict[str, str]:
    """Variables for a process that imports TensorFlow: quiet, and the same results everywhere.

    oneDNN chooses its algorithms by processor and rounds differently from one to the next.
    """
    quiet = {
        "TF_CPP_MIN_LOG_LEVEL": "3",
        "TF_ENABLE_ONEDNN_OPTS": "0",
        "CUDA_VISIBLE_DEVICES": "-1",
    }
    return {**os.environ, **quiet, "PYTHONDONTWRITEBYTECODE": "1"}


def continue_under_tensorflow() -> None:
    """Start the running script again with TensorFlow's interpreter, if this one is another.

    Raises:
      SystemExit: there is no such interpreter, or its TensorFlow is of another version; the
        message says how to get the right one.
    """
    python = tensorflow_python()
    if python is None:
        raise SystemExit(HOW_TO_INSTALL)
    # A virtual environment's interpreter is a link; its prefix tells environments apart.
    if Path(sys.prefix).resolve() == python.parent.parent.resolve():
        installed = {
            found.version
            for found in metadata.distributions()
            if found.metadata["Name"] in ("tensorflow", "tensorflow-cpu", "tensorflow_cpu")
        }
        if installed != {VERSION}:
            raise SystemExit(
                f"{python} has TensorFlow {installed or 'not at all'}.\n{HOW_TO_INSTALL}"
            )
        return
    os.execve(python, [str(python), *sys.argv], tensorflow_environment())


def continue_in_own_network() -> None:
    """Start the running script again where nobody else can connect: TensorFlow's servers listen on
    all interfaces. Needs root and iproute2.
    """
    if not os.environ.get(_OWN_NETWORK):
        os.environ[_OWN_NETWORK] = "1"
        up = 'ip link set lo up && exec "$@"'
        os.execvp("unshare", ["unshare", "--net", "sh", "-c", up, "sh", sys.executable, *sys.argv])


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file so that a reader sees the old or the new content, never a part."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def compressed(data: bytes) -> bytes:
    """The data gzipped, without a time stamp: the same data gives the same file."""
    return gzip.compress(data, 9, mtime=0)
