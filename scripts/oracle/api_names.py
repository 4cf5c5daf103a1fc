"""Write tinytf/api/tensorflow_names.txt: every public name of TensorFlow 1.8 to 1.15.

    python3 scripts/oracle/api_names.py [FOLDER]

The wheels are downloaded into the folder (650 MB; a temporary one by default) and read as archives:
nothing in them is imported or run. What `tf` shows is listed in modules that TensorFlow's build
generates; what tf.contrib shows, by its modules' lists of what is documented. Also written:
tests/oracle/data/tensorflow_aliases.txt, the names that stand for the same thing.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(Path(__file__).resolve().parent)]

from wheels import Found, Wheels  # noqa: E402

from tests.oracle.environment import write_atomically  # noqa: E402

NAMES = ROOT / "tinytf" / "api" / "tensorflow_names.txt"
ALIASES = ROOT / "tests" / "oracle" / "data" / "tensorflow_aliases.txt"

#: minor version -> the wheels that make it up
RELEASES = {
    8: ["tensorflow==1.8.0"],
    9: ["tensorflow==1.9.0"],
    10: ["tensorflow==1.10.0"],
    11: ["tensorflow==1.11.0"],
    12: ["tensorflow==1.12.0"],
    13: ["tensorflow==1.13.1", "tensorflow-estimator==1.13.0"],
    14: ["tensorflow==1.14.0", "tensorflow-estimator==1.14.0"],
    15: ["tensorflow-cpu==1.15.0", "tensorflow-estimator==1.15.1"],
}
#: what `tf.flags` shows; the first version of it that is a wheel
FLAGS = "absl-py==0.11.0"
#: the same namespace again, TensorFlow 2's, and Python's own: one name each
LEAVES = {"compat.v1", "compat.v2", "test.mock"}
#: modules that the build generates, or that are public as they are
PUBLIC = re.compile(
    r"tensorflow(\.tools\.api\.generator\.api|\._api\.v1)?"
    r"(\.(?!python\b|core\b|compiler\b|tools\b|_api\b|contrib\b|include\b|examples\b)\w+)*"
    r"|tensorflow(_estimator)?\.python\.(keras|estimator)\.api(\._v1)?(\.\w+)+"
    r"|tensorflow\.python\.platform\.flags"
)

#: the root of 1.8's generated modules
OLD_ROOT = "tensorflow.tools.api.generator.api"
#: what is attached to `tf` by other means than an import
HOOKED = {
    "estimator": "tensorflow_estimator.python.estimator.api.estimator",
    "flags": "tensorflow.python.platform.flags",
    "app.flags": "tensorflow.python.platform.flags",
}

#: what modules of tf.contrib import for themselves
HELPERS = {"lazy_loader", "make_all", "remove_undocumented"}
#: what modules of tf.contrib that do not list their names pass on
REEXPORTED = "tensorflow.contrib."

Names = dict[str, Found]


def download(folder: Path) -> None:
    """Download the wheels that are not in the folder."""
    for requirement in [FLAGS, *(one for wheels in RELEASES.values() for one in wheels)]:
        if not matching(folder, requirement):
            pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
            system = "manylinux2010_x86_64" if "1.15.0" in requirement else "manylinux1_x86_64"
            target = ["--python-version", "3.6", "--platform", system, "--only-binary", ":all:"]
            subprocess.run([*pip, *target, "--dest", folder, requirement], check=True)


def names_of_release(folder: Path, minor: int) -> Names:
    """The names of one minor version."""
    wanted = [*RELEASES[minor], FLAGS]
    return public_names(Wheels([path for one in wanted for path in matching(folder, one)]))


def matching(folder: Path, requirement: str) -> list[Path]:
    """The wheel of a requirement, if it is there."""
    name, version = requirement.split("==")
    return sorted(folder.glob(f"{name.replace('-', '_')}-{version}-*.whl"))


def public_names(wheels: Wheels) -> Names:
    """Each public name, without "tf." -> what it stands for."""
    names: Names = {}
    walk_api(wheels, OLD_ROOT if OLD_ROOT in wheels else "tensorflow", "", names)
    for hooked, module in HOOKED.items():
        if hooked not in names and module in wheels:
            names[hooked] = Found("module", module, "")
            walk_api(wheels, module, hooked + ".", names)
    names["contrib"] = Found("module", "tensorflow.contrib", "")
    walk_contrib(wheels, "tensorflow.contrib", "contrib.", names)
    return names


def walk_api(wheels: Wheels, module: str, prefix: str, names: Names) -> None:
    """Add what a generated module shows, and the modules below it."""
    shown = wheels.shown(module)
    if module.startswith(OLD_ROOT):  # where packages do not import the packages in them
        shown += [below.split(".")[-1] for below in wheels.below(module)]
    for name in dict.fromkeys(shown):
        path = prefix + name
        found = wheels.find(module, name)
        if path in LEAVES:
            names[path] = Found("module", path, "")
        elif found.kind == "module":
            if PUBLIC.fullmatch(found.module) and path not in names and path != "contrib":
                names[path] = found
                walk_api(wheels, found.module, path + ".", names)
        elif found.kind != "unknown":
            names[path] = found


def walk_contrib(wheels: Wheels, module: str, prefix: str, names: Names) -> None:
    """Add what a module of tf.contrib documents, or all of its own, and the modules below it."""
    documented = wheels.documented(module)
    package = wheels.is_package(module)
    folders = [below.split(".")[-1] for below in wheels.below(module) if wheels.is_package(below)]
    shown = wheels.shown(module) + folders if documented is None else documented
    picked = wheels.picked(module) - HELPERS if package else set()
    if module == "tensorflow.contrib":
        shown += folders
    for name in dict.fromkeys(shown):
        found = wheels.find(module, name)
        if found.kind == "module":
            inside = found.module.startswith(module + ".") and name not in ("python", "api")
            if inside and (documented or name in picked or wheels.is_package(found.module)):
                names[prefix + name] = found
                walk_contrib(wheels, found.module, f"{prefix}{name}.", names)
        elif found.kind != "unknown" and found.module.startswith("tensorflow"):
            inside = package and found.module.startswith(module + ".")
            own = found.module == module or inside
            if own or documented or name in picked or found.module.startswith(REEXPORTED):
                names[prefix + name] = found


def table(releases: dict[int, Names]) -> str:
    """The committed text: modules, kinds, first and last minor versions, names."""
    modules: dict[str, dict[tuple[str, int, int], list[str]]] = {}
    for path in sorted({path for names in releases.values() for path in names}):
        there = [minor for minor, names in releases.items() if path in names]
        kind = releases[there[-1]][path].kind
        module, _, name = path.rpartition(".")
        modules.setdefault(module, {}).setdefault((kind, there[0], there[-1]), []).append(name)
    lines = [
        "# Every public name of TensorFlow 1.8 to 1.15; written by scripts/oracle/api_names.py"
    ]
    for module, groups in sorted(modules.items()):
        lines.append(f"[{module}]")
        for (kind, first, last), found in sorted(groups.items()):
            lines.append(f"{kind} {first}-{last}")
            lines += textwrap.wrap(
                " ".join(found),
                100,
                initial_indent=" ",
                subsequent_indent=" ",
                break_long_words=False,
                break_on_hyphens=False,
            )
    return "\n".join(lines) + "\n"


def aliases(releases: dict[int, Names]) -> str:
    """The names that stand for one thing in the last release that has them, a line for each."""
    groups: dict[Found, set[str]] = {}
    known: set[str] = set()
    for names in reversed(releases.values()):
        new = {path for path in names if path not in known}
        known |= new
        same: dict[Found, set[str]] = {}
        for path, found in names.items():
            if found.kind != "module":
                same.setdefault(found, set()).add(path)
        for found, paths in same.items():
            if len(paths) > 1 and paths & new:
                groups.setdefault(found, set()).update(paths)
    lines = {
        " ".join(sorted(paths, key=lambda path: (path.count("."), path)))
        for paths in groups.values()
    }
    return "\n".join(sorted(lines)) + "\n"


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(sys.argv[1] if len(sys.argv) > 1 else temporary)
        download(folder)
        releases = {minor: names_of_release(folder, minor) for minor in RELEASES}
    write_atomically(NAMES, table(releases).encode())
    write_atomically(ALIASES, aliases(releases).encode())
