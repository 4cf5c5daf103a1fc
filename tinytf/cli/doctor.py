"""`tinytf doctor`: what is installed, which devices there are, what is missing, how to get it."""

import json
import os
import platform
import sys
import time
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version

from tinytf.cli import machine
from tinytf.distributed.wire import transport, unix_paths
from tinytf.grading import progress_file, sandbox
from tinytf.grading.progress import progress
from tinytf.runtime import blas

__all__ = ["Finding", "check_course", "examine", "run"]

_CORE = ("numpy", "ml_dtypes", "protobuf", "grpcio", "google-crc32c", "threadpoolctl")
_COURSE = ("jupyterlab", "ipykernel", "ipywidgets", "anywidget", "matplotlib", "tqdm", "simpy")
_GRADE = ("nbgrader",)
_TEST = ("pytest", "hypothesis", "nbval", "playwright", "ruff", "mypy", "import-linter")


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report."""

    #: The heading it stands under.
    section: str
    name: str
    #: A version, a device, or what is wrong. Never empty.
    found: str
    present: bool = True
    #: Whether programs cannot run without it.
    required: bool = False
    #: How to get it; empty if it is there.
    remedy: str = ""


def run(as_json: bool = False) -> int:
    """Print the report; return 0 if programs run here, else 1."""
    findings = examine()
    works = all(finding.present for finding in findings if finding.required)
    if as_json:
        print(json.dumps({"works": works, "findings": [asdict(one) for one in findings]}, indent=2))
    else:
        print(as_text(findings, works))
    return 0 if works else 1


def examine() -> list[Finding]:
    """Look at everything, the required first.

    Example:
        >>> [one.name for one in examine() if one.required and not one.present]
        []
    """
    findings = [
        Finding("Runs programs", "Python", f"{platform.python_version()} ({sys.executable})"),
        *(_package("Runs programs", name, required=True) for name in _CORE),
        _first_program(),
        _cpu(),
        _cuda(),
        _clusters(),
    ]
    for section, extra, names, others in (
        ("The course", "course", _COURSE, (_points, _git)),
        ("Grading", "grade", _GRADE, (_sandbox,)),
        ("Tests", "test", _TEST, (_chromium, _tensorflow, _namespaces)),
    ):
        findings += [_package(section, name, extra=extra) for name in names]
        findings += [examine_one() for examine_one in others]
    return findings


def check_course() -> str:
    """For the first lesson: a sentence, or what is missing and how to get it.

    Raises:
      RuntimeError: if the lessons cannot run here.

    Example:
      >>> check_course()
      'This machine can run the course.'
    """
    missing = [one for one in examine() if one.required and not one.present]
    if missing:
        lines = [f"{one.name}: {one.found}. To get it: {one.remedy}" for one in missing]
        raise RuntimeError("\n".join(["The lessons cannot run here.", *lines]))
    return "This machine can run the course."


def as_text(findings: list[Finding], works: bool) -> str:
    """The report for people: plain text, the same on a screen and in a file."""
    width = max(len(finding.name) for finding in findings)
    lines: list[str] = []
    section = ""
    for finding in findings:
        if finding.section != section:
            section = finding.section
            lines += ["", section]
        mark = "ok     " if finding.present else "missing"
        lines.append(f"  {mark}  {finding.name:<{width}}  {finding.found}")
        if finding.remedy:
            lines.append(f"  {'':7}  {'':<{width}}  -> {finding.remedy}")
    verdict = (
        "tinytf works here."
        if works
        else "tinytf does not work here yet: see what is missing under 'Runs programs'."
    )
    return "\n".join([*lines[1:], "", verdict])


def _package(section: str, name: str, extra: str = "", required: bool = False) -> Finding:
    try:
        return Finding(section, name, version(name), required=required)
    except PackageNotFoundError:
        remedy = machine.install_command(extra)
        return Finding(section, name, "not installed", False, required, remedy)


def _first_program() -> Finding:
    """Run the first program of chapter 1, in this process."""
    name = "a first program"
    start = time.perf_counter()
    try:
        import tinytf as tf

        with tf.Graph().as_default(), tf.Session() as session:
            result = session.run(tf.add(3, 5))
    except Exception as error:  # whatever it is, the report must say it
        found = f"{type(error).__name__}: {error}"
        remedy = "python3 start.py setup; if it stays, please report it with this text"
        return Finding("Runs programs", name, found, False, required=True, remedy=remedy)
    milliseconds = (time.perf_counter() - start) * 1000
    found = f"tf.add(3, 5) = {result} ({milliseconds:.0f} ms)"
    return Finding("Runs programs", name, found, present=bool(result == 8), required=True)


def _cpu() -> Finding:
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    found = (
        f"{usable} usable cores ({platform.machine()}), {blas.threads_now() or '?'} threads of BLAS"
    )
    return Finding("Devices", "/cpu:0", f"{found} (1 for each task of a cluster that shares them)")


def _clusters() -> Finding:
    try:
        is_short = transport.chosen(None) == transport.AUTO and unix_paths.is_possible()
    except ValueError as error:
        return Finding("Devices", "clusters", str(error), present=False)
    where = unix_paths.folder() if is_short else None
    how = "gRPC alone" if where is None else f"unix sockets in {where}"
    return Finding("Devices", "clusters", f"your tasks on this machine talk by {how}")


def _cuda() -> Finding:
    """The CUDA cards, asked through cupy; importable does not mean that there is a driver."""
    name = "/gpu:0"
    with_what = "no lesson so far needs one; it is found with"
    try:
        import cupy
    except ImportError:
        remedy = f"{with_what} an NVIDIA card, its driver, and {machine.install_command('gpu')}"
        return Finding("Devices", name, "cupy is not installed", False, remedy=remedy)
    try:
        cards = [
            cupy.cuda.runtime.getDeviceProperties(index)["name"].decode()
            for index in range(cupy.cuda.runtime.getDeviceCount())
        ]
        cupy.zeros(1).sum().item()  # a driver can be there and too old for this cupy
    except Exception as error:  # cupy's errors share no class with a missing library's
        found = f"cupy {cupy.__version__} finds no working CUDA ({error})"
        remedy = f"{with_what} an NVIDIA driver that fits"
        return Finding("Devices", name, found, False, remedy=remedy)
    return Finding("Devices", name, f"{', '.join(cards)} (cupy {cupy.__version__})")


def _points() -> Finding:
    """Where a learner's points are, and whether they can be kept there."""
    section, name = "The course", "your points"
    try:
        path = progress_file.path()
        if path is None:
            return Finding(section, name, f"not kept: {progress_file.VARIABLE} is off")
        remark = progress_file.change(path, lambda records: None)  # as a check does
    except progress_file.UnusableError as error:
        remedy = f"set {progress_file.VARIABLE} to a file that you may write"
        return Finding(section, name, str(error), False, remedy=remedy)
    mine = progress()
    return Finding(section, name, remark or f"{mine.points} of {mine.worth}, kept in {path}")


def _git() -> Finding:
    text = machine.run_quietly("git", "--version")
    if text is None:
        remedy = "sudo apt-get install git (only for `tinytf reset`)"
        return Finding("The course", "git", "not found", False, remedy=remedy)
    return Finding("The course", "git", text.removeprefix("git version "))


def _sandbox() -> Finding:
    """Where answers of people one does not know are run."""
    section, name = "Grading", "bubblewrap"
    text = machine.run_quietly("bwrap", "--version")
    only = "only to grade what you do not trust"
    if text is None:
        remedy = f"sudo apt-get install bubblewrap ({only})"
        return Finding(section, name, "not installed", False, remedy=remedy)
    obstacle = sandbox.obstacle()
    if obstacle is not None:
        remedy = f"{machine.namespace_remedy()} ({only})"
        return Finding(section, name, obstacle, False, remedy=remedy)
    return Finding(section, name, f"{text.removeprefix('bubblewrap ')}, works")


def _chromium() -> Finding:
    path = machine.chromium()
    if path is None:
        remedy = "sudo apt-get install chromium (only to test in a browser)"
        return Finding("Tests", "Chromium", "not found", False, remedy=remedy)
    text = machine.run_quietly(path, "--version")
    return Finding("Tests", "Chromium", f"{text or 'does not say its version'} ({path})")


def _tensorflow() -> Finding:
    python = machine.tensorflow_python()
    name = "TensorFlow"
    if python is None:
        remedy = (
            "python3 start.py test --all makes .venv-tensorflow (needs Python 3.9 to 3.11), or set "
            "TINYTF_TENSORFLOW_PYTHON (only to compare with the real one)"
        )
        found = f"{machine.TENSORFLOW_VERSION} not found"
        return Finding("Tests", name, found, False, remedy=remedy)
    return Finding("Tests", name, f"2.15 in its own environment ({python})")


def _namespaces() -> Finding:
    obstacle = machine.namespace_obstacle()
    name = "network namespace"
    if obstacle is None:
        return Finding("Tests", name, "can be made")
    remedy = "sudo apt-get install iproute2, and run the tests as root (only to test clusters)"
    return Finding("Tests", name, obstacle, False, remedy=remedy)
