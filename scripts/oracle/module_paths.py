"""Write tinytf/api/tensorflow_modules.txt: in which of TensorFlow's modules its public names are.

    python3 scripts/oracle/module_paths.py [FOLDER]

Programs of the time import from there as well: `from tensorflow.python.framework import ops`. Read
from the wheels of api_names.py, as archives: nothing in them is imported or run. Each module has
the public names that are defined there in some version from 1.8 to 1.15, "name=public" where the
public one is another. Of tensorflow.core only the modules of messages are listed.
"""

from __future__ import annotations

import re
import sys
import tempfile
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(Path(__file__).resolve().parent)]

from api_names import RELEASES, download, matching, public_names  # noqa: E402
from wheels import Wheels  # noqa: E402

from tests.oracle.environment import write_atomically  # noqa: E402

PATHS = ROOT / "tinytf" / "api" / "tensorflow_modules.txt"
LEFT_OUT = re.compile(r"(contrib|keras|ragged|raw_ops|lite|tpu|compat\.v[12])\b")
#: modules of TensorFlow's own that no program reaches for
INNER = re.compile(r"\.python\.(_|autograph|compiler|distribute|eager|keras|tpu|lite)\b")
#: where the messages are that programs import
MESSAGES = re.compile(r"tensorflow\.(core\.(example|framework|protobuf|util|lib\.core)\.\w+_pb2)")

#: module -> its names -> their public names -> the first minor version that has these
Modules = dict[str, dict[str, dict[str, int]]]


def add_release(folder: Path, minor: int, modules: Modules) -> None:
    """Add where one minor version defines its public names."""
    wheels = Wheels([path for one in RELEASES[minor] for path in matching(folder, one)])
    for public, found in public_names(wheels).items():
        if LEFT_OUT.match(public) or found.kind == "module" or INNER.search(found.module):
            continue
        if found.module.startswith("tensorflow.python."):
            module = found.module.removeprefix("tensorflow.")
            modules.setdefault(module, {}).setdefault(found.name, {}).setdefault(public, minor)
    for module in wheels._sources:
        if message := MESSAGES.fullmatch(module):
            modules.setdefault(message[1], {})


def best(name: str, publics: dict[str, int]) -> str:
    """Of the public names of one thing, the one that most programs use: short, and old."""

    def rank(path: str) -> tuple[int, int, bool, str]:
        return path.count("."), publics[path], path.split(".")[-1] != name, path

    return min(publics, key=rank)


def table(modules: Modules) -> str:
    """The committed text."""
    lines = [
        "# Which modules of TensorFlow 1.8 to 1.15 define its public names; "
        "written by scripts/oracle/module_paths.py"
    ]
    for module, names in sorted(modules.items()):
        lines.append(f"[{module}]")
        shown = []
        for name, publics in sorted(names.items()):
            public = best(name, publics)
            shown.append(name if public == name else f"{name}={public}")
        lines += textwrap.wrap(
            " ".join(shown),
            100,
            initial_indent=" ",
            subsequent_indent=" ",
            break_long_words=False,
            break_on_hyphens=False,
        )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(sys.argv[1] if len(sys.argv) > 1 else temporary)
        download(folder)
        found: Modules = {}
        for minor in RELEASES:
            add_release(folder, minor, found)
    write_atomically(PATHS, table(found).encode())
