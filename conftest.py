"""For every test and notebook: requirements by marker, no silent hangs, reproducible examples.

A test that needs more than Python packages says so with a marker. Where the need is not met, the
test is skipped and listed at the end with the command that enables it; with CI=true it fails,
because there nothing may be left out.
"""

import faulthandler
import functools
import os
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Generator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import hypothesis
import pytest

from tinytf.cli import machine

IN_CI = os.environ.get("CI") == "true"

#: The marker of tests that read the notebooks in place; --everything runs them as they are.
LESSONS = "as_committed"

#: Seconds that a cell of a notebook may take (nbval interrupts it before, and says which).
NOTEBOOK_SECONDS = 150
#: After this many seconds more, a test that its timeout could not end is ended with its process.
GRACE_SECONDS = float(os.environ.get("TINYTF_TEST_GRACE_SECONDS", "20"))

# Time says nothing about correctness on a busy machine; in CI the same commit sees the same cases.
hypothesis.settings.register_profile("here", deadline=None, print_blob=True)
hypothesis.settings.register_profile("ci", deadline=None, print_blob=True, derandomize=True)
hypothesis.settings.load_profile("ci" if IN_CI else "here")


@pytest.fixture(autouse=True)
def fresh_default_graph() -> Generator[None]:
    """What one test builds in the default graph is nothing to the next: graphs are placed whole."""
    yield
    if "tinytf" in sys.modules:
        sys.modules["tinytf"].reset_default_graph()


@pytest.fixture
def simulated_gpu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[None]:
    """One simulated GPU, on a machine of the test's own."""
    from tinytf.devices import asking, simulate_gpus

    monkeypatch.setenv("TINYTF_MACHINES", str(tmp_path / "machines"))
    for variable in (asking.GPUS_VARIABLE, asking.MACHINE_VARIABLE):
        monkeypatch.setenv(variable, "")  # so that it is put back as it was
    simulate_gpus(1, memory="1GiB", machine="test")
    yield
    simulate_gpus(0)


# --------------------------------------------------------------------------- what a test may need


@dataclass(frozen=True)
class Requirement:
    """A need that a marker names."""

    what: str
    #: Why it is not met, or None if it is.
    obstacle: Callable[[], str | None]
    #: The command that enables the tests.
    remedy: str


def _tensorflow_obstacle() -> str | None:
    return None if machine.tensorflow_python() else "no TensorFlow 2.15 found"


def _browser_obstacle() -> str | None:
    if find_spec("playwright") is None:
        return "playwright is not installed"
    return None if machine.chromium() else "no Chromium found"


def _notebook_obstacle() -> str | None:
    missing = [name for name in ("ipykernel", "nbclient") if find_spec(name) is None]
    return f"not installed: {', '.join(missing)}" if missing else None


@functools.cache
def _lessons_obstacle() -> str | None:
    """A learner works in the notebooks themselves; what they wrote there is not for us to test."""
    root = str(machine.course_root())
    changed = machine.run_quietly("git", "-C", root, "diff", "--name-only", "HEAD", "notebooks")
    return f"you have worked in {', '.join(changed.split())}" if changed else None


REQUIREMENTS = {
    "tensorflow": Requirement(
        "a real TensorFlow 2.15.1",
        _tensorflow_obstacle,
        "python3 start.py test --all  (with Python 3.9 to 3.11; or set TINYTF_TENSORFLOW_PYTHON)",
    ),
    "browser": Requirement(
        "a browser",
        _browser_obstacle,
        "sudo apt-get install chromium && python3 start.py test --all",
    ),
    "netns": Requirement(
        "a network namespace",
        machine.namespace_obstacle,
        "sudo apt-get install iproute2 && sudo python3 start.py test",
    ),
    "notebook": Requirement("Jupyter", _notebook_obstacle, "python3 start.py setup"),
    LESSONS: Requirement(
        "the lessons as committed",
        _lessons_obstacle,
        "git stash push notebooks && python3 start.py test; git stash pop  (or test --everything)",
    ),
}
SLOW_REMEDY = "python3 start.py test --all"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--everything",
        action="store_true",
        help="run slow tests and those of changed lessons as well",
    )


def pytest_configure(config: pytest.Config) -> None:
    global _hard_stderr
    # Output is captured while tests run; the last words of a process that is stuck must not be.
    _hard_stderr = os.dup(sys.__stderr__.fileno()) if sys.__stderr__ else 2
    _see_no_simulated_machines_of_the_user()


def pytest_unconfigure(config: pytest.Config) -> None:
    os.close(_hard_stderr)
    shutil.rmtree(_machines, ignore_errors=True)


def _see_no_simulated_machines_of_the_user() -> None:
    """Tests see no GPUs that the user has asked for, and show the user none of theirs.

    Not a fixture: notebooks have none. Each worker has machines of its own, so that a lesson that
    names one can be run by several at a time.
    """
    global _machines
    _machines = tempfile.mkdtemp(prefix="tinytf-machines-")
    os.environ["TINYTF_MACHINES"] = _machines
    for variable in (
        "CUDA_VISIBLE_DEVICES", "TF_FORCE_GPU_ALLOW_GROWTH",
        "TINYTF_SIMULATED_GPUS", "TINYTF_SIMULATED_MACHINE",
    ):  # fmt: skip
        os.environ.pop(variable, None)


#: How many slow tests were left out. Not by skipping each: of many thousands that takes long.
_slow_left_out = 0


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    global _slow_left_out
    for item in items:
        if item.path.suffix == ".ipynb":
            item.add_marker(pytest.mark.notebook)
            item.add_marker(pytest.mark.timeout(NOTEBOOK_SECONDS))
    if config.getoption("everything"):
        return
    slow = list(filter(_is_slow, items))
    items[:] = [item for item in items if not _is_slow(item)]
    config.hook.pytest_deselected(items=slow)
    _slow_left_out = len(slow)
    if hasattr(config, "workeroutput"):  # a process of xdist's tells the first one
        config.workeroutput["slow_left_out"] = len(slow)


def _is_slow(item: pytest.Item) -> bool:
    """Starting a real TensorFlow takes seconds: what asks one is left to `start.py test --all`."""
    return any(item.get_closest_marker(marker) for marker in ("slow", "tensorflow"))


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    global _slow_left_out
    _slow_left_out = max(_slow_left_out, getattr(node, "workeroutput", {}).get("slow_left_out", 0))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    for marker, requirement in REQUIREMENTS.items():
        if item.get_closest_marker(marker) is None:
            continue
        if marker == LESSONS and item.config.getoption("everything"):
            continue
        obstacle = requirement.obstacle()
        if obstacle is None:
            continue
        if IN_CI:
            pytest.fail(f"needs {requirement.what}, and CI must have it: {obstacle}", pytrace=False)
        item.user_properties.append(("not run", f"{requirement.what}: {obstacle}"))
        item.user_properties.append(("remedy", requirement.remedy))
        pytest.skip(f"needs {requirement.what}: {obstacle}")


#: Tests of which there is one for each op type or case -> what it means that they passed.
COUNTED = {
    "test_cards.py::test_a_card_has_tensorflows_op_def": "op types with TensorFlow's OpDef",
    "test_cases.py::test_built_and_run_here": "conformance cases, built and run here",
    "test_cases.py::test_tensorflows_graph_runs_here": "graphs of TensorFlow, run here",
    "test_cases.py::test_our_graph_runs_in_tensorflow": "graphs of ours, run in TensorFlow",
    "test_gradient_checks.py::test_gradient": "gradients, against differences of values",
    "test_gradient_checks.py::test_second_order": "gradients of gradients, likewise",
}


def _write_counts(terminalreporter: pytest.TerminalReporter) -> None:
    names = (r.nodeid.partition("[")[0] for r in terminalreporter.getreports("passed"))
    passed = Counter(name.rpartition("/")[2] for name in names)
    counts = [(passed[test], what) for test, what in COUNTED.items() if passed[test]]
    if counts:
        terminalreporter.section("agrees with TensorFlow, or with mathematics")
    for count, what in counts:
        terminalreporter.write_line(f"{count:5d}  {what}")


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """List what was not run, and the command that enables it."""
    counts: dict[tuple[str, str], int] = {}
    for report in terminalreporter.getreports("skipped"):
        properties = dict(report.user_properties)
        if "not run" in properties:
            key = (properties["not run"], properties["remedy"])
            counts[key] = counts.get(key, 0) + 1
    _write_counts(terminalreporter)
    if not config.getoption("everything"):
        notebooks = len(list(Path(config.rootpath, "notebooks").glob("*.ipynb")))
        if notebooks:
            counts["notebooks: left out of the default run", SLOW_REMEDY] = notebooks
    if _slow_left_out:
        counts["slow tests: left out of the default run", SLOW_REMEDY] = _slow_left_out
    if counts:
        terminalreporter.section("not run")
    for (what, remedy), count in sorted(counts.items()):
        terminalreporter.write_line(f"{count:4d}  {what}\n      -> {remedy}")


# --------------------------------------------------------------------------------- no silent hangs

_hard_stderr = 2


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """End the process with all stacks if a test outlives the timeout that should have failed it.

    pytest-timeout ends a test that waits in Python. A test that waits in C without letting signals
    in (a lock of a library, a kernel's loop) would stay; under xdist the end of its process is
    reported as this test's failure, and the run goes on.
    """
    seconds = _timeout_of(item)
    if seconds > 0:
        faulthandler.dump_traceback_later(seconds + GRACE_SECONDS, exit=True, file=_hard_stderr)
    try:
        return (yield)
    finally:
        faulthandler.cancel_dump_traceback_later()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    if config.getoption("dist") != "loadfile":
        return None
    from tests.scheduling import OnceScheduling

    return OnceScheduling(config, log)


def _timeout_of(item: pytest.Item) -> float:
    marker = item.get_closest_marker("timeout")
    if marker is not None:
        return float(marker.args[0] if marker.args else marker.kwargs["timeout"])
    option = item.config.getoption("timeout", None)
    return float(option if option is not None else item.config.getini("timeout") or 0)


# ------------------------------------------------------------------------------ fixtures for needs


@pytest.fixture
def tensorflow_python() -> Path:
    """The Python that can import a real TensorFlow (mark the test with `tensorflow`)."""
    python = machine.tensorflow_python()
    if python is None:
        pytest.fail("this test uses a real TensorFlow: mark it with @pytest.mark.tensorflow")
    return python


@pytest.fixture
def chromium() -> str:
    """The path of a Chromium (mark the test with `browser`)."""
    path = machine.chromium()
    if path is None:
        pytest.fail("this test uses a browser: mark it with @pytest.mark.browser")
    return path


@pytest.fixture
def in_network_namespace() -> Callable[..., list[str]]:
    """A function that wraps a command so that it runs in a network of its own, loopback only.

    A real TensorFlow's servers listen on all interfaces, so they are started nowhere else. Mark
    the test with `netns`.
    """

    def wrap(*command: str) -> list[str]:
        return ["unshare", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "sh", *command]

    return wrap
